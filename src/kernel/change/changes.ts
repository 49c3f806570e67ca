// The one way to change configuration: the write, its audit entry and the subscribers' writes share a commit. ADR 0033.
import type { Engine } from '../storage/engine.ts';
import { notifyOnCommit } from '../storage/notify-on-commit.ts';
import { onOneConnection } from '../storage/one-connection.ts';
import { retryContested } from '../storage/retry.ts';
import type { SqlStatement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import { executeAll, awaitAll } from '../storage/execute-all.ts';
import { requireAllPermissions, type ChangeActor } from '../identity/actor.ts';
import { accountOf } from '../identity/caller.ts';
import { toAuditEntry, type Change, type AuditEntry } from './change.ts';
import { insertAuditEntry } from './store.ts';

/** Subscribes to changes: what it writes for them is committed with them. */
export interface Subscriber {
  /** The statement that reads its registrations, where it has any; `statementsFor` gets the rows. */
  registrations?(db: Db): SqlStatement;
  /** Notified after the commit, on all nodes, when it has written anything. */
  readonly channel: string;
  /** The statements that record the entries for its registrations. */
  statementsFor(db: Db, entries: readonly AuditEntry[], registrations: readonly unknown[]): SqlStatement[];
}

/** The transaction of a change. Rules take it as an argument, so that changes nest in one transaction. */
export interface ChangeTransaction {
  readonly db: Db;
  readonly actor: ChangeActor;
  /** Checks the permissions of the change and adds its audit entry. May be called any number of times; the order is kept. */
  record(change: Change): void;
  /** The same transaction with another actor. */
  as(actor: ChangeActor): ChangeTransaction;
  /** Notifies the caches that listen on the channel, on all nodes, after the commit. */
  invalidate(channel: string): Promise<void>;
}

/** The account that changes something; null where the server does so by itself. */
export function actorIdOf({ actor: { caller } }: Pick<ChangeTransaction, 'actor'>): string | null {
  return caller === undefined ? null : accountOf(caller).id;
}

/** A change whose statements are all known before the first is sent, so that it takes one round trip. */
export interface ChangePlan<T> {
  /** Each must write a row; if not, a concurrent change came first. */
  guards: readonly SqlStatement[];
  statements: readonly SqlStatement[];
  changes: readonly Change[];
  result: T;
}

/** Notified after every commit with audit entries. */
export const CHANGES = 'changes';

/** Entries per round trip: building the statements for more would block other calls. */
const AT_ONCE = 50;

export class Changes {
  readonly #engine: Engine;
  readonly #subscribers: readonly Subscriber[];

  constructor(engine: Engine, subscribers: readonly Subscriber[]) {
    this.#engine = engine;
    this.#subscribers = subscribers;
  }

  /** `work` is called again after a conflict with another transaction: it must have no effects but on the database. */
  async run<T>(actor: ChangeActor, work: (tx: ChangeTransaction) => Promise<T>): Promise<T> {
    return await this.#engine.db.transaction().execute(async (tx) => {
      const recorded: Recorded[] = [];
      const result = await work(this.#transactionOf(tx, actor, recorded));
      if (recorded.length > 0) {
        actor.assertPermissionChecked?.(true);
        await this.#save(tx, recorded);
      }
      return result;
    });
  }

  /**
   * Executes the plan of `read` in one guarded batch. Without a plan, or after a concurrent change, runs `otherwise`. The
   * registrations are read in the first round trip of `read`.
   */
  async plan<T>(
    actor: ChangeActor,
    read: (db: Db) => Promise<ChangePlan<T> | undefined>,
    otherwise: (tx: ChangeTransaction) => Promise<T>,
  ): Promise<T> {
    const { db } = this.#engine;
    const [planned, registrations] = await retryContested(() =>
      onOneConnection(db, (one) =>
        awaitAll([read(one), awaitAll(this.#readers(one).map((statement) => one.executeQuery(statement)))]),
      ),
    );
    if (planned === undefined) return await this.run(actor, otherwise);
    const { guards, statements, changes, result } = planned;
    if (changes.length === 0) return result;
    const recorded = changes.map((change) => record(actor, change));
    actor.assertPermissionChecked?.(true);
    const { extra, channels } = this.#extraFor(db, entriesOf(recorded), rowsOf(registrations));
    const audit = recorded.map(({ by, entry }) => insertAuditEntry(db, by, entry));
    const all = [...statements, ...audit, ...extra];
    const isDone = await this.#engine.batchIf(guards, all, [...channels, CHANGES]);
    return isDone ? result : await this.run(actor, otherwise);
  }

  #transactionOf(db: Db, actor: ChangeActor, recorded: Recorded[]): ChangeTransaction {
    return {
      db,
      actor,
      record: (change) => void recorded.push(record(actor, change)),
      as: (other) => this.#transactionOf(db, other, recorded),
      invalidate: (channel) => notifyOnCommit(db, channel),
    };
  }

  /** The first round trip also reads the registrations. */
  async #save(tx: Db, recorded: readonly Recorded[]): Promise<void> {
    let registrations: (readonly unknown[])[] | undefined;
    const notified = new Set([CHANGES]);
    for (let start = 0; start < recorded.length; start += AT_ONCE) {
      const some = recorded.slice(start, start + AT_ONCE);
      const readers = registrations === undefined ? this.#readers(tx) : [];
      const results = await executeAll(tx, [
        ...some.map(({ by, entry }) => insertAuditEntry(tx, by, entry)),
        ...readers,
      ]);
      registrations ??= rowsOf(results.slice(some.length));
      const { extra, channels } = this.#extraFor(tx, entriesOf(some), registrations);
      if (extra.length > 0) await executeAll(tx, extra);
      for (const channel of channels) notified.add(channel);
    }
    for (const channel of notified) await notifyOnCommit(tx, channel);
  }

  /** The statements that read the registrations of the subscribers that have any, in their order. */
  #readers(db: Db): SqlStatement[] {
    return this.#subscribers.flatMap((subscriber) => subscriber.registrations?.(db) ?? []);
  }

  /** What the subscribers write for the entries, and whom to notify of it. */
  #extraFor(
    db: Db,
    entries: readonly AuditEntry[],
    registrations: readonly (readonly unknown[])[],
  ): { extra: SqlStatement[]; channels: string[] } {
    const extra: SqlStatement[] = [];
    const channels = new Set<string>();
    let read = 0;
    for (const subscriber of this.#subscribers) {
      const rows = subscriber.registrations === undefined ? [] : registrations[read++]!;
      const own = subscriber.statementsFor(db, entries, rows);
      if (own.length === 0) continue;
      extra.push(...own);
      channels.add(subscriber.channel);
    }
    return { extra, channels: [...channels] };
  }
}

interface Recorded {
  by: ChangeActor;
  entry: AuditEntry;
}

function record(by: ChangeActor, change: Change): Recorded {
  requireAllPermissions(by, change.requirements ?? change.accesses);
  return { by, entry: toAuditEntry(by, change) };
}

function rowsOf(results: readonly { rows: unknown[] }[]): unknown[][] {
  return results.map(({ rows }) => rows);
}

function entriesOf(recorded: readonly Recorded[]): AuditEntry[] {
  return recorded.map(({ entry }) => entry);
}

// The one way to change configuration: the write, its audit entry, and all who are to be told of it share a commit.
import { DUE, wakeWorkers } from '../due-store.ts';
import type { Engine } from '../storage/engine.ts';
import { notifyOnCommit } from '../storage/notify-on-commit.ts';
import { retryContested } from '../storage/retry.ts';
import type { SqlStatement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import { executeAll, awaitAll } from '../storage/execute-all.ts';
import { demandAll, type Actor } from './actor.ts';
import { toAuditEntry, type Change, type AuditEntry } from './change.ts';
import { insertAuditEntry } from './store.ts';

/** Hears of changes: what it has to write for them is committed with them. */
export interface Subscriber {
  /** The statement that reads who has registered with it; its rows are given to `tell`. */
  registrations(db: Db): SqlStatement;
  /** What it takes to tell those of the registered that listen. Such statements may leave work that waits. */
  statementsFor(db: Db, entries: readonly AuditEntry[], registrations: readonly unknown[]): SqlStatement[];
}

/** A change under way, inside its transaction. Rules take it as an argument, so that changes nest in one transaction. */
export interface ChangeTransaction {
  readonly db: Db;
  readonly actor: Actor;
  /** Demands what the change took, and writes it down. None or many in one transaction; they are kept in their order. */
  record(change: Change): void;
  /** The same transaction, in somebody else's name. */
  as(actor: Actor): ChangeTransaction;
  /** Tells the caches that listen on the channel, on all nodes, once this is committed. */
  invalidate(channel: string): Promise<void>;
}

/** A change that is decided before anything is written, so that all of it is one trip to the database. */
export interface ChangePlan<T> {
  /** Each must write a row, or else somebody was quicker. */
  guards: readonly SqlStatement[];
  statements: readonly SqlStatement[];
  changes: readonly Change[];
  /** What else must be true, asked in the same trip as who is to be told: it throws where it is not. */
  verify?(db: Db): Promise<void>;
  result: T;
}

/** So many entries are sent at once: more would hold up all other calls while they are put into words. */
const AT_ONCE = 50;

export class Changes {
  readonly #engine: Engine;
  readonly #subscribers: readonly Subscriber[];

  constructor(engine: Engine, subscribers: readonly Subscriber[]) {
    this.#engine = engine;
    this.#subscribers = subscribers;
  }

  /** `work` is called again where others were in the way: it must change nothing but the database. */
  async run<T>(actor: Actor, work: (on: ChangeTransaction) => Promise<T>): Promise<T> {
    return await this.#engine.db.transaction().execute(async (tx) => {
      const recorded: Recorded[] = [];
      const result = await work(this.#changing(tx, actor, recorded));
      if (recorded.length > 0) {
        actor.checkPermissionAsked?.(true);
        await this.#keep(tx, recorded);
      }
      return result;
    });
  }

  /** One guarded batch of what `read` has planned. Where it plans nothing, or somebody was quicker, `otherwise` is run. */
  async plan<T>(
    actor: Actor,
    read: (db: Db) => Promise<ChangePlan<T> | undefined>,
    otherwise: (on: ChangeTransaction) => Promise<T>,
  ): Promise<T> {
    const { db } = this.#engine;
    const planned = await retryContested(() => read(db));
    if (planned === undefined) return await this.run(actor, otherwise);
    const { guards, statements, changes, verify, result } = planned;
    if (changes.length === 0) return result;
    const recorded = changes.map((change) => record(actor, change));
    actor.checkPermissionAsked?.(true);
    const [registrations] = await awaitAll([
      awaitAll(this.#subscribers.map((subscriber) => db.executeQuery(subscriber.registrations(db)))),
      verify?.(db),
    ]);
    const told = this.#tell(db, entriesOf(recorded), rowsOf(registrations));
    const kept = recorded.map(({ by, entry }) => insertAuditEntry(db, by, entry));
    if (!(await this.#engine.batchIf(guards, [...statements, ...kept, ...told])))
      return await this.run(actor, otherwise);
    if (told.length > 0) await this.#engine.notify(DUE);
    return result;
  }

  #changing(db: Db, actor: Actor, recorded: Recorded[]): ChangeTransaction {
    return {
      db,
      actor,
      record: (change) => void recorded.push(record(actor, change)),
      as: (other) => this.#changing(db, other, recorded),
      invalidate: (channel) => notifyOnCommit(db, channel),
    };
  }

  /** The first trip also reads who is to be told. */
  async #keep(tx: Db, recorded: readonly Recorded[]): Promise<void> {
    let registrations: (readonly unknown[])[] | undefined;
    let isTold = false;
    for (let start = 0; start < recorded.length; start += AT_ONCE) {
      const some = recorded.slice(start, start + AT_ONCE);
      const asked = registrations === undefined ? this.#subscribers : [];
      const results = await executeAll(tx, [
        ...some.map(({ by, entry }) => insertAuditEntry(tx, by, entry)),
        ...asked.map((subscriber) => subscriber.registrations(tx)),
      ]);
      registrations ??= rowsOf(results.slice(some.length));
      const told = this.#tell(tx, entriesOf(some), registrations);
      if (told.length > 0) await executeAll(tx, told);
      isTold ||= told.length > 0;
    }
    if (isTold) await wakeWorkers(tx);
  }

  #tell(
    db: Db,
    entries: readonly AuditEntry[],
    registrations: readonly (readonly unknown[])[],
  ): SqlStatement[] {
    return this.#subscribers.flatMap((subscriber, index) =>
      subscriber.statementsFor(db, entries, registrations[index]!),
    );
  }
}

interface Recorded {
  by: Actor;
  entry: AuditEntry;
}

function record(by: Actor, change: Change): Recorded {
  demandAll(by, change.demands ?? change.accesses);
  return { by, entry: toAuditEntry(by, change) };
}

function rowsOf(results: readonly { rows: unknown[] }[]): unknown[][] {
  return results.map(({ rows }) => rows);
}

function entriesOf(recorded: readonly Recorded[]): AuditEntry[] {
  return recorded.map(({ entry }) => entry);
}

// The one way to change configuration: the write, its audit entry, and all who are to be told of it share a commit.
import { DUE, wakeWorkers } from '../due-store.ts';
import type { Engine } from '../storage/engine.ts';
import { noticeOnCommit } from '../storage/notices.ts';
import { retryContested } from '../storage/retry.ts';
import type { Statement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import { sendAll, together } from '../storage/together.ts';
import { demandAll, type Actor } from './actor.ts';
import { toEntry, type Change, type Entry } from './change.ts';
import { insertEntry } from './store.ts';

/** Hears of changes: what it has to write for them is committed with them. */
export interface Subscriber {
  /** The statement that reads who has registered with it; its rows are given to `tell`. */
  registrations(db: Db): Statement;
  /** What it takes to tell those of the registered that listen. Such statements may leave work that waits. */
  tell(db: Db, entries: readonly Entry[], registrations: readonly unknown[]): Statement[];
}

/** A change under way, inside its transaction. Rules take it as an argument, so that changes nest in one transaction. */
export interface Changing {
  readonly db: Db;
  readonly actor: Actor;
  /** Demands what the change took, and writes it down. None or many in one transaction; they are kept in their order. */
  record(change: Change): void;
  /** The same transaction, in somebody else's name. */
  as(actor: Actor): Changing;
  /** Tells the caches that listen on the channel, on all nodes, once this is committed. */
  invalidate(channel: string): Promise<void>;
}

/** A change that is decided before anything is written, so that all of it is one trip to the database. */
export interface Planned<T> {
  /** Each must write a row, or else somebody was quicker. */
  guards: readonly Statement[];
  statements: readonly Statement[];
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
  async run<T>(actor: Actor, work: (on: Changing) => Promise<T>): Promise<T> {
    return await this.#engine.db.transaction().execute(async (tx) => {
      const recorded: Recorded[] = [];
      const result = await work(this.#changing(tx, actor, recorded));
      if (recorded.length > 0) {
        actor.checkAsked?.(true);
        await this.#keep(tx, recorded);
      }
      return result;
    });
  }

  /** One guarded batch of what `read` has planned. Where it plans nothing, or somebody was quicker, `otherwise` is run. */
  async plan<T>(
    actor: Actor,
    read: (db: Db) => Promise<Planned<T> | undefined>,
    otherwise: (on: Changing) => Promise<T>,
  ): Promise<T> {
    const { db } = this.#engine;
    const planned = await retryContested(() => read(db));
    if (planned === undefined) return await this.run(actor, otherwise);
    const { guards, statements, changes, verify, result } = planned;
    if (changes.length === 0) return result;
    const recorded = changes.map((change) => record(actor, change));
    actor.checkAsked?.(true);
    const [registrations] = await together([
      together(this.#subscribers.map((subscriber) => db.executeQuery(subscriber.registrations(db)))),
      verify?.(db),
    ]);
    const told = this.#tell(db, entriesOf(recorded), rowsOf(registrations));
    const kept = recorded.map(({ by, entry }) => insertEntry(db, by, entry));
    if (!(await this.#engine.batchIf(guards, [...statements, ...kept, ...told])))
      return await this.run(actor, otherwise);
    if (told.length > 0) await this.#engine.notify(DUE);
    return result;
  }

  #changing(db: Db, actor: Actor, recorded: Recorded[]): Changing {
    return {
      db,
      actor,
      record: (change) => void recorded.push(record(actor, change)),
      as: (other) => this.#changing(db, other, recorded),
      invalidate: (channel) => noticeOnCommit(db, channel),
    };
  }

  /** The first trip also reads who is to be told. */
  async #keep(tx: Db, recorded: readonly Recorded[]): Promise<void> {
    let registrations: (readonly unknown[])[] | undefined;
    let isTold = false;
    for (let start = 0; start < recorded.length; start += AT_ONCE) {
      const some = recorded.slice(start, start + AT_ONCE);
      const asked = registrations === undefined ? this.#subscribers : [];
      const results = await sendAll(tx, [
        ...some.map(({ by, entry }) => insertEntry(tx, by, entry)),
        ...asked.map((subscriber) => subscriber.registrations(tx)),
      ]);
      registrations ??= rowsOf(results.slice(some.length));
      const told = this.#tell(tx, entriesOf(some), registrations);
      if (told.length > 0) await sendAll(tx, told);
      isTold ||= told.length > 0;
    }
    if (isTold) await wakeWorkers(tx);
  }

  #tell(db: Db, entries: readonly Entry[], registrations: readonly (readonly unknown[])[]): Statement[] {
    return this.#subscribers.flatMap((subscriber, index) =>
      subscriber.tell(db, entries, registrations[index]!),
    );
  }
}

interface Recorded {
  by: Actor;
  entry: Entry;
}

function record(by: Actor, change: Change): Recorded {
  demandAll(by, change.demands ?? change.accesses);
  return { by, entry: toEntry(by, change) };
}

function rowsOf(results: readonly { rows: unknown[] }[]): unknown[][] {
  return results.map(({ rows }) => rows);
}

function entriesOf(recorded: readonly Recorded[]): Entry[] {
  return recorded.map(({ entry }) => entry);
}

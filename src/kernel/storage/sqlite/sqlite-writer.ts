// Group commit: requests that arrive together share one COMMIT, and none is answered before it is durable. ADR 0005.
import { Failure } from '../../failure.ts';
import { asStorageFailure } from '../storage-failure.ts';
import { joinTables } from '../table-changes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { hasWritten, EMPTY_RESULT, thrownBy, transactionOf } from './sqlite-protocol.ts';
import type {
  NumberedRequest,
  ThreadReply,
  StorageRequest,
  RawResult,
  ThrownError,
} from './sqlite-protocol.ts';

/** A group is committed when nothing more is waiting, or when it reaches this size or age. */
const GROUP_SIZE = 256;
const GROUP_MS = 5;
/** An idle transaction is rolled back, because all other writers wait for it. */
const IDLE_MS = 10_000;

const IDLE: ThrownError = {
  kind: 'timeout',
  message:
    `The transaction was rolled back after ${IDLE_MS / 1000} s without a statement. ` +
    'Inside a transaction, wait for nothing but its own statements.',
};
const FAILED: ThrownError = {
  message: 'A statement of this transaction has failed; it can only be rolled back.',
};

interface Transaction {
  name: number;
  requests: NumberedRequest[];
  failed: boolean;
  /** As results name them. */
  written: Set<string>;
}

/**
 * One outer transaction holds a group. A statement outside a transaction is a member of its own, and so is a batch. An
 * interactive transaction is a savepoint: one at a time, its statements answered at once, its commit with the group.
 */
export class SqliteWriter {
  readonly #connection: SqliteConnection;
  readonly #answer: (replies: ThreadReply[]) => void;
  readonly #arrived: () => NumberedRequest[] | undefined;
  readonly #now: () => number;
  #silence: NodeJS.Timeout | undefined;

  readonly #waiting: (NumberedRequest | Transaction)[] = [];
  readonly #transactions = new Map<number, Transaction>();
  /** Transactions that this thread has rolled back, until the main thread ends them. */
  readonly #broken = new Map<number, ThrownError>();
  #current: Transaction | undefined;

  #done: ThreadReply[] = [];
  /** Replies within the open transaction, held until it has no more requests, so that they are sent together. */
  #early: ThreadReply[] = [];
  #size = 0;
  #begun = 0;

  /** `arrived` returns the requests that came in while a group was being written, `now` milliseconds that never go back. */
  constructor(
    connection: SqliteConnection,
    answer: (replies: ThreadReply[]) => void,
    arrived: () => NumberedRequest[] | undefined,
    now: () => number,
  ) {
    this.#connection = connection;
    this.#answer = answer;
    this.#arrived = arrived;
    this.#now = now;
  }

  accept(requests: NumberedRequest[]): void {
    this.#enqueue(requests);
    this.#work();
  }

  /** SQLite checkpoints the log into the file when its last connection closes. */
  close(): void {
    clearTimeout(this.#silence);
    this.#connection.close();
  }

  #enqueue(requests: NumberedRequest[]): void {
    for (const numbered of requests) {
      const name = transactionOf(numbered[1]);
      if (name === 0) {
        this.#waiting.push(numbered);
      } else if (this.#broken.has(name)) {
        this.#rejectBroken(name, numbered);
      } else {
        let transaction = this.#transactions.get(name);
        if (!transaction) {
          transaction = { name, requests: [], failed: false, written: new Set() };
          this.#transactions.set(name, transaction);
          this.#waiting.push(transaction);
        }
        transaction.requests.push(numbered);
      }
    }
  }

  #work(): void {
    for (;;) {
      if (this.#current) {
        const request = this.#current.requests.shift();
        if (!request) {
          this.#answerEarly();
          clearTimeout(this.#silence);
          this.#silence = setTimeout(() => this.#expire(), IDLE_MS).unref();
          return;
        }
        this.#step(this.#current, request);
        continue;
      }
      const next = this.#waiting.shift();
      const more = next ? undefined : this.#arrived();
      if (next) this.#take(next);
      else if (more) this.#enqueue(more);
      else if (this.#size > 0) this.#commit();
      else return;
    }
  }

  /** Adds a statement or a transaction to the group. */
  #take(next: NumberedRequest | Transaction): void {
    if (this.#size >= GROUP_SIZE || (this.#size > 0 && this.#now() - this.#begun > GROUP_MS)) this.#commit();
    try {
      if (this.#size === 0) this.#begin();
      this.#size += 1;
    } catch (error) {
      // The waiting ones are refused as well: each would wait for the whole busy timeout again.
      for (const refused of [next, ...this.#waiting.splice(0)]) this.#refuse(refused, thrownBy(error));
      return;
    }
    try {
      if (isTransaction(next)) {
        this.#current = next;
        this.#connection.run('savepoint member');
      } else if (next[1][0] === 'batch') {
        this.#done.push(this.#runBatch(next[0], next[1]));
      } else {
        this.#done.push([next[0], this.#run(next[1])]);
      }
    } catch (error) {
      if (!isTransaction(next)) this.#done.push([next[0], EMPTY_RESULT, thrownBy(error)]);
      if (isTransaction(next) || !this.#connection.inTransaction) this.#failGroup(error);
    }
  }

  /** Executes one request of an interactive transaction. */
  #step(transaction: Transaction, numbered: NumberedRequest): void {
    const [id, request] = numbered;
    const verb = request[0];
    try {
      if (verb === 'run') {
        if (transaction.failed) {
          this.#early.push([id, EMPTY_RESULT, FAILED]);
        } else {
          const result = this.#run(request);
          this.#early.push([id, result]);
          const [, , , , , written] = result;
          if (written !== undefined) transaction.written.add(written);
        }
      } else if (verb === 'fail') {
        transaction.failed = true;
        this.#early.push([id, EMPTY_RESULT, { message: request[2] }]);
      } else if (verb === 'commit' && !transaction.failed) {
        this.#connection.run('release member');
        const written = joinTables(transaction.written);
        this.#done.push(...this.#early.splice(0), [id, ['', [], 0, 0, undefined, written]]);
        this.#leave(transaction);
      } else {
        this.#undo();
        this.#answerEarly();
        this.#answer([verb === 'commit' ? [id, EMPTY_RESULT, FAILED] : [id, EMPTY_RESULT]]);
        this.#leave(transaction);
      }
    } catch (error) {
      if (verb === 'run' && this.#connection.inTransaction) {
        transaction.failed = true;
        this.#early.push([id, EMPTY_RESULT, thrownBy(error)]);
      } else {
        transaction.requests.unshift(numbered);
        this.#failGroup(error);
      }
    }
  }

  /** Throws where SQLite has rolled back the whole group. */
  #runBatch(
    id: number,
    [, statements, guards]: Extract<StorageRequest, ['batch', ...unknown[]]>,
  ): ThreadReply {
    const results: RawResult[] = [];
    const allWritten = new Set<string>();
    this.#connection.run('savepoint member');
    try {
      for (const [sql, parameters] of statements) {
        const [columns, values, changes, insertId, read, written] = this.#connection.run(sql, parameters);
        const result: RawResult = [columns, values, changes, insertId, read];
        if (results.length < guards && !hasWritten(result)) {
          this.#undo();
          return [id, EMPTY_RESULT];
        }
        results.push(result);
        if (written !== undefined) allWritten.add(written);
      }
    } catch (error) {
      if (!this.#connection.inTransaction) throw error;
      this.#undo();
      return [id, EMPTY_RESULT, thrownBy(error)];
    }
    this.#connection.run('release member');
    return [id, ['', [], 0, 0, undefined, joinTables(allWritten)], undefined, results];
  }

  #run(request: StorageRequest): RawResult {
    if (request[0] !== 'run') throw new Error(`The writer cannot ${request[0]}.`);
    return this.#connection.run(request[2], request[3]);
  }

  #begin(): void {
    this.#connection.run('begin immediate');
    this.#begun = this.#now();
  }

  #commit(): void {
    try {
      this.#connection.run('commit');
    } catch (error) {
      this.#failGroup(error);
      return;
    }
    if (this.#done.length > 0) this.#answer(this.#done);
    this.#done = [];
    this.#size = 0;
  }

  #undo(): void {
    this.#connection.run('rollback to member');
    this.#connection.run('release member');
  }

  #leave(transaction: Transaction): void {
    this.#transactions.delete(transaction.name);
    this.#current = undefined;
  }

  #answerEarly(): void {
    if (this.#early.length > 0) this.#answer(this.#early.splice(0));
  }

  /** Fails the whole group, which SQLite has rolled back (a full disk) or could not commit. */
  #failGroup(error: unknown): void {
    if (this.#connection.inTransaction) this.#connection.run('rollback');
    const folded = asStorageFailure(error);
    const message =
      folded instanceof Failure
        ? folded.message
        : `The database could not keep the change (${String(error)}).`;
    const thrown: ThrownError = { kind: 'unavailable', message };
    this.#answerEarly();
    this.#answer(this.#done.map(([id]) => [id, EMPTY_RESULT, thrown]));
    this.#done = [];
    this.#size = 0;
    if (this.#current) this.#refuse(this.#current, thrown);
  }

  #expire(): void {
    if (!this.#current) return;
    this.#undo();
    this.#refuse(this.#current, IDLE);
    this.#work();
  }

  #refuse(refused: NumberedRequest | Transaction, thrown: ThrownError): void {
    if (!isTransaction(refused)) {
      this.#answer([[refused[0], EMPTY_RESULT, thrown]]);
      return;
    }
    this.#leave(refused);
    this.#broken.set(refused.name, thrown);
    for (const numbered of refused.requests) this.#rejectBroken(refused.name, numbered);
  }

  /** Every request of a broken transaction fails until its owner ends it. */
  #rejectBroken(name: number, [id, request]: NumberedRequest): void {
    const thrown = this.#broken.get(name);
    this.#answer([request[0] === 'rollback' || !thrown ? [id, EMPTY_RESULT] : [id, EMPTY_RESULT, thrown]]);
    if (request[0] === 'commit' || request[0] === 'rollback') this.#broken.delete(name);
  }
}

function isTransaction(member: NumberedRequest | Transaction): member is Transaction {
  return !Array.isArray(member);
}

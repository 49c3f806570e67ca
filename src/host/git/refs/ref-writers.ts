// Long-lived processes that change references: one for each repository in use, and a few over all repositories. ADR 0164.
import { Failure } from '../../../kernel/failure.ts';
import { guarded } from '../../../kernel/network/streams.ts';
import { gitErrorOf, type GitProcess } from '../process/git-process.ts';
import { GitTimedOut } from '../process/process-limits.ts';

/** Git answers each part of a transaction that has succeeded, and ends at the first that fails. */
const SUCCESS = 'start: ok\nprepare: ok\ncommit: ok\n';
/** Git keeps every commit in memory that a reference was moved to. */
const MAX_TRANSACTIONS = 500;
/** As many wait for the process of one repository; further ones start their own. */
const MAX_WAITING = 100;

export interface RefWriterOptions {
  start(folder: string): Promise<GitProcess>;
  maxWriters: number;
  /** A process without transactions for so long is ended. */
  idleMs: number;
  /** How long one transaction may take. */
  timeoutMs: number;
}

interface RefWriter {
  folder: string;
  /** Absent until the first transaction, and after one that failed. */
  process?: Promise<GitProcess> | undefined;
  /** Of this process. */
  transactions: number;
  /** Transactions of the repository that have not ended. */
  pending: number;
  last: Promise<unknown>;
  idleTimer: NodeJS.Timeout;
}

export class RefWriters {
  readonly #options: RefWriterOptions;
  /** By folder, in order of last use. */
  readonly #writers = new Map<string, RefWriter>();
  #isClosed = false;

  constructor(options: RefWriterOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#writers.size;
  }

  /**
   * Runs one transaction of `update-ref --stdin -z`, from its `start` to its `commit`, after the earlier ones of the repository.
   * False where other repositories have all processes: nothing was done then.
   * @throws {GitError} with what git has printed where it refuses the transaction.
   */
  async run(folder: string, transaction: string): Promise<boolean> {
    const writer = this.#writers.get(folder) ?? this.#open(folder);
    if (writer === undefined || writer.pending >= MAX_WAITING) return false;
    this.#writers.delete(folder);
    this.#writers.set(folder, writer);
    writer.pending += 1;
    const turn = writer.last.then(() => this.#transact(writer, transaction));
    writer.last = turn.catch(() => {});
    try {
      await turn;
    } finally {
      writer.pending -= 1;
      writer.idleTimer.refresh();
      // It was forgotten meanwhile.
      if (writer.pending === 0 && this.#writers.get(folder) !== writer) this.#end(writer);
    }
    return true;
  }

  /** For a repository that is about to be removed. */
  forget(folder: string): void {
    const writer = this.#writers.get(folder);
    if (writer === undefined) return;
    this.#writers.delete(folder);
    if (writer.pending === 0) this.#end(writer);
  }

  close(): void {
    this.#isClosed = true;
    for (const writer of this.#writers.values()) this.#end(writer);
    this.#writers.clear();
  }

  /** Undefined where all others are busy. */
  #open(folder: string): RefWriter | undefined {
    if (this.#isClosed) throw new Failure('unavailable', 'The server is stopping.');
    if (this.#writers.size >= this.#options.maxWriters) {
      const idle = [...this.#writers.values()].find(({ pending }) => pending === 0);
      if (idle === undefined) return undefined;
      this.forget(idle.folder);
    }
    const writer: RefWriter = {
      folder,
      transactions: 0,
      pending: 0,
      last: Promise.resolve(),
      idleTimer: setTimeout(() => {
        if (writer.pending === 0) this.forget(folder);
      }, this.#options.idleMs).unref(),
    };
    return writer;
  }

  /** Its input ends, and with that git. */
  #end(writer: RefWriter): void {
    clearTimeout(writer.idleTimer);
    const { process } = writer;
    writer.process = undefined;
    void process?.then(
      ({ end }) => end(),
      () => {},
    );
  }

  async #transact(writer: RefWriter, transaction: string): Promise<void> {
    const isFirst = writer.process === undefined;
    try {
      await this.#send(writer, transaction);
    } catch (error) {
      // A process that was ended while nobody needed it has done nothing. One that has changed the references all the same would refuse the second try.
      if (!(error instanceof UnansweredTransaction)) throw error;
      if (isFirst) throw error.cause;
      await this.#send(writer, transaction).catch((again: unknown) => {
        throw again instanceof UnansweredTransaction ? again.cause : again;
      });
    }
  }

  async #send(writer: RefWriter, transaction: string): Promise<void> {
    writer.process ??= this.#options.start(writer.folder);
    try {
      await answerOf(await writer.process, transaction, this.#options.timeoutMs);
    } catch (error) {
      writer.process = undefined;
      writer.transactions = 0;
      throw error;
    }
    writer.transactions += 1;
    if (writer.transactions < MAX_TRANSACTIONS) return;
    writer.transactions = 0;
    const { end } = await writer.process;
    writer.process = undefined;
    end();
  }
}

/** A signal has ended the process before it answered anything. */
class UnansweredTransaction extends Error {}

async function answerOf(process: GitProcess, transaction: string, timeoutMs: number): Promise<void> {
  const { stdin, stdout, exited, kill } = process;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let answer = '';
  let isLate = false;
  const onData = (chunk: Buffer) => {
    answer += chunk.toString('latin1');
    if (answer === SUCCESS) resolve();
    else if (!SUCCESS.startsWith(answer)) kill();
  };
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeoutMs);
  void exited.then((exit) => {
    const error = isLate ? new GitTimedOut('update-ref') : gitErrorOf('update-ref', exit);
    const isUnanswered = !isLate && answer === '' && exit.exitCode === null;
    reject(isUnanswered ? new UnansweredTransaction('', { cause: error }) : error);
  });
  stdout.on('data', guarded(onData, kill));
  stdin.write(transaction);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    stdout.removeAllListeners('data');
  }
}

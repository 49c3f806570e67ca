// Writes the logs of builds and runs: creates the file for the output of each program, and follows all of them with one timer, which stores their lines in shared commits.
import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { rm } from 'node:fs/promises';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { createPrivateFolder } from '../../kernel/storage/disk/private-files.ts';
import { chunk } from '../../kernel/collections/chunk.ts';
import { LogFile } from './log-file.ts';
import { packLog, unpackLog } from './stored-log.ts';
import { insertLogFile, appendToLogs, findLog, findLogFile, LOG_CHANNEL, type LogAppend } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    logFiles: LogFiles;
  }
}

export interface LogWriter {
  /** The file that receives the program's output. It stays where it is until the writer is closed or ended. */
  readonly file: string;
  /** Appends a line of the platform itself, such as `ACTOR: Starting`. */
  write(line: string): void;
  /** Stores everything in the file, closes it, and marks the log as ended: call it when the program is dead. */
  end(): Promise<void>;
  /** Stores everything in the file and closes it; the log goes on on another node. */
  close(): Promise<void>;
}

interface LogPlace {
  /** The id of the build or run. */
  id: string;
  /** In the work folder of this node; it is created if it is missing. */
  folder: string;
}

/** An ended log is continued, as when a run is resurrected. */
export async function openLogWriter(kernel: Kernel, { id, folder }: LogPlace): Promise<LogWriter> {
  const { db, clock, log, services, settings } = kernel;
  const stored = await unpackLog(kernel, id);
  if (stored === undefined) throw new Failure('not-found', 'The log was not found');
  createPrivateFolder(folder);
  const path = join(folder, `output-${randomUUID()}.log`);
  const name = relative(settings.execution.work, path);
  const file = new LogFile(
    { id, name, path, position: 0, totalBytes: stored.totalBytes, now: () => clock.now() },
    'create',
  );
  try {
    await insertLogFile(db, id, name);
  } catch (error) {
    file.close();
    throw error;
  }
  services.logFiles.follow(file);
  return {
    file: path,
    write(line) {
      try {
        file.write(line);
      } catch (error) {
        log.warn({ err: error, file: path }, 'cannot write to the output of a program');
      }
    },
    async end() {
      await services.logFiles.finish(file, 'end');
      await packLog(kernel, id);
    },
    close: () => services.logFiles.finish(file, 'close'),
  };
}

const TICK_MS = 200;
/** How many chunks of one file are stored in a tick: a program that prints without end must not occupy the database. */
const ROUNDS = 4;
/** How many files share a commit, so that memory is bounded. */
const COMMIT_FILES = 16;
/** How long a closing file waits for a database that does not answer. */
const PATIENCE_MS = 30_000;

interface Closing {
  resolve(): void;
  reject(error: unknown): void;
  until: number;
}

/** A chunk to store, and the file it comes from. */
interface Pending {
  file: LogFile;
  append: LogAppend;
}

export class LogFiles {
  readonly #kernel: Pick<Kernel, 'engine' | 'log'>;
  readonly #files = new Map<LogFile, Closing | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;

  constructor(kernel: Pick<Kernel, 'engine' | 'log'>) {
    this.#kernel = kernel;
  }

  follow(file: LogFile): void {
    this.#files.set(file, undefined);
    this.#timer ??= setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  /** Whether this server writes the file. */
  isFollowed(name: string): boolean {
    return [...this.#files.keys()].some((file) => file.name === name);
  }

  /** Stores the rest, and deletes the file. If that fails, the file stays, and the next start of the server stores it. */
  async finish(file: LogFile, how: 'close' | 'end'): Promise<void> {
    if (!file.isClosed) await this.#storeRest(file, how);
    await rm(file.path, { force: true });
  }

  async #storeRest(file: LogFile, how: 'close' | 'end'): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    file.beginClosing(how);
    this.#files.set(file, { resolve, reject, until: performance.now() + PATIENCE_MS });
    void this.#tick();
    await promise;
  }

  /** One at a time. What comes meanwhile is stored after it. */
  async #tick(): Promise<void> {
    await this.#storing;
    this.#storing ??= this.#storeNews().finally(() => (this.#storing = undefined));
    await this.#storing;
  }

  /** Never fails. */
  async #storeNews(): Promise<void> {
    try {
      for (let round = 0; ; round += 1) {
        const due = [...this.#files.keys()].filter(
          (file) => file.isClosing || (round < ROUNDS && file.hasGrown),
        );
        if (due.length === 0) return;
        for (const some of chunk(due, COMMIT_FILES)) await this.#storeNext(some);
      }
    } catch (error) {
      this.#kernel.log.warn({ err: error }, 'cannot store logs; will try again');
      for (const [file, closing] of this.#files) {
        if (closing !== undefined && performance.now() > closing.until)
          this.#leave(file, () => closing.reject(error));
      }
    }
  }

  async #storeNext(files: readonly LogFile[]): Promise<void> {
    const read = await Promise.all(files.map(async (file) => ({ file, append: await this.#nextOf(file) })));
    const pending = read.filter((one): one is Pending => one.append !== undefined);
    if (pending.length === 0) return;
    const isStored = await this.#append(pending);
    if (!isStored && pending.length > 1) for (const one of pending) await this.#storeAlone(one);
    else if (!isStored) await this.#resume(pending[0]!);
    const ids = new Set(pending.map(({ append }) => append.id));
    await this.#kernel.engine.notify(LOG_CHANNEL, [...ids].join(','));
  }

  async #nextOf(file: LogFile): Promise<LogAppend | undefined> {
    try {
      return await file.next();
    } catch (error) {
      this.#kernel.log.error({ err: error, file: file.path }, 'cannot read the output of a program');
      const closing = this.#files.get(file);
      this.#leave(file, () => closing?.reject(error));
      return undefined;
    }
  }

  async #append(pending: readonly Pending[]): Promise<boolean> {
    const isStored = await appendToLogs(
      this.#kernel.engine,
      pending.map(({ append }) => append),
    );
    if (isStored) for (const one of pending) this.#settle(one);
    return isStored;
  }

  #settle({ file, append }: Pending): void {
    file.advance(append);
    if (append.ending !== undefined) this.#leave(file, this.#files.get(file)?.resolve);
  }

  async #storeAlone(one: Pending): Promise<void> {
    if (!(await this.#append([one]))) await this.#resume(one);
  }

  /** The database does not have the file at the expected position. */
  async #resume(one: Pending): Promise<void> {
    const { file } = one;
    const { db } = this.#kernel.engine;
    const stored = await findLogFile(db, file.id, file.name);
    const log = await findLog(db, file.id);
    // The log was deleted, or a commit whose answer was lost was the last.
    if (stored === undefined || log === undefined) this.#leave(file, this.#files.get(file)?.resolve);
    else file.moveTo(stored.position, log.totalBytes);
  }

  #leave(file: LogFile, then?: () => void): void {
    this.#files.delete(file);
    file.close();
    if (this.#files.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    then?.();
  }
}

// Runs the git program: with a fixed environment, bounded in time, memory, output and number.
import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Semaphore } from '../../../kernel/collections/semaphore.ts';
import { Failure } from '../../../kernel/failure.ts';
import { guarded } from '../../../kernel/network/streams.ts';
import { GIT_OPTIONS, gitEnvironment } from './git-environment.ts';
import type { LaunchExit } from './launcher.ts';
import {
  DEFAULT_GIT_MEMORY,
  GitLimitExceeded,
  GitTimedOut,
  hasExceededLimits,
  limitedCommand,
  limitsOf,
  type GitWork,
} from './process-limits.ts';
import { startProgram, type StartedProgram } from './start-program.ts';

const MAX_ERROR_BYTES = 8 * 1024;
const NICENESS = 5;
/** The shell that sets the limits says so of a program that cannot be executed or is not there. */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
/** How long processes without input may go on. */
const END_GRACE_MS = 30_000;

export type GitInput = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface GitStart {
  /** The folder of the bare repository, absolute. */
  folder: string;
  /** Further variables of the environment. */
  env?: Record<string, string>;
  /** Decides what it may use; it reads for one call by default. */
  work?: GitWork;
  /** How far it steps back for others: more for work that nobody waits for. */
  niceness?: number;
  /** What it writes is deleted again, or made durable by the server: git itself does not wait for the disk. */
  isUnsynced?: boolean;
  /** Gets what git prints to its standard error, such as its progress, as it comes. */
  onStderr?(chunk: Buffer): void;
  /** Two more pipes, which programs that git runs inherit: the server reads descriptor 3 and writes descriptor 4. */
  hasDialogue?: boolean;
}

export interface GitCall extends GitStart {
  /** What git reads from its standard input. Nothing by default. */
  input?: GitInput;
  /** The time limit of the whole call, the wait for a free slot included. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Git ran and ended with an error. What it printed may name folders of the server, so it is for logs only. */
export class GitError extends Error {
  /** Undefined where a signal ended the process. */
  readonly exitCode: number | undefined;
  /** The beginning of what git printed to its standard error. */
  readonly stderr: string;
  /** As errors of Node have it, so that a full disk is recognized. */
  readonly code?: 'ENOSPC';

  constructor(command: string, { exitCode, signal, stderr }: GitExit) {
    const how = exitCode === null ? `was ended by ${signal}` : `failed with exit code ${exitCode}`;
    super(`git ${command} ${how}: ${stderr.trim()}`);
    this.name = 'GitError';
    this.exitCode = exitCode ?? undefined;
    this.stderr = stderr;
    if (NO_ROOM.test(stderr)) this.code = 'ENOSPC';
  }
}

/** Of a lock that it cannot write git does not say why. */
const NO_ROOM = /No space left on device|Disk quota exceeded|couldn't write '.*\.lock'/;

export interface GitExit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

export interface GitProcess {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  /** Resolves when the process has ended, however it ended. */
  exited: Promise<GitExit>;
  /** Ends the process and its own children at once. */
  kill(): void;
  /** Ends their input, so that they fail and remove their temporary files first; then kills those that are still there. */
  end(): void;
  dialogue?: { input: Readable; output: Writable };
}

interface ProcessLimits {
  /** How many processes of `run` at once: twice the cores by default. */
  maxRuns?: number;
  /** How many processes of `stream` at once. They live as long as a slow client takes to read. */
  maxStreams?: number;
  /** How many calls of each may wait. */
  maxWaiting?: number;
  /** The memory that a transfer may use; other processes have a share of it, or a multiple. */
  memoryBytes?: number;
}

/** Owns all processes of git that the server starts. */
export class GitProgram {
  readonly #path: string;
  readonly #memoryBytes: number;
  readonly #environment = gitEnvironment();
  readonly #starting = new Set<Promise<GitProcess>>();
  readonly #processes = new Set<GitProcess>();
  readonly #runs: Semaphore;
  readonly #streams: Semaphore;
  #isClosed = false;

  constructor(path: string, limits: ProcessLimits = {}) {
    const cores = availableParallelism();
    const { maxRuns = 2 * cores, maxStreams = 16 + 8 * cores, maxWaiting = 1000 } = limits;
    this.#path = path;
    this.#memoryBytes = limits.memoryBytes ?? DEFAULT_GIT_MEMORY;
    const refusal = 'Too many git operations are waiting on this server. Try again in a moment.';
    this.#runs = new Semaphore({ max: maxRuns, maxWaiting, refusal });
    this.#streams = new Semaphore({ max: maxStreams, maxWaiting, refusal });
  }

  /** How many processes are alive. */
  get processes(): number {
    return this.#processes.size;
  }

  /**
   * For commands whose output is small: returns it whole.
   * @throws {GitError} when git exits with another code than 0.
   */
  async run(args: readonly string[], call: GitCall & { maxOutput: number }): Promise<{ stdout: Buffer }> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.read(args, call)) {
      size += chunk.length;
      if (size > call.maxOutput)
        throw new Failure(
          'too-large',
          `The output of git ${args[0]} is larger than ${call.maxOutput} bytes.`,
        );
      chunks.push(chunk);
    }
    return { stdout: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) };
  }

  /** As `stream`, for output that the server takes as fast as it comes: counts as a run. */
  read(args: readonly string[], call: GitCall): AsyncGenerator<Buffer, void, void> {
    return this.#read(this.#runs, args, call);
  }

  /**
   * The output in chunks, read only as fast as the caller takes them. The process starts with the first chunk asked
   * for, and is killed when the caller leaves the loop. A process that fails ends the loop with a `GitError`.
   */
  stream(args: readonly string[], call: GitCall): AsyncGenerator<Buffer, void, void> {
    return this.#read(this.#streams, args, call);
  }

  /** Starts a process that the caller talks to and kills. It has no time limit, and does not count as a run or stream. */
  async start(
    args: readonly string[],
    { folder, env, work = 'read', niceness = NICENESS, isUnsynced, onStderr, hasDialogue }: GitStart,
  ): Promise<GitProcess> {
    if (this.#isClosed) throw new Failure('unavailable', 'The server is stopping.');
    if (!isAbsolute(folder)) throw new Error(`The folder of a repository must be absolute: ${folder}`);
    const limits = limitsOf(work, this.#memoryBytes);
    const options = isUnsynced === true ? [...GIT_OPTIONS, '-c', 'core.fsync=none'] : GIT_OPTIONS;
    const command = limitedCommand(this.#path, [...options, `--git-dir=${folder}`, ...args], limits);
    // Git itself refuses a single larger allocation, also where the system does not.
    const allEnv = { ...this.#environment, GIT_ALLOC_LIMIT: String(limits.memoryBytes), ...env };
    const starting = startProgram(
      { ...command, env: allEnv, niceness },
      { hasDialogue: hasDialogue === true },
    ).then(
      (program) => this.#follow(program, onStderr),
      (cause: unknown) => {
        throw new Failure('unavailable', 'Git could not be started on this server.', { cause });
      },
    );
    this.#starting.add(starting);
    try {
      const started = await starting;
      if (!this.#isClosed) return started;
      started.kill();
      throw new Failure('unavailable', 'The server is stopping.');
    } finally {
      this.#starting.delete(starting);
    }
  }

  #follow(
    { pid, stdin, stdout, stderr, exit, kill, dialogue }: StartedProgram,
    onStderr: GitStart['onStderr'],
  ): GitProcess {
    let isAlive = true;
    const exited = exitOf(stderr, exit);
    if (onStderr !== undefined) stderr.on('data', guarded(onStderr, kill));
    const end = () => {
      if (!isAlive) return;
      stdin.destroy();
      dialogue?.output.destroy();
      const timer = setTimeout(kill, END_GRACE_MS);
      void exited.then(() => clearTimeout(timer));
    };
    const started: GitProcess = { pid, stdin, stdout, exited, kill, end, ...(dialogue && { dialogue }) };
    this.#processes.add(started);
    void exited.then(() => {
      isAlive = false;
      this.#processes.delete(started);
      // Output that nobody reads would keep the stream open.
      setImmediate(
        () => stdout.readableFlowing === null && stdout.listenerCount('readable') === 0 && stdout.resume(),
      );
    });
    // A process may end before it has read its input: its exit code says more than the broken pipe.
    stdin.on('error', () => {});
    for (const pipe of dialogue === undefined ? [] : [dialogue.input, dialogue.output]) {
      pipe.on('error', () => {});
      // A program that git has started may keep the pipes open.
      void exited.then(() => pipe.destroy());
    }
    return started;
  }

  /** Kills all processes, and resolves when they are gone. No further ones can be started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#starting);
    const processes = [...this.#processes];
    for (const { kill } of processes) kill();
    await Promise.all(processes.map(({ exited }) => exited));
  }

  async *#read(
    slots: Semaphore,
    args: readonly string[],
    { input, timeoutMs, signal, ...start }: GitCall,
  ): AsyncGenerator<Buffer, void, void> {
    const stopped = new AbortController();
    const timer = setTimeout(() => stopped.abort(new GitTimedOut(args[0] ?? '')), timeoutMs);
    const onAbort = () => stopped.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    let running: GitProcess | undefined;
    try {
      const release = await slots.acquire(stopped.signal);
      try {
        running = await this.start(args, start);
      } catch (error) {
        release();
        throw error;
      }
      const { stdin, stdout, exited, kill } = running;
      void exited.then(release);
      stopped.signal.addEventListener('abort', kill, { once: true });
      if (stopped.signal.aborted) kill();
      feed(stdin, input).catch((error: unknown) => stopped.abort(error));
      for await (const chunk of stdout) yield chunk as Buffer;
      const exit = await exited;
      stopped.signal.throwIfAborted();
      if (exit.exitCode !== 0) throw gitErrorOf(args[0] ?? '', exit);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      running?.kill();
      await running?.exited;
    }
  }
}

/** What the end of a process means that has not done what it was started for. */
export function gitErrorOf(command: string, exit: GitExit): GitError | Failure {
  const error = new GitError(command, exit);
  if (exit.exitCode !== null && NOT_STARTED.has(exit.exitCode))
    return new Failure('unavailable', 'Git could not be started on this server.', { cause: error });
  return hasExceededLimits(exit) ? new GitLimitExceeded(command, error) : error;
}

/** Rejects only when the input itself cannot be read. */
async function feed(stdin: Writable, input: GitInput | undefined): Promise<void> {
  if (input === undefined || typeof input === 'string' || input instanceof Uint8Array) {
    stdin.end(input);
    return;
  }
  for await (const chunk of input) {
    if (stdin.destroyed) return;
    if (!stdin.write(chunk)) await drained(stdin);
  }
  stdin.end();
}

/** Resolves, too, when the process no longer reads. */
function drained(stdin: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onDone = () => {
    stdin.off('drain', onDone);
    stdin.off('close', onDone);
    resolve();
  };
  stdin.on('drain', onDone);
  stdin.on('close', onDone);
  return promise;
}

/** Resolves when the process has ended and everything it printed as errors has been read. */
async function exitOf(stderr: Readable, exit: Promise<LaunchExit>): Promise<GitExit> {
  const errors: Buffer[] = [];
  let room = MAX_ERROR_BYTES;
  const keep = (chunk: Buffer): void => {
    if (room > 0) errors.push(chunk.subarray(0, room));
    room -= chunk.length;
  };
  stderr.on(
    'data',
    guarded(keep, () => {}),
  );
  const { promise: isClosed, resolve } = Promise.withResolvers<void>();
  // It may have ended before the launcher has said that the program runs.
  if (stderr.closed) resolve();
  else stderr.once('close', resolve);
  const { exitCode, signal } = await exit;
  await isClosed;
  return { exitCode, signal, stderr: Buffer.concat(errors).toString() };
}

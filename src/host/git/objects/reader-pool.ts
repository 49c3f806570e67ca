// Long-lived object readers of the repositories in use, limited in number over all repositories.
import { Failure } from '../../../kernel/failure.ts';
import type { GitProcess } from '../process/git-process.ts';
import { GitLimitExceeded } from '../process/process-limits.ts';
import { ObjectReader, type ObjectAnswer, type ObjectRequest, type ReaderEnd } from './object-reader.ts';

const MAX_PER_REPOSITORY = 2;
/** With this many requests waiting at the only reader of a repository, a second one is started. */
const BUSY = 4;
/** A request that two processes were working on when they died is the likely cause. */
const MAX_DEATHS = 2;
/** As many processes that die before their first answer mean that the repository cannot be read at all. */
const MAX_EARLY_DEATHS = 6;
const MAX_WAITING = 10_000;

export interface PoolOptions {
  start(folder: string): Promise<GitProcess>;
  maxReaders: number;
  /** A reader without requests for so long is ended. */
  idleMs: number;
  /** How long a request may wait for a reader, and how long a reader may work on one request. */
  timeoutMs: number;
}

interface PooledReader {
  folder: string;
  reader: ObjectReader;
  idleTimer: NodeJS.Timeout;
  /** It gets no further requests, and ends with its last one. */
  isRetiring: boolean;
}

/** Requests that were made together. */
interface WaitingBatch {
  folder: string;
  requests: readonly ObjectRequest[];
  timer: NodeJS.Timeout;
}

export class ReaderPool {
  readonly #options: PoolOptions;
  /** In order of last use, the least recently used first. A reader is here until its process has ended. */
  readonly #readers = new Set<PooledReader>();
  readonly #waiting = new Set<WaitingBatch>();
  /** The sum of the requests that wait. */
  #waitingRequests = 0;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#readers.size;
  }

  request(folder: string, command: ObjectRequest['command'], name: string): Promise<ObjectAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ObjectAnswer>();
    this.#place(folder, [{ command, name: checkedName(name), resolve, reject, deaths: 0 }]);
    return promise;
  }

  /** In the order of the names. For thousands of them, one promise costs less than one for each. */
  requestAll(
    folder: string,
    command: ObjectRequest['command'],
    names: readonly string[],
  ): Promise<ObjectAnswer[]> {
    const { promise, resolve, reject } = Promise.withResolvers<ObjectAnswer[]>();
    const answers: ObjectAnswer[] = [];
    let left = names.length;
    if (left === 0) return Promise.resolve(answers);
    const requests = names.map((name, index): ObjectRequest => {
      const take = (answer: ObjectAnswer) => {
        answers[index] = answer;
        left -= 1;
        if (left === 0) resolve(answers);
      };
      return { command, name: checkedName(name), resolve: take, reject, deaths: 0 };
    });
    this.#place(folder, requests);
    return promise;
  }

  /** Ends the readers of a repository that is about to be removed. */
  forget(folder: string): void {
    for (const pooled of this.#readersOf(folder)) this.#retire(pooled);
  }

  close(): void {
    this.#isClosed = true;
    const stopping = new Failure('unavailable', 'The server is stopping.');
    for (const batch of this.#waiting) {
      this.#stopWaiting(batch);
      rejectAll(batch.requests, stopping);
    }
    for (const { reader } of this.#readers) reader.kill(stopping);
  }

  /** All requests go to one reader, in one pipeline. */
  #place(folder: string, requests: readonly ObjectRequest[]): void {
    if (this.#isClosed) rejectAll(requests, new Failure('unavailable', 'The server is stopping.'));
    else if (!this.#tryPlace(folder, requests)) this.#wait(folder, requests);
  }

  /** To the least busy reader of the repository, or to a new one. False where all readers belong to others. */
  #tryPlace(folder: string, requests: readonly ObjectRequest[]): boolean {
    let count = 0;
    let best: PooledReader | undefined;
    for (const pooled of this.#readers) {
      if (pooled.folder !== folder || pooled.isRetiring) continue;
      count += 1;
      if (best === undefined || pooled.reader.pending < best.reader.pending) best = pooled;
    }
    const hasRoom = this.#readers.size < this.#options.maxReaders;
    if (best === undefined && !hasRoom) return false;
    // While other repositories wait for their first reader, none gets a second.
    const mayGrow = hasRoom && count < MAX_PER_REPOSITORY && this.#waiting.size === 0;
    if (best === undefined || (mayGrow && best.reader.pending >= BUSY)) best = this.#open(folder);
    this.#readers.delete(best);
    this.#readers.add(best);
    for (const request of requests) best.reader.send(request);
    return true;
  }

  #open(folder: string): PooledReader {
    const { start, idleMs, timeoutMs } = this.#options;
    const pooled: PooledReader = {
      folder,
      isRetiring: false,
      idleTimer: setTimeout(() => this.#checkIdle(pooled), idleMs).unref(),
      reader: new ObjectReader(start(folder), timeoutMs, {
        onIdle: () => this.#becomeIdle(pooled),
        onEnd: (end) => this.#replace(pooled, end),
      }),
    };
    this.#readers.add(pooled);
    return pooled;
  }

  #wait(folder: string, requests: readonly ObjectRequest[]): void {
    if (this.#waitingRequests + requests.length > MAX_WAITING) {
      rejectAll(requests, tooBusy());
      return;
    }
    const batch: WaitingBatch = {
      folder,
      requests,
      timer: setTimeout(() => {
        this.#stopWaiting(batch);
        rejectAll(requests, tooBusy());
      }, this.#options.timeoutMs),
    };
    this.#waiting.add(batch);
    this.#waitingRequests += requests.length;
    this.#makeRoom();
  }

  #stopWaiting(batch: WaitingBatch): void {
    clearTimeout(batch.timer);
    this.#waiting.delete(batch);
    this.#waitingRequests -= batch.requests.length;
  }

  /** As many readers give way as repositories wait: idle ones first, the least recently used, then the least busy. */
  #makeRoom(): void {
    const folders = new Set([...this.#waiting].map(({ folder }) => folder));
    let retiring = [...this.#readers].filter(({ isRetiring }) => isRetiring).length;
    for (; retiring < folders.size; retiring += 1) this.#retireOne();
  }

  #retireOne(): void {
    const candidates = [...this.#readers].filter(({ isRetiring }) => !isRetiring);
    const [next] = candidates.toSorted((a, b) => a.reader.pending - b.reader.pending);
    if (next !== undefined) this.#retire(next);
  }

  #retire(pooled: PooledReader): void {
    pooled.isRetiring = true;
    if (pooled.reader.pending === 0) pooled.reader.kill();
  }

  #becomeIdle(pooled: PooledReader): void {
    pooled.idleTimer.refresh();
    if (pooled.isRetiring) pooled.reader.kill();
  }

  #checkIdle(pooled: PooledReader): void {
    if (pooled.reader.pending === 0) this.#retire(pooled);
  }

  /** The request that the process was working on may have caused its end; the others are given to another reader. */
  #replace(pooled: PooledReader, { unanswered, reason, isLate, hasAnswered }: ReaderEnd): void {
    clearTimeout(pooled.idleTimer);
    this.#readers.delete(pooled);
    const again: ObjectRequest[] = [];
    for (const [index, request] of unanswered.entries()) {
      const isFirst = index === 0;
      if (isFirst || !hasAnswered) request.deaths += 1;
      const isCause = isFirst && (isLate || request.deaths >= MAX_DEATHS);
      const isOver = reason instanceof Failure && !(reason instanceof GitLimitExceeded);
      if (isCause || request.deaths >= MAX_EARLY_DEATHS || isOver) request.reject(unreadableObject(reason));
      else again.push(request);
    }
    if (again.length > 0) this.#place(pooled.folder, again);
    this.#placeWaiting();
  }

  /** A slot has become free: it goes to the repository that has waited longest. */
  #placeWaiting(): void {
    for (const batch of this.#waiting)
      if (this.#tryPlace(batch.folder, batch.requests)) this.#stopWaiting(batch);
    if (this.#waiting.size > 0) this.#makeRoom();
  }

  #readersOf(folder: string): PooledReader[] {
    return [...this.#readers].filter((pooled) => pooled.folder === folder);
  }
}

function rejectAll(requests: readonly ObjectRequest[], error: Failure): void {
  for (const request of requests) request.reject(error);
}

/** A newline would be read as the end of the command, and other names as git's syntax for revisions. */
function checkedName(name: string): string {
  if (!/^[0-9a-f]{4,40}(?:\^\{commit\})?$/.test(name)) throw new Error('Not the name of an object.');
  return name;
}

function tooBusy(): Failure {
  return new Failure(
    'unavailable',
    'Too many repositories are being read on this server. Try again in a moment.',
  );
}

function unreadableObject(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure('unavailable', 'Git could not read an object of this repository.', { cause });
}

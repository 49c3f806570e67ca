// Follows growing logs for any number of readers: each log is read once for all of them.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { readLog, readStored, type LogReads } from './stored-log.ts';
import { findLog, LOG_CHANNEL, type LogChunk } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    logFeed: LogFeed;
  }
}

/** Notices may be lost. */
const POLL_MS = 3000;
/** A log is read at most this often. */
const READ_MS = 200;
/** How much of a log stays in memory for followers that are a little behind. */
const RECENT_BYTES = 1024 * 1024;
/** How many logs one member, with all their tokens, follows at once on this node: each costs a few queries every few seconds. */
export const MAX_FOLLOWED = 100;
const RETRY_SECONDS = 30;

export async function openLogFeed({ engine, log }: Pick<Kernel, 'engine' | 'log'>): Promise<LogFeed> {
  const feed = new LogFeed(log);
  await feed.listen(engine);
  return feed;
}

class LogFeed {
  readonly #log: Pick<Kernel['log'], 'warn'>;
  readonly #logs = new Map<string, FollowedLog>();
  readonly #byReader = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(log: Pick<Kernel['log'], 'warn'>) {
    this.#log = log;
  }

  async listen(engine: Engine): Promise<void> {
    await engine.listen(LOG_CHANNEL, (payload) => {
      const ids = payload === undefined ? [...this.#logs.keys()] : payload.split(',');
      for (const id of ids) this.#logs.get(id)?.readSoon();
    });
  }

  /** @throws {Failure} where the reader follows as many as one may. */
  checkRoom(reader: string): void {
    if ((this.#byReader.get(reader) ?? 0) < MAX_FOLLOWED) return;
    throw new Failure('exhausted', `You may follow no more than ${MAX_FOLLOWED} logs at once.`, {
      headers: { 'retry-after': String(RETRY_SECONDS) },
    });
  }

  /** From its beginning. The follower must be closed, or read to its end; it counts for its reader until then. */
  follow(kernel: LogReads, id: string, reader: string): LogFollower {
    let followed = this.#logs.get(id);
    if (followed === undefined) {
      followed = new FollowedLog(kernel, id, this.#log, () => this.#leave(id));
      this.#logs.set(id, followed);
      this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    }
    this.#count(reader, 1);
    const follower = new LogFollower(kernel, followed, () => this.#count(reader, -1));
    if (this.#isClosed) follower.break();
    return follower;
  }

  /** How many logs are followed. */
  get size(): number {
    return this.#logs.size;
  }

  /** Breaks all streams off: their clients must not take what they have for the whole log. */
  close(): void {
    this.#isClosed = true;
    for (const followed of this.#logs.values()) followed.breakAll();
  }

  #count(reader: string, change: 1 | -1): void {
    const count = (this.#byReader.get(reader) ?? 0) + change;
    if (count === 0) this.#byReader.delete(reader);
    else this.#byReader.set(reader, count);
  }

  #poll(): void {
    for (const followed of this.#logs.values()) followed.readSoon();
  }

  #leave(id: string): void {
    this.#logs.delete(id);
    if (this.#logs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** A log that somebody follows: its newest pieces, and whether it has ended. */
class FollowedLog {
  readonly id: string;
  readonly #kernel: LogReads;
  readonly #log: Pick<Kernel['log'], 'warn'>;
  readonly #leave: () => void;
  readonly #followers = new Set<LogFollower>();
  readonly #recent: LogChunk[] = [];
  #recentBytes = 0;
  /** Pieces before this are not in memory; undefined until the log was read for the first time. */
  #start: number | undefined;
  #end = 0;
  #isEnded = false;
  #reading: Promise<void> | undefined;
  #readAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(kernel: LogReads, id: string, log: Pick<Kernel['log'], 'warn'>, leave: () => void) {
    this.#kernel = kernel;
    this.id = id;
    this.#log = log;
    this.#leave = leave;
  }

  get start(): number | undefined {
    return this.#start;
  }

  /** Whether everything is stored, and nothing more will come. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  add(follower: LogFollower): void {
    this.#followers.add(follower);
    if (this.#start !== undefined && !this.#isEnded) return;
    // An ended log may have been continued since.
    this.#isEnded = false;
    this.readSoon();
  }

  remove(follower: LogFollower): void {
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
    clearTimeout(this.#timer);
    this.#leave();
  }

  breakAll(): void {
    for (const follower of this.#followers) follower.break();
  }

  /** The first piece at or after this position; undefined if there is none yet. */
  pieceFrom(position: number): LogChunk | undefined {
    return this.#recent[this.#indexFrom(position)];
  }

  /** Reads at once, or when the last read is long enough ago; further notices meanwhile are one read. */
  readSoon(): void {
    if (this.#timer !== undefined || this.#isEnded || this.#followers.size === 0) return;
    const wait = Math.max(0, this.#readAt + READ_MS - performance.now());
    this.#timer = setTimeout(() => void this.#readNews(), wait).unref();
  }

  async #readNews(): Promise<void> {
    await this.#reading;
    this.#timer = undefined;
    this.#readAt = performance.now();
    this.#reading = this.#read().catch((error: unknown) => {
      this.#log.warn({ err: error, id: this.id }, 'cannot read a log; will try again');
    });
    await this.#reading;
    for (const follower of this.#followers) follower.wake();
  }

  /** The first read only finds out how long the log is: every follower reads what is there already by itself. */
  async #read(): Promise<void> {
    const log = await findLog(this.#kernel.db, this.id);
    if (this.#start === undefined) this.#start = this.#end = log?.totalBytes ?? 0;
    if (log !== undefined && log.totalBytes > this.#end) {
      for await (const piece of readStored(this.#kernel, log, this.#end)) {
        this.#push(piece);
        for (const follower of this.#followers) follower.wake();
        if (this.#followers.size === 0) return;
      }
      this.#end = Math.max(this.#end, log.totalBytes);
    }
    this.#isEnded = log === undefined || log.isEnded;
  }

  #push(piece: LogChunk): void {
    this.#recent.push(piece);
    this.#recentBytes += piece.content.length;
    this.#end = piece.at + piece.content.length;
    while (this.#recentBytes > RECENT_BYTES && this.#recent.length > 1) {
      const oldest = this.#recent.shift()!;
      this.#recentBytes -= oldest.content.length;
      this.#start = this.#recent[0]!.at;
    }
  }

  /** Most followers are at the end, so it is searched from there. */
  #indexFrom(position: number): number {
    let index = this.#recent.length;
    while (index > 0 && this.#recent[index - 1]!.at >= position) index -= 1;
    return index;
  }
}

/** As if the client had gone: it is not logged as an error. */
class StreamBroken extends Error {
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * One reader of a log. It asks for the next piece when it has sent the one before: a slow one gets what is no longer in memory
 * from the database, at its own pace.
 */
export class LogFollower {
  readonly #kernel: LogReads;
  readonly #followed: FollowedLog;
  readonly #onClose: () => void;
  /** Everything before this has been read. */
  #position = 0;
  #stored: AsyncGenerator<LogChunk> | undefined;
  #storedUpTo = 0;
  #waiting: (() => void) | undefined;
  #isClosed = false;
  #isBroken = false;

  constructor(kernel: LogReads, followed: FollowedLog, onClose: () => void) {
    this.#kernel = kernel;
    this.#followed = followed;
    this.#onClose = onClose;
    followed.add(this);
  }

  /** Waits for the next piece. Undefined when the log has ended, or the follower was closed. */
  async next(): Promise<LogChunk | undefined> {
    for (;;) {
      if (this.#isBroken) throw new StreamBroken('The stream was broken off.');
      if (this.#isClosed) return undefined;
      const piece = await this.#nextPiece();
      if (piece !== undefined) return piece;
      // From here to the wait nothing else runs, so no news is missed.
      if (this.#isClosed || this.#hasMore()) continue;
      if (this.#followed.isEnded) {
        this.close();
        return undefined;
      }
      await this.#wait();
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    if (!this.#isClosed) this.#onClose();
    this.#isClosed = true;
    this.#followed.remove(this);
    this.wake();
  }

  break(): void {
    this.#isBroken = true;
    this.close();
  }

  wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  async #nextPiece(): Promise<LogChunk | undefined> {
    const { start } = this.#followed;
    if (start === undefined) return undefined;
    if (this.#stored === undefined && this.#position < start) {
      this.#storedUpTo = start;
      this.#stored = readLog(this.#kernel, this.#followed.id, this.#position);
    }
    const piece =
      this.#stored === undefined ? this.#followed.pieceFrom(this.#position) : await this.#nextStored();
    if (piece !== undefined) this.#position = piece.at + piece.content.length;
    return piece;
  }

  #hasMore(): boolean {
    const { start } = this.#followed;
    if (start === undefined) return false;
    return this.#position < start || this.#followed.pieceFrom(this.#position) !== undefined;
  }

  /** What was stored when reading began; a part of it may have been cut out since. */
  async #nextStored(): Promise<LogChunk | undefined> {
    const { done, value } = await this.#stored!.next();
    if (!done) return value;
    this.#stored = undefined;
    this.#position = Math.max(this.#position, this.#storedUpTo);
    return undefined;
  }

  async #wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = resolve;
    await promise;
  }
}

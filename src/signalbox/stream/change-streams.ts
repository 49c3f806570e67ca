// The open streams of this node, and how changes reach them: those of configuration are read from the audit log, others come as notices.
import { chunk } from '../../kernel/collections/chunk.ts';
import { CHANGES } from '../../kernel/change/changes.ts';
import {
  formatPosition,
  isSince,
  listNotices,
  listNumbersSince,
  parsePosition,
  readPosition,
  type Position,
} from '../../kernel/change/store-new-entries.ts';
import { Failure } from '../../kernel/failure.ts';
import { EventStream } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { ChangeStream } from './change-stream.ts';
import { StreamNotices } from './notices.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    changeStreams: ChangeStreams;
  }
}

/** On this node. */
const MAX_STREAMS = 1000;
const MAX_PER_MEMBER = 20;
const RETRY_SECONDS = 10;
/** Changes whose notice was lost between nodes are found by a look. */
const TICK_MS = 1000;
const HEARTBEAT_TICKS = 15;
/** A client that has missed more begins anew. */
const MAX_MISSED = 500;
/** Changes that are read at once. */
const AT_ONCE = 500;

type StreamsKernel = Pick<Kernel, 'engine' | 'clock' | 'log' | 'metrics'>;

export class ChangeStreams {
  readonly #kernel: StreamsKernel;
  readonly #streams = new Set<ChangeStream>();
  /** Where the last look ended; undefined while there is no stream. */
  #position: Position | undefined;
  /** What was sent already of what the next look reads again. */
  #sent = new Set<number>();
  /** Looks follow each other, and so does the beginning of a stream. */
  #queue: Promise<unknown> = Promise.resolve();
  #isLookWaiting = false;
  readonly #notices: StreamNotices;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #isClosed = false;
  readonly #unlisten: (() => void)[] = [];

  constructor(kernel: StreamsKernel) {
    this.#kernel = kernel;
    kernel.metrics.watch({
      name: 'change_streams',
      help: 'Streams of changes that are open',
      read: () => this.size,
    });
    this.#notices = new StreamNotices(kernel, {
      isNeeded: () => this.#streams.size > 0,
      send: (notices) => this.#sendAll((stream) => stream.sendNotices(notices)),
      // Clients come back, and read anew what notices are about.
      lose: () => this.#endAll(),
    });
  }

  /** How many are open. */
  get size(): number {
    return this.#streams.size;
  }

  async listen(): Promise<this> {
    const { engine } = this.#kernel;
    this.#unlisten.push(
      await engine.listen(CHANGES, () => this.#lookLater()),
      ...(await this.#notices.listen()),
    );
    return this;
  }

  /** The reply to a call for a stream. `lastId` is that of the last event that the client has. */
  open(kernel: Kernel, caller: KnownCaller, lastId: string | undefined): EventStream {
    this.#admit(caller);
    return new EventStream((connection) => {
      const stream = new ChangeStream(connection, kernel, caller);
      // At once, so that those which are still to begin count, too.
      this.#streams.add(stream);
      connection.on('close', () => this.#remove(stream));
      this.#enqueue(() => this.#begin(stream, lastId));
    });
  }

  /** Ends all streams: clients connect again, to another node or after the restart. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const unlisten of this.#unlisten) unlisten();
    this.#endAll();
  }

  #endAll(): void {
    for (const stream of this.#streams) stream.end();
  }

  #admit({ member }: KnownCaller): void {
    const headers = { 'retry-after': String(RETRY_SECONDS) };
    const own = [...this.#streams].filter(({ memberId }) => memberId === member.id).length;
    if (own >= MAX_PER_MEMBER)
      throw new Failure('exhausted', `You may have ${MAX_PER_MEMBER} open streams.`, { headers });
    if (this.#isClosed || this.#streams.size >= MAX_STREAMS)
      throw new Failure('unavailable', 'This server takes no more streams now.', { headers });
  }

  async #begin(stream: ChangeStream, lastId: string | undefined): Promise<void> {
    const { engine } = this.#kernel;
    if (this.#isClosed) return stream.end();
    const now = this.#position ?? (await this.#findBeginning());
    const from = lastId === undefined ? undefined : parsePosition(lastId);
    const missed = from === undefined ? undefined : await listNumbersSince(engine.db, from, MAX_MISSED + 1);
    const isResumed = missed !== undefined && missed.length <= MAX_MISSED;
    // The client may have gone before its turn came.
    if (!this.#streams.has(stream)) return;
    this.#position ??= now;
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
    stream.begin(isResumed ? lastId! : formatPosition(now), isResumed);
    if (!isResumed || missed.length === 0) return;
    const changes = await listNotices(
      engine.db,
      missed.map(({ seq }) => seq),
    );
    await stream.sendChanges(changes, formatPosition(now));
  }

  /** What is there already is not sent by the next look, however old the oldest transaction is that is still open. */
  async #findBeginning(): Promise<Position> {
    const { engine } = this.#kernel;
    const now = await readPosition(engine);
    this.#sent = new Set((await listNumbersSince(engine.db, now)).map(({ seq }) => seq));
    return now;
  }

  #remove(stream: ChangeStream): void {
    stream.end();
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#position = undefined;
    this.#sent.clear();
  }

  #tick(): void {
    this.#ticks += 1;
    this.#lookLater();
    if (this.#ticks % HEARTBEAT_TICKS === 0)
      for (const stream of this.#streams) this.#enqueue(() => stream.heartbeat());
  }

  #lookLater(): void {
    if (this.#isLookWaiting || this.#streams.size === 0) return;
    this.#isLookWaiting = true;
    this.#enqueue(async () => {
      this.#isLookWaiting = false;
      await this.#look();
    });
  }

  /** Where the database does not answer, the next look reads the same again. */
  #enqueue(work: () => Promise<void> | void): void {
    this.#queue = this.#queue.then(work).catch((error: unknown) => {
      if (!this.#isClosed) this.#kernel.log.warn({ err: error }, 'changes cannot be sent now');
    });
  }

  async #look(): Promise<void> {
    const { engine } = this.#kernel;
    const { db } = engine;
    const from = this.#position;
    if (from === undefined) return;
    // Before the entries: what ends in between is read, and read again by the next look.
    const next = await readPosition(engine);
    const numbers = await listNumbersSince(db, from);
    const fresh = numbers.filter(({ seq }) => !this.#sent.has(seq)).map(({ seq }) => seq);
    this.#position = next;
    this.#sent = new Set(numbers.filter((one) => isSince(one, next)).map(({ seq }) => seq));
    // The last of them alone may have the new position, so that a stream which is cut off before it goes on from the old one.
    const parts = [...chunk(fresh, AT_ONCE)];
    for (const [index, some] of parts.entries()) {
      const changes = await listNotices(db, some);
      const position = formatPosition(index === parts.length - 1 ? next : from);
      await this.#sendAll((stream) => stream.sendChanges(changes, position));
    }
  }

  async #sendAll(send: (stream: ChangeStream) => Promise<void>): Promise<void> {
    for (const stream of this.#streams) {
      await send(stream);
      if (stream.isEnded) this.#remove(stream);
    }
  }
}

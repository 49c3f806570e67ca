// One open stream: sends everything first and then each change, and never holds more than a bounded amount for a slow reader.
import type { StreamConnection } from '../../kernel/route.ts';
import type { Environment } from '../projects/project.ts';
import { acceptsKey, type KeyKind } from './accepted-key.ts';
import type { Feed, FeedChange } from './feed.ts';

export type StreamChunk = Uint8Array | string;

/** What a kind of stream sends. `Reader` is what differs between the streams of this kind. */
export interface StreamProtocol<Reader> {
  /** Everything as it is now: for a stream that begins, or has missed something. */
  whole(feed: Feed, reader: Reader): Promise<readonly StreamChunk[]>;
  /** Prepares a change once for all streams of this kind; undefined where it concerns none of them. */
  step(feed: Feed, change: FeedChange): ((reader: Reader) => StreamChunk | Promise<StreamChunk>) | undefined;
}

/** Whom a stream belongs to. */
export interface StreamOwner {
  kind: KeyKind;
  key: string;
  address: string;
  /** How many streams it counts as. */
  weight: number;
  /** Whether it may go on after the environment has changed, beside its key. */
  isAccepted?(environment: Environment, now: number): boolean;
}

/** A stream with more than this in its buffer is behind: it gets everything anew when the buffer is empty. */
const MAX_BUFFERED = 256 * 1024;

export class LiveStream<Reader = unknown> {
  readonly feed: Feed;
  readonly protocol: StreamProtocol<Reader>;
  readonly owner: StreamOwner;
  readonly #connection: StreamConnection;
  readonly #reader: Reader;
  /** Changes are written only while it is ready; otherwise it is noted that some were missed. */
  #isReady = false;
  #hasMissed = false;
  #isEnded = false;
  /** What the connection had sent at the last heartbeat, if it had something left to send. */
  #sentBefore: number | undefined;

  constructor(connection: StreamConnection, { feed, protocol, reader, owner }: StreamTerms<Reader>) {
    this.#connection = connection;
    this.feed = feed;
    this.protocol = protocol;
    this.#reader = reader;
    this.owner = owner;
    connection.on('drain', () => void this.#catchUp());
  }

  /** Sends everything, and again where there was a change meanwhile. */
  async begin(): Promise<void> {
    try {
      do {
        this.#hasMissed = false;
        const chunks = await this.protocol.whole(this.feed, this.#reader);
        if (this.#isEnded) return;
        this.#connection.cork();
        for (const chunk of chunks) this.#connection.write(chunk);
        this.#connection.uncork();
      } while (this.#hasMissed && !this.#connection.writableNeedDrain);
      this.#isReady = !this.#connection.writableNeedDrain;
    } catch {
      // The client comes back, perhaps to a node that can.
      this.#connection.destroy();
    }
  }

  send(chunk: StreamChunk): void {
    if (this.#isEnded) return;
    if (!this.#isReady) {
      this.#hasMissed = true;
      return;
    }
    if (chunk.length === 0) return;
    this.#connection.write(chunk);
    this.#isReady = this.#connection.writableLength <= MAX_BUFFERED;
  }

  /** What is prepared for all streams of its kind, for this one. */
  sendStep(step: (reader: Reader) => StreamChunk | Promise<StreamChunk>): void | Promise<void> {
    if (!this.#isReady) {
      this.#hasMissed = true;
      return;
    }
    const chunk = step(this.#reader);
    if (!(chunk instanceof Promise)) return this.send(chunk);
    return chunk.then(
      (text) => this.send(text),
      () => void this.#connection.destroy(),
    );
  }

  /** Ends it where its key is no longer accepted, and where its client has read nothing since the last heartbeat. */
  heartbeat(now: number): void {
    if (this.#isEnded) return;
    const { writableLength, socket } = this.#connection;
    if (!this.isAccepted(now)) return this.end();
    const sent = writableLength === 0 ? undefined : (socket?.bytesWritten ?? 0) - writableLength;
    if (sent !== undefined && sent === this.#sentBefore) return void this.#connection.destroy();
    this.#sentBefore = sent;
    if (writableLength === 0) this.#connection.write(HEARTBEAT);
  }

  isAccepted(now: number): boolean {
    const { feed, owner } = this;
    const { environment } = feed;
    return (
      !feed.isGone && acceptsKey(environment, owner, now) && owner.isAccepted?.(environment, now) !== false
    );
  }

  /** The client reconnects. */
  end(): void {
    this.#isEnded = true;
    this.#connection.end();
  }

  async #catchUp(): Promise<void> {
    if (this.#hasMissed) await this.begin();
    else this.#isReady = true;
  }
}

export interface StreamTerms<Reader> {
  feed: Feed;
  protocol: StreamProtocol<Reader>;
  reader: Reader;
  owner: StreamOwner;
}

/** A comment, which SDKs ignore. Writing it finds out that a connection is dead. */
const HEARTBEAT = ':\n\n';

// One open stream: sends everything first and then each change, and never holds more than a bounded amount for a slow reader.
import type { StreamConnection } from '../../kernel/http/route.ts';
import type { Environment } from '../projects/project.ts';
import type { CounterMetric } from '../../kernel/observability/metrics.ts';
import { acceptsKey, type KeyKind } from './keys.ts';
import type { Feed, FeedChange } from './feed/feed.ts';

export const REFUSED_STREAMS: CounterMetric = {
  name: 'flag_streams_refused_total',
  help: 'Streams of flags that were refused, by the limit that was reached',
};

export const CUT_STREAMS: CounterMetric = {
  name: 'flag_streams_cut_total',
  help: 'Streams of flags that were cut off, by the reason',
};

/** Why a stream was cut off. */
type CutReason =
  | 'slow' // its client has read nothing between two heartbeats
  | 'failed'; // what it should send could not be made

export type StreamChunk = Uint8Array | string;

/** What a kind of stream sends. `Reader` is what differs between the streams of this kind. */
export interface StreamProtocol<Reader> {
  /**
   * Everything as it is now: for a stream that begins, or has missed something. Such a stream has got all changes up to the
   * revision `sent`.
   */
  whole(feed: Feed, reader: Reader, sent?: number): Promise<readonly StreamChunk[]>;
  /** Prepares a change once for all streams of this kind; undefined where it concerns none of them. */
  step(feed: Feed, change: FeedChange): ((reader: Reader) => StreamChunk | Promise<StreamChunk>) | undefined;
  /** Sent when there was nothing else to send for some time; a comment where absent. */
  heartbeat?: string;
  /** Sent before the server ends the stream. */
  goodbye?(reason: string): string;
  /** Sent before the stream ends because `whole` has failed. */
  error?(reader: Reader): string;
}

/** Whom a stream belongs to. */
interface StreamOwner {
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
  readonly #onCut: (reason: CutReason) => void;
  /** Changes are written only while it is ready; otherwise it is noted that some were missed. */
  #isReady = false;
  #hasMissed = false;
  #isEnded = false;
  /** It has got all changes up to this revision. */
  #sent: number | undefined;
  /** What the connection had sent at the last heartbeat, if it had something left to send. */
  #sentBefore: number | undefined;

  constructor(
    connection: StreamConnection,
    { feed, protocol, reader, owner }: StreamTerms<Reader>,
    onCut: (reason: CutReason) => void = () => {},
  ) {
    this.#connection = connection;
    this.feed = feed;
    this.protocol = protocol;
    this.#reader = reader;
    this.owner = owner;
    this.#onCut = onCut;
    connection.on('drain', () => void this.#catchUp());
  }

  /** Sends everything, and again where there was a change meanwhile. */
  async begin(): Promise<void> {
    try {
      do {
        this.#hasMissed = false;
        // Read before, so that what changes meanwhile is sent again.
        const { revision } = this.feed;
        const chunks = await this.protocol.whole(this.feed, this.#reader, this.#sent);
        if (this.#isEnded) return;
        this.#sent = revision;
        this.#connection.cork();
        for (const chunk of chunks) this.#connection.write(chunk);
        this.#connection.uncork();
      } while (this.#hasMissed && !this.#connection.writableNeedDrain);
      this.#isReady = !this.#connection.writableNeedDrain;
    } catch {
      if (this.protocol.error === undefined) this.#cut('failed');
      else {
        this.#onCut('failed');
        this.#end(this.protocol.error(this.#reader));
      }
    }
  }

  /** What is prepared for all streams of its kind, for this one; then it has got all changes up to the revision. */
  sendStep(
    step: (reader: Reader) => StreamChunk | Promise<StreamChunk>,
    revision: number,
  ): void | Promise<void> {
    if (!this.#isReady) {
      this.#hasMissed = true;
      return;
    }
    const chunk = step(this.#reader);
    if (!(chunk instanceof Promise)) return this.#send(chunk, revision);
    return chunk.then(
      (text) => this.#send(text, revision),
      () => this.#cut('failed'),
    );
  }

  /** Ends it where its key is no longer accepted, and where its client has read nothing since the last heartbeat. */
  heartbeat(now: number): void {
    if (this.#isEnded) return;
    const { writableLength, socket } = this.#connection;
    if (this.endIfRefused(now)) return;
    const sent = writableLength === 0 ? undefined : (socket?.bytesWritten ?? 0) - writableLength;
    if (sent !== undefined && sent === this.#sentBefore) return this.#cut('slow');
    this.#sentBefore = sent;
    if (writableLength === 0) this.#connection.write(this.protocol.heartbeat ?? HEARTBEAT);
  }

  /** Ends it where the environment is gone or no longer accepts it. Returns whether it does. */
  endIfRefused(now: number): boolean {
    const reason = this.#refusal(now);
    if (reason !== undefined) this.end(reason);
    return reason !== undefined;
  }

  #refusal(now: number): string | undefined {
    const { feed, owner } = this;
    const { environment, endReason } = feed;
    if (endReason !== undefined) return endReason;
    const isAccepted = acceptsKey(environment, owner, now) && owner.isAccepted?.(environment, now) !== false;
    return isAccepted ? undefined : 'The key is no longer accepted.';
  }

  /** The client reconnects. */
  end(reason: string): void {
    this.#end(this.protocol.goodbye?.(reason));
  }

  #send(chunk: StreamChunk, revision: number): void {
    if (!this.#isReady) {
      this.#hasMissed = true;
      return;
    }
    this.#sent = revision;
    if (chunk.length === 0) return;
    this.#connection.write(chunk);
    this.#isReady = this.#connection.writableLength <= MAX_BUFFERED;
  }

  #end(last: string | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isReady = false;
    if (last !== undefined) this.#connection.write(last);
    this.#connection.end();
  }

  /** The client comes back, perhaps to a node that can serve it. */
  #cut(reason: CutReason): void {
    this.#onCut(reason);
    this.#connection.destroy();
  }

  async #catchUp(): Promise<void> {
    if (this.#isEnded) return;
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

// The open streams of this node: how many there may be, their heartbeats, and how changes reach them.
import type { Clock } from '../../kernel/clock.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Metrics } from '../../kernel/observability/metrics.ts';
import { EventStream } from '../../kernel/http/route.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { hasExpiredBetween } from './keys.ts';
import type { Feed, FeedChange } from './feed/feed.ts';
import {
  LiveStream,
  type StreamProtocol,
  type StreamTerms,
  CUT_STREAMS,
  REFUSED_STREAMS,
} from './live-stream.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    sdkStreams: SdkStreams;
  }
}

/** The most streams that may be open at once. One with a large context counts as several. */
export interface StreamLimits {
  perAddress: number;
  perEnvironment: number;
  perNode: number;
  heartbeatSeconds: number;
}

const RETRY_SECONDS = 30;

const STOPPING = 'The server is stopping.';

/** The streams of one feed. */
interface FeedStreams {
  streams: Set<LiveStream>;
  weight: number;
  leave(): void;
}

export class SdkStreams {
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #byFeed = new Map<Feed, FeedStreams>();
  readonly #byAddress = new Map<string, number>();
  /** Each has its second for heartbeats, so that they do not all come at once. */
  readonly #bySecond: Set<LiveStream>[];
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  #weight = 0;
  #opened = 0;
  #second = 0;
  /** The time of the last beat. */
  #beatAt: number;
  #isClosed = false;

  constructor(limits: StreamLimits, { clock, metrics }: { clock: Clock; metrics: Metrics }) {
    this.#limits = limits;
    this.#clock = clock;
    this.#beatAt = clock.now();
    this.#metrics = metrics;
    metrics.watch({
      name: 'flag_streams',
      help: 'Streams of flags that are open',
      read: () => this.#size,
    });
    this.#bySecond = Array.from({ length: limits.heartbeatSeconds }, () => new Set());
  }

  get size(): number {
    return this.#size;
  }

  /** The reply to a call that asks for a stream. Throws where there are too many. */
  open<Reader>(terms: StreamTerms<Reader>, headers: Record<string, string> = {}): EventStream {
    this.#admit(terms);
    return new EventStream(
      (connection) => {
        const stream = new LiveStream(connection, terms, (reason) =>
          this.#metrics.add(CUT_STREAMS, `reason="${reason}"`),
        );
        connection.on('close', this.#add(stream as LiveStream));
        void stream.begin();
        // Since it was admitted, the key may have been reset or the server may have begun to stop.
        if (this.#isClosed) stream.end(STOPPING);
        else stream.endIfRefused(this.#clock.now());
      },
      { 'x-ld-envid': terms.feed.environment.clientId, ...headers },
    );
  }

  /** Ends all streams: their clients connect again, to another node or after the restart. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const { streams } of this.#byFeed.values()) for (const stream of streams) stream.end(STOPPING);
  }

  #admit({ feed, owner: { address, weight } }: Pick<StreamTerms<unknown>, 'feed' | 'owner'>): void {
    const { perAddress, perEnvironment, perNode } = this.#limits;
    if (this.#isClosed) throw this.#refuse('stopping', 'unavailable', STOPPING);
    if (this.#weight + weight > perNode)
      throw this.#refuse(
        'node',
        'unavailable',
        `This server has ${this.#size} open streams, and takes no more.`,
      );
    if ((this.#byAddress.get(address) ?? 0) + weight > perAddress)
      throw this.#refuse(
        'address',
        'exhausted',
        `Your address may have no more than ${perAddress} open streams.`,
      );
    if ((this.#byFeed.get(feed)?.weight ?? 0) + weight > perEnvironment)
      throw this.#refuse(
        'environment',
        'exhausted',
        `The environment may have no more than ${perEnvironment} open streams.`,
      );
  }

  /** Counts it; `reason` says which limit was reached. */
  #refuse(reason: string, kind: 'unavailable' | 'exhausted', message: string): Failure {
    this.#metrics.add(REFUSED_STREAMS, `reason="${reason}"`);
    return new Failure(kind, message, { headers: { 'retry-after': String(RETRY_SECONDS) } });
  }

  /** Returns a function that removes it. */
  #add(stream: LiveStream): () => void {
    const {
      feed,
      owner: { address, weight },
    } = stream;
    const group = this.#byFeed.get(feed) ?? this.#follow(feed);
    const beats = this.#bySecond[(this.#opened += 1) % this.#bySecond.length]!;
    group.streams.add(stream);
    beats.add(stream);
    this.#size += 1;
    this.#weight += weight;
    group.weight += weight;
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + weight);
    this.#timer ??= setInterval(() => this.#beat(), 1000).unref();
    return () => {
      if (!group.streams.delete(stream)) return;
      beats.delete(stream);
      this.#size -= 1;
      this.#weight -= weight;
      group.weight -= weight;
      const left = this.#byAddress.get(address)! - weight;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
      if (group.streams.size === 0) group.leave();
    };
  }

  /** Every second. */
  #beat(): void {
    const now = this.#clock.now();
    this.#endExpired(now);
    this.#second = (this.#second + 1) % this.#bySecond.length;
    for (const stream of this.#bySecond[this.#second]!) stream.heartbeat(now);
  }

  /** Those of keys that have expired since the last beat. */
  #endExpired(now: number): void {
    for (const [{ environment }, { streams }] of this.#byFeed) {
      if (!hasExpiredBetween(environment, this.#beatAt, now)) continue;
      for (const stream of streams) stream.endIfRefused(now);
    }
    this.#beatAt = now;
  }

  #follow(feed: Feed): FeedStreams {
    let { environment } = feed;
    const streams = new Set<LiveStream>();
    const follower = async (change: FeedChange) => {
      if (feed.environment !== environment || feed.isGone) {
        environment = feed.environment;
        const now = this.#clock.now();
        for (const stream of streams) stream.endIfRefused(now);
      }
      if (!feed.isGone) await fanOut(feed, change, streams);
    };
    const unfollow = feed.follow(follower);
    const leave = () => {
      unfollow();
      this.#byFeed.delete(feed);
    };
    const group = { streams, weight: 0, leave };
    this.#byFeed.set(feed, group);
    return group;
  }
}

/** Each kind of stream prepares the change once. Streams that are opened meanwhile begin with the new state. */
async function fanOut(feed: Feed, change: FeedChange, streams: ReadonlySet<LiveStream>): Promise<void> {
  if (change.flags.length === 0 && change.segments.length === 0) return;
  const steps = new Map<StreamProtocol<unknown>, ReturnType<StreamProtocol<unknown>['step']>>();
  const slice = new TimeSlice();
  for (const stream of Array.from(streams)) {
    const { protocol } = stream;
    if (!steps.has(protocol)) steps.set(protocol, protocol.step(feed, change));
    const step = steps.get(protocol);
    if (step !== undefined) await stream.sendStep(step, change.revision);
    if (slice.isOver) await slice.yieldToEventLoop();
  }
}

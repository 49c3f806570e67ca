// The open streams of this node to Relay Proxies, and how changes reach them: a revision rises with each, on all nodes.
import type { Clock } from '../../kernel/clock.ts';
import { Failure } from '../../kernel/failure.ts';
import { hashSecret } from '../../kernel/secrets/secret.ts';
import type { Metrics } from '../../kernel/observability/metrics.ts';
import { EventStream, type StreamConnection } from '../../kernel/http/route.ts';
import type { Engine, Log } from '../../kernel/storage/engine.ts';
import { findRelayProxyConfigByHash, findRelayRevision, readRelayState, RELAY } from './store.ts';
import {
  acceptsRelayKey,
  allowedEnvironments,
  relayEvents,
  type RelayState,
  type SentVersions,
} from './relay-environment.ts';
import type { RelayProxyConfig } from './model.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    relayStreams: RelayStreams;
  }
}

/** A client that leaves more than this unread is cut off: it comes back, and gets everything anew. */
const MAX_BUFFERED = 16 * 1024 * 1024;

/** One open stream: the environments of its configuration, and then each change of them. */
class RelayStream {
  readonly configId: string;
  /** The hash of the key that opened it. */
  readonly #hash: string;
  readonly #connection: StreamConnection;
  #sent: SentVersions | undefined;
  #isEnded = false;
  /** What the connection had sent at the last heartbeat, if it had something left to send. */
  #sentBefore: number | undefined;

  constructor(connection: StreamConnection, configId: string, hash: string) {
    this.#connection = connection;
    this.configId = configId;
    this.#hash = hash;
  }

  advance(state: RelayState, now: number): void {
    const config = this.#acceptedConfig(state, now);
    if (config === undefined) return this.end();
    const allowed = allowedEnvironments(config, state.environments);
    const events = relayEvents(this.#sent, allowed, state.environments);
    this.#sent = new Map(allowed.map(({ id, version }) => [id, version]));
    if (events === '') return;
    if (this.#connection.writableLength > MAX_BUFFERED) this.#cut();
    else this.#connection.write(events);
  }

  /** Ends it where its configuration is gone, or its key is good no longer. */
  endIfRefused(state: RelayState, now: number): void {
    if (this.#acceptedConfig(state, now) === undefined) this.end();
  }

  heartbeat(): void {
    if (this.#isEnded) return;
    const { writableLength, socket } = this.#connection;
    const sent = writableLength === 0 ? undefined : (socket?.bytesWritten ?? 0) - writableLength;
    if (sent !== undefined && sent === this.#sentBefore) return this.#cut();
    this.#sentBefore = sent;
    if (writableLength === 0) this.#connection.write(':\n\n');
  }

  /** The Relay Proxy connects again. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#connection.end();
  }

  #acceptedConfig({ configs }: RelayState, now: number): RelayProxyConfig | undefined {
    const config = configs.find(({ id }) => id === this.configId);
    return config !== undefined && acceptsRelayKey(config, this.#hash, now) ? config : undefined;
  }

  #cut(): void {
    this.#isEnded = true;
    this.#connection.destroy();
  }
}

/** On this node. */
const MAX_STREAMS = 2000;
const MAX_PER_CONFIG = 500;
const RETRY_SECONDS = 30;

/** Heartbeats, expired keys, and changes whose notice was lost between nodes. */
const TICK_MS = 1000;

interface RelayStreamsKernel {
  engine: Engine;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

export class RelayStreams {
  readonly #kernel: RelayStreamsKernel;
  readonly #heartbeatSeconds: number;
  readonly #streams = new Set<RelayStream>();
  #state: RelayState | undefined;
  /** A change has come after the state was read. */
  #isStale = true;
  /** The load that goes on, or has ended; and the one that waits for its end. */
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #isClosed = false;
  #stopListening: (() => void) | undefined;

  constructor(kernel: RelayStreamsKernel, heartbeatSeconds: number) {
    this.#kernel = kernel;
    this.#heartbeatSeconds = heartbeatSeconds;
    kernel.metrics.watch({
      name: 'relay_streams',
      help: 'Streams of environments to Relay Proxies that are open',
      read: () => this.#streams.size,
    });
  }

  async listen(): Promise<this> {
    this.#stopListening = await this.#kernel.engine.listen(RELAY, () => this.#onNotice());
    return this;
  }

  /** The reply to a call for a stream. Throws unless the key is that of a configuration. */
  async open(key: string, now: number): Promise<EventStream> {
    const hash = hashSecret(key);
    // Looked up first, so that a wrong key costs little.
    const config = await findRelayProxyConfigByHash(this.#kernel.engine.db, hash, now);
    if (config === undefined)
      throw new Failure('unauthenticated', 'This is no key of a Relay Proxy configuration that is good.');
    this.#admit(config.id);
    await this.#refresh();
    return new EventStream((connection) => this.#begin(connection, config.id, hash));
  }

  /** Ends all streams: Relay Proxies connect again, to another node or after the restart. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#stopListening?.();
    for (const stream of this.#streams) stream.end();
  }

  #admit(configId: string): void {
    const own = [...this.#streams].filter((stream) => stream.configId === configId).length;
    const headers = { 'retry-after': String(RETRY_SECONDS) };
    if (own >= MAX_PER_CONFIG)
      throw new Failure('exhausted', `A configuration may have ${MAX_PER_CONFIG} open streams.`, { headers });
    if (this.#isClosed || this.#streams.size >= MAX_STREAMS)
      throw new Failure('unavailable', 'This server takes no more streams now.', { headers });
  }

  #begin(connection: StreamConnection, configId: string, hash: string): void {
    const stream = new RelayStream(connection, configId, hash);
    if (this.#isClosed) return stream.end();
    this.#streams.add(stream);
    connection.on('close', () => this.#remove(stream));
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
    stream.advance(this.#state!, this.#kernel.clock.now());
    if (this.#isStale) this.#refreshLater();
  }

  #remove(stream: RelayStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Without streams, the state is read when the next one is opened. */
  #onNotice(): void {
    this.#isStale = true;
    if (this.#streams.size > 0) this.#refreshLater();
  }

  #tick(): void {
    this.#ticks += 1;
    const isBeat = this.#ticks % this.#heartbeatSeconds === 0;
    const now = this.#kernel.clock.now();
    for (const stream of this.#streams) {
      stream.endIfRefused(this.#state!, now);
      if (isBeat) stream.heartbeat();
    }
    if (this.#isStale) this.#refreshLater();
    else if (this.#kernel.engine.isShared) void this.#lookForChanges();
  }

  async #lookForChanges(): Promise<void> {
    try {
      const revision = await findRelayRevision(this.#kernel.engine.db);
      if (revision !== this.#state?.revision) await this.#refresh();
    } catch (error) {
      this.#warn(error);
    }
  }

  #refreshLater(): void {
    this.#refresh().catch((error: unknown) => this.#warn(error));
  }

  /** Where the database does not answer, Relay Proxies go on with what they have. */
  #warn(error: unknown): void {
    this.#kernel.log.warn({ err: error }, 'changes for Relay Proxies cannot be read now');
  }

  /** Resolves when all that was committed before the call has been read and sent, by a load that begins after the call. */
  #refresh(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      const load = this.#load();
      this.#last = load.catch(() => {});
      return load;
    });
    return this.#next;
  }

  async #load(): Promise<void> {
    const { engine, clock } = this.#kernel;
    this.#isStale = false;
    try {
      this.#state = await readRelayState(engine.db, clock.now());
      for (const stream of this.#streams) stream.advance(this.#state, clock.now());
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }
}

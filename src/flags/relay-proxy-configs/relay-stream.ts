// One open stream to a Relay Proxy: the environments of its configuration, and then each change of them.
import type { StreamConnection } from '../../kernel/http/route.ts';
import {
  acceptsRelayKey,
  allowedEnvironments,
  relayEvents,
  type RelayEnvironment,
  type SentVersions,
} from './relay-environment.ts';
import type { RelayProxyConfig } from './model.ts';

/** What all streams of a node are brought up to date from. */
export interface RelayState {
  revision: number;
  configs: readonly RelayProxyConfig[];
  environments: readonly RelayEnvironment[];
}

/** A client that leaves more than this unread is cut off: it comes back, and gets everything anew. */
const MAX_BUFFERED = 16 * 1024 * 1024;

export class RelayStream {
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

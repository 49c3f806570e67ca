// The web servers of the processes of runs on this node: how the proxy reaches each, and how many requests each has.
import { randomBytes } from 'node:crypto';
import { Agent } from '../../kernel/network/http-client.ts';
import type { RunEnd } from './run-transitions.ts';
import type { Run } from './model.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    webServers: WebServers;
  }
}

/** On every request of the proxy; the programs of users, and nobody else, know its value for their run. */
export const SECRET_HEADER = 'x-signalbox-run-secret';
/** The environment variable with the same value. */
export const SECRET_VARIABLE = 'SIGNALBOX_RUN_SECRET';

/** A port on loopback, or a Unix socket that leads into a sandbox without a network. */
export type WebAddress = { port: number } | { socketPath: string };

/** A process that serves nothing costs this much: what it may have at the same time, where nobody says otherwise. */
const MAX_REQUESTS = 100;
/** Node's own servers close idle connections after five seconds. */
const IDLE_CONNECTION_MS = 4000;

export class WebServer {
  readonly run: Run;
  readonly address: WebAddress;
  readonly secret: string;
  readonly agent = new Agent({ keepAlive: true });
  /** Fires when the process is over. */
  readonly closed = new AbortController();
  /** Whether it has answered a request. */
  isReady = false;
  requests = 0;
  #isEnding = false;
  maxRequests = MAX_REQUESTS;
  /** How the run ends because its web server is not needed any more, or does not answer. */
  retirement: RunEnd | undefined;
  /** Decides about it; set by what gives the server its requests. */
  decide: () => RunEnd | undefined = () => undefined;
  /** There is room for one more request. */
  onLeave = (): void => {};
  /** Whether the port belongs to this process; undefined where the machine does not tell. */
  readonly isGenuine: () => Promise<boolean | undefined>;

  constructor(run: Run, { address, secret, isGenuine }: Pick<WebServer, 'address' | 'secret' | 'isGenuine'>) {
    this.run = run;
    this.address = address;
    this.secret = secret;
    this.isGenuine = isGenuine;
    this.agent.on('free', (socket) => socket.setTimeout(IDLE_CONNECTION_MS));
  }

  /** Asked every second. Once decided, it stays. */
  retire(): RunEnd | undefined {
    return (this.retirement ??= this.decide());
  }

  /** The process is about to end: it gets no further requests. */
  end(): void {
    this.#isEnding = true;
  }

  get isEnding(): boolean {
    return this.#isEnding || this.retirement !== undefined;
  }

  get isFull(): boolean {
    return this.requests >= this.maxRequests;
  }

  /** Counts a request; it must leave again. */
  enter(): void {
    this.requests += 1;
  }

  leave(): void {
    this.requests -= 1;
    this.onLeave();
  }

  close(): void {
    this.closed.abort();
    this.agent.destroy();
  }
}

export function newRunSecret(): string {
  return randomBytes(24).toString('base64url');
}

export interface WebServerEvents {
  opened(server: WebServer): void;
  closed(server: WebServer): void;
}

export class WebServers {
  readonly #servers = new Map<string, WebServer>();
  #events: WebServerEvents | undefined;
  #guardFile: string | undefined;

  /** Written once by each server: what an earlier release left is replaced. */
  guardFile(write: () => string): string {
    return (this.#guardFile ??= write());
  }

  /** One listener: what runs in standby mode. */
  follow(events: WebServerEvents): void {
    this.#events = events;
    for (const server of this.#servers.values()) events.opened(server);
  }

  open(server: WebServer): void {
    this.#servers.set(server.run.id, server);
    this.#events?.opened(server);
  }

  close(server: WebServer): void {
    if (this.#servers.get(server.run.id) === server) this.#servers.delete(server.run.id);
    server.close();
    this.#events?.closed(server);
  }

  find(runId: string): WebServer | undefined {
    return this.#servers.get(runId);
  }
}

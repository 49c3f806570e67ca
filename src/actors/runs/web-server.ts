// The web servers of the processes of runs on this node: the port and secret of each, how the proxy reaches it, and how many requests it has.
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from '../../kernel/network/http-client.ts';
import { createSocketServer } from '../../kernel/network/streams.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { ProgramInboundSocket, RunningProgram } from '../runner/runner.ts';
import { writeGuard } from '../runner/web-guard.ts';
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
type WebAddress = { port: number } | { socketPath: string };

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

function newRunSecret(): string {
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

/** The platform's own default, for a process that has a network of its own. */
export const WEB_SERVER_PORT = 4321;
const PORTS = { first: 10_000, last: 32_767 };
const PORT_VARIABLE = 'ACTOR_WEB_SERVER_PORT';
/** Of the path of a Unix socket, on Linux. */
const MAX_SOCKET_BYTES = 100;

export interface ReservedWebServer {
  port: number;
  secret: string;
  /** Undefined where the process cannot be reached. */
  address: WebAddress | undefined;
  inboundSocket?: ProgramInboundSocket;
  /** A module that Node programs load first. */
  guard?: string;
  release(): void;
}

export async function reserveWebServer(
  {
    settings,
    services,
  }: { settings: Pick<Kernel['settings'], 'execution'>; services: Pick<Kernel['services'], 'webServers'> },
  runId: string,
): Promise<ReservedWebServer> {
  const { work, network } = settings.execution;
  const secret = newRunSecret();
  if (network === 'host') {
    const port = await findFreePort();
    const names = { header: SECRET_HEADER, secret: SECRET_VARIABLE, port: PORT_VARIABLE };
    const guard = services.webServers.guardFile(() => writeGuard(work, names));
    return { port, secret, address: { port }, guard, release: () => {} };
  }
  const port = WEB_SERVER_PORT;
  const folder = join(work, 'web');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const socket = join(folder, runId);
  if (Buffer.byteLength(socket) > MAX_SOCKET_BYTES)
    return { port, secret, address: undefined, release: () => {} };
  return {
    port,
    secret,
    address: { socketPath: socket },
    inboundSocket: { port, socket },
    release: () => rmSync(socket, { force: true }),
  };
}

/** Beside the options of the Actor's own. */
export function withGuard(env: Record<string, string>, { guard }: ReservedWebServer): Record<string, string> {
  if (guard === undefined) return env;
  const options = [env['NODE_OPTIONS'], `--require ${JSON.stringify(guard)}`];
  return { ...env, NODE_OPTIONS: options.filter((one) => one !== undefined).join(' ') };
}

/** From now on the proxy reaches the process. Undefined where it cannot. */
export function openWebServer(
  { services }: Kernel,
  run: Run,
  { address, secret }: ReservedWebServer,
  program: RunningProgram,
): WebServer | undefined {
  if (address === undefined) return undefined;
  const isGenuine = async () => ('port' in address ? await program.holdsPort?.(address.port) : true);
  const server = new WebServer(run, { address, secret, isGenuine });
  services.webServers.open(server);
  return server;
}

/**
 * All processes share the network of the machine, so each gets a port of its own. It is below those that the system gives to
 * connections and to servers which ask for any: one of these might take it before the program listens.
 */
async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last + 1);
    const probe = createSocketServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
        return false;
      },
    );
    probe.close();
    if (isFree) return port;
  }
}

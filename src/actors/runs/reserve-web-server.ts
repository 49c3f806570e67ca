// What a process needs to serve something: a port of its own, a secret, and the way by which the proxy reaches it.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSocketServer } from '../../kernel/network/streams.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { ProgramInboundSocket, RunningProgram } from '../runner/runner.ts';
import { writeGuard } from '../runner/web-guard.ts';
import type { Run } from './model.ts';
import { newRunSecret, SECRET_HEADER, SECRET_VARIABLE, WebServer, type WebAddress } from './web-server.ts';

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

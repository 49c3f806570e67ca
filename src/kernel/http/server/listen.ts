// Listens on the port of the settings: errors say what to do, and the port is held on the other loopback address too, where a program that listened would be the same origin to browsers. ADR 0123.
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Failure } from '../../failure.ts';
import { createSocketServer } from '../../network/streams.ts';
import type { Logger } from '../../observability/log.ts';

export interface Address {
  port: number;
  host: string;
  tlsCert?: string;
}

export function urlOf({ host, tlsCert }: Address, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`;
}

/**
 * How many connections the system accepts before the server does; it may have a lower limit of its own. Thousands of SDKs
 * connect again at once after a restart, and one that is not accepted waits for a second or more.
 */
const BACKLOG = 4096;
/** How many further ports to try. */
const NEXT_PORTS = 20;
/** The timeout for asking the server on a busy port whether it is a Signalbox. */
const HOLDER_MS = 5000;

/**
 * Starts listening and returns the URL; errors say what to do. With a log, a busy port is replaced by the next free one,
 * and the log says why.
 */
export async function listenOn(
  app: FastifyInstance,
  address: Address,
  moves?: Pick<Logger, 'warn'>,
): Promise<string> {
  const isAny = address.port === 0;
  const tries = isAny || moves !== undefined ? NEXT_PORTS : 0;
  let busy: Address | undefined;
  for (let moved = 0; ; moved += 1) {
    const port = isAny ? 0 : address.port + moved;
    const failed = await listenAt(app, address, port);
    if (failed !== undefined) {
      busy ??= failed.address;
      if (failed.error.code === 'EADDRINUSE' && moved < tries && port < 65_535) continue;
      throw await explain(failed.error, failed.address);
    }
    // Finding out who uses the other port takes a while, and this server already answers calls.
    if (busy !== undefined && !isAny)
      void explainBusy(busy).then((words) => moves?.warn(`${words} Port ${port} is used instead.`));
    return urlOf(address, (app.server.address() as AddressInfo).port);
  }
}

/** On both loopback addresses, or on none. Returns what failed, and where. */
async function listenAt(
  app: FastifyInstance,
  address: Address,
  port: number,
): Promise<{ error: NodeJS.ErrnoException; address: Address } | undefined> {
  const { host, twin: twinHost } = listenHostsOf(address.host);
  let twin: Server | undefined;
  try {
    // The twin first: it can be closed, and another port be tried.
    if (twinHost !== undefined) twin = await openTwin(app, twinHost, port, BACKLOG);
  } catch (error) {
    return { error: error as NodeJS.ErrnoException, address: { ...address, port, host: twinHost! } };
  }
  try {
    const bound = twin === undefined ? port : (twin.address() as AddressInfo).port;
    await app.listen({ port: bound, host, backlog: BACKLOG });
  } catch (error) {
    if (twin !== undefined) await closeTwin(twin);
    return { error: error as NodeJS.ErrnoException, address: { ...address, port } };
  }
  if (twin !== undefined) {
    twin.on('error', (error) => app.server.emit('error', error));
    app.twins.push(twin);
  }
  return undefined;
}

async function explain(error: NodeJS.ErrnoException, address: Address): Promise<Error> {
  const { port, host } = address;
  switch (error.code) {
    case 'EADDRINUSE':
      return new Failure(
        'unavailable',
        `${await explainBusy(address)} Stop that one, or choose another port with --port.`,
      );
    case 'EACCES':
      return new Failure(
        'unavailable',
        `Port ${port} is not yours to use. Choose one above 1023 with --port.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Failure(
        'unavailable',
        `${host} is not an address of this machine. Choose another with --host.`,
      );
    default:
      return error;
  }
}

async function explainBusy(address: Address): Promise<string> {
  const { port, host } = address;
  const holder = findPortHolder(port);
  const name = (await isOurs(urlOf(address, port)))
    ? 'another Signalbox'
    : (holder?.name ?? 'another program');
  const process = holder === undefined ? '' : ` (process ${holder.pid})`;
  return `Port ${port} on ${host} is used by ${name}${process}.`;
}

async function isOurs(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(HOLDER_MS) });
    const body = (await response.json()) as { status?: unknown; version?: unknown };
    return body.status === 'ok' && typeof body.version === 'string';
  } catch {
    return false;
  }
}

/** A host of the settings: what the server listens on, and where else it holds its port. */
interface ListenHosts {
  host: string;
  twin?: string;
}

/** Listening on `::` means all addresses of both kinds. One address of a network has a name and an origin of its own. */
function listenHostsOf(host: string): ListenHosts {
  switch (host) {
    case '127.0.0.1':
    case 'localhost':
      return { host: '127.0.0.1', twin: '::1' };
    case '0.0.0.0':
      return { host, twin: '::1' };
    case '::1':
      return { host, twin: '127.0.0.1' };
    default:
      return { host };
  }
}

const LOOPBACKS = ['127.0.0.1', '::1'];

/** A proxy on this machine that calls `localhost` may come from either. */
export function withBothLoopbacks(addresses: readonly string[]): string[] {
  return addresses.some((address) => LOOPBACKS.includes(address))
    ? [...new Set([...addresses, ...LOOPBACKS])]
    : [...addresses];
}

/** What systems without IPv6 answer. */
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'EPROTONOSUPPORT']);

/**
 * Its connections are those of the app's server, with the same limits and time-outs. Undefined where the machine has no IPv6;
 * throws where another program holds the port.
 */
async function openTwin(
  app: FastifyInstance,
  host: string,
  port: number,
  backlog: number,
): Promise<Server | undefined> {
  // As Node creates its own servers.
  const isEncrypted = 'setSecureContext' in app.server;
  const twin = createSocketServer(
    (socket) => {
      if (app.server.listening) app.server.emit('connection', socket);
      else socket.destroy();
    },
    { allowHalfOpen: !isEncrypted, noDelay: true },
  );
  twin.listen({ host, port, backlog, ipv6Only: host === '::1' });
  try {
    await once(twin, 'listening');
    return twin;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (host === '::1' && NO_IPV6.has(code)) return undefined;
    throw error;
  }
}

export async function closeTwin(twin: Server): Promise<void> {
  if (!twin.listening) return;
  const closed = once(twin, 'close');
  twin.close();
  await closed;
}

interface PortHolder {
  pid: number;
  /** The name of its program, like `node`. */
  name: string;
}

const LISTENING = '0A';

/** Linux shows a user's own processes, and all to root. Undefined on other systems, and for processes of others. */
function findPortHolder(port: number): PortHolder | undefined {
  const sockets = ['tcp', 'tcp6'].flatMap((table) => listeners(`/proc/net/${table}`, port));
  if (sockets.length === 0) return undefined;
  const pid = readFolder('/proc').find((name) => /^\d+$/.test(name) && holdsAny(name, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), name: nameOf(pid) };
}

/** Inodes of the sockets that listen on the port: the tables contain the address in hexadecimal, the state and the inode. */
function listeners(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readText(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address = '', , state]) => address.endsWith(suffix) && state === LISTENING)
    .map((columns) => `socket:[${columns[9]}]`);
}

function holdsAny(pid: string, sockets: readonly string[]): boolean {
  const folder = join('/proc', pid, 'fd');
  return readFolder(folder).some((descriptor) => {
    try {
      return sockets.includes(readlinkSync(join(folder, descriptor)));
    } catch {
      return false; // closed meanwhile
    }
  });
}

/** Without its arguments, which may contain secrets. */
function nameOf(pid: string): string {
  const [command = ''] = readText(join('/proc', pid, 'cmdline')).split('\0');
  return basename(command) || readText(join('/proc', pid, 'comm')).trim();
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

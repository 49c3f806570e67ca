// Which URLs lead to a repository of this server.
import { networkInterfaces } from 'node:os';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const ANY = new Set(['0.0.0.0', '[::]']);

/** `owner/name`, where the URL begins with one of the server's own: the public one, or where it listens. */
export function repositoryNameIn(url: URL, own: readonly string[]): string | undefined {
  for (const base of own) {
    const rest = restBelow(url, new URL(base));
    const [, owner, name] = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(rest ?? '') ?? [];
    if (owner !== undefined && name !== undefined) return `${owner}/${name}`;
  }
  return undefined;
}

function restBelow(url: URL, base: URL): string | undefined {
  if (url.protocol !== base.protocol || url.port !== base.port) return undefined;
  if (url.hostname !== base.hostname && !isSameMachine(url.hostname, base.hostname)) return undefined;
  const prefix = base.pathname.replace(/\/$/, '');
  return url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : undefined;
}

/** A server that listens on all addresses has each of the machine's. */
function isSameMachine(asked: string, listening: string): boolean {
  if (LOOPBACK.has(asked)) return LOOPBACK.has(listening) || ANY.has(listening);
  if (!ANY.has(listening)) return false;
  const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return addresses.some(({ address, family }) => asked === (family === 'IPv6' ? `[${address}]` : address));
}

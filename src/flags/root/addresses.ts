// The addresses of this server: where it is reached, and where its webhooks come from.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Kernel } from '../../kernel/kernel.ts';

/** Cached, because a DNS lookup occupies one of few threads, and anybody may call the route. */
const CACHE_MS = 60_000;

declare module '../../kernel/kernel.ts' {
  interface Services {
    serviceAddresses: ServiceAddresses;
  }
}

/** The addresses of the host in the public URL. */
export class ServiceAddresses {
  #until = -Infinity;
  #addresses: Promise<string[]> = Promise.resolve([]);

  find({ publicUrl, clock }: Kernel): Promise<string[]> {
    const now = clock.now();
    if (this.#until <= now) {
      this.#addresses = resolve(new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''));
      this.#until = now + CACHE_MS;
    }
    return this.#addresses;
  }
}

async function resolve(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const found = await lookup(host, { all: true }).catch(() => []);
  return [...new Set(found.map(({ address }) => address))];
}

/**
 * The addresses of this machine, as receivers of webhooks may see them; private ones only if webhooks may go to private
 * networks. Translation by a router is not known here.
 */
export function outboundAddresses({ guard }: Kernel): string[] {
  const all = Object.values(networkInterfaces()).flatMap((entries = []) => entries);
  return all
    .filter((entry) => !entry.internal && !(entry.family === 'IPv6' && entry.scopeid !== 0))
    .map(({ address }) => address)
    .filter((address) => isAllowed(guard, address));
}

function isAllowed(guard: Kernel['guard'], address: string): boolean {
  try {
    guard.checkUrl(`http://${address.includes(':') ? `[${address}]` : address}`);
    return true;
  } catch {
    return false;
  }
}

// The operator's own package registries on loopback, for installations with a network of their own.
import { lookup } from 'node:dns/promises';
import { isLoopbackName } from '../../kernel/network/loopback-name.ts';
import { openForwarder, type Forwarder } from '../runner/bridge-socket.ts';
import type { ProgramBridge } from '../runner/runner.ts';

const NAMES = ['npm_config_registry', 'PIP_INDEX_URL'];

/** Inside, they are on the same ports of loopback as outside. Ports of the system cannot be had there. */
export async function openRegistries(
  work: string,
  variables: Readonly<Record<string, string>>,
): Promise<(ProgramBridge & Forwarder)[]> {
  const opened = new Map<number, ProgramBridge & Forwarder>();
  for (const name of NAMES) {
    const url = URL.parse(variables[name] ?? '');
    if (url === null) continue;
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const host = url.hostname.replaceAll(/[[\]]/g, '');
    if (port < 1024 || opened.has(port) || !(await isOnLoopback(host))) continue;
    opened.set(port, { port, ...(await openForwarder(work, { host, port })) });
  }
  return [...opened.values()];
}

async function isOnLoopback(host: string): Promise<boolean> {
  if (isLoopbackName(host)) return true;
  const found = await lookup(host).catch(() => undefined);
  return found !== undefined && isLoopbackName(found.address);
}

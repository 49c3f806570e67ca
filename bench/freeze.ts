// The worst request of each route, one after the other: how long does each block other calls?
import { Agent, request } from '../src/kernel/network/http-client.ts';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { freezeCases, type FreezeCase, type Send } from './freeze-cases.ts';
import type { Row } from './report.ts';
import { startWatched, TOKEN, type WatchedServer } from './servers.ts';

/** The longest acceptable delay of one call by another. */
const MAX_MS = 50;
const LOOK_MS = 4;
const MAX_READING_MS = 10_000;

export async function benchFreeze(): Promise<Row[]> {
  const database = process.env['DATABASE_URL'];
  const server = await startWatched({
    SIGNALBOX_LIMITS: 'off',
    ...(database !== undefined && { DATABASE_URL: database }),
  });
  try {
    const send = sender(server.url);
    const only = process.env['FREEZE_ONLY'];
    const rows: Row[] = [];
    for (const one of await freezeCases(send)) {
      if (only !== undefined && !new RegExp(only).test(one.name)) continue;
      rows.push(await measure(server, send, one));
    }
    return rows;
  } finally {
    await server.stop();
  }
}

async function measure(server: WatchedServer, send: Send, { name, warm, run }: FreezeCase): Promise<Row> {
  // Loading and compiling at the first use of a route happen once, so they do not count.
  await warm?.(send);
  await server.loop();
  const stop = new AbortController();
  const looking = look(server.url, stop.signal);
  const begun = performance.now();
  const status = await run(send);
  const ms = performance.now() - begun;
  // Work after the answer counts as well.
  await delay(100);
  stop.abort();
  const waited = await looking;
  const { longestMs, longestCpuMs } = await server.loop();
  const value = `${longestCpuMs.toFixed(0)} ms of work, ${longestMs.toFixed(0)} ms by the clock, /healthz ${waited.toFixed(0)} ms`;
  if (process.env['FREEZE_ONLY'] !== undefined || process.env['FREEZE_TRACE'] !== undefined)
    console.log(`${name}: ${status} in ${ms.toFixed(0)} ms; ${value}`);
  return {
    what: `${name} (${status})`,
    value,
    against: '',
    target: `≤ ${MAX_MS} ms`,
    isMet: longestCpuMs <= MAX_MS,
  };
}

/** The longest time of a call of /healthz. */
async function look(url: string, signal: AbortSignal): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  let longest = 0;
  while (!signal.aborted) {
    const begun = performance.now();
    const outgoing = request(`${url}/healthz`, { agent });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    await buffer(response);
    longest = Math.max(longest, performance.now() - begun);
    await delay(LOOK_MS);
  }
  agent.destroy();
  return longest;
}

function sender(url: string): Send {
  const agent = new Agent({ keepAlive: true });
  return async (method, path, body, headers = {}) => {
    const bytes = body === undefined || body instanceof Uint8Array ? body : Buffer.from(body);
    const outgoing = request(url + path, {
      method,
      agent,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(bytes !== undefined && {
          'content-type': 'application/json',
          'content-length': bytes.byteLength,
        }),
        ...headers,
      },
    });
    outgoing.end(bytes);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    // Some answers are too long to read to their end.
    const leaving = setTimeout(() => response.destroy(), MAX_READING_MS);
    const text = await buffer(response).catch(() => Buffer.from('{}'));
    clearTimeout(leaving);
    return { status: response.statusCode!, text };
  };
}

// Calls over and over on many connections: how many in a second, and how much CPU time each cost the server.
import { cpuMsOf } from './cpu.ts';
import { Connection, measure } from './raw-http.ts';
import type { BenchServer } from './servers.ts';

/** One call, made anew each time. */
export interface Work {
  method: string;
  path: string | (() => string);
  headers?: Record<string, string>;
  body?: () => string;
}

export interface Load {
  /** Calls per second. */
  rate: number;
  /** CPU time of the server's process per call, in microseconds. */
  cpu: number;
}

/** Over fresh connections: servers close those that have been idle for a while. */
export async function load(
  server: BenchServer,
  { method, path, headers, body }: Work,
  { connections: count, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const connections = Array.from({ length: count }, () => new Connection(server.url, headers));
  // A client that sleeps has to be woken by the server, at the server's cost, and a fast server's client never sleeps.
  let isOver = false;
  const stayAwake = () => void (isOver || setImmediate(stayAwake));
  stayAwake();
  const before = cpuMsOf(server.pid);
  const begun = performance.now();
  const rate = await measure(connections, seconds, async (connection) => {
    const to = typeof path === 'string' ? path : path();
    const answer = await connection.call(method, to, body?.());
    if (answer.status >= 300) {
      throw new Error(`${method} ${to} was answered with ${answer.status}: ${answer.body}`);
    }
    return 1;
  });
  isOver = true;
  const calls = (rate * (performance.now() - begun)) / 1000;
  for (const connection of connections) connection.close();
  return { rate, cpu: ((cpuMsOf(server.pid) - before) * 1000) / calls };
}

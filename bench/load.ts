// Repeats calls on many connections: calls per second, and CPU time of the server per call.
import { setTimeout as delay } from 'node:timers/promises';
import { cpuMsOf, cpuMsOfFamily } from './cpu.ts';
import { Connection, measure } from './raw-http.ts';
import type { BenchServer } from './servers.ts';

/** One call, created anew each time. */
export interface Work {
  method: string;
  path: string | (() => string);
  headers?: Record<string, string>;
  body?: () => string;
  /** The expected one; any that is no error unless given. */
  status?: number;
  /** Processes that the server starts count, too. */
  withChildren?: true;
}

export interface Load {
  /** Calls per second. */
  rate: number;
  /** CPU time of the server's process per call, in microseconds. */
  cpu: number;
}

interface LoadOptions {
  connections: number;
  seconds: number;
  /** As many of all connections as the server answers, unless given. A server answers many at once cheaper than each by itself. */
  callsPerSecond?: number;
}

/** On new connections, because servers close idle ones. */
export async function load(
  server: BenchServer,
  { method, path, headers, body, status, withChildren }: Work,
  { connections: count, seconds, callsPerSecond }: LoadOptions,
): Promise<Load> {
  const connections = Array.from({ length: count }, () => new Connection(server.url, headers));
  // Reading, the client never sleeps: waking it would cost the server CPU time, and only a slow server's client would sleep.
  // Writing, it leaves its core to the server's storage thread.
  let isOver = body !== undefined || callsPerSecond !== undefined;
  const stayAwake = () => void (isOver || setImmediate(stayAwake));
  stayAwake();
  const cpuMs = withChildren ? cpuMsOfFamily : cpuMsOf;
  const before = cpuMs(server.pid);
  const begun = performance.now();
  let asked = 0;
  const rate = await measure(connections, seconds, async (connection) => {
    if (callsPerSecond !== undefined)
      await delay(Math.max(0, begun + ((asked += 1) * 1000) / callsPerSecond - performance.now()));
    const to = typeof path === 'string' ? path : path();
    const answer = await connection.call(method, to, body?.());
    if (status === undefined ? answer.status >= 300 : answer.status !== status) {
      throw new Error(`${method} ${to} was answered with ${answer.status}: ${answer.body}`);
    }
    return 1;
  });
  isOver = true;
  const calls = (rate * (performance.now() - begun)) / 1000;
  for (const connection of connections) connection.close();
  return { rate, cpu: ((cpuMs(server.pid) - before) * 1000) / calls };
}

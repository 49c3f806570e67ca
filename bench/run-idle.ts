// What runs that mostly sleep cost the server: the CPU time of a queue call beside eight of them, against a server without.
import { compare, type Effort } from './compare.ts';
import { headers, makeQueue } from './queue-calls.ts';
import { Connection } from './raw-http.ts';
import type { Row } from './report.ts';
import { createScript, startRun, startRunServer, ask, type RunServer } from './run-calls.ts';

const RUNS = 8;
const MOST = 1.3;
/** Connected to the events of the platform, as every SDK is, with a line of log in each second. */
const SLEEPY = `
new WebSocket(process.env.ACTOR_EVENTS_WEBSOCKET_URL).onmessage = () => {};
setInterval(() => console.log('still here'), 1000);
`;

let requests = 0;

function nextRequest(): string {
  const url = `https://example.com/products/${(requests += 1)}`;
  return JSON.stringify({ url, uniqueKey: url, method: 'GET', userData: { label: 'DETAIL', depth: 2 } });
}

export async function benchIdle(effort: Effort): Promise<Row> {
  const [idle, busy] = [await startRunServer(), await startRunServer()];
  await startSleepers(busy);
  const targets = await Promise.all(
    [idle, busy].map(async (server) => {
      const path = `${await makeQueue(server.url)}/requests?clientKey=bench`;
      return { server, work: { method: 'POST', path, headers, body: nextRequest } };
    }),
  );
  const [without, beside] = await compare(targets, effort);
  await Promise.all([idle.stop(), busy.stop()]);
  return {
    what: `a queue call beside ${RUNS} runs that mostly sleep`,
    value: `${Math.round(beside!.cpu)} µs of CPU, ${Math.round(beside!.rate)}/s`,
    ratio: beside!.times,
    against: `a server without runs, ${Math.round(without!.cpu)} µs, ${Math.round(without!.rate)}/s`,
    target: `≤ ${MOST}`,
    isMet: beside!.times <= MOST,
  };
}

async function startSleepers({ url }: RunServer): Promise<void> {
  const actorId = await createScript(url, SLEEPY);
  const connection = new Connection(url, headers);
  const ids = new Set<string>();
  for (let index = 0; index < RUNS; index += 1) ids.add(await startRun(connection, actorId));
  connection.close();
  for (const id of ids) await untilRunning(url, id);
}

async function untilRunning(url: string, id: string): Promise<void> {
  for (;;) {
    const { status } = await ask<{ status: string }>(url, 'GET', `/v2/actor-runs/${id}`);
    if (status === 'RUNNING') return;
    if (status !== 'READY') throw new Error(`The run is ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

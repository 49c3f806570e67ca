// Request queues over HTTP, with durable writes: adding, taking and handling requests, on both engines and in large queues.
import { startPostgres } from '../test/postgres.ts';
import { compareWithBare, median, type Effort } from './compare.ts';
import { load } from './load.ts';
import { memoryStorageRate } from './memory-storage.ts';
import { call, headers, makeQueue } from './queue-calls.ts';
import { benchLarge } from './queues-large.ts';
import { Connection, measure } from './raw-http.ts';
import { cpuRow, type Row } from './report.ts';
import { startOurs, type BenchServer } from './servers.ts';

const CONNECTIONS = 64;
const BATCH = 25;
const BATCH_CONNECTIONS = 16;
/** The number of clients that lock, read and handle requests at once. */
const CYCLE_CONNECTIONS = 32;

export async function benchQueues(effort: Effort): Promise<Row[]> {
  const ours = await startOurs();
  const rows = [...(await benchAdd(ours, effort)), ...(await benchBatch(ours, effort))];
  const cycle = await cycleRate(ours, effort);
  await ours.stop();
  return [...rows, ...(await compareCycle(cycle, effort)), await benchLarge(effort)];
}

let requests = 0;

/** A new request each time, as a crawler would add it. */
function nextRequest(): string {
  requests += 1;
  const url = `https://example.com/products/${requests}`;
  return JSON.stringify({ url, uniqueKey: url, method: 'GET', userData: { label: 'DETAIL', depth: 2 } });
}

function nextBatch(): string {
  return `[${Array.from({ length: BATCH }, nextRequest).join(',')}]`;
}

function open(url: string, count: number): Connection[] {
  return Array.from({ length: count }, () => new Connection(url, headers));
}

/** On new connections, because servers close idle ones. */
async function rateOf(
  url: string,
  count: number,
  seconds: number,
  work: (connection: Connection) => Promise<number>,
): Promise<number> {
  const connections = open(url, count);
  const rate = await measure(connections, seconds, work);
  for (const connection of connections) connection.close();
  return rate;
}

async function benchAdd(ours: BenchServer, effort: Effort): Promise<Row[]> {
  const queue = await makeQueue(ours.url);
  const work = { method: 'POST', path: `${queue}/requests?clientKey=bench`, headers, body: nextRequest };
  await load(ours, work, { connections: CONNECTIONS, seconds: 2 * effort.seconds });
  // Read before the pause between turns, as the server reports all its time.
  const delay = await loopDelay(ours);
  return [
    cpuRow('add one by one, durable', await compareWithBare(ours, work, effort), { most: 2.9 }),
    {
      what: 'delay of the event loop meanwhile, p99',
      value: `${delay.toFixed(1)} ms`,
      against: '',
      target: '≤ 10 ms',
      isMet: delay <= 10,
    },
  ];
}

/** The sampling interval of the event loop delay, which the reported delay includes. */
const RESOLUTION_MS = 20;

async function loopDelay({ url }: BenchServer): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, seconds = 'NaN'] = /nodejs_eventloop_delay_seconds\{quantile="0\.99"\} (\S+)/.exec(text) ?? [];
  return Math.max(0, Number(seconds) * 1000 - RESOLUTION_MS);
}

async function benchBatch(ours: BenchServer, { rounds, seconds }: Effort): Promise<Row[]> {
  const queue = await makeQueue(ours.url);
  const add = async (connection: Connection) => {
    await call(connection, 'POST', `${queue}/requests/batch?clientKey=bench`, nextBatch());
    return BATCH;
  };
  await rateOf(ours.url, BATCH_CONNECTIONS, 2, add);
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    rates.push(await rateOf(ours.url, BATCH_CONNECTIONS, seconds * 0.6, add));
  }
  const rate = median(rates);
  const theirs = await memoryStorageRate({
    kind: 'add',
    concurrency: BATCH_CONNECTIONS,
    batch: BATCH,
    amount: 5000,
  });
  const what = `add in batches of ${BATCH}`;
  const value = `${Math.round(rate)} requests/s`;
  return [
    { what, value, against: '', target: '≥ 30,000 requests/s', isMet: rate >= 30_000 },
    {
      what,
      value,
      ratio: rate / theirs,
      against: `@crawlee/memory-storage without HTTP, ${Math.round(theirs)} requests/s`,
      target: '≥ 10',
      isMet: rate / theirs >= 10,
    },
  ];
}

async function compareCycle(cycle: number, effort: Effort): Promise<Row[]> {
  const theirs = await memoryStorageRate({
    kind: 'cycle',
    concurrency: CYCLE_CONNECTIONS,
    batch: BATCH,
    amount: 1000,
  });
  const onPostgres = await benchPostgres(effort);
  const what = `lock ${BATCH}, get, handle`;
  const value = `${Math.round(cycle)} requests/s`;
  return [
    { what, value, against: '', target: '≥ 3,000 requests/s', isMet: cycle >= 3000 },
    {
      what,
      value,
      ratio: cycle / theirs,
      against: `@crawlee/memory-storage without HTTP, ${Math.round(theirs)} requests/s`,
      target: '≥ 4',
      isMet: cycle / theirs >= 4,
    },
    {
      what: 'the same on PostgreSQL',
      value: `${Math.round(onPostgres)} requests/s`,
      ratio: onPostgres / cycle,
      against: `SQLite, ${value}`,
      target: '≥ 0.5',
      isMet: onPostgres / cycle >= 0.5,
    },
  ];
}

/** Locks requests, reads each, and marks it as handled, until the queue is empty. */
async function cycleRate(ours: BenchServer, { rounds, seconds }: Effort): Promise<number> {
  const count = seconds * 2500;
  const rates: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const queue = await makeQueue(ours.url);
    await fill(ours.url, queue, count);
    const begun = performance.now();
    const connections = open(ours.url, CYCLE_CONNECTIONS);
    await Promise.all(connections.map((connection) => handleAll(connection, queue)));
    if (round >= 0) rates.push((count * 1000) / (performance.now() - begun));
    for (const connection of connections) connection.close();
  }
  return median(rates);
}

async function handleAll(connection: Connection, queue: string): Promise<void> {
  for (;;) {
    const lock = `${queue}/head/lock?lockSecs=60&limit=${BATCH}&clientKey=bench`;
    const { data } = JSON.parse(await call(connection, 'POST', lock)) as {
      data: { items: { id: string }[] };
    };
    if (data.items.length === 0) return;
    for (const { id } of data.items) {
      const path = `${queue}/requests/${id}`;
      const got = JSON.parse(await call(connection, 'GET', path)) as { data: object };
      const handled = JSON.stringify({ ...got.data, handledAt: '2026-01-01T00:00:00.000Z' });
      await call(connection, 'PUT', `${path}?clientKey=bench`, handled);
    }
  }
}

async function fill(url: string, queue: string, count: number): Promise<void> {
  const connections = open(url, 8);
  let left = count / BATCH;
  await Promise.all(
    connections.map(async (connection) => {
      while (left > 0) {
        left -= 1;
        await call(connection, 'POST', `${queue}/requests/batch?clientKey=bench`, nextBatch());
      }
    }),
  );
  for (const connection of connections) connection.close();
}

async function benchPostgres(effort: Effort): Promise<number> {
  const postgres = await startPostgres();
  const ours = await startOurs({ DATABASE_URL: postgres.url });
  const rate = await cycleRate(ours, effort);
  await ours.stop();
  await postgres.stop();
  return rate;
}

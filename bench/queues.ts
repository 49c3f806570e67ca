// Request queues over HTTP, with durable writes: adding, taking and handling requests, on both engines and in large queues.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openSqlite } from '../src/kernel/storage/sqlite.ts';
import { startPostgres } from '../test/postgres.ts';
import { median } from './compare.ts';
import { Connection, measure } from './raw-http.ts';
import type { Row } from './report.ts';
import { startEcho, startOurs, TOKEN, type BenchServer } from './servers.ts';

const CONNECTIONS = 64;
const BATCH = 25;
/** How many requests a client of the cycle takes and handles at once, as crawlers do. */
const CYCLE_CONNECTIONS = 32;
const LARGE = 1_000_000;
const SMALL = 1000;

/** Allowances so large that a bench never meets them. */
const SIGNALBOX_LIMIT = ['actors.global', 'actors.queue', 'actors.queue_batch']
  .map((name) => `${name}=1000000000000/3600`)
  .join(',');
const headers = { authorization: `Bearer ${TOKEN}` };

interface Effort {
  rounds: number;
  seconds: number;
}

export async function benchQueues(effort: Effort): Promise<Row[]> {
  const ours = await startOurs({ SIGNALBOX_LIMIT });
  const rows = [...(await benchAdd(ours, effort)), await benchBatch(ours, effort)];
  const cycle = await cycleRate(ours, effort);
  await ours.stop();
  const onPostgres = await benchPostgres(effort);
  return [
    ...rows,
    {
      what: `lock ${BATCH}, get, handle`,
      value: `${Math.round(cycle)} requests/s`,
      against: 'at least 3,000 requests/s',
      isMet: cycle >= 3000,
    },
    {
      what: 'the same on PostgreSQL',
      value: `${Math.round(onPostgres)} requests/s`,
      ratio: onPostgres / cycle,
      against: `SQLite, ${Math.round(cycle)} requests/s`,
      target: 0.4,
    },
    await benchLarge(effort),
  ];
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

async function call(connection: Connection, method: string, path: string, body?: string): Promise<string> {
  const { status, body: text } = await connection.call(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
  return text;
}

async function makeQueue(url: string): Promise<string> {
  const connection = new Connection(url, headers);
  const { data } = JSON.parse(await call(connection, 'POST', '/v2/request-queues')) as {
    data: { id: string };
  };
  connection.close();
  return `/v2/request-queues/${data.id}`;
}

/** Over fresh connections: servers close those that have been idle for a while. */
async function rateOf(
  url: string,
  count: number,
  seconds: number,
  step: (connection: Connection) => Promise<number>,
): Promise<number> {
  const connections = open(url, count);
  const rate = await measure(connections, seconds, step);
  for (const connection of connections) connection.close();
  return rate;
}

async function benchAdd(ours: BenchServer, { rounds, seconds }: Effort): Promise<Row[]> {
  const echo = await startEcho();
  const queue = await makeQueue(ours.url);
  const send = (path: string) => async (connection: Connection) => {
    await call(connection, 'POST', path, nextRequest());
    return 1;
  };
  const add = send(`${queue}/requests?clientKey=bench`);
  await rateOf(echo.url, CONNECTIONS, 2, send('/'));
  await rateOf(ours.url, CONNECTIONS, 2, add);
  const bare: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await rateOf(echo.url, CONNECTIONS, seconds, send('/')));
    rates.push(await rateOf(ours.url, CONNECTIONS, seconds, add));
  }
  await echo.stop();
  const delay = await loopDelay(ours);
  return [
    {
      what: `add one by one, ${CONNECTIONS} connections`,
      value: `${Math.round(median(rates))} requests/s`,
      ratio: median(rates.map((rate, round) => rate / bare[round]!)),
      against: `bare node:http POST echo, ${Math.round(median(bare))}/s`,
      target: 0.35,
    },
    {
      what: 'delay of the event loop meanwhile, p99',
      value: `${delay.toFixed(1)} ms`,
      against: 'at most 10 ms',
      isMet: delay <= 10,
    },
  ];
}

/** How often the server looks how late it is; what it tells has this in it. */
const RESOLUTION_MS = 20;

async function loopDelay({ url }: BenchServer): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, seconds = 'NaN'] = /nodejs_eventloop_delay_seconds\{quantile="0\.99"\} (\S+)/.exec(text) ?? [];
  return Math.max(0, Number(seconds) * 1000 - RESOLUTION_MS);
}

async function benchBatch(ours: BenchServer, { rounds, seconds }: Effort): Promise<Row> {
  const queue = await makeQueue(ours.url);
  const add = async (connection: Connection) => {
    await call(connection, 'POST', `${queue}/requests/batch?clientKey=bench`, nextBatch());
    return BATCH;
  };
  await rateOf(ours.url, 16, 2, add);
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) rates.push(await rateOf(ours.url, 16, seconds, add));
  return {
    what: `add in batches of ${BATCH}`,
    value: `${Math.round(median(rates))} requests/s`,
    against: 'at least 30,000 requests/s',
    isMet: median(rates) >= 30_000,
  };
}

/** Takes requests under lock, reads each, and marks it as handled, until the queue is empty. */
async function cycleRate(ours: BenchServer, { rounds, seconds }: Effort): Promise<number> {
  const count = seconds * 4000;
  const rates: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const queue = await makeQueue(ours.url);
    await fill(ours.url, queue, count);
    const begun = performance.now();
    const connections = open(ours.url, CYCLE_CONNECTIONS);
    await Promise.all(connections.map((connection) => work(connection, queue)));
    if (round >= 0) rates.push((count * 1000) / (performance.now() - begun));
    for (const connection of connections) connection.close();
  }
  return median(rates);
}

async function work(connection: Connection, queue: string): Promise<void> {
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
  const ours = await startOurs({ SIGNALBOX_LIMIT, DATABASE_URL: postgres.url });
  const rate = await cycleRate(ours, effort);
  await ours.stop();
  await postgres.stop();
  return rate;
}

/** The time of a lock in a queue with a million pending and a million handled requests, against one with a thousand. */
async function benchLarge({ rounds }: Effort): Promise<Row> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const settings = { SIGNALBOX_LIMIT, SIGNALBOX_DATA: data };
  const first = await startOurs(settings);
  const [small, large] = [await makeQueue(first.url), await makeQueue(first.url)];
  await first.stop();
  await fillDirectly(data, small, SMALL);
  await fillDirectly(data, large, LARGE);
  const ours = await startOurs(settings);
  const connection = new Connection(ours.url, headers);
  const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
  for (let turn = -50; turn < rounds * 50; turn += 1) {
    for (const [name, queue] of [
      ['small', small],
      ['large', large],
    ] as const) {
      const begun = performance.now();
      await call(connection, 'POST', `${queue}/head/lock?lockSecs=60&clientKey=bench`);
      if (turn >= 0) times[name].push(performance.now() - begun);
      await call(connection, 'POST', `${queue}/requests/unlock?clientKey=bench`);
    }
  }
  connection.close();
  await ours.stop();
  rmSync(data, { recursive: true, force: true });
  const [one, other] = [median(times.small), median(times.large)];
  return {
    what: 'lock among 1,000,000 pending and 1,000,000 handled',
    value: `${other.toFixed(2)} ms`,
    ratio: other / one,
    against: `among 1,000 each, ${one.toFixed(2)} ms; at most 1.3`,
    isMet: other / one <= 1.3,
  };
}

/** Past the API, which would take minutes: as many handled requests as pending ones. */
async function fillDirectly(data: string, path: string, count: number): Promise<void> {
  const engine = await openSqlite({ file: join(data, 'signalbox.db') });
  const id = path.split('/').at(-1)!;
  for (const isHandled of [0, 1]) {
    await sql`
      insert into queue_requests (queue_no, id, order_no, handled_at, lock_until, locked_by, head, rest)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
      select no, substr(hex(randomblob(8)), 1, 15), case when ${isHandled} then null else i end,
        case when ${isHandled} then 1 end, 0, null,
        json_object('uniqueKey', 'key-' || i, 'url', 'https://example.com/' || i, 'method', 'GET', 'retryCount', 0),
        '{"userData":{"label":"DETAIL"}}'
      from n, request_queues where request_queues.id = ${id}`.execute(engine.db);
  }
  await sql`update request_queues set total = ${2 * count}, handled = ${count}, last_order = ${count} where id = ${id}`.execute(
    engine.db,
  );
  await engine.close();
}

// One, two and four nodes on one PostgreSQL: CPU per call of nodes and database, round trips per call, and whether what nodes share is
// exact. Calls per second would say little where nodes, database and client share the cores.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../test/postgres.ts';
import { startCountingProxy } from '../test/round-trips.ts';
import type { Effort } from './compare.ts';
import { load, type Work } from './load.ts';
import { postgresCpuOf, postmasterOf } from './postgres-cpu.ts';
import type { Row } from './report.ts';
import { checkLimits, checkLocks, checkStreams } from './scale-exactness.ts';
import { startOurs, TOKEN, type BenchServer } from './servers.ts';

const SIZES = [1, 2, 4];
/** On each node. */
const CONNECTIONS = 16;
const SECRET_KEY = 'a key of the bench, the same for all nodes';
const headers = { authorization: `Bearer ${TOKEN}` };

/** A node that has just started compiles what it is asked. */
const WARM_UP_SECONDS = 3;

/** How much dearer a call may be with more nodes: what nodes tell each other costs a little. */
const MOST = 1.25;

interface Cost {
  node: number;
  database: number;
}

export async function benchScale(effort: Effort): Promise<Row[]> {
  const postgres = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-scale-'));
  const shared = {
    DATABASE_URL: postgres.url,
    SIGNALBOX_SECRET_KEY: SECRET_KEY,
    SIGNALBOX_BLOBS: join(folder, 'blobs'),
    SIGNALBOX_REPOSITORIES: join(folder, 'repositories'),
  };
  const nodes: BenchServer[] = [];
  try {
    nodes.push(await startOurs(shared));
    const works = await makeWorks(nodes[0]!.url);
    const postmaster = await postmasterOf(postgres.url);
    const trips = await countRoundTrips(shared, works);
    const costs = new Map<string, Cost[]>();
    const exact: Row[] = [];
    for (const size of SIZES) {
      while (nodes.length < size) nodes.push(await startOurs(shared));
      for (const [what, work] of works)
        costs.set(what, [...(costs.get(what) ?? []), await measureCost(nodes, postmaster, work, effort)]);
      const urls = nodes.map(({ url }) => url);
      exact.push(await checkLocks(urls), await checkStreams(urls));
    }
    for (const node of nodes.splice(0)) await node.stop();
    exact.push(await checkLimits((limit) => startOurs({ ...shared, SIGNALBOX_LIMIT: limit }), SIZES.at(-1)!));
    return [...[...costs].flatMap(([what, found]) => rowsOf(what, found, trips.get(what)!)), ...exact];
  } finally {
    for (const node of nodes) await node.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowsOf(what: string, costs: readonly Cost[], trips: number): Row[] {
  const sum = ({ node, database }: Cost) => node + database;
  const [first] = costs;
  return costs.map((cost, index) => {
    const ratio = sum(cost) / sum(first!);
    const nodes = SIZES[index] === 1 ? '1 node' : `${SIZES[index]} nodes`;
    return {
      what: `${what}, ${nodes}`,
      value: `node ${Math.round(cost.node)} µs, database ${Math.round(cost.database)} µs of CPU, ${trips.toFixed(1)} round trips`,
      ...(index > 0 && { ratio }),
      against: index === 0 ? '' : 'one node',
      target: index === 0 ? '' : `≤ ${MOST}`,
      isMet: ratio <= MOST,
    };
  });
}

/** In microseconds a call. */
async function measureCost(
  nodes: readonly BenchServer[],
  postmaster: number,
  work: Work,
  { seconds }: Effort,
): Promise<Cost> {
  const run = (time: number) =>
    Promise.all(nodes.map((node) => load(node, work, { connections: CONNECTIONS, seconds: time })));
  await run(WARM_UP_SECONDS);
  const begun = performance.now();
  const { result, cpuMs } = await postgresCpuOf(postmaster, () => run(seconds));
  const passed = (performance.now() - begun) / 1000;
  const calls = result.map(({ rate }) => rate * passed);
  const all = calls.reduce((sum, count) => sum + count, 0);
  const ofNodes = result.reduce((sum, { cpu }, index) => sum + cpu * calls[index]!, 0);
  return { node: ofNodes / all, database: (cpuMs * 1000) / all };
}

/** What a team does most: polls and flags, queues, items and records. */
async function makeWorks(url: string): Promise<[string, Work][]> {
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { data: { id: string }; apiKey: string };
  };
  await send('POST', '/api/v2/flags/default', { key: 'scale', name: 'Scale' });
  const { apiKey } = await send('GET', '/api/v2/projects/default/environments/production');
  const [dataset, store, queue] = await Promise.all(
    ['datasets', 'key-value-stores', 'request-queues'].map(
      async (kind) => `/v2/${kind}/${(await send('POST', `/v2/${kind}?name=scale`)).data.id}`,
    ),
  );
  await fetch(`${url}${store}/records/INPUT`, { method: 'PUT', headers, body: 'x'.repeat(1000) });
  let count = 0;
  const next = () => `https://example.com/${(count += 1)}`;
  return [
    [
      'poll of all flags by an SDK',
      { method: 'GET', path: '/sdk/latest-all', headers: { authorization: apiKey } },
    ],
    ['read of a flag', { method: 'GET', path: '/api/v2/flags/default/scale', headers }],
    ['read of a record', { method: 'GET', path: `${store}/records/INPUT`, headers }],
    [
      'write of a record',
      {
        method: 'PUT',
        path: () => `${store}/records/r${(count += 1) % 5000}`,
        headers,
        body: () => '{"a":1}',
      },
    ],
    [
      'push of an item',
      { method: 'POST', path: `${dataset}/items`, headers, body: () => `{"url":"${next()}","price":5}` },
    ],
    [
      'request into a queue',
      {
        method: 'POST',
        path: `${queue}/requests`,
        headers,
        body: () => {
          const to = next();
          return JSON.stringify({ url: to, uniqueKey: to });
        },
      },
    ],
    ['head of a queue, locked', { method: 'POST', path: `${queue}/head/lock?lockSecs=1&limit=1`, headers }],
  ];
}

/** Of calls one after the other: those at once share some. */
async function countRoundTrips(
  shared: NodeJS.ProcessEnv,
  works: readonly [string, Work][],
): Promise<Map<string, number>> {
  const CALLS = 10;
  const proxy = await startCountingProxy(shared['DATABASE_URL']!);
  // Without background work, whose statements would count.
  const node = await startOurs({ ...shared, DATABASE_URL: proxy.url, SIGNALBOX_ROLE: 'api' });
  try {
    const found = new Map<string, number>();
    for (const [what, { method, path, headers: own, body }] of works) {
      const call = async () => {
        const answer = await fetch(node.url + (typeof path === 'string' ? path : path()), {
          method,
          headers: { ...own, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: body() }),
        });
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`${what}: ${answer.status}`);
      };
      await call();
      await proxy.quiet();
      const before = proxy.roundTrips;
      for (let index = 0; index < CALLS; index += 1) await call();
      found.set(what, (proxy.roundTrips - before) / CALLS);
    }
    return found;
  } finally {
    await node.stop();
    await proxy.stop();
  }
}

// Flags over HTTP: lists with filter and sort in small and large projects, one flag, and semantic patches, durable.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareWithBare, median, type Effort } from './compare.ts';
import { load, type Load } from './load.ts';
import { Connection, measure } from './raw-http.ts';
import { cpuRow, type Row } from './report.ts';
import { startOurs, TOKEN, type BenchServer } from './servers.ts';

const CONNECTIONS = 32;
const LARGE = 10_000;
const SMALL = 100;
const PATCHED = 64;

/** Each matches as many flags in the small project as fit on a page. */
const LISTS = [
  'filter=type:temporary&sort=name',
  'filter=query:checkout,state:live&sort=-creationDate',
  'filter=tags:beta&sort=key',
  'filter=sdkAvailability:mobile,tags:team-1&sort=-name',
  'sort=-targetingModifiedDate',
];

const authorization = { authorization: TOKEN };
const semantic = {
  ...authorization,
  'content-type': 'application/json; domain-model=launchdarkly.semanticpatch',
};

export async function benchFlags(effort: Effort): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const ours = await startOurs({ SIGNALBOX_DATA: folder });
  try {
    await fill(ours, 'small', SMALL);
    await fill(ours, 'large', LARGE);
    const rows: Row[] = [];
    for (const query of LISTS) rows.push(await benchList(ours, query, effort));
    return [...rows, await benchGet(ours, effort), await benchPatch(ours, effort)];
  } finally {
    await ours.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function keyOf(index: number): string {
  return `${index % 2 === 0 ? 'checkout' : 'search'}-${index}`;
}

async function fill(ours: BenchServer, project: string, count: number): Promise<void> {
  const connections = Array.from({ length: 16 }, () => new Connection(ours.url, authorization));
  await call(connections[0]!, 'POST', '/api/v2/projects', JSON.stringify({ key: project, name: project }));
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (let index = next++; index < count; index = next++) {
        const flag = {
          key: keyOf(index),
          name: `Flag ${(index * 7919) % count} of ${project}`,
          temporary: index % 2 === 0,
          tags: [`team-${index % 2}`, ...(index % 2 === 0 ? ['beta'] : [])],
          clientSideAvailability: { usingEnvironmentId: index % 2 === 0, usingMobileKey: true },
        };
        await call(connection, 'POST', `/api/v2/flags/${project}`, JSON.stringify(flag));
      }
    }),
  );
  for (const connection of connections) connection.close();
}

async function call(connection: Connection, method: string, path: string, body?: string): Promise<string> {
  const { status, body: text } = await connection.call(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
  return text;
}

/** One caller at a time: the latency counts. */
async function benchList(ours: BenchServer, query: string, { rounds, seconds }: Effort): Promise<Row> {
  const path = (project: string) => `/api/v2/flags/${project}?limit=50&env=test&${query}`;
  const rateOf = async (project: string, time: number) => {
    const connection = new Connection(ours.url, authorization);
    const rate = await measure([connection], time, async (one) => {
      await call(one, 'GET', path(project));
      return 1;
    });
    connection.close();
    return rate;
  };
  await rateOf('small', 1);
  await rateOf('large', 1);
  const times: number[] = [];
  const factors: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const small = await rateOf('small', seconds / 2);
    const large = await rateOf('large', seconds / 2);
    times.push(1000 / large);
    factors.push(small / large);
  }
  const factor = median(factors);
  return {
    what: `list 50 of ${LARGE} flags, ${query}`,
    value: `${median(times).toFixed(1)} ms, ${factor.toFixed(2)} × the time`,
    against: `the same of ${SMALL} flags`,
    target: '≤ 3 × the time',
    isMet: factor <= 3,
  };
}

async function benchGet(ours: BenchServer, effort: Effort): Promise<Row> {
  const work = { method: 'GET', path: '/api/v2/flags/large/search-1', headers: authorization };
  return cpuRow('get a flag', await compareWithBare(ours, work, effort), { most: 12 });
}

let patches = 0;

/** Flags are turned on, then off, in turns. */
function nextPatch(): string {
  patches += 1;
  const kind = Math.floor(patches / PATCHED) % 2 === 0 ? 'turnFlagOn' : 'turnFlagOff';
  return JSON.stringify({ environmentKey: 'test', comment: 'bench', instructions: [{ kind }] });
}

async function benchPatch(ours: BenchServer, { rounds, seconds }: Effort): Promise<Row> {
  const loads: Load[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const path = () => `/api/v2/flags/large/${keyOf(patches % PATCHED)}`;
    const work = { method: 'PATCH', path, headers: semantic, body: nextPatch };
    const measured = await load(ours, work, {
      connections: CONNECTIONS,
      seconds: round === -1 ? 2 : seconds,
    });
    if (round >= 0) loads.push(measured);
  }
  const rate = median(loads.map((one) => one.rate));
  return {
    what: `semantic patch, durable, ${CONNECTIONS} connections`,
    value: `${Math.round(median(loads.map(({ cpu }) => cpu)))} µs of CPU, ${Math.round(rate)}/s`,
    against: '',
    target: '≥ 1,000/s',
    isMet: rate >= 1000,
  };
}

// What the calls that people make most cost: CPU time of the server's process against bare node:http that sends the same bytes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareWithBare, median, type Effort } from './compare.ts';
import { load, type Work } from './load.ts';
import { fillRepository, hostHeaders, pathOf } from './host-repository.ts';
import { Connection } from './raw-http.ts';
import type { Row } from './report.ts';
import { startOurs, TOKEN, type BenchServer } from './servers.ts';

const CONNECTIONS = 16;
const FLAGS = 20;
const REPOSITORIES = 30;
const REQUESTS = 100;
const bearer = { authorization: `Bearer ${TOKEN}` };
const plain = { authorization: TOKEN };
const semantic = {
  ...plain,
  'content-type': 'application/json; domain-model=launchdarkly.semanticpatch',
};

/** A call with the least share of its CPU time that bare node:http may need. */
interface Case {
  what: string;
  work: Work;
  least: number;
}

export async function benchCalls(effort: Effort): Promise<Row[]> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const server = await startOurs({ SIGNALBOX_DATA: data });
  try {
    const cases = await prepare(server, data);
    const rows: Row[] = [];
    for (const one of cases) rows.push(await benchCase(server, one, effort));
    for (const one of patches()) rows.push(...(await benchPatch(server, one, effort)));
    return rows;
  } finally {
    await server.stop();
    for (const path of [data, `${data}-work`]) rmSync(path, { recursive: true, force: true });
  }
}

async function benchCase(server: BenchServer, { what, work, least }: Case, effort: Effort): Promise<Row> {
  const { bare, ours } = await compareWithBare(server, work, effort, CONNECTIONS);
  const share = 1 / ours.times;
  return {
    what,
    value: `${Math.round(ours.cpu)} µs of CPU, ${Math.round(ours.rate)}/s`,
    ratio: share,
    against: `of bare node:http with the same bytes, ${Math.round(bare.cpu)} µs`,
    target: `≥ ${least}`,
    isMet: share >= least,
  };
}

async function prepare(server: BenchServer, data: string): Promise<Case[]> {
  const connection = new Connection(server.url, bearer);
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await connection.call(method, path, body === undefined ? undefined : JSON.stringify(body));
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return answer.body === '' ? {} : JSON.parse(answer.body);
  };
  const store: string = (await ask('POST', '/v2/key-value-stores')).data.id;
  const queue: string = (await ask('POST', '/v2/request-queues')).data.id;
  const listed: string = (await ask('POST', '/v2/request-queues')).data.id;
  const dataset: string = (await ask('POST', '/v2/datasets')).data.id;
  await ask('PUT', `/v2/key-value-stores/${store}/records/one`, { text: 'x'.repeat(200) });
  const requests = Array.from({ length: REQUESTS }, (_, index) => requestOf(index));
  for (let at = 0; at < REQUESTS; at += 25)
    await ask('POST', `/v2/request-queues/${listed}/requests/batch`, requests.slice(at, at + 25));
  connection.close();

  const flags = new Connection(server.url, plain);
  const askFlags = async (method: string, path: string, body?: unknown) => {
    const answer = await flags.call(method, path, body === undefined ? undefined : JSON.stringify(body));
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  };
  const project = await askFlags('POST', '/api/v2/projects', { key: 'bench', name: 'Bench' });
  for (let index = 0; index < FLAGS; index += 1)
    await askFlags('POST', '/api/v2/flags/bench', {
      key: `flag-${index}`,
      name: `Flag ${index}`,
      clientSideAvailability: { usingEnvironmentId: true, usingMobileKey: true },
    });
  flags.close();
  const { _id: environment } = project.environments.items?.[0] ?? project.environments[0];

  await fillRepository(server, data, 'files', 50);
  for (let index = 1; index < REPOSITORIES; index += 1)
    await fetch(`${server.url}/user/repos`, {
      method: 'POST',
      headers: hostHeaders,
      body: JSON.stringify({ name: `r${index}` }),
    });

  const context = inBase64({ kind: 'user', key: 'ada' });
  const get = (path: string, headers: Record<string, string> = bearer, status?: number): Work => ({
    method: 'GET',
    path,
    headers,
    ...(status !== undefined && { status }),
  });
  let next = 0;
  const post = (path: string, body: () => unknown, method = 'POST'): Work => ({
    method,
    path,
    headers: bearer,
    body: () => JSON.stringify(body()),
  });
  const wrong = { authorization: 'Bearer api-00000000-0000-4000-8000-000000000000' };
  return [
    { what: 'GET /v2/users/me', work: get('/v2/users/me'), least: 0.6 },
    { what: 'GET /rate_limit', work: get('/rate_limit', hostHeaders), least: 0.6 },
    { what: 'no token, 401', work: get('/v2/users/me', {}, 401), least: 0.6 },
    { what: 'a wrong token, 401', work: get('/v2/users/me', wrong, 401), least: 0.3 },
    { what: 'not there, 404', work: get('/v2/datasets/nobody~nothing', bearer, 404), least: 0.6 },
    {
      what: 'bad input, 422',
      work: { ...post('/user/repos', () => ({ name: '' })), headers: hostHeaders, status: 422 },
      least: 0.6,
    },
    { what: 'GET a record', work: get(`/v2/key-value-stores/${store}/records/one`), least: 0.45 },
    { what: 'GET a record, beside writes', work: besideWrites(server, store), least: 0.45 },
    {
      what: `evalx of ${FLAGS} flags`,
      work: get(`/sdk/evalx/${environment}/contexts/${context}`, {}),
      least: 0.45,
    },
    {
      what: `evalx of ${FLAGS} flags, for others each time`,
      work: {
        ...get('', {}),
        path: () =>
          `/sdk/evalx/${environment}/contexts/${inBase64({ kind: 'user', key: `u${(next += 1)}` })}`,
      },
      least: 0.45,
    },
    {
      what: 'GET contents, cached',
      work: get(`/repos/admin/files/contents/${pathOf(0)}`, hostHeaders),
      least: 0.45,
    },
    { what: 'GET a flag', work: get('/api/v2/flags/bench/flag-0', plain), least: 0.45 },
    { what: 'GET /user', work: get('/user', hostHeaders), least: 0.45 },
    { what: 'GET a repository', work: get('/repos/admin/files', hostHeaders), least: 0.45 },
    {
      what: 'POST a request to a queue',
      work: post(`/v2/request-queues/${queue}/requests`, () => requestOf((next += 1))),
      least: 0.35,
    },
    {
      what: 'PUT a record',
      work: post(`/v2/key-value-stores/${store}/records/two`, () => ({ text: 'y'.repeat(200) }), 'PUT'),
      least: 0.35,
    },
    {
      what: 'push one item to a dataset',
      work: post(`/v2/datasets/${dataset}/items`, () => ({ text: 'z'.repeat(200) })),
      least: 0.35,
    },
    { what: `list ${FLAGS} flags`, work: get('/api/v2/flags/bench?limit=20', plain), least: 0.4 },
    {
      what: `list ${REPOSITORIES} repositories`,
      work: get(`/user/repos?per_page=${REPOSITORIES}`, hostHeaders),
      least: 0.4,
    },
    {
      what: `list ${REQUESTS} requests`,
      work: get(`/v2/request-queues/${listed}/requests?limit=${REQUESTS}`),
      least: 0.4,
    },
  ];
}

const inBase64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const READS_PER_WRITE = 20;

/** Another record of the store is written, one in so many reads, so that what is kept of its table is of little use. */
function besideWrites(server: BenchServer, store: string): Work {
  const records = `/v2/key-value-stores/${store}/records`;
  let writing: Promise<unknown> | undefined;
  let reads = 0;
  const write = async () => {
    const connection = new Connection(server.url, bearer);
    await connection.call('PUT', `${records}/three`, '{}');
    connection.close();
    writing = undefined;
  };
  const path = () => {
    reads += 1;
    if (reads % READS_PER_WRITE === 0) writing ??= write();
    return `${records}/one`;
  };
  return { method: 'GET', path, headers: bearer };
}

function requestOf(index: number) {
  return { url: `https://example.com/${index}`, uniqueKey: `https://example.com/${index}` };
}

interface Patch {
  what: string;
  headers: Record<string, string>;
  body(isOn: boolean): unknown;
}

function patches(): Patch[] {
  return [
    {
      what: 'a semantic patch',
      headers: semantic,
      body: (isOn) => ({
        environmentKey: 'test',
        instructions: [{ kind: isOn ? 'turnFlagOn' : 'turnFlagOff' }],
      }),
    },
    {
      what: 'a JSON patch',
      headers: plain,
      body: (isOn) => [{ op: 'replace', path: '/environments/test/on', value: isOn }],
    },
  ];
}

const MOST_OF_MANY = 650;
const MOST_ALONE = 1000;

/** Sixteen clients with a flag each, and one alone. */
async function benchPatch(server: BenchServer, { what, headers, body }: Patch, effort: Effort) {
  const measureWith = async (connections: number) => {
    let count = 0;
    const work = {
      method: 'PATCH',
      path: () => `/api/v2/flags/bench/flag-${count % CONNECTIONS}`,
      headers,
      body: () => JSON.stringify(body(Math.floor((count += 1) / CONNECTIONS) % 2 === 0)),
    };
    await load(server, work, { connections, seconds: 2 });
    const cpus: number[] = [];
    for (let round = 0; round < effort.rounds; round += 1)
      cpus.push((await load(server, work, { connections, seconds: effort.seconds })).cpu);
    return median(cpus);
  };
  return [
    cpuOf(`${what}, ${CONNECTIONS} clients`, await measureWith(CONNECTIONS), MOST_OF_MANY),
    cpuOf(`${what}, one client`, await measureWith(1), MOST_ALONE),
  ];
}

function cpuOf(what: string, cpu: number, most: number): Row {
  return {
    what,
    value: `${Math.round(cpu)} µs of CPU`,
    against: '',
    target: `≤ ${most} µs`,
    isMet: cpu <= most,
  };
}

// What goes on by itself while faults happen: runs that end, streams that follow, and pushes of git.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { script } from '../actor-sources.ts';
import { FollowingReader } from '../crash/following-reader.ts';
import { eventually } from '../eventually.ts';
import type { Json } from '../server.ts';
import type { Caller } from './caller.ts';
import type { Load } from './loads.ts';
import { TOKEN } from './nodes.ts';

const git = promisify(execFile);

/** Its program writes what it was given, again until that is acknowledged. */
const PERSISTENT = script(`
const again = async (work) => {
  for (;;) {
    const done = await work().catch(() => undefined);
    if (done?.status < 300) return done.json;
    await sleep(300);
  }
};
const input = await again(() => api(record(env.ACTOR_INPUT_KEY)));
await sleep(input.sleep);
await again(() => setValue('OUTPUT', { name: input.name }));
`);

const ENDED_MS = 5 * 60_000;
const RUN_SECONDS = 240;
const BUILD_MS = 120_000;
/** Of those that have been looked at before. */
const LOOKED_AT_AGAIN = 50;

/** Runs that were started, and end: one that has succeeded has its output. */
export async function runs({ send, insist }: Caller): Promise<Load> {
  const sourceFiles = Object.entries(PERSISTENT).map(([name, content]) => ({
    name,
    format: 'TEXT',
    content,
  }));
  const version = { versionNumber: '0.1', sourceType: 'SOURCE_FILES', buildTag: 'latest', sourceFiles };
  const actor = (await insist('POST', '/v2/actors', { name: 'soak', versions: [version] })).json['data'];
  const build = (await insist('POST', `/v2/actors/${actor.id}/builds?version=0.1`)).json['data'];
  const isBuilt = async () =>
    (await insist('GET', `/v2/actor-builds/${build.id}?waitForFinish=10`)).json['data'].status ===
    'SUCCEEDED';
  await eventually(isBuilt, 'the build', BUILD_MS);
  const started = new Map<string, string>();
  const ended = new Map<string, string>();
  const read = async (id: string) =>
    (await insist('GET', `/v2/actor-runs/${id}?waitForFinish=5`)).json['data'] as Json | undefined;
  const problemsOf = async (id: string, name: string): Promise<string[]> => {
    const run = await read(id);
    if (run?.['finishedAt'] == null) return [`The run ${id} is ${run?.['status'] ?? 'lost'}.`];
    // The disk may have been full for it, or its node was killed too often.
    if (run['status'] !== 'SUCCEEDED')
      return ['ABORTED', 'FAILED'].includes(run['status']) && run['statusMessage']
        ? []
        : [`The run ${id} is ${run['status']}: ${run['statusMessage']}`];
    const { text } = await insist(
      'GET',
      `/v2/key-value-stores/${run['defaultKeyValueStoreId']}/records/OUTPUT`,
    );
    return text === JSON.stringify({ name }) ? [] : [`The output of the run ${id} is ${text}.`];
  };
  return {
    name: 'runs',
    count: () => started.size + ended.size,
    async step() {
      const name = randomUUID();
      const answer = await send(
        'POST',
        `/v2/actors/${actor.id}/runs?memory=128&timeout=${RUN_SECONDS}&waitForFinish=10`,
        { name, sleep: Math.round(Math.random() * 4000) },
      );
      if (answer?.status === 201) started.set(answer.json['data'].id as string, name);
      else await delay(1000);
    },
    async check() {
      const isOver = async (id: string) => (await read(id))?.['finishedAt'] != null;
      const allOver = async () => {
        for (const id of started.keys()) if (!(await isOver(id))) return false;
        return true;
      };
      await eventually(allOver, 'the end of all runs', ENDED_MS).catch(() => {});
      const problems: string[] = [];
      for (const [id, name] of started) problems.push(...(await problemsOf(id, name)));
      for (const [id, name] of ended)
        if (Math.random() < LOOKED_AT_AGAIN / ended.size) problems.push(...(await problemsOf(id, name)));
      for (const one of started) ended.set(...one);
      started.clear();
      return problems;
    },
  };
}

const FOLLOWED_MS = 60_000;

/** A flag that is turned on and off, and a stream from each node that follows it. */
export async function streams({ send, insist }: Caller, urls: readonly string[]): Promise<Load> {
  await insist('POST', '/api/v2/flags/default', { key: 'streamed', name: 'Streamed' });
  const { apiKey } = (await insist('GET', '/api/v2/projects/default/environments/test')).json;
  const readers = urls.map((url) => new FollowingReader(() => url, apiKey as string));
  let count = 0;
  const turn = (call: typeof send) =>
    call('PATCH', '/api/v2/flags/default/streamed', [
      { op: 'replace', path: '/environments/test/on', value: Math.random() < 0.5 },
    ]);
  return {
    name: 'streams',
    count: () => count,
    async step() {
      if ((await turn(send))?.status === 200) count += 1;
      await delay(100);
    },
    async check() {
      await turn(insist);
      const latest = async () => {
        const { json } = await insist('GET', '/sdk/latest-all', undefined, {
          authorization: apiKey as string,
        });
        return json['flags'].streamed.version as number;
      };
      const behind = async () => {
        const version = await latest();
        return readers.some(({ versions }) => (versions.get('/flags/streamed') ?? 0) < version);
      };
      const problems = readers.flatMap(({ stale }) => stale.splice(0).map((what) => `A stream: ${what}`));
      await eventually(async () => !(await behind()), 'the streams', FOLLOWED_MS).catch(() =>
        problems.push('A stream has not come to the last version.'),
      );
      return problems;
    },
    close: async () => void (await Promise.all(readers.map((reader) => reader.close()))),
  };
}

const PUSH_MS = 60_000;
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Branches that git has pushed are where it has pushed them. */
export async function pushes({ insist }: Caller, urls: readonly string[]): Promise<Load> {
  await insist('POST', '/user/repos', { name: 'pushed' });
  // Not on the disk of the nodes, which is full at times.
  const own = mkdtempSync(join(tmpdir(), 'signalbox-soak-git-'));
  const words = ['-c', `http.extraHeader=Authorization: Basic ${btoa(`admin:${TOKEN}`)}`, '-C', own];
  const env = {
    PATH: process.env['PATH'],
    GIT_TERMINAL_PROMPT: '0',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'Soak'],
        [`GIT_${who}_EMAIL`, 'soak@example.org'],
      ]),
    ),
  };
  const run = async (...rest: string[]) =>
    (await git('git', [...words, ...rest], { env, timeout: PUSH_MS, maxBuffer: 2 ** 28 })).stdout.trim();
  await git('git', ['init', '--quiet', '--bare', own], { env });
  await run('hash-object', '-t', 'tree', '-w', '/dev/null');
  const pushed = new Map<string, string>();
  const anyUrl = () => `${urls[Math.floor(Math.random() * urls.length)]}/admin/pushed.git`;
  return {
    name: 'pushes',
    count: () => pushed.size,
    async step() {
      const name = `refs/heads/${randomUUID()}`;
      const oid = await run('commit-tree', EMPTY_TREE, '-m', name);
      const isDone = await run('push', '--quiet', anyUrl(), `${oid}:${name}`).then(
        () => true,
        () => false,
      );
      if (isDone) pushed.set(name, oid);
      else await delay(300);
    },
    async check() {
      let listed = '';
      const list = async () => {
        listed = await run('ls-remote', anyUrl()).catch(() => '');
        return listed !== '' || pushed.size === 0;
      };
      await eventually(list, 'the references');
      const there = new Map(listed.split('\n').map((line) => line.split('\t').reverse() as [string, string]));
      const problems = [...pushed]
        .filter(([name, oid]) => there.get(name) !== oid)
        .map(([name]) => `The branch ${name} is not where it was pushed.`);
      for (const oid of [...pushed.values()].filter(() => Math.random() < LOOKED_AT_AGAIN / pushed.size))
        if ((await insist('GET', `/repos/admin/pushed/git/commits/${oid}`)).status !== 200)
          problems.push(`The commit ${oid} is lost.`);
      return problems;
    },
    close: async () => rmSync(own, { recursive: true, force: true }),
  };
}

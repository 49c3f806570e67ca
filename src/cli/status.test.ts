// The command `status`, for a running server, a stopped one, and an empty folder.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { makeFolder, run, startServer } from './fixture.ts';
import { readRunFile, saveRunFile } from './running-server.ts';
import type { SettingReport } from '../app/report-settings.ts';
import { describeEnvironment } from './status.ts';

interface Status {
  running: boolean;
  state: string;
  pid: number | null;
  url: string;
  apis: { url: string }[];
  database: { state: string; members: number | null; tokens: number | null };
  loginLink?: string;
}

const data = join(makeFolder(), 'data');
const status = async (...argv: string[]): Promise<Status> => {
  const { code, out } = await run(['status', '--data', data, ...argv]);
  assert.equal(code, 0);
  return JSON.parse(out) as Status;
};

const countLinks = () => {
  const db = new DatabaseSync(join(data, 'signalbox.db'), { readOnly: true });
  try {
    return db.prepare('select count(*) as links from login_links').get()!.links;
  } finally {
    db.close();
  }
};

test('before the first start there is no server and no database', async () => {
  const { state, url, database } = await status();
  assert.deepEqual([state, url, database.state], ['down', 'http://127.0.0.1:8080', 'absent']);
  const { code, err } = await run(['status', '--login', '--data', data]);
  assert.equal(code, 1);
  assert.match(err, /^There is no database in /);
});

test('a running server is found by its note, and gives a login link to who asks for one', async () => {
  const server = await startServer(data);
  const { running, state, pid, url, apis, database } = await status();
  assert.deepEqual([running, state, pid, url], [true, 'ready', server.pid, server.url]);
  assert.deepEqual(
    apis.map((api) => api.url),
    [`${url}/api/v2`, `${url}/v2`, url, `${url}/signalbox/v1`],
  );
  assert.deepEqual([database.state, database.members, database.tokens], ['current', 1, 1]);
  assert.equal(countLinks(), 0);
  const { loginLink } = await status('--login');
  assert.equal(countLinks(), 1);
  const link = loginLink!.slice(`${url}/session/`.length);
  const body = new URLSearchParams({ link });
  const { status: answer } = await fetch(`${url}/session`, { method: 'POST', body, redirect: 'manual' });
  assert.equal(answer, 200);

  assert.equal((await run(['status', '--url', '--data', data])).out, url);
  const { out } = await run(['status', '--data', data], { isTerminal: true, env: { NO_COLOR: '1' } });
  assert.match(out, /^Signalbox \S+ is ready\n/);
  assert.match(out, /^ {2}Log in {9}signalbox status --login$/m);
  assert.doesNotMatch(out, /api-/);

  const printed = async () => {
    const { out: text } = await run(['config', 'print', '--port', '1', '--data', data]);
    return (JSON.parse(text) as (SettingReport & { running?: string })[]).find(
      ({ name }) => name === 'port',
    )!;
  };
  const { value, running: inForce } = await printed();
  assert.deepEqual([value, inForce], ['1', new URL(url).port], 'what would be taken, and what is in force');
  const table = await run(['config', 'print', '--data', data], { isTerminal: true });
  assert.match(table.out, /^Flag +Environment +Value +From +Running +Default/);
  assert.match(table.out, /^ +SIGNALBOX_ADMIN_TOKEN +default +made/m);

  server.kill('SIGTERM');
  await server.ended;
  assert.equal((await printed()).running, undefined);
  const afterwards = await status();
  assert.deepEqual([afterwards.state, afterwards.pid, afterwards.database.tokens], ['down', null, 1]);
});

test('the note of a server that was killed does not count', async () => {
  const server = await startServer(data);
  server.kill('SIGKILL');
  await server.ended;
  assert.equal(readRunFile(data)?.pid, server.pid);
  assert.equal((await status()).running, false);
});

test('the state of a process that does not answer is "not answering"', async () => {
  const url = 'http://127.0.0.1:1';
  saveRunFile(data, {
    pid: process.ppid,
    url,
    publicUrl: url,
    version: '0',
    startedAt: new Date().toISOString(),
    settings: {},
  });
  assert.equal((await status()).state, 'not answering');
});

test('the lines for a shell name what clients read', () => {
  const plain = describeEnvironment('http://127.0.0.1:8080');
  for (const line of [
    'export SIGNALBOX_URL=http://127.0.0.1:8080',
    'export APIFY_CLIENT_BASE_URL=http://127.0.0.1:8080',
    'export LD_BASE_URI=http://127.0.0.1:8080',
    'export GITHUB_API_URL=http://127.0.0.1:8080',
    'export GITHUB_GRAPHQL_URL=http://127.0.0.1:8080/graphql',
  ]) {
    assert.ok(plain.split('\n').includes(line), line);
  }
  assert.doesNotMatch(plain, /GH_HOST/);
  assert.match(describeEnvironment('https://box.test'), /^export GH_HOST=box\.test$/m);
});

test('a shell is not made to run what a URL holds', () => {
  assert.match(describeEnvironment("http://x/$(id)'"), /^export SIGNALBOX_URL='http:\/\/x\/\$\(id\)'\\'''$/m);
});

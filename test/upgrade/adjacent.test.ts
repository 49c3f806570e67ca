// The last release's program beside this one, on one database: on tables that this one has made, and each on what the other wrote. ADR 0191.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeFolder, startServer, type ServerProcess } from '../../src/cli/fixture.ts';
import { onEngine } from '../engines.ts';
import { callOn, ADMIN_TOKEN, type CallInit } from '../server.ts';
import lastRelease from './last-release.json' with { type: 'json' };

const ROOT = dirname(dirname(import.meta.dirname));
const { commit } = lastRelease;
const hasHistory = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status === 0;

onEngine('postgres', (engine) => {
  test(
    'the last release and this one work side by side: each reads what the other writes, on tables of this one',
    { skip: hasHistory ? false : `needs the commit ${commit}` },
    async () => {
      const folder = makeFolder();
      const sources = ['src', 'actors-library', 'package.json', 'launch.mjs'];
      const archive = execFileSync('git', ['archive', commit, ...sources], { cwd: ROOT, maxBuffer: 2 ** 28 });
      execFileSync('tar', ['-x', '-C', folder], { input: archive });
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      const env = {
        PATH: process.env['PATH'],
        DATABASE_URL: await engine.database(),
        SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN,
        SIGNALBOX_SECRET_KEY: 'a key of both releases, the same for all nodes',
        SIGNALBOX_BLOBS: join(folder, 'blobs'),
        SIGNALBOX_REPOSITORIES: join(folder, 'repositories'),
        SIGNALBOX_LIMITS: 'off',
        SIGNALBOX_LOG_LEVEL: 'warn',
      };
      const now = await startServer(join(folder, 'new'), [], env);
      const old = await startServer(join(folder, 'old'), [], env, join(folder, 'src', 'bin.ts'));
      await exchange(old, now, await fill(old));
      for (const { kill } of [old, now]) kill('SIGTERM');
      await Promise.all([old.ended, now.ended]);
    },
  );
});

async function call({ url }: ServerProcess, path: string, init?: CallInit) {
  const answer = await callOn(url, path, init);
  assert.ok(answer.status < 300, `${init?.method ?? 'GET'} ${path}: ${answer.status} ${answer.text}`);
  return answer;
}

interface Storages {
  dataset: string;
  store: string;
  queue: string;
}

async function fill(node: ServerProcess): Promise<Storages> {
  const id = async (kind: string) =>
    (await call(node, `/v2/${kind}?name=shared`, { method: 'POST' })).json['data'].id as string;
  await call(node, '/user/repos', { method: 'POST', body: { name: 'shared', auto_init: true } });
  return {
    dataset: await id('datasets'),
    store: await id('key-value-stores'),
    queue: await id('request-queues'),
  };
}

/** Each node writes into every API, and the other reads it. */
async function exchange(one: ServerProcess, other: ServerProcess, storages: Storages) {
  const { dataset, store, queue } = storages;
  for (const [index, [writer, reader]] of [[one, other] as const, [other, one] as const].entries()) {
    const key = `from-${index}`;
    const post = (path: string, body: unknown) => call(writer, path, { method: 'POST', body });
    await post('/api/v2/flags/default', { key, name: key });
    await post('/api/v2/members', [{ email: `${key}@example.org` }]);
    await post(`/v2/datasets/${dataset}/items`, [{ key }]);
    await call(writer, `/v2/key-value-stores/${store}/records/${key}`, { method: 'PUT', body: { key } });
    await post(`/v2/request-queues/${queue}/requests`, { url: `https://example.org/${key}`, uniqueKey: key });
    await post('/repos/admin/shared/issues', { title: key });
    await call(writer, `/repos/admin/shared/contents/${key}.txt`, {
      method: 'PUT',
      body: { message: key, content: Buffer.from(key).toString('base64') },
    });
    const { json: shown } = await call(reader, `/api/v2/flags/default/${key}`);
    assert.equal(shown['name'], key);
    const members = (await call(reader, '/api/v2/members?limit=50')).text;
    assert.ok(members.includes(`${key}@example.org`));
    assert.ok((await call(reader, `/v2/datasets/${dataset}/items`)).text.includes(key));
    assert.deepEqual((await call(reader, `/v2/key-value-stores/${store}/records/${key}`)).json, { key });
    const { data: head } = (await call(reader, `/v2/request-queues/${queue}/head?limit=50`)).json;
    assert.ok((head.items as { uniqueKey: string }[]).some(({ uniqueKey }) => uniqueKey === key));
    assert.ok((await call(reader, '/repos/admin/shared/issues')).text.includes(key));
    const file = await call(reader, `/repos/admin/shared/contents/${key}.txt`);
    assert.equal(Buffer.from(file.json['content'] as string, 'base64').toString(), key);
  }
}

// A server on a small file system that is filled: by its operator, and by a run.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { makeFolder, start, whenListening, type ServerProcess } from '../../src/cli/fixture.ts';
import { createActor, startRun } from '../actors.ts';
import { script } from '../actor-sources.ts';
import { atEndOfFile } from '../cleanup.ts';
import { eventually, inTime } from '../eventually.ts';
import { ADMIN_TOKEN, callOn, type Answer, type CallInit, type Json } from '../server.ts';

const canMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'probe', '/mnt']).status === 0;
const MB = 1024 ** 2;
const SIZE_MB = 128;

/** Fills what there is, and goes on when a write fails. */
const GREEDY = script(`
  const { writeFileSync } = await import('node:fs');
  for (let n = 0; ; n += 1) {
    try {
      writeFileSync(\`file-\${n}\`, Buffer.alloc(1e6, 1));
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 5));
  }`);

suite('a small file system', { skip: canMount ? false : 'needs root and mount namespaces' }, () => {
  let folder: string;
  let inside: string[];
  let server: ServerProcess;
  let actor: Json;
  const call = (path: string, init?: CallInit): Promise<Answer> => callOn(server.url, path, init);
  const on = { call };

  /** Runs a command in the namespace that has the file system; its output. */
  const within = async (...words: string[]): Promise<string> => {
    const [program, ...rest] = [...inside, ...words] as [string, ...string[]];
    return (await promisify(execFile)(program, rest)).stdout;
  };
  const freeBytes = async () => Number(await within('stat', '-f', '-c', '%f', folder)) * 4096;
  /** Leaves this much. */
  const fill = async (name: string, leftBytes: number) => {
    const bytes = Math.max(0, (await freeBytes()) - leftBytes);
    await within('sh', '-c', `head -c ${bytes} /dev/zero > ${join(folder, name)}`);
  };
  const checks = async () => (await call('/readyz')).json;
  const reserved = async () =>
    Number(/^signalbox_disk_reserve_bytes (\d+)/m.exec((await call('/metrics')).text)?.[1]);
  const startHere = async () => {
    const env = {
      PATH: process.env['PATH'],
      SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN,
      SIGNALBOX_DISK_RESERVE: '64',
      SIGNALBOX_LIMITS: 'off',
    };
    const argv = ['serve', '--port', '0', '--data', join(folder, 'data')];
    server = await whenListening(start(argv, env, undefined, inside));
  };
  const createFlag = (key: string) =>
    call('/api/v2/flags/default', { method: 'POST', body: { name: key, key } });

  before(async () => {
    folder = makeFolder();
    const lines = `mount -t tmpfs -o size=${SIZE_MB}m,mode=711 small "$1" && echo ready && exec sleep 1000`;
    const holder = spawn('unshare', ['-m', 'sh', '-c', lines, 'sh', folder]);
    atEndOfFile(() => holder.kill('SIGKILL'));
    await inTime(once(holder.stdout, 'data'));
    inside = ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`, '--'];
    await startHere();
    actor = await createActor(on, GREEDY);
    await eventually(async () => (await reserved()) > 0, 'the reserve');
  });
  after(async () => {
    server.kill('SIGTERM');
    await server.ended;
  });

  test('without room writes say 503 and Retry-After, and things can be deleted and aborted', async () => {
    assert.equal((await createFlag('early')).status, 201);
    const repository = await call('/user/repos', { method: 'POST', body: { name: 'code', auto_init: true } });
    assert.equal(repository.status, 201);
    await fill('theirs', 2 * MB);
    await eventually(async () => (await checks())['checks'].disk === false && (await reserved()) === 0);
    assert.match((await checks())['disk'], /^The file system of data, .*work is full/);
    assert.equal((await call('/readyz')).status, 503);
    const { data: waiting } = (await call(`/v2/actors/${actor['id']}/runs`, { method: 'POST' })).json;
    assert.equal(waiting.status, 'READY');

    await fill('more', 3 * MB);
    await eventually(async () => (await createFlag(`late-${Date.now()}`)).status === 503);
    const content = { message: 'x', content: Buffer.from('x').toString('base64') };
    const refused = await Promise.all([
      createFlag('late'),
      call('/v2/datasets', { method: 'POST' }),
      call('/repos/admin/code/contents/x', { method: 'PUT', body: content }),
      call('/admin/code.git/git-receive-pack', {
        method: 'POST',
        headers: { 'content-type': 'application/x-git-receive-pack-request' },
        body: '0000',
      }),
    ]);
    for (const { status, headers, text } of refused) {
      assert.deepEqual([status, headers.get('retry-after')], [503, '10'], text);
      assert.match(text, /The disk is full/);
    }
    assert.equal((await call('/api/v2/flags/default/early')).status, 200);
    assert.equal((await call('/api/v2/flags/default/early', { method: 'DELETE' })).status, 204);
    assert.equal((await call('/repos/admin/code', { method: 'DELETE' })).status, 204);
    const aborted = await call(`/v2/actor-runs/${waiting.id}/abort`, { method: 'POST' });
    assert.deepEqual([aborted.status, aborted.json['data'].status], [200, 'ABORTED']);

    await within('rm', join(folder, 'theirs'), join(folder, 'more'));
    await eventually(async () => (await call('/readyz')).status === 200 && (await reserved()) > 0);
    assert.equal((await createFlag('again')).status, 201);
  });

  test('a run that fills it is aborted, and not started again, not by a new server either', async () => {
    const { id } = await startRun(on, actor['id'] as string, { query: 'memory=1024&restartOnError=true' });
    let run: Json = {};
    await eventually(async () => {
      run = (await call(`/v2/actor-runs/${id}`)).json['data'] as Json;
      return run['finishedAt'] != null;
    });
    assert.equal(run['status'], 'ABORTED');
    assert.match(
      run['statusMessage'],
      /because the disk of the server is full, and the run had written most/,
    );
    await eventually(async () => (await call('/readyz')).status === 200);
    assert.equal((await createFlag('after')).status, 201);
    server.kill('SIGKILL');
    await server.ended;
    await startHere();
    const { data } = (await call(`/v2/actor-runs/${id}`)).json;
    assert.deepEqual([data.status, data.stats.restartCount], ['ABORTED', 0]);
    assert.equal((await call(`/v2/actor-runs/${id}`, { method: 'DELETE' })).status, 204);
  });
});

// What the sweep deletes of a node's folders, and what it leaves.
import assert from 'node:assert/strict';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { sourceBlobOf, sourceBlobs, sweepFolders } from './build-folders.ts';
import { NEW_BUILD } from '../fixture.ts';
import { insertBuild } from '../store.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api' });
});
after(() => server.stop());

test('folders that no build needs go after hours, others after weeks without use', async () => {
  const { kernel } = server.app;
  await insertBuild(kernel.db, { ...NEW_BUILD, sources: 'aaa', dependencies: 'ddd' });
  const { work } = kernel.settings.execution;
  const now = kernel.clock.now();
  const make = async (path: string, age: number): Promise<void> => {
    await mkdir(join(work, path), { recursive: true });
    await utimes(join(work, path), (now - age) / 1000, (now - age) / 1000);
  };
  await make('sources/aaa', 10 * DAY);
  await make('sources/bbb', 3 * HOUR);
  await make('sources/ccc', HOUR);
  await make('dependencies/ddd-v24-linux-x64', 10 * DAY);
  await make('dependencies/ddd-v22-linux-x64', 15 * DAY);
  await make('dependencies/eee-v24-linux-x64', 3 * HOUR);
  await make('builds/dead', 2 * DAY);
  await make('builds/young', HOUR);
  await sweepFolders(kernel);
  assert.deepEqual((await readdir(join(work, 'sources'))).toSorted(), ['aaa', 'ccc']);
  assert.deepEqual(await readdir(join(work, 'dependencies')), ['ddd-v24-linux-x64']);
  assert.deepEqual(await readdir(join(work, 'builds')), ['young']);
});

test('an archive of sources is referred to by its build', async () => {
  const keys = [sourceBlobOf('aaa'), sourceBlobOf('zzz')];
  assert.deepEqual([...(await sourceBlobs.listReferenced(server.app.kernel.db, keys))], [keys[0]]);
});

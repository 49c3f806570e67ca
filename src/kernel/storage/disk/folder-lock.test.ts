// The lock of a data folder: one holder, released with its process, and the right holder in messages.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockFolder, type FolderLockHolder } from './folder-lock.ts';

const root = mkdtempSync(join(tmpdir(), 'signalbox-lock-'));
after(() => rmSync(root, { recursive: true }));

test('a locked folder is refused with its holder, until it is released', async () => {
  const folder = join(root, 'one');
  const begun = Date.now();
  const first = await lockFolder(folder);
  const waited: (FolderLockHolder | undefined)[] = [];
  const refusal = await lockFolder(folder, { waitMs: 0, onWait: (holder) => waited.push(holder) }).catch(
    (error: unknown) => error as Error,
  );
  const [holder] = waited;
  assert.deepEqual([holder?.pid, holder?.host, waited.length], [process.pid, hostname(), 1]);
  assert.ok(Date.parse(holder!.since) >= begun);
  assert.equal(
    (refusal as Error).message,
    `Another server (process ${process.pid} on ${hostname()}, since ${holder!.since}) uses the data folder ` +
      `${folder}. Stop that one, or choose another folder with --data.`,
  );
  first.release();
  first.release();
  const second = await lockFolder(folder, { waitMs: 0 });
  second.release();
});

test('a waiting process gets the lock as soon as it is released', async () => {
  const folder = join(root, 'two');
  const first = await lockFolder(folder);
  const second = await lockFolder(folder, { onWait: () => first.release() });
  second.release();
});

test('the lock excludes other processes, and a killed one leaves none behind', async () => {
  const folder = join(root, 'three');
  const program = (end: string) => `
    import { lockFolder } from ${JSON.stringify(import.meta.resolve('./folder-lock.ts'))};
    await lockFolder(${JSON.stringify(folder)}, { waitMs: 0 });
    ${end}`;
  const run = (end: string) =>
    execFileSync(process.execPath, ['--input-type=module', '--eval', program(end)], { stdio: 'pipe' });
  assert.throws(() => run(`process.kill(process.pid, 'SIGKILL');`), { signal: 'SIGKILL' });
  const lock = await lockFolder(folder, { waitMs: 0 });
  assert.throws(() => run(''), /Another server \(process \d+ on /);
  lock.release();
});

test('its files are for their owner alone', async () => {
  const folder = join(root, 'four');
  const lock = await lockFolder(folder);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  for (const name of readdirSync(folder))
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  lock.release();
  assert.deepEqual(readdirSync(folder), ['lock']);
});

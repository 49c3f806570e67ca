// Folders that hostile programs leave: measured as a whole, and removed, also by a server that is not root.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readDiskUsage } from './disk-usage.ts';
import { canOthersRead } from './isolation/user-folders.ts';
import { removeTree } from './remove-tree.ts';

const NOBODY = 65_534;
const MB = 1024 ** 2;
const execute = promisify(execFile);

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  chmodSync(folder, 0o755);
  t.after(() => execute('rm', ['-rf', folder]));
  return folder;
}

/** A megabyte at a depth that no path can name. */
async function hideDeep(folder: string): Promise<void> {
  const lines = `cd "$1" && for i in $(seq 40); do mkdir "$2" && cd -P "$2" || exit 1; done; head -c ${MB} /dev/zero > file`;
  await execute('/bin/sh', ['-c', lines, 'sh', folder, 'd'.repeat(200)]);
}

test('files below a path that is too long are measured, and removed', async (t) => {
  const folder = makeFolder(t);
  const hostile = join(folder, 'hostile');
  mkdirSync(hostile);
  await hideDeep(hostile);
  assert.ok(readDiskUsage({ paths: [hostile], maxBytes: MB, maxEntries: 1000 }).bytes > MB);
  await removeTree(hostile);
  assert.equal(existsSync(hostile), false);
});

test('files whose names are no text are measured, and removed', async (t) => {
  const folder = makeFolder(t);
  const hostile = join(folder, 'hostile');
  const inside = Buffer.concat([Buffer.from(`${hostile}/`), Buffer.from([0xff, 0xfe])]);
  mkdirSync(hostile);
  mkdirSync(inside);
  writeFileSync(Buffer.concat([inside, Buffer.from([0x2f, 0xc3])]), Buffer.alloc(MB));
  assert.ok(readDiskUsage({ paths: [hostile], maxBytes: MB, maxEntries: 1000 }).bytes > MB);
  await removeTree(hostile);
  assert.equal(existsSync(hostile), false);
});

test('what links lead to stays, and a missing folder is no error', async (t) => {
  const folder = makeFolder(t);
  const kept = join(folder, 'kept');
  const hostile = join(folder, 'hostile');
  mkdirSync(kept);
  writeFileSync(join(kept, 'file'), 'kept');
  mkdirSync(hostile);
  await hideDeep(hostile);
  symlinkSync(kept, join(hostile, 'link'));
  await removeTree(hostile);
  assert.deepEqual([existsSync(hostile), existsSync(join(kept, 'file'))], [false, true]);
  const link = join(folder, 'link');
  symlinkSync(kept, link);
  await removeTree(link);
  assert.deepEqual([existsSync(link), existsSync(join(kept, 'file'))], [false, true]);
  await removeTree(join(folder, 'missing'));
});

const MODULE = fileURLToPath(new URL('remove-tree.ts', import.meta.url));
const skip =
  (process.getuid?.() !== 0 && 'needs root, to become another user') ||
  (!(canOthersRead(MODULE) && canOthersRead(process.execPath)) && 'needs sources that others can read');

test('an ordinary user removes folders without permissions', { skip }, async (t) => {
  const folder = makeFolder(t);
  const hostile = join(folder, 'hostile');
  for (const path of [hostile, join(hostile, 'none'), join(hostile, 'none/deep')]) mkdirSync(path);
  writeFileSync(join(hostile, 'none/deep/file'), 'x');
  for (const path of [folder, hostile, join(hostile, 'none'), join(hostile, 'none/deep')])
    chownSync(path, NOBODY, NOBODY);
  chmodSync(join(hostile, 'none/deep'), 0o500);
  chmodSync(join(hostile, 'none'), 0);
  await execute(
    process.execPath,
    [
      '-e',
      `import(${JSON.stringify(MODULE)}).then(({ removeTree }) => removeTree(${JSON.stringify(hostile)}))`,
    ],
    { uid: NOBODY, gid: NOBODY, cwd: '/', env: {} },
  );
  assert.equal(existsSync(hostile), false);
  rmSync(folder, { recursive: true });
});

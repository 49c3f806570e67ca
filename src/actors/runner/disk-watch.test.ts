// When the disk space of a program is measured again, and what counts as its own.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { atEndOfFile } from '../../../test/cleanup.ts';
import { inTime } from '../../../test/eventually.ts';
import { readDiskUsage } from './disk-usage.ts';
import { openDiskWatch } from './disk-watch.ts';

const MB = 1024 ** 2;
const hasPython = spawnSync('python3', ['-c', 'import mmap']).status === 0;

test('a program that does not work is measured when the file system has lost what it had left', async () => {
  let freeBytes = 100 * MB;
  let bytes = 4 * MB;
  let measured = 0;
  let now = 0;
  const { check } = openDiskWatch({
    paths: ['/'],
    maxBytes: 10 * MB,
    listPids: async () => [],
    now: () => (now += 1000),
    readFreeBytes: async () => freeBytes,
    read: async () => ({ bytes, entries: (measured += 1) }),
  });
  assert.equal(await check(10), undefined);
  assert.equal(measured, 1);
  bytes = 20 * MB;
  freeBytes -= 5 * MB;
  assert.equal(await check(11), undefined);
  assert.equal(measured, 1);
  freeBytes -= 2 * MB;
  // The last measurement took a second, so that the next one is not before five.
  assert.equal(await check(11), undefined);
  now += 5000;
  assert.equal(await check(11), 'disk');
});

test(
  'a file without a name counts once while it is mapped',
  { skip: !hasPython && 'needs python3' },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'disk-'));
    atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
    const lines = `
import mmap, os, sys
file = open(sys.argv[1] + "/held", "w+b")
file.write(b"x" * 3000000)
file.flush()
held = mmap.mmap(file.fileno(), 4096)
os.unlink(file.name)
os.closerange(3, 64)
print("ready", flush=True)
sys.stdin.read()`;
    const child = spawn('python3', ['-c', lines, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    await inTime(once(child.stdout, 'data'));
    const limits = { maxBytes: Infinity, maxEntries: Infinity };
    const { bytes } = readDiskUsage({ paths: [folder], pids: [child.pid!], ...limits });
    child.stdin.end();
    await inTime(once(child, 'exit'));
    assert.ok(bytes >= 3_000_000 && bytes < 4_000_000, String(bytes));
    assert.equal(readDiskUsage({ paths: [folder], pids: [child.pid!], ...limits }).bytes, 0);
  },
);

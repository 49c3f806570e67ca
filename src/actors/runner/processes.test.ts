// Reading processes, and telling which belong to a program.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { atEndOfFile } from '../../../test/cleanup.ts';
import { readDiskUsage } from './disk-usage.ts';
import { identify, isRunning, parsePs, parseStat, type ProcessInfo } from './process-table.ts';
import { selectProcesses } from './program-processes.ts';
import { listProgramRecords, writeProgramRecord } from './program-record.ts';

const STAT = '42 (a) b (c)) S 7 40 39 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0 12345 1 2 3';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'processes-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('the name of a process may hold brackets and spaces', () => {
  assert.deepEqual(parseStat(STAT), {
    pid: 42,
    isZombie: false,
    parent: 7,
    group: 40,
    session: 39,
    cpuMs: 1000,
    startTime: 12_345,
  });
  assert.equal(parseStat(STAT.replace(' S ', ' Z ')).isZombie, true);
});

test('ps is understood where there is no /proc', () => {
  const [one] = parsePs('  10   1    10  2048  1:02:03.50\n\n');
  assert.deepEqual(one, {
    pid: 10,
    parent: 1,
    group: 10,
    session: 10,
    startTime: 0,
    isZombie: false,
    residentBytes: 2048 * 1024,
    cpuMs: 3_723_500,
  });
});

test('a process is known by its id and its start, and a dead one is not running', async () => {
  const self = identify(process.pid);
  assert.equal(isRunning(self), true);
  assert.equal(isRunning({ ...self, startTime: self.startTime + 1 }), false);
  const child = spawn('sleep', ['1000']);
  const identity = identify(child.pid!);
  assert.equal(isRunning(identity), true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(isRunning(identity), false);
});

test('descendants and members of the group belong to a program, and a process that has got its id by chance does not', () => {
  const root = identify(process.ppid);
  const info = (pid: number, parent: number, group: number): ProcessInfo => ({
    ...parseStat(STAT),
    pid,
    parent,
    group,
    session: group,
  });
  const all = [
    info(3_000_001, 3_000_000, 3_000_001),
    { ...info(root.pid, 1, root.pid), startTime: root.startTime },
    info(3_000_000, root.pid, 3_000_000),
    info(3_000_002, 1, root.pid),
    info(3_000_003, 1, 3_000_003),
  ];
  const pidsOf = (found: ProcessInfo[]) => found.map(({ pid }) => pid).toSorted((a, b) => a - b);
  assert.deepEqual(pidsOf(selectProcesses(all, { roots: [root] })), [
    root.pid,
    3_000_000,
    3_000_001,
    3_000_002,
  ]);
  assert.deepEqual(selectProcesses(all, { roots: [{ ...root, startTime: root.startTime - 1 }] }), []);
});

const UNLIMITED = { maxBytes: Infinity, maxEntries: Infinity };

test('the size of a folder is what it takes on disk, without what links lead to', () => {
  const folder = makeFolder();
  const elsewhere = makeFolder();
  writeFileSync(join(elsewhere, 'big'), Buffer.alloc(1_000_000, 1));
  symlinkSync(elsewhere, join(folder, 'link'));
  mkdirSync(join(folder, 'a'));
  writeFileSync(join(folder, 'a/file'), Buffer.alloc(300_000, 1));
  writeFileSync(join(folder, 'sparse'), '');
  truncateSync(join(folder, 'sparse'), 1e9);
  linkSync(join(folder, 'a/file'), join(folder, 'a/second-name'));
  const { bytes, entries } = readDiskUsage({ paths: [folder], ...UNLIMITED });
  assert.ok(bytes >= 300_000 && bytes < 400_000, String(bytes));
  assert.equal(entries, 5);
  assert.ok(readDiskUsage({ paths: [folder], maxBytes: 1000, maxEntries: Infinity }).bytes > 1000);
  assert.equal(readDiskUsage({ paths: [folder], maxBytes: Infinity, maxEntries: 2 }).entries, 3);
  assert.deepEqual(readDiskUsage({ paths: [join(folder, 'absent')], ...UNLIMITED }), {
    bytes: 0,
    entries: 0,
  });
});

test('many empty files take space too', () => {
  const folder = makeFolder();
  for (let count = 0; count < 100; count++) writeFileSync(join(folder, String(count)), '');
  assert.ok(readDiskUsage({ paths: [folder], ...UNLIMITED }).bytes >= 100 * 4096);
});

test('records of other machines are left alone, until they are old', () => {
  const work = makeFolder();
  const now = Date.now();
  const remove = writeProgramRecord(work, { id: 'mine', process: identify(process.pid), cgroups: [] });
  writeFileSync(join(work, 'programs/other.json'), JSON.stringify({ id: 'other', machine: 'elsewhere' }));
  writeFileSync(join(work, 'programs/broken.json'), '{');
  assert.deepEqual(
    listProgramRecords(work, now).map(({ record }) => [record.id, record.server.pid]),
    [['mine', process.pid]],
  );
  remove();
  assert.deepEqual(listProgramRecords(work, now + 365 * 24 * 3_600_000), []);
  assert.deepEqual(listProgramRecords(join(work, 'absent'), now), []);
});

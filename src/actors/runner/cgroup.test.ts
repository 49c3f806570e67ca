// Control groups of both versions: where they are, and which files get which limits.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { atEndOfFile } from '../../../test/cleanup.ts';
import { cpuQuotaUs, findOwnCgroups } from './cgroup-files.ts';
import { Cgroup, findCgroupParents, killGroups, prepareCgroupParents, sweepGroups } from './cgroup.ts';

function makeFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'cgroup-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const read = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

describe('the own groups of a process', () => {
  const UNIFIED = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate';

  test('in the unified hierarchy', () => {
    assert.deepEqual(findOwnCgroups('0::/system.slice/signalbox.service\n', UNIFIED), {
      unified: '/sys/fs/cgroup/system.slice/signalbox.service',
      controllers: {},
    });
  });

  test('in a container, where the path is that of the host and its own part is mounted', () => {
    const mounts = '30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw';
    assert.equal(findOwnCgroups('0::/docker/abc', mounts).unified, '/sys/fs/cgroup');
    assert.equal(findOwnCgroups('0::/docker/abc/x', mounts).unified, '/sys/fs/cgroup/x');
    assert.equal(findOwnCgroups('0::/', mounts).unified, '/sys/fs/cgroup');
  });

  test('in hierarchies of version 1, with joint controllers', () => {
    const mounts = [
      '31 23 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
      '32 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
      '33 23 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup rw',
    ].join('\n');
    assert.deepEqual(findOwnCgroups('4:memory:/a\n3:cpu,cpuacct:/b\n1:name=systemd:/\n0::/c\n', mounts), {
      unified: '/sys/fs/cgroup/unified/c',
      controllers: {
        memory: '/sys/fs/cgroup/memory/a',
        cpu: '/sys/fs/cgroup/cpu,cpuacct/b',
        cpuacct: '/sys/fs/cgroup/cpu,cpuacct/b',
      },
    });
  });

  test('nowhere, on other systems', () => {
    assert.deepEqual(findOwnCgroups('', ''), { controllers: {} });
  });
});

describe('the unified hierarchy', () => {
  const makeParent = (): string =>
    makeFolder({
      'cgroup.controllers': 'cpuset cpu io memory pids\n',
      'cgroup.subtree_control': '',
      'cgroup.procs': `1\n${process.pid}\n`,
    });

  test('offers the controllers that limits need', () => {
    const unified = makeParent();
    assert.deepEqual(findCgroupParents({ unified, controllers: {} }), {
      version: 2,
      folders: { cpu: unified, memory: unified, pids: unified },
    });
    writeFileSync(join(unified, 'cgroup.controllers'), 'cpuset\n');
    assert.equal(findCgroupParents({ unified, controllers: {} }), undefined);
    assert.equal(findCgroupParents({ unified: join(unified, 'absent'), controllers: {} }), undefined);
  });

  test('hands controllers on once the server has moved to a group of its own', () => {
    const unified = makeParent();
    prepareCgroupParents(findCgroupParents({ unified, controllers: {} })!);
    assert.equal(read(unified, 'cgroup.subtree_control'), '+cpu +memory +pids');
    assert.match(read(unified, 'signalbox-server/cgroup.procs'), /^\d+$/);
    const moved = join(unified, 'signalbox-server');
    assert.equal(findCgroupParents({ unified: moved, controllers: {} })?.folders['memory'], unified);
  });

  test('is left as it was when it cannot be prepared', () => {
    const unified = makeParent();
    const parents = findCgroupParents({ unified, controllers: {} })!;
    rmSync(join(unified, 'cgroup.subtree_control'));
    mkdirSync(join(unified, 'cgroup.subtree_control'));
    assert.throws(() => prepareCgroupParents(parents));
  });

  test('is not touched again when the controllers are there', () => {
    const unified = makeParent();
    writeFileSync(join(unified, 'cgroup.subtree_control'), 'cpu memory pids\n');
    prepareCgroupParents(findCgroupParents({ unified, controllers: {} })!);
    assert.equal(existsSync(join(unified, 'signalbox-server')), false);
  });

  test('limits, counts and kills a program', async () => {
    const unified = makeParent();
    const parents = findCgroupParents({ unified, controllers: {} })!;
    const folder = join(unified, 'signalbox-x');
    mkdirSync(folder);
    // The kernel makes these files.
    const files = {
      'memory.max': 'max',
      'memory.oom.group': '0',
      'pids.max': 'max',
      'cpu.max': 'max 100000',
      'cpu.weight': '100',
      'cgroup.procs': '',
      'cgroup.kill': '',
      'memory.current': '3000000\n',
      'memory.stat': 'anon 1000\ninactive_file 1000000\n',
      'memory.events': 'low 0\noom 2\noom_kill 1\noom_group_kill 1\n',
      'cpu.stat': 'usage_usec 2500000\nuser_usec 1\n',
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const group = Cgroup.create(parents, 'x', { memoryMbytes: 8192, processes: 100 });
    assert.equal(read(folder, 'memory.max'), String(8192 * 1024 ** 2));
    assert.equal(read(folder, 'memory.oom.group'), '1');
    assert.equal(read(folder, 'pids.max'), '100');
    assert.equal(read(folder, 'cpu.max'), '200000 100000');
    assert.equal(read(folder, 'cpu.weight'), '100');
    assert.equal(existsSync(join(folder, 'memory.swap.max')), false);
    assert.deepEqual(group.folders, [folder]);
    assert.deepEqual(group.usage(), { memoryBytes: 2_000_000, cpuMs: 2500 });
    assert.equal(group.countOomKills(), 1);
    await group.add(42);
    assert.equal(read(folder, 'cgroup.procs'), '42');
    killGroups(group.folders);
    assert.equal(read(folder, 'cgroup.kill'), '1');
    assert.equal(read(folder, 'pids.max'), '0');
  });
});

test('groups of dead programs are removed, where their servers are dead too, and those of others stay', () => {
  const folder = makeFolder();
  const [gone, living] = [999_999_999, process.pid];
  const stay = [
    `other-${gone}`,
    'signalbox-server',
    `signalbox-x-${gone}-${living}`,
    `signalbox-x-${living}-${gone}`,
    `signalbox-y-${living}`,
  ];
  // Those of older servers do not name them.
  for (const name of [...stay, `signalbox-x-${gone}-${gone}`, `signalbox-y-${gone}`])
    mkdirSync(join(folder, name));
  sweepGroups({ version: 2, folders: { memory: folder, cpu: folder } });
  assert.deepEqual(readdirSync(folder).toSorted(), stay.toSorted());
});

test('a small program may use one processor, a large one its share', () => {
  assert.equal(cpuQuotaUs(128), 100_000);
  assert.equal(cpuQuotaUs(4096), 100_000);
  assert.equal(cpuQuotaUs(16_384), 400_000);
});

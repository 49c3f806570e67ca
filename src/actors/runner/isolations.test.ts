// The life and the limits of a program, the same for every kind of isolation, with control groups and without.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { atEndOfFile } from '../../../test/cleanup.ts';
import { eventually, inTime } from '../../../test/eventually.ts';
import { findCgroupParents, readOwnCgroups } from './cgroup.ts';
import { openTestRunner, type TestRunner } from './fixture.ts';
import { enforcedLimits, tryIsolation, type Isolation } from './isolation/isolation.ts';
import { findWorkingTools } from './isolation/machine-tools.ts';
import { listProcesses } from './process-table.ts';
import { recordFolder } from './program-record.ts';

const machine = await tryIsolation();
const tools = await findWorkingTools();
const groups = findCgroupParents(readOwnCgroups());
const isRoot = process.getuid?.() === 0;

interface Variant {
  kind: Isolation['kind'];
  hasGroups: boolean;
  isolation?: Isolation;
  skip: string | false;
}

const isolations: Pick<Variant, 'kind' | 'isolation' | 'skip'>[] = [
  {
    kind: 'bubblewrap',
    ...(machine.kind === 'bubblewrap' && { isolation: machine }),
    skip: machine.kind === 'bubblewrap' ? false : 'needs bwrap',
  },
  {
    kind: 'uid',
    ...(tools.setpriv !== undefined && {
      isolation: { kind: 'uid', tools: { ...tools, setpriv: tools.setpriv } },
    }),
    skip: isRoot && tools.setpriv !== undefined ? false : 'needs root and setpriv',
  },
  { kind: 'none', isolation: { kind: 'none', tools }, skip: false },
];

const variants: Variant[] = isolations.flatMap((one) => [
  { ...one, hasGroups: true, skip: one.skip || (groups === undefined && 'needs writable control groups') },
  { ...one, hasGroups: false },
]);

const MAX_PROCESSES = 40;
const MAX_FILES = 600;
/** No other test sleeps as long. */
const SLEEP = `1000.${process.pid}`;

for (const { kind, hasGroups, isolation, skip } of variants) {
  suite(`${kind}, ${hasGroups ? 'with' : 'without'} control groups`, { skip }, () => {
    const canCap =
      isolation && enforcedLimits(isolation, hasGroups ? Object.keys(groups?.folders ?? {}) : []);
    let on: TestRunner;
    before(async () => {
      // Users of their own must be able to get there.
      const data = mkdtempSync(join(realpathSync(tmpdir()), 'runner-'));
      chmodSync(data, 0o711);
      atEndOfFile(() => rmSync(data, { recursive: true, force: true }));
      on = await openTestRunner({
        data,
        options: {
          isolation: isolation!,
          ...(hasGroups ? {} : { cgroups: 'none' }),
          maxProcesses: MAX_PROCESSES,
          maxFiles: MAX_FILES,
        },
      });
    });

    test('the output and the exit code are those of the program', async () => {
      const { output, code } = await on.run('echo out; echo err >&2; echo $GREETING; pwd; exit 7', {
        env: { GREETING: "it's a $HOME `x`", PATH: '/usr/bin:/bin' },
      });
      assert.equal(code, 7);
      assert.match(output, /^out\nerr\nit's a \$HOME `x`\n\/.+\/work\/runs\/program-\w+-\d+\n$/);
    });

    test('output is appended to what is there', async () => {
      const output = join(on.data, 'appended');
      writeFileSync(output, 'before\n');
      await on.run('echo after', { output });
      assert.equal(readFileSync(output, 'utf8'), 'before\nafter\n');
    });

    test('a command that does not exist has code 127, and a signal 128 and its number', async () => {
      assert.equal((await on.run('', { command: ['no-such-command'] })).code, 127);
      assert.equal((await on.run('kill -USR1 $$')).code, 128 + 10);
    });

    test('a program reads nothing from the server and is niced', async () => {
      const { output } = await on.run('cat; nice');
      assert.equal(output, '10\n');
    });

    test('a program can stop in order', async () => {
      const running = await on.start(
        'trap "echo stopping; exit 3" TERM; echo ready; while :; do sleep 0.05; done',
      );
      await eventually(() => running.output().includes('ready'));
      running.stop('terminate');
      assert.deepEqual(await inTime(running.exited), { code: 3 });
      assert.match(running.output(), /stopping\n$/);
    });

    test('a program that ignores SIGTERM is killed, with those it started', async () => {
      const running = await on.start(
        'trap "" TERM; setsid sh -c "trap : TERM; while :; do sleep 1; done" & (sleep 1000 &); echo ready; while :; do sleep 1; done',
      );
      await eventually(() => running.output().includes('ready'));
      running.stop('terminate');
      running.stop('kill');
      assert.deepEqual(await inTime(running.exited), { code: null });
      await assertNothingRuns(running.program.folder);
    });

    test('what a program leaves in the background ends with it', async () => {
      const { code, output } = await on.run('setsid sleep 1000 & sleep 1000 & echo started');
      assert.deepEqual([code, output], [0, 'started\n']);
    });

    test('nothing of a program is left on disk', async () => {
      assert.deepEqual(readdirSync(recordFolder(join(on.data, 'work'))), []);
      if (existsSync(join(on.data, 'work/tmp'))) assert.deepEqual(readdirSync(join(on.data, 'work/tmp')), []);
      const left = Object.values(groups?.folders ?? {}).flatMap((folder) => readdirSync(folder));
      assert.deepEqual(
        left.filter((name) => name.startsWith(`signalbox-${on.prefix}`)),
        [],
      );
    });

    test('the use of memory and processor is measured', async () => {
      const running = await on.start(
        `node -e "const held = Buffer.alloc(80e6, 1); const end = Date.now() + 200; while (Date.now() < end); console.log('ready'); setInterval(() => held, 1000)"`,
      );
      await eventually(() => running.output().includes('ready'));
      // Samples may be a moment old.
      await eventually(async () => (await running.usage()).memoryBytes > 80e6);
      await eventually(async () => (await running.usage()).cpuMs >= 50);
      const { memoryBytes, cpuMs } = await running.usage();
      assert.ok(memoryBytes < 400e6, String(memoryBytes));
      running.stop('kill');
      await inTime(running.exited);
      assert.ok((await running.usage()).cpuMs >= cpuMs);
    });

    test('a program that takes more memory than it has is killed', async () => {
      const { code, exceeded } = await on.run(
        `node -e "const held = []; setInterval(() => held.push(Buffer.alloc(4e6, 1)), 2)"`,
        { memoryMbytes: 128 },
      );
      assert.deepEqual([code, exceeded], [null, 'memory']);
    });

    test('a program that fills its folder is killed', async () => {
      const { code, exceeded } = await on.run(
        'i=0; while :; do i=$((i + 1)); head -c 1000000 /dev/zero > file$i; sleep 0.01; done',
        { diskMbytes: 8 },
      );
      assert.deepEqual([code, exceeded], [null, 'disk']);
    });

    test('a program that writes too much output is killed', async () => {
      const { exceeded } = await on.run('exec yes', { diskMbytes: 4 });
      assert.equal(exceeded, 'disk');
    });

    test('files that a program has deleted and holds open count', async () => {
      const lines = `
        const { openSync, unlinkSync, writeSync } = require('node:fs');
        for (let n = 0; n < 40; n++) {
          const file = openSync('held', 'w');
          unlinkSync('held');
          writeSync(file, Buffer.alloc(1e6, 1));
        }
        setInterval(() => {}, 1000);`;
      const { code, exceeded } = await on.run(`exec node -e "${lines}"`, { diskMbytes: 8 });
      assert.deepEqual([code, exceeded], [null, 'disk']);
    });

    test('a program with many folders is killed', async () => {
      const { exceeded } = await on.run(
        'mkdir -p $(seq -f "a%g/b/c" 300); echo made; while :; do sleep 0.1; done',
      );
      assert.equal(exceeded, 'files');
    });

    test(
      'a program that forks without end has few processes, and dies',
      { skip: canCap?.processes ? false : 'needs a cap on processes' },
      async () => {
        const running = await on.start(`for i in $(seq 200); do sleep ${SLEEP} & done; echo forked; wait`);
        await eventually(async () => /fork|forked/i.test(running.output()));
        const inside = await countSleeping();
        assert.ok(inside <= MAX_PROCESSES, `${inside} ${running.output()}`);
        running.stop('kill');
        await inTime(running.exited);
        assert.equal(await countSleeping(), 0);
      },
    );

    test('a server that is killed leaves nothing, at the latest after the next start', async () => {
      const server = spawn(
        process.execPath,
        [
          fileURLToPath(new URL('fixture-server.ts', import.meta.url)),
          on.data,
          kind,
          hasGroups ? 'groups' : 'none',
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const [line] = (await inTime(once(createInterface(server.stdout), 'line'))) as [string];
      const { folder } = JSON.parse(line) as { folder: string };
      await eventually(() => existsSync(join(folder, 'ready')));
      await eventually(
        async () => (await listProcesses()).filter(({ pid }) => folderOf(pid) === folder).length > 1,
      );
      server.kill('SIGKILL');
      await once(server, 'exit');
      await on.runner.killLeftovers();
      await assertNothingRuns(folder);
      assert.deepEqual(readdirSync(recordFolder(join(on.data, 'work'))), []);
      if (existsSync(join(on.data, 'work/tmp'))) assert.deepEqual(readdirSync(join(on.data, 'work/tmp')), []);
    });

    test('the programs of a server that is running are left alone', async () => {
      const running = await on.start('echo ready; sleep 1000');
      await eventually(() => running.output().includes('ready'));
      const other = await openTestRunner({ data: on.data, options: { isolation: isolation! } });
      await other.runner.killLeftovers();
      // The first sample may come later.
      await eventually(async () => (await running.usage()).memoryBytes > 0);
      running.stop('kill');
      assert.deepEqual(await running.exited, { code: null });
    });
  });
}

async function countSleeping(): Promise<number> {
  const all = await listProcesses();
  return all.filter(({ pid }) => commandOf(pid) === `sleep ${SLEEP}`).length;
}

/** It is the working folder of every process of the program. */
async function assertNothingRuns(folder: string): Promise<void> {
  const all = await listProcesses();
  assert.deepEqual(
    all.filter(({ pid }) => folderOf(pid) === folder).map(({ pid }) => commandOf(pid)),
    [],
  );
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

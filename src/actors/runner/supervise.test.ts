// On a full file system the program that has grown most is ended, while the others are frozen.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { atEndOfFile } from '../../../test/cleanup.ts';
import { eventually, inTime } from '../../../test/eventually.ts';
import { openTestRunner } from './fixture.ts';
import { findWorkingTools } from './isolation/machine-tools.ts';

const hasProc = existsSync('/proc/self/stat');

test(
  'the largest grower is ended with its files, and the others go on',
  { skip: !hasProc && 'needs /proc' },
  async () => {
    const data = mkdtempSync(join(realpathSync(tmpdir()), 'relief-'));
    atEndOfFile(() => rmSync(data, { recursive: true, force: true, maxRetries: 10 }));
    const isolation = { kind: 'none', tools: await findWorkingTools() } as const;
    const { runner, start } = await openTestRunner({ data, options: { isolation, cgroups: 'none' } });
    const small = await start(
      'head -c 2000000 /dev/zero > file; echo $$; while :; do date > now; sleep 0.02; done',
    );
    const large = await start('head -c 9000000 /dev/zero > file; echo ready; while :; do sleep 0.02; done');
    const now = join(small.program.folder, 'now');
    await eventually(() => small.output() !== '' && large.output() !== '' && existsSync(now));
    const stateOfSmall = () =>
      / ([A-Z]) /.exec(readFileSync(`/proc/${small.output().trim()}/stat`, 'utf8'))?.[1];

    const states: (string | undefined)[] = [];
    const { dev } = statSync(small.program.folder);
    await inTime(runner.relieveDisk(dev + 1, async () => false));
    await inTime(
      runner.relieveDisk(dev, async () => {
        // The signal is sent; the program stops when it next gets a turn.
        await eventually(() => stateOfSmall() === 'T', 'the other program to be stopped');
        states.push(stateOfSmall());
        return !existsSync(large.program.folder);
      }),
    );
    assert.deepEqual(await inTime(large.exited), { code: null, exceeded: 'full-disk' });
    assert.deepEqual(states, ['T', 'T']);
    const before = statSync(now).mtimeMs;
    await eventually(() => statSync(now).mtimeMs > before, 'the other program to go on');
    small.stop('kill');
    assert.deepEqual(await inTime(small.exited), { code: null });
  },
);

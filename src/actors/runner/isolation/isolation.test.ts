// Which isolation is chosen, when programs are refused, and what is said to be missing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { atEndOfFile } from '../../../../test/cleanup.ts';
import type { probeBubblewrap } from './bubblewrap.ts';
import {
  chooseIsolation,
  defaultWorkFolder,
  describeIsolation,
  enforcedLimits,
  explainGaps,
  explainRefusal,
  isolationFor,
  type Isolation,
} from './isolation.ts';
import { openTestRunner } from '../fixture.ts';
import { openAttempts, runProbe, countsProcessesPerNamespace, readHardLimit } from './machine-tools.ts';

const BWRAP = { bwrap: '/usr/bin/bwrap' };
const SETPRIV = { setpriv: '/usr/bin/setpriv' };
const works = () => Promise.resolve();
const fails = () => Promise.reject(new Error('bwrap: Operation not permitted'));
const none: Isolation = { kind: 'none', tools: {} };
const uid: Isolation = { kind: 'uid', tools: SETPRIV };

describe('the isolation', () => {
  const cases = [
    [{ ...BWRAP, ...SETPRIV }, 'linux', true, works, 'bubblewrap'],
    [BWRAP, 'linux', false, works, 'bubblewrap'],
    [{ ...BWRAP, ...SETPRIV }, 'linux', true, fails, 'uid'],
    [SETPRIV, 'linux', true, works, 'uid'],
    [{ ...BWRAP, ...SETPRIV }, 'linux', false, fails, 'none'],
    [{}, 'linux', true, works, 'none'],
    [{}, 'darwin', false, works, 'none'],
  ] as const;
  for (const [tools, platform, isRoot, probe, kind] of cases) {
    const situation = `${Object.keys(tools).join(' and ') || 'no tool'} on ${platform}${isRoot ? ' as root' : ''}`;
    test(`is ${kind} with ${situation}${probe === fails ? ', where bubblewrap does not work' : ''}`, async () => {
      assert.equal((await chooseIsolation({ tools, platform, isRoot, probe })).kind, kind);
    });
  }
});

test('sandboxes of a server that is root belong to users of their own, where these can get there', async () => {
  const sources = { tools: { ...BWRAP, ...SETPRIV }, platform: 'linux', isRoot: true };
  const found = await chooseIsolation({ ...sources, probe: works });
  assert.ok(found.kind === 'bubblewrap' && found.usersBy === SETPRIV.setpriv);
  assert.equal(defaultWorkFolder('/data', found), '/data-work');
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'private-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  assert.ok(!('usersBy' in isolationFor(join(folder, 'work'), found)));
  const onlyRoot: typeof probeBubblewrap = (_, { asUser = [] }) => (asUser.length === 0 ? works() : fails());
  const ofRoot = await chooseIsolation({ ...sources, probe: onlyRoot });
  assert.ok(!('usersBy' in ofRoot));
  assert.match(ofRoot.shortfall!, /Operation not permitted/);
});

test('a probe that fails in a crowded moment is tried again', async () => {
  let tries = 0;
  const crowded = () =>
    (tries += 1) < 3 ? Promise.reject(new Error('spawn /usr/bin/bwrap EAGAIN')) : works();
  const pauses: number[] = [];
  const found = await chooseIsolation({
    tools: { ...BWRAP, ...SETPRIV },
    platform: 'linux',
    isRoot: true,
    probe: crowded,
    attempt: openAttempts((ms) => Promise.resolve(pauses.push(ms))),
  });
  assert.ok(found.kind === 'bubblewrap' && found.usersBy !== undefined && found.abilities.disablesNamespaces);
  assert.equal(found.shortfall, undefined);
  assert.equal(pauses.length, 2);
});

test('a probe says why it failed: by its own words, its exit code, or what kept it from starting', async () => {
  const reasonOf = (...words: string[]) => runProbe(words).catch((error: Error) => error.message);
  assert.equal(await reasonOf('/bin/sh', '-c', 'echo a; echo b: no >&2; exit 1'), 'b: no');
  assert.equal(await reasonOf('/bin/sh', '-c', 'exit 3'), 'it ended with exit code 3');
  assert.equal(await reasonOf('/bin/sh', '-c', 'kill -KILL $$'), 'it was ended by SIGKILL');
  assert.match((await reasonOf('/nowhere/tool'))!, /spawn \/nowhere\/tool ENOENT/);
  assert.equal(await reasonOf('/bin/sh', '-c', ':'), undefined);
});

test('what does not work lastingly is tried once, and the isolation says why', async () => {
  const pauses: number[] = [];
  const found = await chooseIsolation({
    tools: { ...BWRAP, ...SETPRIV },
    platform: 'linux',
    isRoot: true,
    probe: fails,
    attempt: openAttempts((ms) => Promise.resolve(pauses.push(ms))),
  });
  assert.equal(
    describeIsolation(found),
    'Each run has a user of its own, as bubblewrap does not work here (bwrap: Operation not permitted).',
  );
  assert.deepEqual(pauses, []);
});

describe('programs are refused', () => {
  const settings = {
    work: '/work',
    allowsUnsandboxed: false,
    isLoopbackOnly: false,
    network: 'host',
  } as const;

  test('without a sandbox where others can reach the server, with the ways out', () => {
    const refusal = explainRefusal(none, settings, 'linux');
    for (const way of ['bubblewrap', 'as root', '--actors-unsandboxed'])
      assert.ok(refusal?.includes(way), way);
    assert.equal(explainRefusal(none, { ...settings, isLoopbackOnly: true }, 'linux'), undefined);
    assert.equal(explainRefusal(none, { ...settings, allowsUnsandboxed: true }, 'linux'), undefined);
  });

  test('where the isolation is less than it was', () => {
    const loss = 'Actors had more before.';
    assert.equal(explainRefusal(uid, { ...settings, isolationLoss: loss }, 'linux'), loss);
  });

  test('where they are to have no network and bubblewrap is missing', () => {
    assert.match(explainRefusal(uid, { ...settings, network: 'none' }, 'linux')!, /--actor-network none/);
  });

  test('where users of their own cannot reach the work folder', () => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'private-'));
    atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
    const at = { ...settings, work: join(folder, 'work') };
    assert.match(explainRefusal(uid, at, 'linux')!, new RegExp(`may not enter ${folder}.*--work`));
    chmodSync(folder, 0o711);
    assert.equal(explainRefusal(uid, at, 'linux'), undefined);
  });

  test('on Windows', () => {
    assert.match(explainRefusal(none, { ...settings, isLoopbackOnly: true }, 'win32')!, /Linux or macOS/);
  });

  test('by the runner itself', async () => {
    const { runner, program } = await openTestRunner({
      settings: { isLoopbackOnly: false, allowsUnsandboxed: false },
      options: { isolation: none },
    });
    assert.match(runner.refusal!, /bubblewrap/);
    await assert.rejects(runner.start(program('true')), /bubblewrap/);
  });
});

describe('what is missing', () => {
  test('is one sentence on the sandbox and one on limits', () => {
    assert.deepEqual(explainGaps(uid, { memory: true, processes: true, cpu: true }), []);
    const gaps = explainGaps(none, enforcedLimits(none, []));
    assert.equal(gaps.length, 2);
    assert.match(gaps[0]!, /no sandbox/);
    assert.match(gaps[1]!, /memory.*processes.*processor/);
  });

  test('a user of its own can have a number of processes', () => {
    assert.equal(enforcedLimits(uid, []).processes, false);
    assert.equal(enforcedLimits({ ...uid, tools: { ...SETPRIV, prlimit: '/x' } }, []).processes, true);
  });

  test('older kernels count the processes of a user outside the sandbox too, and never those of root', () => {
    assert.equal(countsProcessesPerNamespace(1000, '5.13.0-generic'), false);
    assert.equal(countsProcessesPerNamespace(1000, '5.14.0'), true);
    assert.equal(countsProcessesPerNamespace(1000, '6.1.0'), true);
    assert.equal(countsProcessesPerNamespace(0, '6.1.0'), false);
  });
});

test('users of their own work beside the data folder, which they may not enter', () => {
  assert.equal(defaultWorkFolder('/var/lib/signalbox', uid), '/var/lib/signalbox-work');
  assert.equal(defaultWorkFolder('/var/lib/signalbox', none), '/var/lib/signalbox/work');
});

test('git ignores the work folder that a start as root makes in the checkout', (t) => {
  const cwd = join(import.meta.dirname, '../../../..');
  const { status } = spawnSync('git', ['check-ignore', `${defaultWorkFolder('data', uid)}/`], { cwd });
  if (status === null || status === 128) return t.skip('needs git, and a checkout');
  assert.equal(status, 0, 'data-work would be untracked');
});

test('hard limits are read', () => {
  const limits =
    'Limit  Soft  Hard  Units\nMax open files            1024      4096       files\nMax processes  unlimited  unlimited  processes\n';
  assert.equal(readHardLimit('Max open files', limits), 4096);
  assert.equal(readHardLimit('Max processes', limits), Infinity);
});

// The supervision of a process: what callers want, time-outs, leases and stops, with a program that only pretends to run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, inTime } from '../../../test/eventually.ts';
import { LeaseLost, ServerStopping, type JobControl } from '../jobs/job.ts';
import type { ProgramExit, RunningProgram } from '../runner/runner.ts';
import { superviseProcess, type ProcessSupervision } from './supervise-process.ts';

interface Pretence {
  control(command: JobControl): void;
  abort(reason: Error): void;
  exit(exit: ProgramExit): void;
  sent: string[];
  stops: string[];
  end: ReturnType<typeof superviseProcess>;
}

/** Longer than any test waits. */
const NEVER_MS = 2 ** 31 - 1;

/** A program that dies when it is killed, and otherwise when the test says so. */
function pretend(
  more: Partial<ProcessSupervision> = {},
  usage: RunningProgram['usage'] = async () => ({ memoryBytes: 1, cpuMs: 1 }),
): Pretence {
  const { promise: exited, resolve: exit } = Promise.withResolvers<ProgramExit>();
  const controller = new AbortController();
  let listener: ((command: JobControl) => void) | undefined;
  const sent: string[] = [];
  const stops: string[] = [];
  const end = superviseProcess({
    program: {
      exited,
      stop(how) {
        stops.push(how);
        exit({ code: null });
      },
      usage,
    },
    signal: controller.signal,
    onControl(received) {
      listener = received;
      return () => (listener = undefined);
    },
    isTimedOut: () => false,
    onTimeout: async () => void sent.push('timing out'),
    send: (name, data) => sent.push(`${name} ${JSON.stringify(data)}`) > 0,
    onSample() {},
    sampleMs: 5,
    ...more,
  });
  return {
    control: (command) => listener?.(command),
    abort: (reason) => controller.abort(reason),
    exit,
    sent,
    stops,
    end,
  };
}

test('a process that ends by itself has exited, and nothing is killed', async () => {
  const process = pretend();
  process.exit({ code: 3 });
  assert.deepEqual(await inTime(process.end), { kind: 'exited', exit: { code: 3 } });
  assert.deepEqual(process.stops, []);
});

for (const [command, kind] of [
  ['abort', 'aborted'],
  ['reboot', 'rebooted'],
  ['metamorph', 'metamorphosed'],
] as const) {
  test(`${command} kills the process at once`, async () => {
    const process = pretend({ abortGraceMs: NEVER_MS });
    process.control(command);
    assert.deepEqual(await inTime(process.end), { kind, exit: { code: null } });
    assert.deepEqual([process.stops, process.sent], [['kill'], []]);
  });
}

test('a graceful abort tells the process, which may end by itself', async () => {
  const process = pretend();
  process.control('abort-gracefully');
  assert.deepEqual(process.sent, ['aborting {}', 'persistState {"isMigrating":false}']);
  process.exit({ code: 0 });
  assert.equal((await inTime(process.end)).kind, 'exited');
  assert.deepEqual(process.stops, []);
});

test('a process that goes on after a graceful abort is killed, at the end of its time or by an abort', async () => {
  const slow = pretend({ abortGraceMs: 10 });
  slow.control('abort-gracefully');
  assert.equal((await inTime(slow.end)).kind, 'aborted');
  const impatient = pretend({ abortGraceMs: NEVER_MS });
  impatient.control('abort-gracefully');
  impatient.control('abort');
  assert.equal((await inTime(impatient.end)).kind, 'aborted');
  assert.deepEqual([slow.stops, impatient.stops], [['kill'], ['kill']]);
});

test('a time-out is recorded before the process is killed', async () => {
  const process = pretend({ isTimedOut: () => true });
  assert.equal((await inTime(process.end)).kind, 'timed-out');
  assert.deepEqual([process.sent, process.stops], [['timing out'], ['kill']]);
});

test('a time-out that cannot be recorded at once, or a process that cannot be measured, still times out', async () => {
  let tries = 0;
  const process = pretend({
    isTimedOut: () => true,
    async onTimeout() {
      if ((tries += 1) < 3) throw new Error('The database is away.');
    },
  });
  assert.equal((await inTime(process.end)).kind, 'timed-out');
  assert.equal(tries, 3);
  const hidden = pretend({ isTimedOut: () => true }, () => Promise.reject(new Error('Nothing is known.')));
  assert.equal((await inTime(hidden.end)).kind, 'timed-out');
});

test('a lost lease kills the process without a word to it', async () => {
  const process = pretend();
  process.abort(new LeaseLost('gone'));
  assert.equal((await inTime(process.end)).kind, 'lost');
  assert.deepEqual([process.sent, process.stops], [[], ['kill']]);
});

test('a server that stops tells the process of the migration, then kills it', async () => {
  const process = pretend({ migrationGraceMs: 10 });
  process.abort(new ServerStopping('bye'));
  assert.deepEqual(process.sent, [
    'migrating {"timeRemainingSecs":0.01}',
    'persistState {"isMigrating":true}',
  ]);
  assert.equal((await inTime(process.end)).kind, 'stopped');
  assert.deepEqual(process.stops, ['kill']);
});

test('a process that listens to no events is killed at once when the server stops', async () => {
  const process = pretend({ send: () => false });
  process.abort(new ServerStopping('bye'));
  assert.equal((await inTime(process.end)).kind, 'stopped');
  assert.deepEqual(process.stops, ['kill']);
});

test('a process that ends well while the server stops has come to its end, and one that fails goes on elsewhere', async () => {
  const well = pretend();
  well.abort(new ServerStopping('bye'));
  well.exit({ code: 0 });
  assert.equal((await inTime(well.end)).kind, 'exited');
  const badly = pretend();
  badly.abort(new ServerStopping('bye'));
  badly.exit({ code: 1 });
  assert.equal((await inTime(badly.end)).kind, 'stopped');
});

test('a process that nobody needs gets a message, and ends by itself or is killed at the end of its time', async () => {
  const willing = pretend({ isRetired: () => true, retirementGraceMs: NEVER_MS });
  await eventually(() => willing.sent.length > 0);
  assert.deepEqual(willing.sent, ['aborting {}', 'persistState {"isMigrating":false}']);
  assert.deepEqual(willing.stops, []);
  willing.exit({ code: 0 });
  assert.deepEqual(await inTime(willing.end), { kind: 'retired', exit: { code: 0 } });
  assert.equal(willing.sent.length, 2, 'it gets the message once');
  const busy = pretend({ isRetired: () => true, retirementGraceMs: 10 });
  assert.equal((await inTime(busy.end)).kind, 'retired');
  assert.deepEqual(busy.stops, ['kill']);
});

test('a process that nobody needs and that listens to no events is terminated', async () => {
  const process = pretend({ isRetired: () => true, retirementGraceMs: NEVER_MS, send: () => false });
  assert.equal((await inTime(process.end)).kind, 'retired');
  assert.deepEqual(process.stops, ['terminate']);
});

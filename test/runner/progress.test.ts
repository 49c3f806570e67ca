// What a run prints, in a terminal and elsewhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunProgress } from './progress.ts';

const REPORT = { text: '✔ fine', failures: '', passed: 2, failed: 0, isTidy: true };

function print(isTTY: boolean, act: (progress: RunProgress, clock: { ms: number }) => void): string {
  let out = '';
  const clock = { ms: 0 };
  act(new RunProgress({ isTTY, write: (text) => (out += text) }, 12, () => clock.ms), clock);
  return out;
}

test('a terminal shows how far the run is, below the reports', () => {
  const out = print(true, (progress, clock) => {
    clock.ms = 65_000;
    progress.add('a.test.ts', REPORT, { seconds: 1, cpuSeconds: 0.5 });
    const failures = '✖ wrong\n';
    progress.add('b.test.ts', { ...REPORT, failed: 1, failures }, { seconds: 1, cpuSeconds: 0.5 });
  });
  assert.ok(
    out.includes(
      'a.test.ts (1.0 s, 0.5 s of CPU)\n✔ fine\n\r\x1b[K1 of 12 files, 2 passed, 0 failed, 1:05\r',
    ),
    out,
  );
  assert.ok(out.endsWith('\r\x1b[K2 of 12 files, 4 passed, 1 failed, 1:05'), out);
});

test('elsewhere there are reports alone', () => {
  const out = print(false, (progress) => {
    progress.add('a.test.ts', REPORT, { seconds: 1, cpuSeconds: undefined });
    progress.show();
  });
  assert.equal(out, 'a.test.ts (1.0 s)\n✔ fine\n');
});

test('the end names the ten files that cost most, what failed, and the counts last', () => {
  const out = print(false, (progress) => {
    for (let cost = 1; cost <= 12; cost += 1)
      progress.add(`f${cost}.test.ts`, REPORT, { seconds: 20 - cost, cpuSeconds: cost });
    const failures = '✖ wrong\n';
    progress.add('bad.test.ts', { ...REPORT, passed: 0, failed: 1, failures }, { seconds: 1, cpuSeconds: 0 });
    progress.end(false);
  });
  const end = out.slice(out.indexOf('slowest files:')).split('\n');
  assert.equal(end[1], '  f12.test.ts (8.0 s, 12.0 s of CPU)');
  assert.equal(end[10], '  f3.test.ts (17.0 s, 3.0 s of CPU)');
  assert.deepEqual(end.slice(11), ['', 'failed:', '✖ wrong', '', '24 passed, 1 failed', '']);
});

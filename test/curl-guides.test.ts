// The guides whose commands are calls are true: each is followed on an empty server. And no guide with commands is forgotten.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { needsGit } from '../src/host/git/fixture-repository.ts';
import { PATIENCE_MS } from './eventually.ts';
import { startReader } from './guide-reader.ts';

const ROOT = dirname(import.meta.dirname);
const missing = ['bash', 'curl'].filter((name) => spawnSync(name, ['--version']).error !== undefined);
const skip = missing.length > 0 && `needs ${missing.join(' and ')}`;

const GUIDES = ['docs/guide/actor-webhooks.md', 'docs/guide/host-webhooks.md', 'docs/guide/schedules.md'];

for (const guide of GUIDES) {
  const reason = skip || (guide.includes('host') && needsGit.skip);
  test(guide, { skip: reason, timeout: 5 * PATIENCE_MS }, async (t) => {
    const reader = await startReader();
    t.after(() => reader.server.stop());
    await reader.follow(guide);
    // It needs no server of its own.
    if (guide.includes('schedules')) await reader.follow('docs/guide/check-webhooks.md');
  });
}

test('every guide with commands is followed by a test, and the README too', () => {
  const tests = globSync(join(ROOT, 'test/*.test.ts')).map((file) => readFileSync(file, 'utf8'));
  const guides = ['README.md', ...globSync('docs/guide/*.md', { cwd: ROOT })];
  const forgotten = guides
    .filter((guide) => /^\s*```(sh|bash|shell|console)$/m.test(readFileSync(join(ROOT, guide), 'utf8')))
    .filter((guide) => !tests.some((text) => text.includes(`'${guide}'`)));
  assert.deepEqual(forgotten, []);
});

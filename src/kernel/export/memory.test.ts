import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('fixture-memory.ts', import.meta.url));

test('memory stays flat while 300,000 items are exported, in every format', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', SCRIPT, '300000']);
  const rises = Object.entries(JSON.parse(stdout) as Record<string, number>);
  assert.equal(rises.length, 7);
  for (const [format, rise] of rises) assert.ok(rise < 20_000_000, `${format} holds ${rise} bytes`);
});

// Bubblewrap under a server that an ordinary user started, tried as root by becoming one.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { needsNetwork } from '../../../test/network-tests.ts';
import { tryIsolation } from './isolation/isolation.ts';
import { canOthersRead } from './isolation/user-folders.ts';
import type { ProgramExit } from './runner.ts';

const NOBODY = 65_534;
const SCRIPT = fileURLToPath(new URL('fixture-user.ts', import.meta.url));
const { kind } = await tryIsolation();

const skip =
  (kind !== 'bubblewrap' && 'needs bwrap') ||
  (process.getuid?.() !== 0 && 'needs root, to become another user') ||
  (!(canOthersRead(SCRIPT) && canOthersRead(process.execPath)) && 'needs sources that others can read');

type Told = ProgramExit & { output: string };

test('an ordinary user has the same sandbox, with a cap on processes', { skip }, async (t) => {
  const data = mkdtempSync(join(realpathSync(tmpdir()), 'ordinary-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  chownSync(data, NOBODY, NOBODY);
  chmodSync(data, 0o700);
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, data, '40'], {
    uid: NOBODY,
    gid: NOBODY,
    cwd: '/',
    env: { PATH: process.env['PATH'], TMPDIR: data },
  });
  const told = JSON.parse(stdout) as Record<'status' | 'outside' | 'forks' | 'memory' | 'network', Told> & {
    isolation: string;
    warnings: string[];
  };
  assert.equal(told.isolation, 'bubblewrap');
  assert.match(told.status.output, /CapEff:\s+0{16}\nCapBnd:\s+0{16}/);
  assert.match(told.status.output, /\n1000\n\s+1000\s+\d+\s+1\n$/);
  assert.match(told.outside.output, /^work\n/);
  assert.match(told.outside.output, /swappiness/);
  assert.match(told.outside.output, /mine\n$/);
  assert.match(told.forks.output, /Cannot fork|Resource temporarily unavailable/);
  assert.equal(told.memory.exceeded, 'memory');
  if (needsNetwork !== false) return t.diagnostic(`the network is not tried: ${needsNetwork}`);
  assert.match(
    told.network.output,
    /^nameserver 10\.0\.2\.3\n[^]+\n +tap0:[^]+CapEff:\s+0{16}\nCapBnd:\s+0{16}/,
  );
});

// What happens to the files that a program of a build leaves.
import assert from 'node:assert/strict';
import {
  chmodSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { atEndOfFile } from '../../../../test/cleanup.ts';
import { sealFolder } from './work-folders.ts';

const isRoot = process.getuid?.() === 0;
const WRITER = 61_234;

describe('a sealed folder', () => {
  let parent: string;
  let folder: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'seal-'));
    atEndOfFile(() => rmSync(parent, { recursive: true, force: true }));
    folder = join(parent, 'app');
    mkdirSync(join(folder, 'inside'), { recursive: true });
    writeFileSync(join(folder, 'inside', 'program'), 'x');
    writeFileSync(join(parent, 'outside'), 'x', { mode: 0o600 });
  });

  test('is readable by all, and writable by its owner only', async () => {
    chmodSync(join(folder, 'inside', 'program'), 0o4777);
    chmodSync(join(folder, 'inside'), 0o700);
    symlinkSync('/etc/passwd', join(folder, 'link'));
    await sealFolder(folder);
    const modeOf = (path: string) => statSync(join(folder, path)).mode & 0o7777;
    assert.deepEqual([modeOf('inside/program'), modeOf('inside')], [0o755, 0o755]);
  });

  describe('of another user', { skip: !isRoot && 'needs root' }, () => {
    beforeEach(() => {
      for (const path of ['', 'inside', 'inside/program']) lchownSync(join(folder, path), WRITER, WRITER);
    });

    test('may have files with two names, as installations make them', async () => {
      linkSync(join(folder, 'inside', 'program'), join(folder, 'second'));
      writeFileSync(join(folder, 'inside', 'later'), 'x');
      linkSync(join(folder, 'inside', 'later'), join(folder, 'third'));
      await sealFolder(folder);
      for (const path of ['', 'inside', 'second', 'third'])
        assert.equal(statSync(join(folder, path)).uid, 0, path);
    });

    test('may not have a second name of a file elsewhere', async () => {
      linkSync(join(parent, 'outside'), join(folder, 'stolen'));
      linkSync(join(parent, 'outside'), join(folder, 'inside', 'stolen'));
      await assert.rejects(sealFolder(folder), /a link to a file that is not its own/);
      assert.equal(statSync(join(parent, 'outside')).mode & 0o777, 0o600);
    });
  });
});

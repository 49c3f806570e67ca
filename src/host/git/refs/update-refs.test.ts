// References change together, and only from the value that the caller saw.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { eventually } from '../../../../test/eventually.ts';
import { addCommit, git, needsGit, openTestRepository, program } from '../fixture-repository.ts';
import type { GitTarget } from '../git-target.ts';
import { RefWriters } from './ref-writers.ts';
import { isValidRefName } from './revision.ts';
import {
  readRefs,
  RefUpdateRefused,
  setDefaultBranch,
  UPDATE_REFS,
  updateRefs,
  type RefRefusal,
} from './update-refs.ts';

const MISSING = '1'.repeat(40);

const KEPT = { maxWriters: 2, idleMs: 600_000, timeoutMs: 600_000 };

for (const isKept of [false, true])
  describe(`an update of references${isKept ? ' by a process that is kept' : ''}`, needsGit, () => {
    let target: GitTarget;
    let first: string;
    let second: string;
    before(async () => {
      target = openTestRepository();
      first = await addCommit(target, { a: '1' });
      second = await addCommit(target, { a: '2' }, { parents: [first] });
      const start = (folder: string) => program.start(UPDATE_REFS, { folder, work: 'reader' });
      if (isKept) target = { ...target, refWriters: new RefWriters({ ...KEPT, start }) };
    });
    const valueOf = async (name: string) => (await readRefs(target, [name])).get(name);

    async function refused(
      reason: RefRefusal,
      updates: Parameters<typeof updateRefs>[1],
    ): Promise<RefUpdateRefused> {
      const refs = git(target, 'for-each-ref');
      const error = await updateRefs(target, updates).then(
        () => assert.fail('was not refused'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof RefUpdateRefused, String(error));
      assert.equal(error.reason, reason, error.message);
      assert.equal(git(target, 'for-each-ref'), refs);
      return error;
    }

    test('creates, moves and deletes', async () => {
      const name = 'refs/heads/topic/one';
      await updateRefs(target, [{ name, from: undefined, to: first }]);
      await updateRefs(target, [{ name, from: first, to: second }]);
      assert.equal(await valueOf(name), second);
      await updateRefs(target, [{ name, from: second, to: undefined }]);
      assert.equal(await valueOf(name), undefined);
      await updateRefs(target, [{ name: 'refs/heads/topic', from: undefined, to: first }]);
      await updateRefs(target, []);
    });

    test('with another value than expected is refused with the value that is there', async () => {
      const name = 'refs/heads/main';
      assert.equal((await refused('changed', [{ name, from: first, to: first }])).current, second);
      assert.equal((await refused('changed', [{ name, from: undefined, to: first }])).current, second);
      assert.equal((await refused('changed', [{ name, from: first, to: undefined }])).current, second);
      const absent = { name: 'refs/heads/absent', from: first, to: second };
      assert.equal((await refused('changed', [absent])).current, undefined);
      await refused('changed', [{ ...absent, to: undefined }]);
    });

    test('changes all references of a transaction or none', async () => {
      const good = { name: 'refs/tags/good', from: undefined, to: first };
      const error = await refused('changed', [
        good,
        { name: 'refs/heads/main', from: undefined, to: second },
      ]);
      assert.equal(error.ref, 'refs/heads/main');
      await updateRefs(target, [good, { name: 'refs/heads/main', from: second, to: second }]);
      assert.equal(await valueOf('refs/tags/good'), first);
    });

    test('cannot create a name below or above another', async () => {
      const create = (name: string) => ({ name: `refs/heads/${name}`, from: undefined, to: first });
      await refused('name-conflict', [create('main/x')]);
      await updateRefs(target, [create('deep/er')]);
      await refused('name-conflict', [create('deep')]);
      await refused('name-conflict', [create('p'), create('p/q')]);
      await refused('name-conflict', [create('p'), create('p')]);
    });

    test('waits for a lock, and is refused when it is held', async () => {
      const lock = join(target.folder, 'refs/heads/main.lock');
      writeFileSync(lock, '');
      try {
        await refused('locked', [{ name: 'refs/heads/main', from: second, to: first }]);
      } finally {
        rmSync(lock);
      }
    });

    test('removes a lock that a crash has left', async () => {
      const old = new Date(Date.now() - 60 * 60_000);
      const names = ['refs/heads/left', 'refs/tags/left'];
      for (const name of names) await updateRefs(target, [{ name, from: undefined, to: first }]);
      git(target, 'pack-refs', '--all');
      for (const lock of ['refs/heads/left.lock', 'packed-refs.lock']) {
        mkdirSync(join(target.folder, 'refs/heads'), { recursive: true });
        writeFileSync(join(target.folder, lock), 'half');
        utimesSync(join(target.folder, lock), old, old);
      }
      await updateRefs(target, [{ name: names[0]!, from: first, to: second }]);
      await updateRefs(target, [{ name: names[1]!, from: first, to: undefined }]);
      assert.deepEqual([await valueOf(names[0]!), await valueOf(names[1]!)], [second, undefined]);
      const left = readdirSync(target.folder, { recursive: true }).map(String);
      assert.deepEqual(
        left.filter((name) => /lock/.test(name)),
        [],
      );
    });

    test('needs an object that exists, and a commit for a branch', async () => {
      const tree = git(target, 'rev-parse', `${first}^{tree}`);
      for (const to of [MISSING, tree, 'HEAD', '--stdin', '0'.repeat(40)])
        await refused('bad-object', [{ name: 'refs/heads/new', from: undefined, to }]);
      await updateRefs(target, [{ name: 'refs/tags/tree', from: undefined, to: tree }]);
    });

    test('is refused for names that git does not allow', async () => {
      const names = [
        'main',
        'HEAD',
        'refs/heads',
        '-d',
        'refs/heads/a b',
        'refs/heads/a\nb',
        'refs/heads/a\0b',
      ];
      for (const name of [...names, '../../etc/passwd', 'refs/heads/../../config', 'refs/heads/\ud800'])
        await refused('bad-name', [{ name, from: undefined, to: first }]);
    });

    test('of one reference by many at once succeeds for exactly one', async () => {
      const name = 'refs/heads/race';
      await updateRefs(target, [{ name, from: undefined, to: first }]);
      const attempts = Array.from({ length: 12 }, () =>
        updateRefs(target, [{ name, from: first, to: second }]),
      );
      const results = await Promise.allSettled(attempts);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const result of results) {
        if (result.status === 'fulfilled') continue;
        assert.ok(result.reason instanceof RefUpdateRefused, String(result.reason));
        assert.ok(['changed', 'locked'].includes(result.reason.reason));
      }
    });

    test('of the default branch may name one that does not exist yet', async () => {
      await setDefaultBranch(target, 'later');
      assert.equal(git(target, 'symbolic-ref', 'HEAD'), 'refs/heads/later');
      for (const branch of ['', '-d', '../x', 'a..b', 'a\n'])
        if (branch !== '-d') await assert.rejects(setDefaultBranch(target, branch), RefUpdateRefused);
      await setDefaultBranch(target, '-d');
      assert.equal(git(target, 'symbolic-ref', 'HEAD'), 'refs/heads/-d');
    });

    test('leaves no process', async () => {
      target.refWriters?.close();
      await eventually(() => program.processes === 0);
    });

    test('takes names as git does', () => {
      const names = [
        'a',
        'a/b',
        '@',
        'a@b',
        '{',
        'a.lock',
        'a.lock/b',
        '.a',
        'a/.b',
        'a.',
        'a//b',
        'a/',
        '@{',
        'a..b',
      ];
      const odd = [
        '-x',
        'a~',
        'a^',
        'a:',
        'a?',
        'a*',
        'a[',
        'a\\',
        'a\x7f',
        'a\tb',
        'ü',
        "'",
        '"',
        '$(x)',
        '..',
        '%',
      ];
      for (const name of [...names, ...odd]) {
        const full = `refs/heads/${name}`;
        let isAllowed = true;
        try {
          git(target, 'check-ref-format', full);
        } catch {
          isAllowed = false;
        }
        assert.equal(isValidRefName(full), isAllowed, JSON.stringify(full));
      }
    });
  });

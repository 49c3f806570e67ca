// The commits that last changed the entries of a folder.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { addCommit, needsGit, openTestRepository } from '../fixture-repository.ts';
import type { GitTarget } from '../git-target.ts';
import { updateRefs } from '../refs/update-refs.ts';
import { findLastChanges } from './last-changes.ts';

describe('last changes', needsGit, () => {
  let target: GitTarget;
  before(() => {
    target = openTestRepository();
  });

  const lastIn = async (oid: string, path: string, ...names: string[]) =>
    Object.fromEntries(await findLastChanges(target, { oid, path, names: new Set(names) }));

  test('each entry has the newest commit that changed it or something in it', async () => {
    const first = await addCommit(
      target,
      { 'a.txt': '1', 'b/c.txt': '1', 'b/d/e.txt': '1' },
      { branch: 'entries' },
    );
    const second = await addCommit(
      target,
      { 'a.txt': '1', 'b/c.txt': '1', 'b/d/e.txt': '2' },
      { branch: 'entries', parents: [first] },
    );
    const third = await addCommit(
      target,
      { 'b/c.txt': '3', 'b/d/e.txt': '2', 'new.txt': '3' },
      { branch: 'entries', parents: [second] },
    );
    assert.deepEqual(await lastIn(second, '', 'a.txt', 'b'), { 'a.txt': first, b: second });
    assert.deepEqual(await lastIn(third, '', 'b', 'new.txt'), { b: third, 'new.txt': third });
    assert.deepEqual(await lastIn(third, 'b', 'c.txt', 'd'), { 'c.txt': third, d: second });
    assert.deepEqual(await lastIn(third, 'b/d', 'e.txt', 'none'), { 'e.txt': second });
  });

  test('names that look like output of git or patterns mean themselves', async () => {
    const fake = `commit ${'a'.repeat(40)}`;
    const files = {
      [fake]: '1',
      '100644 :100644 x': '1',
      'odd\t"näme"\n.txt': '1',
      '[b]*/x': '1',
      'b/x': '1',
    };
    const first = await addCommit(target, files, { branch: 'odd' });
    const second = await addCommit(target, { ...files, 'b/x': '2' }, { branch: 'odd', parents: [first] });
    const names = [fake, ':100644 x', 'odd\t"näme"\n.txt', '[b]*'];
    assert.deepEqual(await lastIn(second, '', ...names, 'b'), {
      ...Object.fromEntries(names.map((name) => [name, first])),
      b: second,
    });
    assert.deepEqual(await lastIn(second, '[b]*', 'x'), { x: first });
  });

  test('a merge that settles a file counts, and one that only joins does not', async () => {
    const base = await addCommit(target, { a: '1', b: '1', c: '1' }, { branch: 'merge' });
    const left = await addCommit(target, { a: '2', b: '1', c: '2' }, { branch: 'merge', parents: [base] });
    await updateRefs(target, [{ name: 'refs/heads/right', from: undefined, to: base }]);
    const right = await addCommit(target, { a: '1', b: '3', c: '3' }, { branch: 'right', parents: [base] });
    const merge = await addCommit(
      target,
      { a: '2', b: '3', c: '23' },
      { branch: 'merge', parents: [left, right] },
    );
    assert.deepEqual(await lastIn(merge, '', 'a', 'b', 'c'), { a: left, b: right, c: merge });
  });
});

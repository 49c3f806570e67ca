// Two commits merge as git merges them, every kind of conflict differs from a clean result, and nothing is left behind.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  addCommit,
  buildTreeBomb,
  git,
  needsGit,
  openTestRepository,
  program,
  somebody,
  type TestFiles,
} from '../fixture-repository.ts';
import type { GitTarget } from '../git-target.ts';
import { buildCommit, type NewObject } from '../objects/new-object.ts';
import { updateRefs } from '../refs/update-refs.ts';
import { writeObjects } from '../objects/write-objects.ts';
import { GitError } from '../process/git-process.ts';
import { GitLimitExceeded, isStoppedByLimits } from '../process/process-limits.ts';
import { listObjectFiles } from './fixture-merge.ts';
import { mergeTrees } from './merge-trees.ts';

const LINES = Array.from({ length: 40 }, (_, line) => `line ${line}\n`);
const TEXT = LINES.join('');
const changed = (line: number, text: string) => LINES.with(line, `${text}\n`).join('');
const [SUB_1, SUB_2, SUB_3] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [string, string, string];

describe('a merge of two commits', needsGit, () => {
  let target: GitTarget;
  let names = 0;
  before(() => {
    target = openTestRepository();
  });

  const objectsOf = () => listObjectFiles(target);
  async function commits(ancestor: TestFiles, base: TestFiles, head: TestFiles): Promise<[string, string]> {
    names += 1;
    const root = await addCommit(target, ancestor, { branch: `head-${names}` });
    await updateRefs(target, [{ name: `refs/heads/base-${names}`, from: undefined, to: root }]);
    return [
      await addCommit(target, base, { branch: `base-${names}`, parents: [root] }),
      await addCommit(target, head, { branch: `head-${names}`, parents: [root] }),
    ];
  }
  async function merge(ancestor: TestFiles, base: TestFiles, head: TestFiles) {
    const [one, other] = await commits(ancestor, base, head);
    const untouched = objectsOf();
    const merged = await mergeTrees(target, one, other);
    assert.deepEqual(objectsOf(), untouched);
    return merged;
  }

  test('of changes in different places is clean, and its tree is not in the repository', async () => {
    const merged = await merge(
      { a: TEXT, b: 'b\n' },
      { a: changed(1, 'base'), b: 'b\n' },
      { a: changed(30, 'head'), b: 'b\n', 'new/c': 'c\n' },
    );
    assert.equal(merged.kind, 'clean');
    assert.throws(() => git(target, 'cat-file', '-e', merged.kind === 'clean' ? merged.tree : ''));
  });

  test('takes the tree of a side that contains the other', async () => {
    const [one] = await commits({ a: '1\n' }, { a: '2\n' }, { a: '1\n' });
    const root = git(target, 'rev-parse', `${one}^`);
    const tree = git(target, 'rev-parse', `${one}^{tree}`);
    assert.deepEqual(await mergeTrees(target, root, one), { kind: 'clean', tree });
    assert.deepEqual(await mergeTrees(target, one, root), { kind: 'clean', tree });
    assert.deepEqual(await mergeTrees(target, one, one), { kind: 'clean', tree });
  });

  const moved = changed(20, 'moved');
  const CONFLICTS: [string, string[], TestFiles, TestFiles, TestFiles][] = [
    ['content', ['a'], { a: TEXT }, { a: changed(3, 'base') }, { a: changed(3, 'head') }],
    ['content of a file that both add', ['n'], { a: '1' }, { a: '1', n: 'x\n' }, { a: '1', n: 'y\n' }],
    [
      'a file that one side deletes and the other changes',
      ['a'],
      { a: TEXT, b: '' },
      { b: '' },
      { a: moved, b: '' },
    ],
    ['a file that both sides rename', ['a', 'b', 'c'], { a: TEXT }, { b: TEXT }, { c: TEXT }],
    [
      'two files that are renamed to one',
      ['c'],
      { a: TEXT, b: moved.repeat(3) },
      { c: TEXT, b: moved.repeat(3) },
      { a: TEXT, c: moved.repeat(3) },
    ],
    ['a renamed file that the other side deletes', ['b'], { a: TEXT, x: '' }, { b: TEXT, x: '' }, { x: '' }],
    [
      'a file and a folder of one name',
      ['d'],
      { a: '1' },
      { a: '1', d: 'file\n' },
      { a: '1', 'd/x': 'in\n' },
    ],
    ['a submodule', ['s'], { '160000 s': SUB_1 }, { '160000 s': SUB_2 }, { '160000 s': SUB_3 }],
    ['a submodule and a file', ['s'], { a: '' }, { a: '', '160000 s': SUB_2 }, { a: '', s: 'file\n' }],
    ['the kind of a file', ['k'], { k: TEXT }, { '120000 k': 'target' }, { k: moved }],
    ['modes of a file that both add', ['m'], { a: '' }, { a: '', '100755 m': 'x\n' }, { a: '', m: 'x\n' }],
    [
      'binary content',
      ['z'],
      { z: Buffer.from([0, 1]) },
      { z: Buffer.from([0, 2]) },
      { z: Buffer.from([0, 3]) },
    ],
    ['names with line breaks', ['a\n"ü"'], { 'a\n"ü"': '1\n' }, { 'a\n"ü"': '2\n' }, { 'a\n"ü"': '3\n' }],
  ];
  for (const [what, paths, ancestor, base, head] of CONFLICTS)
    test(`has a conflict of ${what}`, async () => {
      const merged = await merge(ancestor, base, head);
      assert.equal(merged.kind, 'conflicts');
      const found = merged.kind === 'conflicts' ? merged.paths : [];
      assert.deepEqual(found, paths);
    });

  test('names the first thousand files of a conflict', async () => {
    const all = (text: string) =>
      Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`f${String(i).padStart(4, '0')}`, text]));
    const merged = await merge(all('1\n'), all('2\n'), all('3\n'));
    assert.equal(merged.kind === 'conflicts' && merged.paths.length, 1000);
  });

  test('of unrelated histories is an answer of its own', async () => {
    const one = await addCommit(target, { a: '1' }, { branch: 'island-1', message: 'one' });
    const other = await addCommit(target, { b: '1' }, { branch: 'island-2', message: 'other' });
    assert.deepEqual(await mergeTrees(target, one, other), { kind: 'unrelated' });
  });

  test('of what is no commit, or no id, fails', async () => {
    const one = await addCommit(target, { a: '1' }, { branch: 'only' });
    await assert.rejects(mergeTrees(target, one, '1'.repeat(40)), GitError);
    await assert.rejects(mergeTrees(target, one, git(target, 'rev-parse', `${one}^{tree}`)), GitError);
    for (const id of ['main', '--help', '']) await assert.rejects(mergeTrees(target, one, id), /not the id/);
    assert.deepEqual(
      objectsOf().filter((name) => name.includes('tmp')),
      [],
    );
  });

  test('with a tree that stands for billions of files is refused, and leaves nothing behind', async () => {
    const root = await addCommit(target, { a: '1' }, { branch: 'bombed' });
    const objects: NewObject[] = [];
    const tree = buildTreeBomb(10, 10, objects);
    const commit = { tree, parents: [root], author: somebody, committer: somebody, message: 'bomb' };
    const bomb = buildCommit(commit);
    await writeObjects(target, [...objects, bomb]);
    const base = await addCommit(target, { a: '2' }, { branch: 'bombed', parents: [root] });
    const untouched = objectsOf();
    const error: unknown = await mergeTrees(target, base, bomb.oid).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof GitLimitExceeded && isStoppedByLimits(error), String(error));
    assert.deepEqual(objectsOf(), untouched);
  });

  test('that is given up leaves neither a process nor a file behind', async () => {
    const [one, other] = await commits({ a: TEXT }, { a: changed(1, 'x') }, { a: changed(30, 'y') });
    const untouched = objectsOf();
    const given = new AbortController();
    const merging = mergeTrees({ ...target, signal: given.signal }, one, other);
    given.abort(new Error('gone'));
    await assert.rejects(merging, /gone/);
    assert.deepEqual(objectsOf(), untouched);
    assert.equal(program.processes, 0);
  });
});

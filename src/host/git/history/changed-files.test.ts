// Files that differ between two commits, by name, and when two differences are the same.
import assert from 'node:assert/strict';
import { gitTest as test } from '../../../../test/git-tests.ts';
import { addCommit, openTestRepository } from '../fixture-repository.ts';
import { digestDifference, listChangedPaths } from './changed-files.ts';

test('all files are listed, those that moved with both names', async () => {
  const target = openTestRepository();
  const files = { 'a.txt': 'a', 'old/b.txt': 'moved', 'same.txt': 'same' };
  const from = await addCommit(target, files);
  const next = { 'new/b.txt': 'moved', 'same.txt': 'same', 'odd\n"name" ü': 'x' };
  const to = await addCommit(target, next, { parents: [from] });
  const paths = ['a.txt', 'new/b.txt', 'odd\n"name" ü', 'old/b.txt'];
  assert.deepEqual((await listChangedPaths(target, { from, to })).sort(), paths);
  assert.deepEqual((await listChangedPaths(target, { from: undefined, to: from })).sort(), [
    'a.txt',
    'old/b.txt',
    'same.txt',
  ]);
  assert.deepEqual(await listChangedPaths(target, { from, to: from }), []);
});

test('a difference is the same where the same files change in the same way, whatever else is there', async () => {
  const target = openTestRepository();
  const base = await addCommit(target, { a: '1', b: '1' });
  const head = await addCommit(target, { a: '2', b: '1' }, { branch: 'head', parents: [] });
  const newer = await addCommit(target, { a: '1', b: '2' }, { parents: [base] });
  const merged = await addCommit(target, { a: '2', b: '2' }, { branch: 'merged', parents: [] });
  const touched = await addCommit(target, { a: '0', b: '1' }, { branch: 'touched', parents: [] });
  const mode = await addCommit(target, { '100755 a': '2', b: '1' }, { branch: 'mode', parents: [] });
  const digest = await digestDifference(target, { from: base, to: head });
  assert.equal(await digestDifference(target, { from: newer, to: merged }), digest);
  assert.notEqual(await digestDifference(target, { from: touched, to: head }), digest);
  assert.notEqual(await digestDifference(target, { from: base, to: mode }), digest);
  assert.notEqual(await digestDifference(target, { from: base, to: merged }), digest);
});

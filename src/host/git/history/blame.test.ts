// The commits that lines of a file come from.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { addCommit, needsGit, openTestRepository } from '../fixture-repository.ts';
import type { GitTarget } from '../git-target.ts';
import { blameLines } from './blame.ts';

describe('blame', needsGit, () => {
  let target: GitTarget;
  before(() => {
    target = openTestRepository();
  });

  test('lines of one commit that follow each other are a block, which names the file before it', async () => {
    const first = await addCommit(target, { 'a.txt': '1\n2\n3\n4\n' }, { branch: 'blocks' });
    const second = await addCommit(
      target,
      { 'a.txt': '1\ntwo\n3\n4\nfive' },
      { branch: 'blocks', parents: [first] },
    );
    const file = { oid: second, path: 'a.txt' };
    const added = { oid: second, path: 'a.txt', previous: { oid: first, path: 'a.txt' } };
    const old = { oid: first, path: 'a.txt' };
    assert.deepEqual(await blameLines(target, file, { from: 1, to: 5 }), [
      { ...old, from: 1, to: 1, originalFrom: 1 },
      { ...added, from: 2, to: 2, originalFrom: 2 },
      { ...old, from: 3, to: 4, originalFrom: 3 },
      { ...added, from: 5, to: 5, originalFrom: 5 },
    ]);
    assert.deepEqual(await blameLines(target, file, { from: 4, to: 4 }), [
      { ...old, from: 4, to: 4, originalFrom: 4 },
    ]);
  });

  test('a file that was renamed keeps its lines, also with names that git writes in quotes', async () => {
    const odd = 'odd\t"näme"\\\n.txt';
    const text = 'one\ntwo\nthree\nfour\nfive\n';
    const first = await addCommit(target, { [odd]: text }, { branch: 'names' });
    const second = await addCommit(
      target,
      { '-L1,1 new.txt': `${text}six\n` },
      { branch: 'names', parents: [first] },
    );
    const blocks = await blameLines(target, { oid: second, path: '-L1,1 new.txt' }, { from: 1, to: 6 });
    assert.deepEqual(blocks, [
      { from: 1, to: 5, originalFrom: 1, oid: first, path: odd },
      {
        from: 6,
        to: 6,
        originalFrom: 6,
        oid: second,
        path: '-L1,1 new.txt',
        previous: { oid: first, path: odd },
      },
    ]);
  });

  test('a caller who leaves ends it', async () => {
    const first = await addCommit(target, { 'a.txt': '1\n' }, { branch: 'left' });
    const reason = new Error('the client has left');
    const left = { ...target, signal: AbortSignal.abort(reason) };
    await assert.rejects(blameLines(left, { oid: first, path: 'a.txt' }, { from: 1, to: 1 }), reason);
    await assert.rejects(
      blameLines(target, { oid: '--version', path: 'a.txt' }, { from: 1, to: 1 }),
      /id of an object/,
    );
  });
});

// What a pull request would bring: only what its head has since it left the base.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { Failure } from '../../../kernel/failure.ts';
import { addCommit, git, needsGit, openTestRepository, program } from '../fixture-repository.ts';
import type { GitTarget } from '../git-target.ts';
import { DIFF_TOO_LARGE } from '../history/diff.ts';
import { updateRefs } from '../refs/update-refs.ts';
import {
  listPullCommitIds,
  listPullFiles,
  MAX_PULL_COMMITS,
  measurePull,
  streamPullDiff,
  streamPullPatches,
} from './pull-changes.ts';

describe('the changes of a pull request', needsGit, () => {
  let target: GitTarget;
  let root: string;
  let base: string;
  let topic: string[];
  before(async () => {
    target = openTestRepository();
    root = await addCommit(target, { a: '1\n', b: '1\n' });
    await updateRefs(target, [{ name: 'refs/heads/topic', from: undefined, to: root }]);
    base = await addCommit(target, { a: '2\n', b: '1\n' }, { parents: [root] });
    const first = await addCommit(target, { a: '1\n', b: '2\n' }, { parents: [root], branch: 'topic' });
    const files = { a: '1\n', b: '2\n', c: 'new\nlines\n' };
    topic = [first, await addCommit(target, files, { parents: [first], branch: 'topic' })];
  });
  const textOf = async (chunks: AsyncIterable<Buffer>) =>
    Buffer.concat(await Array.fromAsync(chunks)).toString();

  test('are measured from where the two parted', async () => {
    assert.deepEqual(await measurePull(target, { base, head: topic[1]! }), {
      mergeBase: root,
      ahead: 2,
      behind: 1,
      files: 2,
      additions: 3,
      deletions: 1,
    });
    const island = await addCommit(target, { i: '1\n' }, { branch: 'island', message: 'island' });
    const unrelated = await measurePull(target, { base, head: island });
    assert.deepEqual([unrelated.mergeBase, unrelated.ahead, unrelated.files], [undefined, 1, 1]);
  });

  test('are its files with patches, and the same as text', async () => {
    const sides = { mergeBase: root, head: topic[1]! };
    const files = await listPullFiles(target, sides, {});
    assert.deepEqual(
      files.map(({ filename, status, patch }) => [filename, status, patch]),
      [
        ['b', 'modified', '@@ -1 +1 @@\n-1\n+2'],
        ['c', 'added', '@@ -0,0 +1,2 @@\n+new\n+lines'],
      ],
    );
    assert.deepEqual(await listPullFiles(target, sides, { skip: 3000, limit: 100 }), []);
    const diff = await textOf(streamPullDiff(target, sides));
    assert.match(diff, /^diff --git a\/b b\/b\n[^]*\ndiff --git a\/c b\/c\n/);
    const mails = await textOf(streamPullPatches(target, { base, head: topic[1]! }));
    assert.deepEqual(
      mails.match(/^From [0-9a-f]{40}/gm),
      topic.map((oid) => `From ${oid}`),
    );
  });

  test('that are too large as text are refused before the first byte', async () => {
    const words = Array.from({ length: 200_000 }, () => `${randomBytes(24).toString('hex')}\n`).join('');
    const head = await addCommit(target, { big: words }, { branch: 'big', message: 'big' });
    const isTooLarge = (error: unknown) =>
      error instanceof Failure && error.kind === 'too-large' && error.details.code === DIFF_TOO_LARGE;
    await assert.rejects(textOf(streamPullDiff(target, { mergeBase: root, head })), isTooLarge);
    await assert.rejects(textOf(streamPullPatches(target, { base, head })), isTooLarge);
  });

  test('are its commits, the oldest first, 250 of them', async () => {
    const ends = { base, head: topic[1]!, ahead: 2 };
    assert.deepEqual(await listPullCommitIds(target, ends, { limit: 30 }), topic);
    assert.deepEqual(await listPullCommitIds(target, ends, { skip: 1, limit: 30 }), [topic[1]]);
    const lines = Array.from(
      { length: MAX_PULL_COMMITS + 10 },
      (_, i) =>
        `commit refs/heads/long\ncommitter A <a@b.c> ${1_700_000_000 + i} +0000\ndata 2\nx\n${i === 0 ? `from ${base}\n` : ''}`,
    );
    const options = { folder: target.folder, input: lines.join(''), timeoutMs: 60_000, maxOutput: 1000 };
    await program.run(['fast-import', '--quiet'], options);
    const all = git(target, 'rev-list', '--reverse', `${base}..long`).split('\n');
    const long = { base, head: all.at(-1)!, ahead: all.length };
    assert.deepEqual(await listPullCommitIds(target, long, { skip: 0, limit: 100 }), all.slice(0, 100));
    assert.deepEqual(await listPullCommitIds(target, long, { skip: 200, limit: 100 }), all.slice(200, 250));
    assert.deepEqual(await listPullCommitIds(target, long, { skip: 300, limit: 100 }), []);
  });
});

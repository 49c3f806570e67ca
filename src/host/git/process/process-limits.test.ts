// What a repository that was made to exhaust the server costs: git is stopped by its limits, and large honest content passes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Failure } from '../../../kernel/failure.ts';
import { DIFF_TOO_LARGE, diffFiles, streamCommitPatch, streamDiff } from '../history/diff.ts';
import { runIn, startGit, type TestGit, buildTreeBomb, needsGit, somebody } from '../fixture-repository.ts';
import { packChain } from '../fixture-pack.ts';
import { logFiles } from '../history/history.ts';
import { buildBlob, buildCommit, type NewObject } from '../objects/new-object.ts';
import { GitLimitExceeded } from './process-limits.ts';
import type { GitRepository } from '../repository.ts';
import { writeObjects } from '../objects/write-objects.ts';

const MEBIBYTE = 1024 ** 2;

/** The system enforces the limit of memory on Linux only. */
const isLimited = process.platform === 'linux' ? needsGit : { skip: 'needs Linux and git' };

describe('a tree of a billion entries', isLimited, () => {
  let started: TestGit;
  let git: GitRepository;
  let commit: string;
  before(async () => {
    // Little, so that it is soon stopped.
    started = await startGit({ memoryBytes: 96 * MEBIBYTE });
    git = await started.git.createRepository(1, 'main');
    const objects: NewObject[] = [];
    const tree = buildTreeBomb(9, 10, objects);
    const made = buildCommit({ tree, parents: [], author: somebody, committer: somebody, message: 'x\n' });
    await writeObjects(git, [...objects, made]);
    commit = made.oid;
  });
  after(() => started.stop());

  test('is not compared', async () => {
    await assert.rejects(diffFiles(git, { from: undefined, to: commit }), GitLimitExceeded);
  });

  test('is not shown as a diff or patch', async () => {
    const isTooLarge = (error: unknown) => error instanceof Failure && error.details.code === DIFF_TOO_LARGE;
    for (const stream of [streamDiff(git, { from: undefined, to: commit }), streamCommitPatch(git, commit)])
      await assert.rejects(stream.next(), isTooLarge);
  });

  test('is logged without the names of its files', async () => {
    const range = { tip: commit, without: [], maxCommits: 10, maxFiles: 10 };
    assert.deepEqual(await logFiles(git, range), [{ oid: commit, added: [], removed: [], modified: [] }]);
  });
});

describe('a file of 100 MiB', needsGit, () => {
  let started: TestGit;
  let git: GitRepository;
  // Of little to compress, and not a delta by itself.
  const bytes = Buffer.alloc(100 * MEBIBYTE, randomBytes(16 * 1024));
  before(async () => {
    started = await startGit();
    git = await started.git.createRepository(1, 'main');
  });
  after(() => started.stop());

  async function lengthOf(oid: string): Promise<number> {
    let length = 0;
    for await (const chunk of git.streamBlob(oid)) length += chunk.length;
    return length;
  }

  test('is written and read, also as a delta of another', async () => {
    const one = buildBlob(bytes);
    await writeObjects(git, [one]);
    assert.equal(await lengthOf(one.oid), bytes.length);
    const start = Buffer.from('changed');
    const delta = { from: bytes.length, parts: [start, { at: 0, size: bytes.length }] };
    const pack = packChain(bytes, [delta]);
    await runIn(git, ['index-pack', '--stdin'], pack, 'transfer');
    const other = buildBlob(Buffer.concat([start, bytes]));
    assert.equal(await lengthOf(other.oid), other.bytes.length);
  });
});

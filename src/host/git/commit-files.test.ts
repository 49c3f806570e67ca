// Commits of changed files, in real repositories.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import { commitFiles, type FileChange } from './commit-files.ts';
import { findGit } from './process/git-environment.ts';
import { addCommit, git as runGit, needsGit, somebody, type TestFiles } from './fixture-repository.ts';
import { Git } from './git.ts';
import type { GitRepository } from './repository.ts';
import { RefUpdateRefused } from './refs/update-refs.ts';

suite('commits of files', needsGit, () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-git-'));
  let git: Git;
  let number = 0;
  before(async () => {
    git = new Git({ folder, installed: await findGit() });
  });
  after(async () => {
    await git.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const newRepository = async (files?: TestFiles): Promise<GitRepository> => {
    const repository = await git.createRepository((number += 1), 'main');
    if (files) await addCommit(repository, files);
    return repository;
  };
  const commit = async (repository: GitRepository, changes: Record<string, string | undefined>) => {
    const parent = await repository.resolveCommit('refs/heads/main');
    const list = Object.entries(changes).map(([path, text]): FileChange => ({
      path,
      content: text === undefined ? undefined : Buffer.from(text),
    }));
    return await commitFiles(repository, {
      ref: 'refs/heads/main',
      parent,
      changes: list,
      author: somebody,
      committer: somebody,
      message: 'change',
    });
  };
  const filesOf = (repository: GitRepository) =>
    runGit(repository, 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'main').split('\n').filter(Boolean);

  test('files are added, replaced and removed, with their folders', async () => {
    const repository = await newRepository({ 'a/b/c': '1', '100755 run': '2', z: '3' });
    await commit(repository, { 'a/b/c': undefined, run: 'new', 'd/e/f': 'x', 'd/g': 'y' });
    assert.deepEqual(filesOf(repository), ['100644 d/e/f', '100644 d/g', '100755 run', '100644 z']);
    assert.equal(runGit(repository, 'show', 'main:run'), 'new');
    assert.equal(runGit(repository, 'fsck', '--strict'), '');
  });

  test('the first commit creates the branch, and the last file leaves an empty tree', async () => {
    const repository = await newRepository();
    const { commit: first, blobs } = await commit(repository, { 'x/y': 'text' });
    assert.deepEqual(first.parents, []);
    assert.equal(blobs.get('x/y'), runGit(repository, 'rev-parse', 'main:x/y'));
    await commit(repository, { 'x/y': undefined });
    assert.deepEqual(filesOf(repository), []);
  });

  test('a folder takes the place of a file that is removed in the same commit', async () => {
    const repository = await newRepository({ a: '1' });
    await commit(repository, { a: undefined, 'a/b': '2' });
    assert.deepEqual(filesOf(repository), ['100644 a/b']);
  });

  test('what cannot be a file is refused, and changes nothing', async () => {
    const repository = await newRepository({ file: '1', 'dir/x': '2', '160000 sub': '1'.repeat(40) });
    const old = runGit(repository, 'rev-parse', 'main');
    for (const changes of [
      { dir: 'x' },
      { sub: 'x' },
      { 'file/below': 'x' },
      { 'sub/below': 'x' },
      { absent: undefined },
      { dir: undefined },
      { '../x': 'x' },
      { 'a/.git/config': 'x' },
      { 'a//b': 'x' },
      { '': 'x' },
      { new: 'x', 'new/below': 'y' },
    ])
      await assert.rejects(
        commit(repository, changes),
        (error) => error instanceof Failure && error.kind === 'invalid',
        JSON.stringify(changes),
      );
    assert.equal(runGit(repository, 'rev-parse', 'main'), old);
  });

  test('of two commits on the same parent one is refused', async () => {
    const repository = await newRepository({ a: '1' });
    const outcomes = await Promise.allSettled([
      commit(repository, { a: '2' }),
      commit(repository, { b: '3' }),
    ]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 1);
    assert.ok(refused[0]!.reason instanceof RefUpdateRefused);
  });
});

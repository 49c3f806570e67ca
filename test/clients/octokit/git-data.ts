// Scenarios of octokit: makes a commit from blobs, trees and references, as release programs do.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const target = { owner: 'admin', repo: 'product' };

export function describeGitData(suite: OctokitSuite): void {
  describe('git data', () => {
    let octokit: Octokit;
    before(async () => {
      octokit = suite.admin;
      await octokit.rest.repos.createForAuthenticatedUser({ name: target.repo, auto_init: true });
    });

    test('makes a release: a commit with several files, a moved branch and a tag', async () => {
      const { git, repos } = octokit.rest;
      const { data: main } = await git.getRef({ ...target, ref: 'heads/main' });
      const { data: last } = await git.getCommit({ ...target, commit_sha: main.object.sha });
      const { data: image } = await git.createBlob({
        ...target,
        content: Buffer.from([0, 1, 2, 255]).toString('base64'),
        encoding: 'base64',
      });
      const { data: tree } = await git.createTree({
        ...target,
        base_tree: last.tree.sha,
        tree: [
          { path: 'assets/logo.bin', mode: '100644', type: 'blob', sha: image.sha },
          { path: 'CHANGELOG.md', mode: '100644', type: 'blob', content: '# 1.0.0\n' },
          { path: 'README.md', mode: '100644', type: 'blob', sha: null },
        ],
      });
      const { data: commit } = await git.createCommit({
        ...target,
        message: 'chore: release 1.0.0',
        tree: tree.sha,
        parents: [last.sha],
        author: { name: 'Release bot', email: 'bot@example.com', date: '2026-11-16T15:00:00+01:00' },
      });
      await git.updateRef({ ...target, ref: 'heads/main', sha: commit.sha });
      const { data: tag } = await git.createTag({
        ...target,
        tag: 'v1.0.0',
        message: 'Version 1.0.0',
        object: commit.sha,
        type: 'commit',
      });
      await git.createRef({ ...target, ref: 'refs/tags/v1.0.0', sha: tag.sha });

      const { data: branch } = await repos.getBranch({ ...target, branch: 'main' });
      assert.equal(branch.commit.sha, commit.sha);
      assert.equal(branch.commit.commit.message, 'chore: release 1.0.0');
      const { data: whole } = await git.getTree({ ...target, tree_sha: 'v1.0.0', recursive: 'true' });
      assert.deepEqual(
        whole.tree.map(({ path, type, size }) => [path, type, size]),
        [
          ['CHANGELOG.md', 'blob', 8],
          ['assets', 'tree', undefined],
          ['assets/logo.bin', 'blob', 4],
        ],
      );
      const { data: blob } = await git.getBlob({ ...target, file_sha: image.sha });
      assert.deepEqual([...Buffer.from(blob.content, 'base64')], [0, 1, 2, 255]);
      const raw = await git.getBlob({ ...target, file_sha: image.sha, mediaType: { format: 'raw' } });
      assert.equal(raw.status, 200);
      const { data: tags } = await repos.listTags(target);
      assert.deepEqual(
        tags.map((one) => [one.name, one.commit.sha]),
        [['v1.0.0', commit.sha]],
      );
      assert.equal((await git.getTag({ ...target, tag_sha: tag.sha })).data.object.sha, commit.sha);
      const { data: matching } = await git.listMatchingRefs({ ...target, ref: 'tags/v1' });
      assert.deepEqual(
        matching.map(({ ref }) => ref),
        ['refs/tags/v1.0.0'],
      );
      const all = await octokit.paginate('GET /repos/{owner}/{repo}/git/refs', { ...target, per_page: 1 });
      assert.deepEqual(
        (all as { ref: string }[]).map(({ ref }) => ref),
        ['refs/heads/main', 'refs/tags/v1.0.0'],
      );
      const { data: heads } = await repos.listBranchesForHeadCommit({ ...target, commit_sha: commit.sha });
      assert.deepEqual(
        heads.map(({ name }) => name),
        ['main'],
      );
      const { data: contributors } = await repos.listContributors({ ...target, anon: '1' });
      assert.deepEqual(
        new Set(contributors.map((one) => one.login ?? one.name)),
        new Set(['admin', 'Release bot']),
      );
    });

    test('renames and deletes branches, and sees why it cannot', async () => {
      const { git, repos } = octokit.rest;
      const { data: main } = await git.getRef({ ...target, ref: 'heads/main' });
      await git.createRef({ ...target, ref: 'refs/heads/feature/a', sha: main.object.sha });
      const { data: renamed } = await repos.renameBranch({
        ...target,
        branch: 'feature/a',
        new_name: 'feature/b',
      });
      assert.equal(renamed.name, 'feature/b');
      const branches = await octokit.paginate(repos.listBranches, { ...target, per_page: 1 });
      assert.deepEqual(
        branches.map(({ name }) => name),
        ['feature/b', 'main'],
      );
      const sha = main.object.sha;
      await assert.rejects(
        git.createRef({ ...target, ref: 'refs/heads/feature/b', sha }),
        isStatus(422, 'already exists'),
      );
      for (const [ref, reason] of [
        ['heads/none', 'Reference does not exist'],
        ['heads/main', 'default branch'],
      ] as const)
        await assert.rejects(git.deleteRef({ ...target, ref }), isStatus(422, reason));
      await git.deleteRef({ ...target, ref: 'heads/feature/b' });
      await assert.rejects(repos.getBranch({ ...target, branch: 'feature/b' }), isStatus(404));
    });
  });
}

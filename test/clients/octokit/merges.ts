// Scenarios of octokit: branches that are merged into others, with and without pull requests.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { addCommit } from '../../../src/host/git/fixture-repository.ts';
import type { GitRepository } from '../../../src/host/git/repository.ts';
import { recordPushes } from '../../../src/host/pushes/record-pushes.ts';
import { eventually } from '../../eventually.ts';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitMember, type OctokitSuite } from './suite.ts';

const place = { owner: 'admin', repo: 'merging' };

export function describeMerges(suite: OctokitSuite): void {
  describe('merges of branches', () => {
    let octokit: Octokit;
    let forker: OctokitMember;
    let git: GitRepository;
    let root: string;
    before(async () => {
      octokit = suite.admin;
      forker = await suite.join('forker');
      const { data } = await octokit.rest.repos.createForAuthenticatedUser({ name: 'merging' });
      const { kernel } = suite.server.app;
      git = kernel.services.git.repository(data.id);
      root = await addCommit(git, { 'a.txt': 'a\n' });
      await recordPushes(kernel, data.id);
      await forker.octokit.rest.repos.createFork(place);
      for (const branch of ['feature', 'other']) {
        await octokit.rest.git.createRef({ ...place, ref: `refs/heads/${branch}`, sha: root });
        const content = Buffer.from(`${branch}\n`).toString('base64');
        const file = { ...place, path: 'b.txt', message: 'Add b', content, branch };
        await octokit.rest.repos.createOrUpdateFileContents(file);
      }
    });

    test('a pull request is brought up to date, and says whether it can be merged', async () => {
      const { pulls, repos } = octokit.rest;
      const { data: opened } = await pulls.create({ ...place, title: 'One', head: 'feature', base: 'main' });
      const one = { ...place, pull_number: opened.number };
      await eventually(async () => (await pulls.get(one)).data.mergeable === true, 'the answer');
      const { status } = await repos.merge({ ...place, base: 'main', head: 'other' });
      assert.equal(status, 201);
      await eventually(async () => (await pulls.get(one)).data.mergeable === false, 'the conflict');
      await assert.rejects(pulls.updateBranch(one), isStatus(422));
      await assert.rejects(repos.merge({ ...place, base: 'main', head: 'feature' }), isStatus(409));
      assert.equal((await repos.merge({ ...place, base: 'main', head: 'other' })).status, 204);
      await octokit.rest.git.createRef({ ...place, ref: 'refs/heads/late', sha: root });
      const content = Buffer.from('c\n').toString('base64');
      const file = { ...place, path: 'c.txt', message: 'Add c', content, branch: 'late' };
      await repos.createOrUpdateFileContents(file);
      const { data: late } = await pulls.create({ ...place, title: 'Two', head: 'late', base: 'main' });
      const updated = await pulls.updateBranch({
        ...place,
        pull_number: late.number,
        expected_head_sha: late.head.sha,
      });
      assert.equal(updated.status, 202);
    });

    test('a fork is brought up to date', async () => {
      const { repos } = forker.octokit.rest;
      const fork = { owner: 'forker', repo: 'merging', branch: 'main' };
      await eventually(async () => (await repos.getBranch(fork).catch(() => undefined)) !== undefined, 'it');
      assert.equal((await repos.mergeUpstream(fork)).data.merge_type, 'fast-forward');
      assert.equal((await repos.mergeUpstream(fork)).data.merge_type, 'none');
      await assert.rejects(octokit.rest.repos.mergeUpstream({ ...place, branch: 'main' }), isStatus(422));
    });
  });
}

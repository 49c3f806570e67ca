// Scenarios of octokit: commits, comparisons, statuses, forks, transfers and templates.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { addCommit } from '../../../src/host/git/fixture-repository.ts';
import { createTestOrganization } from '../../conformance/host/organization-calls.ts';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const demo = { owner: 'admin', repo: 'demo' };

export function describeCommits(suite: OctokitSuite): void {
  describe('commits', () => {
    let octokit: Octokit;
    let repos: Octokit['rest']['repos'];
    let first: string;
    let second: string;
    before(async () => {
      octokit = suite.admin;
      ({ repos } = octokit.rest);
      await createTestOrganization(suite.server, 'forkers');
      const { data } = await repos.createForAuthenticatedUser({ name: 'demo', is_template: true });
      const git = suite.server.app.kernel.services.git.repository(data.id);
      const author = { name: 'Admin', email: 'admin@signalbox.example', time: 1_700_000_000_000, zone: 0 };
      first = await addCommit(git, { 'a.txt': 'a\n' }, { author, message: 'first\n' });
      second = await addCommit(git, { 'a.txt': 'b\n' }, { author, parents: [first], message: 'second\n' });
      await addCommit(git, { 'x.txt': 'x\n' }, { author, branch: 'feature/x', message: 'other\n' });
    });

    test('pages through commits, and gets one in each form', async () => {
      const all = await octokit.paginate(repos.listCommits, { ...demo, per_page: 1, author: 'admin' });
      assert.deepEqual(
        all.map(({ sha, author }) => [sha, author?.['login']]),
        [second, first].map((sha) => [sha, 'admin']),
      );
      const { data } = await repos.getCommit({ ...demo, ref: 'feature/x' });
      assert.deepEqual(
        data.files?.map(({ filename, status }) => [filename, status]),
        [['x.txt', 'added']],
      );
      const sha: unknown = (await repos.getCommit({ ...demo, ref: 'main', mediaType: { format: 'sha' } }))
        .data;
      assert.equal(sha, second);
      const diff: unknown = (await repos.getCommit({ ...demo, ref: 'main', mediaType: { format: 'diff' } }))
        .data;
      assert.match(diff as string, /^diff --git a\/a.txt b\/a.txt/);
      await assert.rejects(repos.getCommit({ ...demo, ref: 'none' }), isStatus(422));
    });

    test('compares commits', async () => {
      const { data } = await repos.compareCommitsWithBasehead({ ...demo, basehead: `${first}...main` });
      assert.deepEqual([data.status, data.ahead_by, data.commits[0]?.sha], ['ahead', 1, second]);
      const { data: same } = await repos.compareCommits({ ...demo, base: 'main', head: second });
      assert.equal(same.status, 'identical');
    });

    test('reports statuses of a commit', async () => {
      const status = { ...demo, sha: second, context: 'ci', target_url: 'https://ci.example/1' };
      assert.equal((await repos.createCommitStatus({ ...status, state: 'pending' })).status, 201);
      await repos.createCommitStatus({ ...status, state: 'success', description: 'Done' });
      const { data } = await repos.getCombinedStatusForRef({ ...demo, ref: 'main' });
      assert.deepEqual([data.state, data.total_count, data.repository.name], ['success', 1, 'demo']);
      const list = await octokit.paginate(repos.listCommitStatusesForRef, {
        ...demo,
        ref: 'main',
        per_page: 1,
      });
      assert.deepEqual(
        list.map(({ state, creator }) => [state, creator?.login]),
        [
          ['success', 'admin'],
          ['pending', 'admin'],
        ],
      );
      assert.equal(
        (await repos.getCombinedStatusForRef({ ...demo, ref: 'feature/x' })).data.state,
        'pending',
      );
    });

    test('forks a repository, uses it as a template, and transfers it', async () => {
      const { data: fork, status } = await repos.createFork({ ...demo, organization: 'forkers' });
      assert.deepEqual([status, fork.full_name, fork.parent?.full_name], [202, 'forkers/demo', 'admin/demo']);
      const forks = await octokit.paginate(repos.listForks, { ...demo, per_page: 1 });
      assert.deepEqual(
        forks.map((one) => one.full_name),
        ['forkers/demo'],
      );
      const basehead = 'main...forkers:main';
      assert.equal((await repos.compareCommitsWithBasehead({ ...demo, basehead })).data.status, 'identical');
      const { data: made } = await repos.createUsingTemplate({
        template_owner: 'admin',
        template_repo: 'demo',
        name: 'made',
      });
      assert.equal((await repos.listCommits({ owner: 'admin', repo: 'made' })).data.length, 1);
      const { data: moved } = await repos.transfer({ owner: 'admin', repo: made.name, new_owner: 'forkers' });
      assert.equal(moved.full_name, 'forkers/made');
      assert.equal((await repos.get({ owner: 'admin', repo: 'made' })).data.full_name, 'forkers/made');
    });
  });
}

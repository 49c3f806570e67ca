// Scenarios of octokit: pull requests, their commits and files.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { addCommit } from '../../../src/host/git/fixture-repository.ts';
import { recordPushes } from '../../../src/host/pushes/record-pushes.ts';
import { eventually } from '../../eventually.ts';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const place = { owner: 'admin', repo: 'pulled' };
const first = { ...place, pull_number: 1 };

export function describePulls(suite: OctokitSuite): void {
  describe('pull requests', () => {
    let octokit: Octokit;
    let pulls: Octokit['rest']['pulls'];
    let head: string;
    before(async () => {
      octokit = suite.admin;
      ({ pulls } = octokit.rest);
      const { data } = await octokit.rest.repos.createForAuthenticatedUser({ name: 'pulled' });
      const { kernel } = suite.server.app;
      const git = kernel.services.git.repository(data.id);
      const root = await addCommit(git, { 'a.txt': 'a\n' });
      await addCommit(git, { 'x.txt': 'x\n' }, { branch: 'first' });
      await recordPushes(kernel, data.id);
      const ref = { ...place, ref: 'refs/heads/feature', sha: root };
      await octokit.rest.git.createRef(ref);
      const content = Buffer.from('b\n').toString('base64');
      const file = { ...place, path: 'b.txt', message: 'Add b', content, branch: 'feature' };
      head = (await octokit.rest.repos.createOrUpdateFileContents(file)).data.commit.sha!;
    });

    test('opens a pull request, and reads it in each form', async () => {
      const { status, data } = await pulls.create({ ...place, title: 'One', head: 'feature', base: 'main' });
      assert.deepEqual([status, data.number, data.head.sha, data.merged], [201, 1, head, false]);
      assert.equal((await pulls.get(first)).data.base.repo.full_name, 'admin/pulled');
      const diff: unknown = (await pulls.get({ ...first, mediaType: { format: 'diff' } })).data;
      assert.match(diff as string, /^diff --git a\/b.txt b\/b.txt/);
      const patch: unknown = (await pulls.get({ ...first, mediaType: { format: 'patch' } })).data;
      assert.match(patch as string, /^Subject: \[PATCH\] Add b$/m);
      const { data: html } = await pulls.get({ ...first, mediaType: { format: 'full' } });
      assert.equal(html.title, 'One');
      const again = pulls.create({ ...place, title: 'Two', head: 'feature', base: 'main' });
      await assert.rejects(again, isStatus(422));
      const unrelated = pulls.create({ ...place, title: 'Two', head: 'first', base: 'main' });
      await assert.rejects(unrelated, isStatus(422));
    });

    test('pages through pull requests, commits and files', async () => {
      const all = await octokit.paginate(pulls.list, { ...place, head: 'admin:feature', per_page: 1 });
      assert.deepEqual(
        all.map(({ number }) => number),
        [1],
      );
      const commits = await octokit.paginate(pulls.listCommits, { ...first, per_page: 1 });
      assert.deepEqual(
        commits.map(({ sha }) => sha),
        [head],
      );
      const files = await octokit.paginate(pulls.listFiles, { ...first, per_page: 1 });
      assert.deepEqual(
        files.map(({ filename, additions }) => [filename, additions]),
        [['b.txt', 1]],
      );
      const of = { ...place, commit_sha: head };
      const { data } = await octokit.rest.repos.listPullRequestsAssociatedWithCommit(of);
      assert.deepEqual(
        data.map(({ number }) => number),
        [1],
      );
    });

    test('changes a pull request, and asks whether it is merged', async () => {
      const { data } = await pulls.update({ ...first, title: 'Other', state: 'closed' });
      assert.deepEqual([data.title, data.state], ['Other', 'closed']);
      assert.equal((await pulls.update({ ...first, state: 'open' })).data.state, 'open');
      await assert.rejects(pulls.checkIfMerged(first), isStatus(404));
      await octokit.rest.git.updateRef({ ...place, ref: 'heads/main', sha: head });
      await eventually(async () => (await pulls.get(first)).data.merged, 'the push to the base');
      assert.equal((await pulls.checkIfMerged(first)).status, 204);
    });

    test('merges a pull request', async () => {
      await octokit.rest.git.createRef({ ...place, ref: 'refs/heads/second', sha: head });
      const content = Buffer.from('c\n').toString('base64');
      const file = { ...place, path: 'c.txt', message: 'Add c', content, branch: 'second' };
      const { data: written } = await octokit.rest.repos.createOrUpdateFileContents(file);
      const { data: opened } = await pulls.create({ ...place, title: 'Two', head: 'second', base: 'main' });
      const second = { ...place, pull_number: opened.number };
      await assert.rejects(pulls.merge({ ...second, sha: head }), isStatus(409));
      const { data } = await pulls.merge({ ...second, sha: written.commit.sha!, merge_method: 'squash' });
      assert.equal(data.merged, true);
      assert.equal((await pulls.get(second)).data.merge_commit_sha, data.sha);
      await assert.rejects(pulls.merge(second), isStatus(405));
    });
  });
}

// Scenarios of octokit: reviews of a pull request, and requests for them.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const place = { owner: 'admin', repo: 'reviewed' };
const first = { ...place, pull_number: 1 };

export function describeReviews(suite: OctokitSuite): void {
  describe('reviews', () => {
    let own: Octokit['rest']['pulls'];
    let others: Octokit['rest']['pulls'];
    let sha: string;

    before(async () => {
      const { rest } = suite.admin;
      const rita = await suite.join('rita');
      ({ pulls: own } = rest);
      ({ pulls: others } = rita.octokit.rest);
      await rest.repos.createForAuthenticatedUser({ name: place.repo, auto_init: true });
      await rest.repos.addCollaborator({ ...place, username: 'rita', permission: 'push' });
      const { data: main } = await rest.git.getRef({ ...place, ref: 'heads/main' });
      await rest.git.createRef({ ...place, ref: 'refs/heads/topic', sha: main.object.sha });
      const content = Buffer.from('b\n').toString('base64');
      const file = { ...place, path: 'b.txt', message: 'Add b', content, branch: 'topic' };
      sha = (await rest.repos.createOrUpdateFileContents(file)).data.commit.sha!;
      await own.create({ ...place, title: 'One', head: 'topic', base: 'main' });
    });

    test('requests a review, and takes the request back', async () => {
      const { status, data } = await own.requestReviewers({ ...first, reviewers: ['rita'] });
      assert.deepEqual([status, data.requested_reviewers!.map(({ login }) => login)], [201, ['rita']]);
      const { data: asked } = await own.listRequestedReviewers(first);
      assert.deepEqual([asked.users.map(({ login }) => login), asked.teams], [['rita'], []]);
      const { data: left } = await own.removeRequestedReviewers({ ...first, reviewers: ['rita'] });
      assert.deepEqual(left.requested_reviewers, []);
      await assert.rejects(own.requestReviewers({ ...first, reviewers: ['admin'] }), isStatus(422));
    });

    test('writes a review, submits it, changes and dismisses it', async () => {
      const { status, data: pending } = await others.createReview({ ...first, body: 'A look' });
      assert.deepEqual([status, pending.state, pending.commit_id], [200, 'PENDING', sha]);
      const one = { ...first, review_id: pending.id };
      assert.equal((await others.deletePendingReview(one)).data.id, pending.id);
      const { data: second } = await others.createReview(first);
      const review = { ...first, review_id: second.id };
      const { data: submitted } = await others.submitReview({ ...review, event: 'APPROVE' });
      assert.equal(submitted.state, 'APPROVED');
      assert.equal((await others.updateReview({ ...review, body: 'Good' })).data.body, 'Good');
      assert.equal((await own.getReview(review)).data.user!.login, 'rita');
      const all = await suite.admin.paginate(own.listReviews, { ...first, per_page: 1 });
      assert.deepEqual(
        all.map(({ id, state }) => [id, state]),
        [[second.id, 'APPROVED']],
      );
      const { data: dismissed } = await own.dismissReview({ ...review, message: 'Things have changed' });
      assert.equal(dismissed.state, 'DISMISSED');
      await assert.rejects(own.createReview({ ...first, event: 'APPROVE' }), (error: unknown) => {
        assert.ok(isStatus(422)(error));
        assert.match(String(error), /Can not approve your own pull request/);
        return true;
      });
    });
  });
}

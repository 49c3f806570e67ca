// Scenarios of octokit: comments on issues, and reactions to both.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitMember, type OctokitSuite } from './suite.ts';

export function describeIssueTexts(suite: OctokitSuite): void {
  describe('comments and reactions', () => {
    const demo = { owner: 'text-ada', repo: 'texts' };
    let ada: OctokitMember['octokit'];
    let bob: OctokitMember['octokit'];
    let one: typeof demo & { issue_number: number };
    before(async () => {
      ({ octokit: ada } = await suite.join(demo.owner));
      ({ octokit: bob } = await suite.join('text-bob'));
      await ada.rest.repos.createForAuthenticatedUser({ name: demo.repo });
      const { data } = await ada.rest.issues.create({ ...demo, title: 'Discussed' });
      one = { ...demo, issue_number: data.number };
    });

    test('comments on an issue, in Markdown and rendered', async () => {
      const { issues } = bob.rest;
      const { data: made } = await issues.createComment({ ...one, body: '**Good** idea' });
      const comment = { ...demo, comment_id: made.id };
      assert.deepEqual([made.user?.login, made.author_association], ['text-bob', 'NONE']);
      const { data: read } = await issues.getComment({ ...comment, mediaType: { format: 'html' } });
      assert.equal(read.body_html, '<p><strong>Good</strong> idea</p>');
      const { data: changed } = await issues.updateComment({ ...comment, body: 'Better' });
      assert.equal(changed.body, 'Better');
      for (const body of ['a', 'b']) await ada.rest.issues.createComment({ ...one, body });
      const all = await bob.paginate(issues.listComments, { ...one, per_page: 2 });
      assert.deepEqual(
        all.map(({ body }) => body),
        ['Better', 'a', 'b'],
      );
      const { data: newest } = await issues.listCommentsForRepo({
        ...demo,
        sort: 'created',
        direction: 'desc',
      });
      assert.equal(newest.length, 3);
      assert.equal((await issues.deleteComment(comment)).status, 204);
      await assert.rejects(issues.getComment(comment), isStatus(404));
      assert.equal((await issues.get(one)).data.comments, 2);
      await assert.rejects(issues.createComment({ ...one, body: ' ' }), isStatus(422));
    });

    test('reacts to an issue and to a comment', async () => {
      const { reactions } = bob.rest;
      const { data: comment } = await ada.rest.issues.createComment({ ...one, body: 'Agreed?' });
      const on = { ...demo, comment_id: comment.id };
      const { data: heart, status } = await reactions.createForIssue({ ...one, content: 'heart' });
      assert.deepEqual([status, heart.content], [201, 'heart']);
      assert.equal((await reactions.createForIssue({ ...one, content: 'heart' })).status, 200);
      const { data: thumb } = await reactions.createForIssueComment({ ...on, content: '+1' });
      assert.deepEqual(
        (await reactions.listForIssue({ ...one, content: 'heart' })).data.map(({ id }) => id),
        [heart.id],
      );
      assert.deepEqual(
        (await reactions.listForIssueComment(on)).data.map(({ user }) => user?.login),
        ['text-bob'],
      );
      assert.equal((await bob.rest.issues.get(one)).data.reactions?.heart, 1);
      assert.equal((await reactions.deleteForIssue({ ...one, reaction_id: heart.id })).status, 204);
      assert.equal((await reactions.deleteForIssueComment({ ...on, reaction_id: thumb.id })).status, 204);
      assert.equal((await bob.rest.issues.get(one)).data.reactions?.total_count, 0);
    });
  });
}

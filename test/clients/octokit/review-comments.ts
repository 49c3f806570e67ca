// Scenarios of octokit: comments on lines of pull requests, their reactions and threads.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const place = { owner: 'admin', repo: 'commented' };
const first = { ...place, pull_number: 1 };

interface Threads {
  repository: {
    pullRequest: {
      id: string;
      reviewThreads: { nodes: { id: string; isResolved: boolean; line: number }[] };
    };
  };
}

export function describeReviewComments(suite: OctokitSuite): void {
  describe('comments on lines', () => {
    let octokit: Octokit;
    let pulls: Octokit['rest']['pulls'];
    let head: string;
    let commentId: number;
    before(async () => {
      octokit = suite.admin;
      ({ pulls } = octokit.rest);
      const { repos, git } = octokit.rest;
      await repos.createForAuthenticatedUser({ name: 'commented', auto_init: true });
      const { data } = await git.getRef({ ...place, ref: 'heads/main' });
      await git.createRef({ ...place, ref: 'refs/heads/feature', sha: data.object.sha });
      const content = Buffer.from('one\ntwo\nthree\n').toString('base64');
      const file = { ...place, path: 'a.txt', message: 'Add', content, branch: 'feature' };
      head = (await repos.createOrUpdateFileContents(file)).data.commit.sha!;
      await pulls.create({ ...place, title: 'One', head: 'feature', base: 'main', draft: true });
    });

    test('comments on a line and on a range, replies, and lists what it wrote', async () => {
      const sent = { ...first, commit_id: head, path: 'a.txt', body: 'Why?' };
      const { status, data } = await pulls.createReviewComment({ ...sent, line: 2, side: 'RIGHT' });
      assert.deepEqual([status, data.line, data.side, data.position], [201, 2, 'RIGHT', 2]);
      commentId = data.id;
      const range = { line: 3, start_line: 1, start_side: 'RIGHT' } as const;
      assert.equal((await pulls.createReviewComment({ ...sent, ...range })).data.start_line, 1);
      const reply = { ...first, comment_id: commentId, body: 'So' };
      const { data: replied } = await pulls.createReplyForReviewComment(reply);
      assert.equal(replied.in_reply_to_id, commentId);
      await assert.rejects(pulls.createReviewComment({ ...sent, line: 9 }), isStatus(422));
      const all = await octokit.paginate(pulls.listReviewComments, { ...first, per_page: 1 });
      assert.deepEqual(
        all.map(({ body }) => body),
        ['Why?', 'Why?', 'So'],
      );
      const listed = await octokit.paginate(pulls.listReviewCommentsForRepo, {
        ...place,
        sort: 'updated',
        direction: 'desc',
        per_page: 2,
      });
      assert.equal(listed.length, 3);
      const review = { ...first, review_id: data.pull_request_review_id! };
      const { data: own } = await pulls.listCommentsForReview(review);
      assert.deepEqual(
        own.map(({ id }) => id),
        [commentId],
      );
    });

    test('reads, changes, reacts to and deletes a comment', async () => {
      const own = { ...place, comment_id: commentId };
      assert.equal((await pulls.updateReviewComment({ ...own, body: 'Why *not*?' })).data.body, 'Why *not*?');
      const full = await pulls.getReviewComment({ ...own, mediaType: { format: 'full' } });
      assert.equal(full.data.body_html, '<p>Why <em>not</em>?</p>');
      const { reactions } = octokit.rest;
      const reacted = await reactions.createForPullRequestReviewComment({ ...own, content: 'rocket' });
      assert.equal(reacted.status, 201);
      const { data } = await reactions.listForPullRequestReviewComment(own);
      assert.deepEqual(
        data.map(({ id }) => id),
        [reacted.data.id],
      );
      await reactions.deleteForPullRequestComment({ ...own, reaction_id: reacted.data.id });
      const { data: last } = await pulls.listReviewComments({ ...first, sort: 'created', direction: 'desc' });
      await pulls.deleteReviewComment({ ...place, comment_id: last[0]!.id });
      assert.equal((await pulls.get(first)).data.review_comments, 2);
    });

    test('resolves a thread and makes a draft ready, which only GraphQL does', async () => {
      const query = `query ($number: Int!) { repository(owner: "admin", name: "commented") {
        pullRequest(number: $number) { id reviewThreads(first: 10) { nodes { id isResolved line } } } } }`;
      const { repository } = await octokit.graphql<Threads>(query, { number: 1 });
      const { id, reviewThreads } = repository.pullRequest;
      const [thread] = reviewThreads.nodes;
      assert.deepEqual([thread!.isResolved, thread!.line], [false, 2]);
      const resolve = `mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }`;
      assert.deepEqual(await octokit.graphql(resolve, { id: thread!.id }), {
        resolveReviewThread: { thread: { isResolved: true } },
      });
      await octokit.graphql(resolve.replace('resolveReviewThread', 'unresolveReviewThread'), {
        id: thread!.id,
      });
      const ready = `mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`;
      assert.deepEqual(await octokit.graphql(ready, { id }), {
        markPullRequestReadyForReview: { pullRequest: { isDraft: false } },
      });
      await octokit.graphql(ready.replace('markPullRequestReadyForReview', 'convertPullRequestToDraft'), {
        id,
      });
      assert.equal((await pulls.get(first)).data.draft, true);
      await assert.rejects(octokit.graphql(resolve, { id }), { name: 'GraphqlResponseError' });
    });
  });
}

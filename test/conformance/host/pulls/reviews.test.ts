// Reviews of pull requests on a running server: pending, submitted, and shown in timelines and feeds.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect, gatherCrew, type Crew } from '../../../host-crew.ts';
import { newPull } from '../../../host-pull-calls.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let crew: Crew;
  /** A public repository of the organization. */
  let at: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    crew = await gatherCrew(server);
    at = (await crew.repository('reviews')).path;
  });
  after(() => server.stop());

  const errorOf = ({ status, json }: Answer) => [status, json['errors']?.[0]?.message];
  const listOf = (answer: Json): Json[] => answer as unknown as Json[];
  const idsOf = async (answer: Promise<Answer>) => listOf(await expect(200, answer)).map(({ id }) => id);

  test('a pending review is its author’s alone until it is submitted', async () => {
    const { ada, bob, cleo, eve } = crew;
    const { pull, sha } = await newPull(ada, at);
    const pending = await expect(200, bob.post(`${pull}/reviews`, { body: 'A **first** look' }));
    assert.equal(pending['state'], 'PENDING');
    assert.equal('submitted_at' in pending, false);
    assert.deepEqual([pending['commit_id'], pending['user'].login], [sha, 'bob']);
    const own = `${pull}/reviews/${pending['id']}`;
    for (const other of [ada, cleo, eve]) {
      assert.deepEqual(await idsOf(other.get(`${pull}/reviews`)), []);
      await expect(404, other.get(own));
      await expect(404, other.put(own, { body: 'x' }));
      await expect(404, other.delete(own));
      await expect(404, other.post(`${own}/events`, { event: 'COMMENT' }));
      await expect(404, other.put(`${own}/dismissals`, { message: 'x' }));
    }
    await expect(200, server.call(`${pull}/reviews`, { token: null }));
    await expect(404, server.call(own, { token: null }));
    assert.deepEqual(await idsOf(bob.get(`${pull}/reviews`)), [pending['id']]);
    const timeline = listOf(await expect(200, ada.get(`${pull.replace('/pulls/', '/issues/')}/timeline`)));
    assert.deepEqual(
      timeline.filter(({ event }) => event === 'reviewed'),
      [],
    );
    const changed = await expect(200, bob.put(own, { body: 'A second look' }));
    assert.deepEqual([changed['state'], changed['body']], ['PENDING', 'A second look']);
    const submitted = await expect(200, bob.post(`${own}/events`, { event: 'APPROVE' }));
    assert.deepEqual(
      [submitted['id'], submitted['state'], submitted['body'], submitted['author_association']],
      [pending['id'], 'APPROVED', 'A second look', 'MEMBER'],
    );
    assert.ok(submitted['submitted_at']);
    assert.deepEqual((await expect(200, eve.get(own)))['state'], 'APPROVED');
    const again = await bob.post(`${own}/events`, { event: 'APPROVE' });
    assert.deepEqual(errorOf(again), [422, 'Can not submit a non-pending pull request review']);
    assert.deepEqual(errorOf(await bob.delete(own)), [
      422,
      'Can not delete a non-pending pull request review',
    ]);
  });

  test('a review is submitted at once with an event, whatever became of the pull request', async () => {
    const { ada, bob, cleo, eve } = crew;
    const { pull, sha, push } = await newPull(ada, at);
    const approval = await bob.post(`${pull}/reviews`, { event: 'APPROVE' });
    assert.equal(approval.status, 200, approval.text);
    assert.deepEqual([approval.json['state'], approval.json['body']], ['APPROVED', '']);
    await push('more.txt');
    const old = { event: 'REQUEST_CHANGES', body: 'Not so', commit_id: sha };
    const outdated = await expect(200, cleo.post(`${pull}/reviews`, old));
    assert.deepEqual([outdated['state'], outdated['commit_id']], ['CHANGES_REQUESTED', sha]);
    const own = await expect(200, ada.post(`${pull}/reviews`, { event: 'COMMENT', body: 'Mine' }));
    assert.equal(own['state'], 'COMMENTED');
    await expect(200, ada.patch(pull, { state: 'closed' }));
    const late = await expect(200, eve.post(`${pull}/reviews`, { event: 'COMMENT', body: 'Too late' }));
    assert.deepEqual(await idsOf(eve.get(`${pull}/reviews`)), [
      approval.json['id'],
      outdated['id'],
      own['id'],
      late['id'],
    ]);
    const second = await eve.get(`${pull}/reviews?per_page=1&page=2`);
    assert.deepEqual(
      listOf(second.json).map(({ id }) => id),
      [outdated['id']],
    );
    assert.match(second.headers.get('link')!, /[?&]page=4>; rel="last"/);
  });

  test('texts come in the form that the media type asks for, and mentions and references are recorded', async () => {
    const { ada, bob } = crew;
    const { pull, number } = await newPull(ada, at);
    const other = await newPull(ada, at);
    const body = `**Bold** words for @cleo, see #${other.number}`;
    const { id } = await expect(200, bob.post(`${pull}/reviews`, { event: 'COMMENT', body }));
    const accept = (kind: string) => ({ headers: { accept: `application/vnd.github.${kind}+json` } });
    const full = (await bob.call(`${pull}/reviews/${id}`, accept('full'))).json;
    assert.match(full['body_html'], /<strong>Bold<\/strong>/);
    assert.match(full['body_text'], /^Bold words/);
    assert.equal(full['body'], body);
    const html = (await bob.call(`${pull}/reviews`, accept('html'))).json;
    assert.equal('body' in listOf(html)[0]!, false);
    const issues = `${at}/issues`;
    const events = listOf(await expect(200, ada.get(`${issues}/${number}/timeline`)));
    const mentioned = events.find(({ event }) => event === 'mentioned');
    assert.equal(mentioned?.['actor'].login, 'cleo');
    const reviewed = events.find(({ event }) => event === 'reviewed');
    assert.deepEqual([reviewed?.['id'], reviewed?.['state'], reviewed?.['body']], [id, 'commented', body]);
    const referenced = listOf(await expect(200, ada.get(`${issues}/${other.number}/timeline`)));
    assert.ok(
      referenced.some(({ event, source }) => event === 'cross-referenced' && source.issue.number === number),
    );
  });

  test('feeds show reviews that are submitted, to those who may see them', async () => {
    const { ada, bob, eve } = crew;
    const { pull, number, sha } = await newPull(ada, at);
    const pending = await expect(200, bob.post(`${pull}/reviews`, {}));
    await expect(200, bob.post(`${pull}/reviews/${pending['id']}/events`, { event: 'APPROVE', body: 'Yes' }));
    await expect(200, bob.put(`${pull}/reviews/${pending['id']}`, { body: 'Yes indeed' }));
    const other = (await crew.repository('unseen', { private: true })).path;
    const hidden = await newPull(ada, other);
    await expect(200, bob.post(`${hidden.pull}/reviews`, { event: 'APPROVE' }));
    const reviewsIn = async (path: string, who = eve) =>
      listOf(await expect(200, who.get(path)))
        .filter(({ type }) => type === 'PullRequestReviewEvent')
        .map(({ payload }) => payload as Json)
        .filter(({ pull_request: about }) => about.number === number || about.url.includes('unseen'));
    for (const path of [`${at}/events`, '/users/bob/events']) {
      const [shown, ...more] = await reviewsIn(path);
      assert.deepEqual(more, []);
      assert.deepEqual(
        [shown!['action'], shown!['review'].state, shown!['review'].body, shown!['review'].commit_id],
        ['created', 'approved', 'Yes indeed', sha],
      );
    }
    assert.equal((await reviewsIn('/users/bob/events', bob)).length, 2);
  });

  test('comments of a pending review are seen with it, and go with it', async () => {
    const { ada, bob } = crew;
    const { pull, branch } = await newPull(ada, at);
    const comments = [{ path: `${branch}.txt`, line: 1, body: 'This line' }];
    const commentsIn = async (path: string, who = ada) =>
      listOf(await expect(200, who.get(path))).map(({ body }) => body as string);
    const wrong = [...comments, { path: `${branch}.txt`, line: 7, body: 'No line' }];
    await expect(422, bob.post(`${pull}/reviews`, { event: 'COMMENT', comments: wrong }));
    await expect(422, bob.post(`${pull}/reviews`, { comments: [{ ...comments[0], body: '' }] }));
    assert.deepEqual(await idsOf(bob.get(`${pull}/reviews`)), []);
    const first = await expect(200, bob.post(`${pull}/reviews`, { comments }));
    assert.deepEqual(await commentsIn(`${pull}/reviews/${first['id']}/comments`, bob), ['This line']);
    await expect(404, ada.get(`${pull}/reviews/${first['id']}/comments`));
    assert.deepEqual(await commentsIn(`${pull}/comments`), []);
    assert.equal((await expect(200, ada.get(pull)))['review_comments'], 0);
    await expect(200, bob.delete(`${pull}/reviews/${first['id']}`));
    const second = await expect(200, bob.post(`${pull}/reviews`, { comments }));
    const submission = `${pull}/reviews/${second['id']}/events`;
    assert.equal((await expect(200, bob.post(submission, { event: 'COMMENT' })))['body'], '');
    assert.deepEqual(await commentsIn(`${pull}/comments`), ['This line']);
    assert.deepEqual(await commentsIn(`${pull}/reviews/${second['id']}/comments`), ['This line']);
    assert.equal((await expect(200, ada.get(pull)))['review_comments'], 1);
    const both = await expect(200, bob.post(`${pull}/reviews`, { event: 'REQUEST_CHANGES', comments }));
    assert.equal(both['state'], 'CHANGES_REQUESTED');
    assert.equal((await expect(200, ada.get(pull)))['review_comments'], 2);
    const timeline = listOf(await expect(200, ada.get(`${pull.replace('/pulls/', '/issues/')}/timeline`)));
    const told = timeline
      .map(({ event }) => event)
      .filter((event) => /^(reviewed|line-commented)$/.test(event));
    assert.deepEqual(told, ['reviewed', 'line-commented', 'reviewed', 'line-commented']);
    const { db } = server.app.kernel;
    const threads = await db
      .selectFrom('review_threads')
      .innerJoin('issues', 'issues.id', 'review_threads.issue_id')
      .select('review_threads.id')
      .where('issues.number', '=', Number(pull.split('/').at(-1)))
      .execute();
    assert.equal(threads.length, 2);
  });

  test('nobody approves or refuses their own, and nobody has two that are pending', async () => {
    const { ada, bob } = crew;
    const { pull } = await newPull(ada, at);
    const approval = await ada.post(`${pull}/reviews`, { event: 'APPROVE' });
    assert.deepEqual(errorOf(approval), [422, 'Can not approve your own pull request']);
    assert.equal(approval.json['errors'][0].resource, 'PullRequestReview');
    const refusal = await ada.post(`${pull}/reviews`, { event: 'REQUEST_CHANGES', body: 'x' });
    assert.deepEqual(errorOf(refusal), [422, 'Can not request changes on your own pull request']);
    const own = await expect(200, ada.post(`${pull}/reviews`));
    const submission = await ada.post(`${pull}/reviews/${own['id']}/events`, { event: 'APPROVE' });
    assert.deepEqual(errorOf(submission), [422, 'Can not approve your own pull request']);
    const one = 'User can only have one pending review per pull request';
    for (const body of [{}, { event: 'COMMENT', body: 'x' }])
      assert.deepEqual(errorOf(await ada.post(`${pull}/reviews`, body)), [422, one]);
    const deleted = await expect(200, ada.delete(`${pull}/reviews/${own['id']}`));
    assert.deepEqual([deleted['id'], deleted['state']], [own['id'], 'PENDING']);
    await expect(404, ada.get(`${pull}/reviews/${own['id']}`));
    const answers = await Promise.all(Array.from({ length: 8 }, () => bob.post(`${pull}/reviews`, {})));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, ...Array(7).fill(422)],
    );
    assert.equal((await idsOf(bob.get(`${pull}/reviews`))).length, 1);
  });
});

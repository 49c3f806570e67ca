// Reviews of pull requests on a running server: pending, submitted, changed and dismissed, and who may.
import assert from 'node:assert/strict';
import { makeApp } from '../app-people.ts';
import { onEachEngine } from '../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { expectAnswer as expect, gatherCrew, type Crew } from '../host-crew.ts';
import { newPull } from '../host-pull-calls.ts';
import type { Answer, Json, TestServer } from '../server.ts';
import { startServerOn } from '../suites.ts';

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
      answers.map(({ status }) => status).toSorted((one, other) => one - other),
      [200, ...Array(7).fill(422)],
    );
    assert.equal((await idsOf(bob.get(`${pull}/reviews`))).length, 1);
  });

  test('what a review lacks or has too much of is refused, and changes nothing', async () => {
    const { ada, bob } = crew;
    const { pull } = await newPull(ada, at);
    const elsewhere = await newPull(ada, at);
    const refused: [body: Json, field: string][] = [
      [{ event: 'COMMENT' }, 'body'],
      [{ event: 'REQUEST_CHANGES', body: ' \n' }, 'body'],
      [{ event: 'COMMENT', body: 'x'.repeat(65_537) }, 'body'],
      [{ event: 'MERGE', body: 'x' }, 'event'],
      [{ event: 'COMMENT', body: 7 }, 'body'],
      [{ event: 'COMMENT', body: 'x', commit_id: 'main' }, 'commit_id'],
      [{ event: 'COMMENT', body: 'x', commit_id: '1'.repeat(40) }, 'commit_id'],
      [{ event: 'COMMENT', body: 'x', commit_id: elsewhere.sha }, 'commit_id'],
    ];
    for (const [body, field] of refused) {
      const { status, json, text } = await bob.post(`${pull}/reviews`, body);
      assert.deepEqual([status, json['errors']?.[0].field], [422, field], text);
    }
    const [{ object }] = [await expect(200, ada.get(`${at}/git/ref/heads/main`))];
    const ofBase = await bob.post(`${pull}/reviews`, { event: 'COMMENT', body: 'x', commit_id: object.sha });
    assert.deepEqual(errorOf(ofBase), [422, 'commit_id is not part of the pull request']);
    assert.deepEqual(await idsOf(ada.get(`${pull}/reviews`)), []);
    const { id } = await expect(200, bob.post(`${pull}/reviews`, { event: 'COMMENT', body: 'x' }));
    await expect(422, bob.put(`${pull}/reviews/${id}`, { body: '' }));
    await expect(422, bob.put(`${pull}/reviews/${id}`, {}));
    await expect(404, bob.get(`${elsewhere.pull}/reviews/${id}`));
    await expect(404, bob.get(`${pull}/reviews/9999999`));
    await expect(404, bob.get(`${at}/pulls/9999/reviews`));
    await expect(401, server.call(`${pull}/reviews`, { method: 'POST', token: null, body: {} }));
  });

  test('a review is changed by its author and those who may write, and dismissed by those who may write', async () => {
    const { ada, bob, cleo, eve } = crew;
    const { pull } = await newPull(ada, at);
    const { id } = await expect(200, eve.post(`${pull}/reviews`, { event: 'APPROVE', body: 'Good' }));
    const own = `${pull}/reviews/${id}`;
    assert.equal((await expect(200, eve.put(own, { body: 'Very good' })))['body'], 'Very good');
    assert.equal((await expect(200, cleo.put(own, { body: 'Fair' })))['body'], 'Fair');
    const other = await expect(200, bob.post(`${pull}/reviews`, { event: 'COMMENT', body: 'Words' }));
    await expect(403, eve.put(`${pull}/reviews/${other['id']}`, { body: 'x' }));
    await expect(403, eve.put(`${own}/dismissals`, { message: 'Mine' }));
    await expect(422, bob.put(`${own}/dismissals`, {}));
    await expect(422, bob.put(`${own}/dismissals`, { message: ' ' }));
    const comment = await bob.put(`${pull}/reviews/${other['id']}/dismissals`, { message: 'x' });
    assert.deepEqual(errorOf(comment), [422, 'Can not dismiss a commented pull request review']);
    const dismissal = { message: 'Things have changed', event: 'DISMISS' };
    const dismissed = await expect(200, bob.put(`${own}/dismissals`, dismissal));
    assert.deepEqual([dismissed['state'], dismissed['body']], ['DISMISSED', 'Fair']);
    const again = await bob.put(`${own}/dismissals`, dismissal);
    assert.deepEqual(errorOf(again), [422, 'Can not dismiss a dismissed pull request review']);
    const issue = pull.replace('/pulls/', '/issues/');
    const events = listOf(await expect(200, ada.get(`${issue}/events`)));
    const told = events.find(({ event }) => event === 'review_dismissed')!;
    assert.deepEqual(
      [told['actor'].login, told['dismissed_review']],
      ['bob', { state: 'approved', review_id: id, dismissal_message: 'Things have changed' }],
    );
    await expect(204, ada.put(`${issue}/lock`));
    await expect(403, eve.post(`${pull}/reviews`, { event: 'APPROVE' }));
    await expect(403, eve.put(own, { body: 'Very good' }));
    await expect(200, cleo.post(`${pull}/reviews`, { event: 'APPROVE' }));
  });

  test('where the rule of the base branch names who dismisses, others who may write do not', async () => {
    const { ada, bob, cleo } = crew;
    const { path } = await crew.repository('ruled');
    const { pull } = await newPull(ada, path);
    await expect(
      200,
      ada.put(`${path}/branches/main/protection`, {
        required_status_checks: null,
        enforce_admins: null,
        restrictions: null,
        required_pull_request_reviews: { dismissal_restrictions: { users: ['cleo'] } },
      }),
    );
    const { id } = await expect(200, bob.post(`${pull}/reviews`, { event: 'APPROVE' }));
    const dismissal = `${pull}/reviews/${id}/dismissals`;
    await expect(403, bob.put(dismissal, { message: 'No more' }));
    await expect(200, cleo.put(dismissal, { message: 'No more' }));
  });

  test('reviews of a private repository do not exist for others, and apps need pull_requests', async () => {
    const { ada, bob, eve } = crew;
    const { path } = await crew.repository('hidden', { private: true });
    const { pull } = await newPull(ada, path);
    const { id } = await expect(200, bob.post(`${pull}/reviews`, { event: 'APPROVE' }));
    for (const url of [`${pull}/reviews`, `${pull}/reviews/${id}`, `${pull}/requested_reviewers`]) {
      await expect(404, eve.get(url));
      await expect(404, server.call(url, { token: null }));
    }
    await expect(404, eve.post(`${pull}/reviews`, { event: 'APPROVE' }));
    await expect(404, eve.put(`${pull}/reviews/${id}/dismissals`, { message: 'x' }));
    const app = await makeApp(server, 'crew', { name: 'Reviewer', permissions: { pull_requests: 'write' } });
    const installation = await app.install('crew');
    const token = await app.token(installation);
    const review = { method: 'POST', token, body: { event: 'APPROVE' } };
    const approval = await expect(200, server.call(`${pull}/reviews`, review));
    assert.deepEqual([approval['user'].login, approval['user'].type], ['reviewer[bot]', 'Bot']);
    const reading = await app.token(installation, { permissions: { pull_requests: 'read' } });
    assert.equal(listOf(await expect(200, server.call(`${pull}/reviews`, { token: reading }))).length, 2);
    await expect(403, server.call(`${pull}/reviews`, { ...review, token: reading }));
  });
});

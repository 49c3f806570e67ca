// Requested reviewers on a running server, and what webhooks receive of requests and reviews.
import assert from 'node:assert/strict';
import { withChangeBeforeReply } from '../../../change-before-reply.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer as expect, gatherCrew, type Crew } from '../../../host-crew.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { newPull } from '../../../host-pull-calls.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { openReceiver, type WebhookReceiver } from '../../../webhook-receiver.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let crew: Crew;
  /** A public repository of the organization. */
  let at: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    crew = await gatherCrew(server);
    at = (await crew.repository('requests')).path;
  });
  after(() => server.stop());

  const listOf = (answer: Json): Json[] => answer as unknown as Json[];
  const loginsOf = (users: Json[]) => users.map(({ login }) => login as string);
  const slugsOf = (teams: Json[]) => teams.map(({ slug }) => slug as string);
  const messageOf = ({ status, json }: Answer) => [status, json['message']];

  async function requestedFor(pull: string, who: HostPerson = crew.ada): Promise<[string[], string[]]> {
    const { users, teams } = await expect(200, who.get(`${pull}/requested_reviewers`));
    return [loginsOf(users), slugsOf(teams)];
  }

  test('users and teams are requested, shown, and taken back', async () => {
    const { ada, bob, eve } = crew;
    const { pull, number } = await newPull(ada, at);
    const path = `${pull}/requested_reviewers`;
    const requested = await expect(201, ada.post(path, { reviewers: ['BOB'], team_reviewers: ['pushers'] }));
    assert.deepEqual(
      [loginsOf(requested['requested_reviewers']), slugsOf(requested['requested_teams'])],
      [['bob'], ['pushers']],
    );
    await expect(201, bob.post(path, { reviewers: ['cleo', 'bob'] }));
    assert.deepEqual(await requestedFor(pull, eve), [['bob', 'cleo'], ['pushers']]);
    const left = await expect(200, ada.delete(path, { reviewers: ['bob', 'eve', 'nobody'] }));
    assert.deepEqual(loginsOf(left['requested_reviewers']), ['cleo']);
    await expect(200, ada.delete(path, { reviewers: [], team_reviewers: ['pushers'] }));
    assert.deepEqual(await requestedFor(pull), [['cleo'], []]);
    const events = listOf(await expect(200, ada.get(`${at}/issues/${number}/events`)));
    assert.deepEqual(
      events.map(({ event, review_requester: by, requested_reviewer: user, requested_team: team }) => [
        event,
        by.login,
        user?.login ?? team?.slug,
      ]),
      [
        ['review_requested', 'ada', 'bob'],
        ['review_requested', 'ada', 'pushers'],
        ['review_requested', 'bob', 'cleo'],
        ['review_request_removed', 'ada', 'bob'],
        ['review_request_removed', 'ada', 'pushers'],
      ],
    );
  });

  test('a request is answered as it was written, whatever is changed before the reply', async () => {
    const { ada } = crew;
    const { pull } = await newPull(ada, at);
    const path = `${pull}/requested_reviewers`;
    const body = { reviewers: ['bob'] };
    const requested = await withChangeBeforeReply(
      server,
      () => ada.delete(path, body),
      () => expect(201, ada.post(path, body)),
    );
    assert.deepEqual(loginsOf(requested['requested_reviewers']), ['bob']);
    const left = await withChangeBeforeReply(
      server,
      () => ada.post(path, body),
      () => expect(200, ada.delete(path, body)),
    );
    assert.deepEqual(loginsOf(left['requested_reviewers']), []);
  });

  test('whoever has reviewed is not waited for any more, nor is a team of theirs, until asked again', async () => {
    const { ada, bob, cleo } = crew;
    const { pull } = await newPull(ada, at);
    const path = `${pull}/requested_reviewers`;
    const both = { reviewers: ['bob', 'cleo'], team_reviewers: ['pushers'] };
    await expect(201, ada.post(path, both));
    const pending = await expect(200, bob.post(`${pull}/reviews`, {}));
    assert.deepEqual(await requestedFor(pull), [['bob', 'cleo'], ['pushers']]);
    const submission = { event: 'COMMENT', body: 'Seen' };
    await expect(200, bob.post(`${pull}/reviews/${pending['id']}/events`, submission));
    assert.deepEqual(await requestedFor(pull), [['cleo'], []]);
    await expect(200, cleo.post(`${pull}/reviews`, { event: 'APPROVE' }));
    assert.deepEqual(await requestedFor(pull), [[], []]);
    await expect(201, ada.post(path, { reviewers: ['cleo'] }));
    assert.deepEqual(await requestedFor(pull), [['cleo'], []]);
  });

  test('who may not be asked, and who may not ask, is refused in the words that clients know', async () => {
    const { ada, bob, eve } = crew;
    const { pull } = await newPull(ada, at);
    const path = `${pull}/requested_reviewers`;
    const own = await ada.post(path, { reviewers: ['bob', 'ada'] });
    assert.deepEqual(messageOf(own), [422, 'Review cannot be requested from pull request author.']);
    const stranger =
      'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the crew/requests repository.';
    await expect(201, ada.post('/orgs/crew/teams', { name: 'idle', privacy: 'closed' }));
    await expect(201, ada.post('/orgs/crew/teams', { name: 'hidden', privacy: 'secret' }));
    await expect(204, ada.put(`/orgs/crew/teams/hidden${at}`, { permission: 'push' }));
    for (const body of [
      { reviewers: ['bob', 'eve'] },
      { reviewers: ['nobody'] },
      { team_reviewers: ['idle'] },
      { team_reviewers: ['hidden'] },
      { team_reviewers: ['none'] },
    ])
      assert.deepEqual(messageOf(await ada.post(path, body)), [422, stranger], JSON.stringify(body));
    await expect(422, ada.post(path, {}));
    await expect(422, ada.post(path, { reviewers: 'bob' }));
    await expect(422, ada.delete(path, {}));
    const many = await ada.post(path, {
      reviewers: Array.from({ length: 16 }, (_, index) => `user-${index}`),
    });
    assert.equal(many.json['errors'][0].message, 'reviewers has too many (maximum is 15)');
    await expect(403, eve.post(path, { reviewers: ['bob'] }));
    await expect(403, eve.delete(path, { reviewers: ['bob'] }));
    await expect(401, server.call(path, { method: 'POST', token: null, body: { reviewers: ['bob'] } }));
    assert.deepEqual(await requestedFor(pull), [[], []]);
    const people = Array.from({ length: 15 }, (_, index) => `person-${index}`);
    for (const login of people) {
      await joinHost(server, login);
      await expect(204, ada.put(`${at}/collaborators/${login}`, { permission: 'pull' }));
    }
    await expect(201, bob.post(path, { reviewers: people }));
    const more = await bob.post(path, { reviewers: ['bob'] });
    assert.equal(more.json['errors'][0].message, 'reviewers has too many (maximum is 15)');
    assert.deepEqual((await requestedFor(pull))[0], people);
  });

  test('a team that is deleted and a person who is removed are not waited for', async () => {
    const { ada } = crew;
    const { pull } = await newPull(ada, at);
    const fay = await joinHost(server, 'fay');
    await expect(204, ada.put(`${at}/collaborators/fay`, { permission: 'push' }));
    await expect(201, ada.post('/orgs/crew/teams', { name: 'brief', privacy: 'closed' }));
    await expect(204, ada.put(`/orgs/crew/teams/brief${at}`, { permission: 'pull' }));
    const asked = { reviewers: ['fay'], team_reviewers: ['brief'] };
    await expect(201, ada.post(`${pull}/requested_reviewers`, asked));
    const submitted = await expect(200, fay.post(`${pull}/reviews`, { event: 'COMMENT', body: 'Seen' }));
    const pending = await expect(200, fay.post(`${pull}/reviews`, { body: 'Not yet' }));
    await expect(201, ada.post(`${pull}/requested_reviewers`, asked));
    await expect(204, ada.delete('/orgs/crew/teams/brief'));
    assert.deepEqual(await requestedFor(pull), [['fay'], []]);
    const { status, text } = await server.call(`/api/v2/members/${fay.member.id}`, { method: 'DELETE' });
    assert.equal(status, 204, text);
    await eventually(async () => (await requestedFor(pull))[0].length === 0, 'the request is gone');
    const { db } = server.app.kernel;
    const rowOf = async (id: unknown) =>
      await db
        .selectFrom('reviews')
        .select('id')
        .where('id', '=', id as number)
        .executeTakeFirst();
    await eventually(async () => (await rowOf(pending['id'])) === undefined, 'the pending review is gone');
    const [review] = listOf(await expect(200, ada.get(`${pull}/reviews`)));
    assert.deepEqual([review!['id'], review!['user']], [submitted['id'], null]);
    const last = db.selectFrom('issue_events').select('event').orderBy('id', 'desc').limit(1);
    assert.deepEqual(await last.executeTakeFirst(), { event: 'review_request_removed' });
  });

  test('webhooks receive requests and reviews in order, each once, in the shape that receivers know', async () => {
    const { ada, bob } = crew;
    const receiver: WebhookReceiver = await openReceiver();
    try {
      const config = { url: `${receiver.url}/hook`, content_type: 'json' };
      const { pull, number } = await newPull(ada, at);
      const events = ['pull_request', 'pull_request_review'];
      const { id } = await expect(201, ada.post(`${at}/hooks`, { config, events }));
      const path = `${pull}/requested_reviewers`;
      await expect(201, ada.post(path, { reviewers: ['bob'], team_reviewers: ['pushers'] }));
      await expect(200, ada.delete(path, { reviewers: [], team_reviewers: ['pushers'] }));
      const pending = await expect(200, bob.post(`${pull}/reviews`, { body: 'Draft' }));
      const own = `${pull}/reviews/${pending['id']}`;
      await expect(200, bob.put(own, { body: 'Draft of a draft' }));
      await expect(200, bob.post(`${own}/events`, { event: 'APPROVE' }));
      await expect(200, bob.put(own, { body: 'Words' }));
      await expect(200, bob.put(own, { body: 'Words' }));
      await expect(200, ada.put(`${own}/dismissals`, { message: 'Why not' }));
      const sent = async () =>
        listOf((await ada.get(`${at}/hooks/${id}/deliveries?per_page=100`)).json)
          .filter(({ event }) => event !== 'ping')
          .toReversed();
      await eventually(async () => (await sent()).length >= 6, 'six deliveries');
      const received = receiver.at('/hook');
      const payloads = (await sent()).map(({ guid, event }): [string, Json] => {
        const one = received.find(({ headers }) => headers['x-github-delivery'] === guid)!;
        checkWebhookPayload(event, one.json);
        return [event, one.json];
      });
      assert.deepEqual(
        payloads.map(([event, { action }]) => `${event}.${action}`),
        [
          'pull_request.review_requested',
          'pull_request.review_requested',
          'pull_request.review_request_removed',
          'pull_request_review.submitted',
          'pull_request_review.edited',
          'pull_request_review.dismissed',
        ],
      );
      const [user, team, removed, submitted, edited, dismissed] = payloads.map(([, payload]) => payload);
      assert.deepEqual(
        [user!['requested_reviewer'].login, team!['requested_team'].slug, removed!['requested_team'].slug],
        ['bob', 'pushers', 'pushers'],
      );
      assert.equal(user!['number'], number);
      assert.deepEqual(
        [submitted!['review'].state, submitted!['review'].body, submitted!['sender'].login],
        ['approved', 'Draft of a draft', 'bob'],
      );
      assert.deepEqual(edited!['changes'], { body: { from: 'Draft of a draft' } });
      assert.deepEqual(
        [dismissed!['review'].state, dismissed!['sender'].login, dismissed!['pull_request'].number],
        ['dismissed', 'ada', number],
      );
    } finally {
      await receiver.close();
    }
  });
});

// Reviews of pull requests on a running server: what is refused, and who may change and dismiss them.
import assert from 'node:assert/strict';
import { makeApp } from '../../../app-people.ts';
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
    at = (await crew.repository('refused')).path;
  });
  after(() => server.stop());

  const errorOf = ({ status, json }: Answer) => [status, json['errors']?.[0]?.message];
  const listOf = (answer: Json): Json[] => answer as unknown as Json[];
  const idsOf = async (answer: Promise<Answer>) => listOf(await expect(200, answer)).map(({ id }) => id);

  test('what a review lacks or has too much of is refused, and changes nothing', async () => {
    const { ada, bob } = crew;
    const { pull } = await newPull(ada, at);
    const elsewhere = await newPull(ada, at);
    const refused: [body: Json, field: string][] = [
      [{ event: 'COMMENT' }, 'body'],
      [{ event: 'REQUEST_CHANGES', body: ' \n' }, 'body'],
      [{ event: 'COMMENT', body: 'x'.repeat(65_537) }, 'body'],
      [{ body: 'x'.repeat(65_537) }, 'body'],
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

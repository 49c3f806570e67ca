// Feeds of events on a running server: what they show, how far back they go, and what they hide from whom.
import assert from 'node:assert/strict';
import { recordEvent } from '../../../src/host/events/record-event.ts';
import { eventSweep } from '../../../src/host/events/module.ts';
import { findOwner } from '../../../src/host/owners/store.ts';
import { findRepositoryByNumber } from '../../../src/host/repositories/store.ts';
import { onEachEngine } from '../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import { giveToken } from '../../people.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { createTestOrganization, expectStatus } from './organization-calls.ts';

const VERSIONS = ['2022-11-28', '2026-03-10'];

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let eve: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob, eve] = [
      await joinHost(server, 'ada'),
      await joinHost(server, 'bob'),
      await joinHost(server, 'eve'),
    ];
    await createTestOrganization(server, 'guild', { admin: 'ada', members: ['bob'] });
  });
  after(() => server.stop());

  const feed = async (path: string, token: string | null = null, headers: Record<string, string> = {}) => {
    const answer = await expectStatus(server, 200, 'GET', path, { token, headers });
    return answer.json as unknown as Json[];
  };
  const typesIn = (events: Json[]) => events.map(({ type }) => type as string);
  const namesIn = (events: Json[]) => JSON.stringify(events);
  const ok = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer;
    assert.ok(status < 300, `${status} ${text}`);
  };
  const { now } = Date;
  /** As a push records it; the module of pushes has tests of its own. */
  const push = async (id: number, commits: Json[], times = 1) => {
    const { db } = server.app.kernel;
    const repository = (await findRepositoryByNumber(db, id))!;
    const owner = (await findOwner(db, 'ada'))!;
    const details = {
      ref: 'refs/heads/main',
      before: '1'.repeat(40),
      after: '2'.repeat(40),
      created: false,
      deleted: false,
      commits,
    };
    const found = { repository, owner };
    await db.transaction().execute(async (tx) => {
      for (let at = 0; at < times; at += 1)
        await recordEvent({ db: tx, actor: { now: now() } }, { name: 'push', details }, { found });
    });
  };

  test('the feed of a repository shows what happened in it, the newest first, in both versions', async () => {
    const { id } = await ada.repository('shown', { description: 'Here' });
    await ok(bob.put('/user/starred/ada/shown'));
    await ok(bob.post('/repos/ada/shown/forks'));
    await ok(ada.put('/repos/ada/shown/collaborators/bob', { permission: 'push' }));
    await push(id as number, [
      {
        id: '2'.repeat(40),
        message: 'Two\n\nwords',
        distinct: true,
        author: { name: 'Ada', email: 'a@a.test' },
      },
    ]);
    for (const version of VERSIONS) {
      const events = await feed('/repos/ada/shown/events', null, { 'x-host-api-version': version });
      assert.deepEqual(typesIn(events), [
        'PushEvent',
        'MemberEvent',
        'ForkEvent',
        'WatchEvent',
        'CreateEvent',
      ]);
      const [pushed, member, forked, starred, created] = events as [Json, Json, Json, Json, Json];
      for (const event of events) {
        assert.match(event['id'] as string, /^\d+$/);
        assert.equal(event['public'], true);
        assert.deepEqual(event['repo'], { id, name: 'ada/shown', url: `${server.url}/repos/ada/shown` });
      }
      assert.deepEqual(
        { ...pushed['payload'], push_id: 0 },
        {
          repository_id: id,
          push_id: 0,
          size: 1,
          distinct_size: 1,
          ref: 'refs/heads/main',
          head: '2'.repeat(40),
          before: '1'.repeat(40),
          commits: [
            {
              sha: '2'.repeat(40),
              author: { email: 'a@a.test', name: 'Ada' },
              message: 'Two\n\nwords',
              distinct: true,
              url: `${server.url}/repos/ada/shown/commits/${'2'.repeat(40)}`,
            },
          ],
        },
      );
      assert.deepEqual([member['payload'].action, member['payload'].member.login], ['added', 'bob']);
      const { forkee } = forked['payload'];
      assert.deepEqual([forkee.full_name, forkee.fork], ['bob/shown', true]);
      assert.equal('has_downloads' in forkee, version === '2022-11-28');
      assert.deepEqual(starred['payload'], { action: 'started' });
      assert.equal(starred['actor'].login, 'bob');
      assert.deepEqual(created['payload'], {
        ref: null,
        ref_type: 'repository',
        full_ref: '',
        ...(version === '2022-11-28' && { master_branch: 'main' }),
        default_branch: 'main',
        description: 'Here',
        pusher_type: 'user',
      });
    }
    const network = await feed('/networks/bob/shown/events');
    assert.deepEqual(typesIn(network).length, 5);
    const moved = await ada.patch('/repos/ada/shown', { name: 'renamed' });
    assert.equal(moved.status, 200);
    const { headers, status } = await server.call('/networks/ada/shown/events?page=1');
    assert.deepEqual(
      [status, headers.get('location')],
      [301, `${server.url}/networks/ada/renamed/events?page=1`],
    );
    assert.equal((await feed('/repos/ada/renamed/events'))[0]!['repo'].name, 'ada/renamed');
  });

  test('each feed has the events of its people and places, and none of others', async () => {
    await ok(ada.post('/orgs/guild/repos', { name: 'hall' }));
    await ok(ada.post('/orgs/guild/repos', { name: 'vault', private: true }));
    await ok(eve.put('/repos/guild/hall/subscription', { subscribed: true }));
    await ok(bob.put('/repos/guild/vault/subscription', { subscribed: true }));
    await ok(bob.put('/user/starred/guild/hall'));
    await ok(bob.put('/user/starred/guild/vault'));
    const seen = async (path: string, token: string | null = null) =>
      (await feed(path, token)).map(({ type, repo, public: isPublic }) => [type, repo.name, isPublic]);
    const open = [
      ['WatchEvent', 'guild/hall', true],
      ['CreateEvent', 'guild/hall', true],
    ];
    const secret = [
      ['WatchEvent', 'guild/vault', false],
      ['CreateEvent', 'guild/vault', false],
    ];
    const all = [secret[0], open[0], secret[1], open[1]];
    for (const token of [null, ada.token, eve.token])
      assert.deepEqual(await seen('/orgs/guild/events', token), open, 'the organization');
    assert.equal((await feed('/orgs/guild/events'))[0]!['org'].login, 'guild');
    assert.deepEqual(await seen('/users/bob/events/orgs/guild', bob.token), all, 'the dashboard');
    await expectStatus(server, 404, 'GET', '/users/bob/events/orgs/guild', { token: ada.token });
    await expectStatus(server, 403, 'GET', '/users/eve/events/orgs/guild', { token: eve.token });
    await expectStatus(server, 401, 'GET', '/users/bob/events/orgs/guild', { token: null });
    assert.deepEqual((await seen('/users/bob/events', bob.token)).slice(0, 2), [secret[0], open[0]], 'own');
    for (const token of [null, ada.token])
      assert.deepEqual((await seen('/users/bob/events', token))[0], open[0], 'of another');
    assert.deepEqual((await seen('/users/bob/events/public', bob.token))[0], open[0], 'public ones');
    assert.deepEqual(await seen('/users/eve/received_events', eve.token), open);
    assert.deepEqual(await seen('/users/eve/received_events/public'), open);
    assert.deepEqual(await seen('/users/bob/received_events', bob.token), secret);
    assert.deepEqual(await seen('/users/bob/received_events', ada.token), []);
    assert.deepEqual(await seen('/users/bob/received_events/public', bob.token), []);
    const everybody = await seen('/events', ada.token);
    assert.deepEqual(everybody.slice(0, 2), open);
  });

  test('names of private repositories are in no feed of those who may not read them', async () => {
    await ada.repository('was-open');
    await ok(bob.put('/repos/ada/was-open/subscription', { subscribed: true }));
    await ok(bob.put('/user/starred/ada/was-open'));
    await ada.repository('parent');
    await ok(bob.post('/repos/ada/parent/forks', { name: 'hidden-fork' }));
    const feeds = [
      '/events',
      '/users/ada/events',
      '/users/ada/events/public',
      '/users/bob/events',
      '/users/bob/events/public',
      '/users/bob/received_events',
      '/users/bob/received_events/public',
      '/networks/ada/parent/events',
      '/repos/ada/parent/events',
    ];
    const shownTo = async (token: string | null) =>
      (await Promise.all(feeds.map((path) => feed(`${path}?per_page=100`, token)))).map(namesIn).join('\n');
    for (const name of ['was-open', 'hidden-fork']) assert.match(await shownTo(null), new RegExp(name));
    await ok(ada.patch('/repos/ada/was-open', { private: true }));
    await ok(bob.patch('/repos/bob/hidden-fork', { private: true }));
    for (const token of [null, eve.token]) assert.doesNotMatch(await shownTo(token), /was-open|hidden-fork/);
    assert.match(await shownTo(ada.token), /was-open/);
    assert.doesNotMatch(await shownTo(ada.token), /hidden-fork/);
    assert.match(await shownTo(bob.token), /hidden-fork/);
    assert.doesNotMatch(await shownTo(bob.token), /was-open/, 'bob starred it, and can no longer read it');
    for (const token of [null, eve.token, bob.token])
      await expectStatus(server, 404, 'GET', '/repos/ada/was-open/events', { token });

    await ok(ada.put('/repos/ada/was-open/collaborators/eve'));
    await ok(ada.patch('/repos/ada/was-open', { private: false }));
    const types = async (token: string | null) => typesIn(await feed('/repos/ada/was-open/events', token));
    assert.deepEqual(
      await types(null),
      ['PublicEvent', 'WatchEvent', 'CreateEvent'],
      'without its private time',
    );
    assert.deepEqual(await types(bob.token), await types(null));
    assert.deepEqual(await types(eve.token), ['PublicEvent', 'MemberEvent', 'WatchEvent', 'CreateEvent']);
    await ok(ada.delete('/repos/ada/was-open'));
    for (const token of [null, ada.token]) assert.doesNotMatch(await shownTo(token), /was-open/);
  });

  test('a token shows no more of its own feeds than its policy allows', async () => {
    const { id } = await ada.repository('locked', { private: true });
    await ada.repository('unlocked', { private: true });
    const inlinePolicy = [
      { effect: 'allow' as const, actions: ['*'], resources: ['*'] },
      { effect: 'deny' as const, actions: ['viewRepository'], resources: ['repo/ada/locked'] },
    ];
    const { value } = await giveToken(server, ada.member, { inlinePolicy });
    const seen = namesIn(await feed('/users/ada/events', value));
    assert.match(seen, /ada\/unlocked/);
    assert.doesNotMatch(seen, /ada\/locked/);
    assert.match(namesIn(await feed('/users/ada/events', ada.token)), /ada\/locked/);
    await expectStatus(server, 404, 'GET', `/repositories/${id}/events`, { token: value });
  });

  test('a feed has pages up to 300 events, and is answered 304 while nothing is new', async () => {
    const { id } = await ada.repository('busy');
    await push(id as number, [{ id: '3'.repeat(40), message: 'm', author: { name: 'A' } }], 305);
    const path = '/repos/ada/busy/events';
    const first = await server.call(path, { token: eve.token });
    assert.equal(first.json['length'], 30);
    assert.equal(first.headers.get('x-poll-interval'), '60');
    assert.match(
      first.headers.get('link')!,
      /page=2&per_page=30>; rel="next".*page=10&per_page=30>; rel="last"/,
    );
    const last = await server.call(`${path}?per_page=100&page=3`);
    assert.equal(last.json['length'], 100);
    assert.doesNotMatch(last.headers.get('link')!, /rel="next"/);
    await expectStatus(server, 422, 'GET', `${path}?per_page=100&page=4`);
    await expectStatus(server, 422, 'GET', `${path}?page=11`);
    await expectStatus(server, 422, 'GET', `${path}?page=none`);
    await expectStatus(server, 404, 'POST', path);
    const etag = first.headers.get('etag')!;
    const again = await server.call(path, { token: eve.token, headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, again.headers.get('x-poll-interval'), again.text], [304, '60', '']);
    await ok(eve.put('/user/starred/ada/busy'));
    const changed = await server.call(path, { token: eve.token, headers: { 'if-none-match': etag } });
    assert.deepEqual([changed.status, changed.json[0].type], [200, 'WatchEvent']);
  });

  test('unknown names have no feeds', async () => {
    for (const path of [
      '/repos/ada/nothing/events',
      '/networks/ada/nothing/events',
      '/orgs/nothing/events',
      '/users/nobody/events',
      '/users/nobody/events/public',
      '/users/nobody/received_events',
      '/users/nobody/received_events/public',
      '/users/nobody/events/orgs/guild',
      '/users/ada/events/orgs/nothing',
    ])
      await expectStatus(server, 404, 'GET', path, { token: ada.token });
  });

  test('eight clients star at once, and each star is one event', async () => {
    await ada.repository('liked');
    await ada.repository('disliked');
    const people = await Promise.all(Array.from({ length: 8 }, (_, at) => joinHost(server, `fan-${at}`)));
    await Promise.all(people.flatMap((one) => [1, 2, 3].map(() => ok(one.put('/user/starred/ada/liked')))));
    const events = await feed('/repos/ada/liked/events');
    const actors = events
      .filter(({ type }) => type === 'WatchEvent')
      .map(({ actor }) => actor.login as string);
    assert.deepEqual(actors.toSorted(), people.map(({ login }) => login).toSorted());
  });

  test('a change and its event are written together or not at all', async () => {
    const { id } = await ada.repository('whole');
    const { db } = server.app.kernel;
    const rows = () =>
      db
        .selectFrom('host_events')
        .select(['name', 'action'])
        .where('repository_number', '=', id as number)
        .orderBy('number')
        .execute();
    const earlier = await rows();
    await assert.rejects(
      server.app.kernel.changes.run(
        { now: now(), can: () => true, requirePermission: () => {} },
        async (tx) => {
          const repository = (await findRepositoryByNumber(tx.db, id as number))!;
          const found = { repository, owner: (await findOwner(tx.db, 'ada'))! };
          await recordEvent(tx, { name: 'watch', action: 'started', details: {} }, { found });
          throw new Error('a crash');
        },
      ),
      /a crash/,
    );
    assert.deepEqual(await rows(), earlier);
    await ok(ada.put('/repos/ada/whole/collaborators/bob', { permission: 'admin' }));
    await ok(ada.put('/repos/ada/whole/collaborators/bob', { permission: 'pull' }));
    await ok(ada.delete('/repos/ada/whole/collaborators/bob'));
    await ok(ada.patch('/repos/ada/whole', { description: 'New', private: true }));
    await ok(ada.patch('/repos/ada/whole', { archived: true }));
    await ok(ada.patch('/repos/ada/whole', { archived: false }));
    await ok(ada.patch('/repos/ada/whole', { archived: false }));
    await ok(ada.post('/repos/ada/whole/transfer', { new_owner: 'guild' }));
    await ok(ada.delete('/repos/guild/whole'));
    assert.deepEqual(
      (await rows()).map(({ name, action }) => `${name} ${action}`),
      [
        'repository created',
        'member added',
        'member edited',
        'member removed',
        'repository edited',
        'repository privatized',
        'repository archived',
        'repository unarchived',
        'repository transferred',
        'repository deleted',
      ],
    );
  });

  test('changes of teams and members are events of their organization', async () => {
    await createTestOrganization(server, 'crew', { admin: 'ada' });
    await ok(ada.put('/orgs/crew/memberships/bob'));
    await ok(ada.post('/orgs/crew/repos', { name: 'ship' }));
    await ok(ada.post('/orgs/crew/teams', { name: 'Deck', privacy: 'closed', repo_names: ['crew/ship'] }));
    await ok(ada.put('/orgs/crew/teams/deck/memberships/bob'));
    await ok(ada.delete('/orgs/crew/teams/deck/memberships/bob'));
    await ok(ada.patch('/orgs/crew/teams/deck', { description: 'Above' }));
    await ok(ada.put('/orgs/crew/teams/deck/repos/crew/ship', { permission: 'admin' }));
    await ok(ada.delete('/orgs/crew/teams/deck/repos/crew/ship'));
    await ok(ada.delete('/orgs/crew/teams/deck'));
    await ok(ada.delete('/orgs/crew/memberships/bob'));
    await ok(ada.delete('/orgs/crew'));
    const { db } = server.app.kernel;
    const rows = await db
      .selectFrom('host_events')
      .select(['name', 'action', 'snapshot', 'feed'])
      .orderBy('number')
      .execute();
    const own = rows.filter(
      ({ snapshot }) => (JSON.parse(snapshot) as Json)['organization']?.login === 'crew',
    );
    assert.deepEqual(
      own.map(({ name, action }) => `${name} ${action ?? ''}`.trim()),
      [
        'organization member_added',
        'repository created',
        'team created',
        'membership added',
        'team added_to_repository',
        'team_add',
        'membership added',
        'membership removed',
        'team edited',
        'team edited',
        'team removed_from_repository',
        'team deleted',
        'organization member_removed',
        'repository deleted',
        'organization deleted',
      ],
    );
    assert.deepEqual(
      own.filter(({ feed: shown }) => shown !== null).map(({ name }) => name),
      ['repository'],
    );
  });

  test('events are deleted after 90 days', async () => {
    const { db } = server.app.kernel;
    await db
      .updateTable('host_events')
      .set({ at: now() - 91 * 24 * 3_600_000 })
      .execute();
    await ada.repository('fresh');
    await eventSweep(server.app.kernel).run(new AbortController().signal);
    const rows = await db.selectFrom('host_events').select('name').execute();
    assert.deepEqual(rows, [{ name: 'repository' }]);
    const shown = await db.selectFrom('host_feeds').select('feed').orderBy('feed').execute();
    assert.deepEqual(
      shown.map(({ feed: key }) => key.split('/')[0]),
      ['actor', 'everybody', 'network', 'repository'],
    );
  });
});

// Stars and watched repositories on a running server, on each engine.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const STAR = { accept: 'application/vnd.github.v3.star+json' };

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
  });
  after(() => server.stop());

  const namesIn = ({ json }: Answer) => (json as unknown as Json[]).map((one) => one['full_name'] as string);
  const loginsIn = ({ json }: Answer) => (json as unknown as Json[]).map((one) => one['login'] as string);

  test('a star is given once, counted, and taken back', async () => {
    await ada.repository('starry');
    assert.equal((await bob.get('/user/starred/ada/starry')).status, 404);
    for (const path of ['/user/starred/ada/starry', '/user/starred/ADA/Starry'])
      assert.equal((await bob.put(path)).status, 204);
    assert.equal((await bob.get('/user/starred/ada/starry')).status, 204);
    const counted = (await ada.get('/repos/ada/starry')).json;
    assert.deepEqual([counted['stargazers_count'], counted['watchers_count']], [1, 1]);
    assert.deepEqual(loginsIn(await server.call('/repos/ada/starry/stargazers', { token: null })), ['bob']);
    const timed = await server.call('/repos/ada/starry/stargazers', { headers: STAR });
    assert.deepEqual(Object.keys((timed.json as unknown as Json[])[0]!), ['starred_at', 'user']);
    for (const path of ['/user/starred/ada/starry', '/user/starred/ada/starry'])
      assert.equal((await bob.delete(path)).status, 204);
    assert.equal((await ada.get('/repos/ada/starry')).json['stargazers_count'], 0);
    assert.equal((await bob.get('/user/starred/ada/starry')).status, 404);
  });

  test('eight clients star at once, and the count is exact', async () => {
    const { id } = await ada.repository('crowded');
    const people = await Promise.all(Array.from({ length: 8 }, (_, at) => joinHost(server, `crowd-${at}`)));
    const rounds = ['put', 'delete', 'put', 'put'] as const;
    await Promise.all(
      people.map(async (person) => {
        for (const verb of rounds)
          assert.equal((await person[verb]('/user/starred/ada/crowded')).status, 204);
      }),
    );
    assert.equal((await ada.get(`/repositories/${id}`)).json['stargazers_count'], 8);
    assert.equal(loginsIn(await ada.get(`/repositories/${id}/stargazers`)).length, 8);
    await Promise.all(people.map((person) => person.delete('/user/starred/ada/crowded')));
    assert.equal((await ada.get('/repos/ada/crowded')).json['stargazers_count'], 0);
    const [one] = people;
    await Promise.all(Array.from({ length: 8 }, () => one!.put('/user/starred/ada/crowded')));
    assert.equal((await ada.get('/repos/ada/crowded')).json['stargazers_count'], 1);
  });

  test('starred repositories are sorted, paged, and shown with their times', async () => {
    const cid = await joinHost(server, 'cid');
    for (const name of ['s1', 's2', 's3']) {
      await ada.repository(name);
      server.clock.ahead += 1000;
    }
    for (const name of ['s2', 's3', 's1']) {
      await cid.put(`/user/starred/ada/${name}`);
      server.clock.ahead += 1000;
    }
    assert.deepEqual(namesIn(await cid.get('/user/starred')), ['ada/s1', 'ada/s3', 'ada/s2']);
    assert.deepEqual(namesIn(await cid.get('/user/starred?direction=asc')), ['ada/s2', 'ada/s3', 'ada/s1']);
    assert.deepEqual(namesIn(await cid.get('/user/starred?sort=updated')), ['ada/s3', 'ada/s2', 'ada/s1']);
    const page = await server.call('/users/CID/starred?per_page=2&page=2', { token: null });
    assert.deepEqual(namesIn(page), ['ada/s2']);
    assert.match(page.headers.get('link')!, /\/users\/CID\/starred\?per_page=2&page=1>; rel="prev"/);
    const timed = await cid.call('/user/starred', { headers: STAR });
    const [first] = timed.json as unknown as Json[];
    assert.deepEqual(Object.keys(first!), ['starred_at', 'repo']);
    assert.match(first!['starred_at'] as string, /^\d{4}-.*Z$/);
    assert.equal(first!['repo'].full_name, 'ada/s1');
    for (const query of ['sort=name', 'direction=up', 'page=0', 'per_page=x'])
      assert.equal((await cid.get(`/user/starred?${query}`)).status, 422, query);
  });

  test('private repositories are starred and watched by those who see them, and shown to them alone', async () => {
    await ada.repository('secret', { private: true });
    for (const path of ['/user/starred/ada/secret', '/repos/ada/secret/subscription']) {
      assert.equal((await bob.put(path)).status, 404);
      assert.equal((await bob.get(path)).status, 404);
      assert.equal((await bob.delete(path)).status, 404);
    }
    assert.equal((await ada.put('/user/starred/ada/secret')).status, 204);
    assert.equal((await ada.put('/repos/ada/secret/subscription', {})).status, 200);
    for (const list of ['starred', 'subscriptions']) {
      const sees = async (call: Promise<Answer>) => namesIn(await call).includes('ada/secret');
      assert.equal(await sees(ada.get(`/user/${list}`)), true);
      assert.equal(await sees(ada.get(`/users/ada/${list}`)), true);
      assert.equal(await sees(server.call(`/users/ada/${list}`)), true, 'an administrator sees it');
      assert.equal(await sees(bob.get(`/users/ada/${list}`)), false);
      assert.equal(await sees(server.call(`/users/ada/${list}`, { token: null })), false);
    }
    for (const path of ['stargazers', 'subscribers'])
      assert.equal((await bob.get(`/repos/ada/secret/${path}`)).status, 404);
    const { value: hidden } = await giveToken(server, ada.member, {
      inlinePolicy: [
        { effect: 'allow', actions: ['*'], resources: ['*'] },
        { effect: 'deny', actions: ['viewRepository'], resources: ['repo/ada/secret'] },
      ],
    });
    assert.equal(
      namesIn(await server.call('/user/starred', { token: hidden })).includes('ada/secret'),
      false,
    );
    assert.equal((await server.call('/user/starred/ada/secret', { token: hidden })).status, 404);
  });

  test('stars and watches of those who lose sight of a repository end', async () => {
    const count = async (repository: string) => {
      const { json } = await ada.get(`/repos/${repository}`);
      return [json['stargazers_count'], json['subscribers_count']];
    };
    await ada.repository('hides');
    await ada.put('/repos/ada/hides/collaborators/bob', { permission: 'pull' });
    const cat = await joinHost(server, 'cat');
    for (const person of [ada, bob, cat]) {
      await person.put('/user/starred/ada/hides');
      await person.put('/repos/ada/hides/subscription', {});
    }
    assert.deepEqual(await count('ada/hides'), [3, 3]);
    const hidden = await ada.patch('/repos/ada/hides', { private: true });
    assert.deepEqual([hidden.json['stargazers_count'], hidden.json['subscribers_count']], [2, 2]);
    assert.deepEqual(loginsIn(await ada.get('/repos/ada/hides/stargazers')).sort(), ['ada', 'bob']);
    assert.deepEqual(loginsIn(await ada.get('/repos/ada/hides/subscribers')).sort(), ['ada', 'bob']);
    await ada.patch('/repos/ada/hides', { private: false });
    assert.deepEqual(namesIn(await cat.get('/user/starred')), []);
    assert.deepEqual(await count('ada/hides'), [2, 2]);
    // The members of the organization that gives it away.
    await server.call('/admin/organizations', {
      method: 'POST',
      body: { login: 'stargazing', admin: 'ada' },
    });
    await ada.put('/orgs/stargazing/memberships/cat', {});
    await ada.post('/orgs/stargazing/repos', { name: 'sky', private: true });
    for (const person of [ada, cat]) await person.put('/user/starred/stargazing/sky');
    assert.deepEqual(await count('stargazing/sky'), [2, 0]);
    await ada.post('/repos/stargazing/sky/transfer', { new_owner: 'ada' });
    assert.deepEqual(await count('ada/sky'), [1, 0]);
  });

  test('a repository is watched, ignored, and neither', async () => {
    await ada.repository('watched');
    const path = '/repos/ada/watched/subscription';
    const stateOf = ({ json }: Answer) => [json['subscribed'], json['ignored']];
    const count = async () => (await ada.get('/repos/ada/watched')).json['subscribers_count'] as number;
    assert.equal((await bob.get(path)).status, 404);
    const watched = await bob.put(path, { subscribed: true });
    assert.equal(watched.status, 200);
    assert.deepEqual(Object.keys(watched.json).sort(), [
      'created_at',
      'ignored',
      'reason',
      'repository_url',
      'subscribed',
      'url',
    ]);
    assert.equal(watched.json['url'], `${server.url}${path}`);
    assert.deepEqual([stateOf(watched), await count()], [[true, false], 1]);
    assert.deepEqual(stateOf(await bob.get(path)), [true, false]);
    assert.deepEqual(loginsIn(await ada.get('/repos/ada/watched/subscribers')), ['bob']);
    assert.ok(namesIn(await bob.get('/user/subscriptions')).includes('ada/watched'));
    assert.ok(
      namesIn(await server.call('/users/bob/subscriptions', { token: null })).includes('ada/watched'),
    );
    assert.deepEqual(stateOf(await bob.put(path, { ignored: true })), [false, true]);
    assert.equal(await count(), 0);
    assert.deepEqual(loginsIn(await ada.get('/repos/ada/watched/subscribers')), []);
    assert.ok(!namesIn(await bob.get('/user/subscriptions')).includes('ada/watched'));
    assert.deepEqual(stateOf(await bob.put(path)), [true, false]);
    assert.equal(await count(), 1);
    assert.deepEqual(stateOf(await bob.put(path, { subscribed: false })), [false, false]);
    assert.equal((await bob.get(path)).status, 404);
    await Promise.all(Array.from({ length: 8 }, () => bob.put(path, {})));
    assert.equal(await count(), 1);
    assert.equal((await bob.delete(path)).status, 204);
    assert.equal((await bob.delete(path)).status, 204);
    assert.deepEqual([(await bob.get(path)).status, await count()], [404, 0]);
    for (const body of [{ subscribed: 'yes' }, { ignored: 1 }])
      assert.equal((await bob.put(path, body)).status, 422);
    assert.equal((await bob.put(path, [])).status, 400);
  });

  test('lists of watchers have pages', async () => {
    await ada.repository('popular');
    for (const person of [ada, bob]) {
      await person.put('/repos/ada/popular/subscription', {});
      await person.put('/user/starred/ada/popular');
      server.clock.ahead += 1000;
    }
    for (const list of ['subscribers', 'stargazers']) {
      const page = await server.call(`/repos/ada/popular/${list}?per_page=1&page=2`, { token: null });
      assert.deepEqual(loginsIn(page), ['bob']);
      assert.match(page.headers.get('link')!, /rel="first"/);
    }
  });

  test('without a token nothing is starred or watched, and a reader’s token only looks', async () => {
    await ada.repository('closed');
    const { value: reader } = await giveToken(server, bob.member, { role: 'reader' });
    const paths = ['/user/starred/ada/closed', '/repos/ada/closed/subscription'];
    for (const path of paths) {
      for (const method of ['PUT', 'DELETE']) {
        assert.equal((await server.call(path, { method, token: null })).status, 401);
        assert.equal((await server.call(path, { method, token: reader })).status, 403);
      }
      assert.equal((await server.call(path, { token: reader })).status, 404);
      assert.equal((await server.call(path, { token: null })).status, 401);
    }
    for (const path of ['/user/starred', '/user/subscriptions']) {
      assert.equal((await server.call(path, { token: null })).status, 401);
      assert.equal((await server.call(path, { token: reader })).status, 200);
    }
    for (const path of [
      '/user/starred/ada/missing',
      '/user/starred/nobody/x',
      '/repos/ada/missing/subscription',
    ])
      assert.equal((await bob.put(path)).status, 404);
    for (const path of [
      '/users/nobody/starred',
      '/users/nobody/subscriptions',
      '/repos/ada/missing/stargazers',
    ])
      assert.equal((await bob.get(path)).status, 404);
  });

  test('a repository that was renamed is starred by its former name', async () => {
    await ada.repository('before');
    await ada.patch('/repos/ada/before', { name: 'afterwards' });
    assert.equal((await bob.put('/user/starred/ada/before')).status, 204);
    assert.equal((await bob.get('/user/starred/ada/afterwards')).status, 204);
    const moved = await bob.put('/repos/ada/before/subscription', {});
    assert.equal(moved.status, 307);
    assert.match(moved.headers.get('location')!, /\/repositories\/\d+\/subscription$/);
  });

  test('the stars and watches of an account end with it', async () => {
    await ada.repository('left');
    const { value, id } = await giveToken(server, ada.member, {
      isService: true,
      name: 'Fan',
      role: 'writer',
    });
    for (const path of ['/user/starred/ada/left', '/repos/ada/left/subscription'])
      await server.call(path, { method: 'PUT', token: value });
    const counts = async () => {
      const { json } = await ada.get('/repos/ada/left');
      return [json['stargazers_count'], json['subscribers_count']];
    };
    assert.deepEqual(await counts(), [1, 1]);
    assert.equal((await server.call(`/api/v2/tokens/${id}`, { method: 'DELETE' })).status, 204);
    assert.deepEqual(await counts(), [0, 0]);
    assert.deepEqual(loginsIn(await ada.get('/repos/ada/left/stargazers')), []);
    const eve = await joinHost(server, 'eve');
    for (const path of ['/user/starred/ada/left', '/repos/ada/left/subscription']) await eve.put(path);
    assert.deepEqual(await counts(), [1, 1]);
    const removed = await server.call(`/api/v2/members/${eve.member.id}`, { method: 'DELETE' });
    assert.equal(removed.status, 204);
    assert.deepEqual(await counts(), [0, 0]);
  });
});

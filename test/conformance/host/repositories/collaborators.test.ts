// Collaborators of repositories on a running server, on each engine.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { createTestOrganization } from '../organization-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let cid: HostPerson;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
    cid = await joinHost(server, 'cid');
  });
  after(() => server.stop());

  const rolesIn = ({ json }: Answer) =>
    Object.fromEntries(
      (json as unknown as Json[]).map((one) => [one['login'] as string, one['role_name'] as string]),
    );
  const lastVerb = async () =>
    (await server.call('/api/v2/auditlog?limit=1')).json['items'][0].titleVerb as string;

  test('a collaborator is added at once, with the role that is asked for', async () => {
    await ada.repository('shared', { private: true });
    const path = '/repos/ada/shared/collaborators';
    assert.equal((await bob.get('/repos/ada/shared')).status, 404);
    assert.equal((await ada.put(`${path}/bob`)).status, 204);
    assert.equal(await lastVerb(), 'added the collaborator bob to');
    assert.equal((await bob.get('/repos/ada/shared')).json['permissions'].push, true);
    const cases = [
      ['pull', 'read', 'read'],
      ['triage', 'triage', 'read'],
      ['push', 'write', 'write'],
      ['maintain', 'maintain', 'write'],
      ['admin', 'admin', 'admin'],
    ];
    for (const [permission, role, word] of cases) {
      assert.equal((await ada.put(`${path}/BOB`, { permission })).status, 204);
      assert.deepEqual(rolesIn(await ada.get(path)), { ada: 'admin', bob: role });
      const { json } = await ada.get(`${path}/bob/permission`);
      assert.deepEqual([json['permission'], json['role_name'], json['user'].login], [word, role, 'bob']);
    }
    assert.equal(await lastVerb(), 'changed the role of bob on');
    assert.equal((await ada.get(`${path}/bob`)).status, 204);
    assert.equal((await ada.get(`${path}/cid`)).status, 404);
    const none = await ada.get(`${path}/cid/permission`);
    assert.deepEqual([none.json['permission'], none.json['role_name']], ['none', 'none']);
  });

  test('the list is filtered, and has pages', async () => {
    await ada.repository('listed');
    const path = '/repos/ada/listed/collaborators';
    await ada.put(`${path}/bob`, { permission: 'pull' });
    await ada.put(`${path}/cid`, { permission: 'maintain' });
    assert.deepEqual(rolesIn(await ada.get(`${path}?permission=push`)), { ada: 'admin', cid: 'maintain' });
    assert.deepEqual(rolesIn(await ada.get(`${path}?permission=admin`)), { ada: 'admin' });
    assert.deepEqual(rolesIn(await ada.get(`${path}?affiliation=outside`)), { bob: 'read', cid: 'maintain' });
    const pages = [await ada.get(`${path}?per_page=2`), await ada.get(`${path}?per_page=2&page=2`)];
    assert.deepEqual(
      pages.map(({ json }) => json['length'] as number),
      [2, 1],
    );
    const paged = Object.assign({}, ...pages.map(rolesIn)) as unknown;
    assert.deepEqual(paged, { ada: 'admin', bob: 'read', cid: 'maintain' });
    assert.match(pages[1]!.headers.get('link')!, /rel="prev"/);
    for (const query of ['affiliation=some', 'permission=write', 'page=x'])
      assert.equal((await ada.get(`${path}?${query}`)).status, 422, query);
    const shown = ((await ada.get(path)).json as unknown as Json[]).find((one) => one['login'] === 'bob');
    assert.deepEqual(shown!['permissions'], {
      admin: false,
      maintain: false,
      push: false,
      triage: false,
      pull: true,
    });
  });

  test('what cannot be a collaborator is refused, and nothing changes', async () => {
    await ada.repository('strict');
    const path = '/repos/ada/strict/collaborators';
    assert.equal((await ada.put(`${path}/ada`)).status, 422);
    assert.equal((await ada.put(`${path}/nobody`)).status, 404);
    for (const permission of ['', 'everything', 5, 'a\0b', 'x'.repeat(101)])
      assert.equal((await ada.put(`${path}/bob`, { permission })).status, 422, String(permission));
    assert.equal((await ada.put(`${path}/bob`, [])).status, 400);
    for (const suffix of ['', '/permission'])
      assert.equal((await ada.get(`${path}/nobody${suffix}`)).status, 404);
    assert.equal((await ada.delete(`${path}/nobody`)).status, 404);
    assert.equal((await ada.delete(`${path}/bob`)).status, 204);
    assert.deepEqual(rolesIn(await ada.get(path)), { ada: 'admin' });
    assert.equal((await ada.get('/repos/ada/missing/collaborators')).status, 404);
  });

  test('only administrators change collaborators, and only those who push see them', async () => {
    await ada.repository('guarded');
    const path = '/repos/ada/guarded/collaborators';
    for (const permission of ['pull', 'triage', 'push', 'maintain']) {
      await ada.put(`${path}/bob`, { permission });
      assert.equal((await bob.put(`${path}/cid`)).status, 403, permission);
      assert.equal((await bob.delete(`${path}/ada`)).status, 403, permission);
      const maySee = permission === 'push' || permission === 'maintain';
      assert.equal((await bob.get(path)).status, maySee ? 200 : 403, permission);
      assert.equal((await bob.get(`${path}/ada`)).status, maySee ? 204 : 403, permission);
      assert.equal((await bob.get(`${path}/bob`)).status, 204);
    }
    await ada.put(`${path}/bob`, { permission: 'admin' });
    assert.equal((await bob.put(`${path}/cid`)).status, 204);
    assert.equal((await server.call(path)).status, 200, 'an administrator of the host');
    const { value: reader } = await giveToken(server, ada.member, { role: 'reader' });
    for (const method of ['PUT', 'DELETE']) {
      assert.equal((await server.call(`${path}/bob`, { method, token: null })).status, 401);
      assert.equal((await server.call(`${path}/bob`, { method, token: reader })).status, 403);
    }
    assert.equal((await server.call(path, { token: reader })).status, 200);
    for (const suffix of ['', '/bob', '/bob/permission'])
      assert.equal((await server.call(path + suffix, { token: null })).status, 401);
    const publicRole = (await ada.get(`${path}/admin/permission`)).json;
    assert.deepEqual([publicRole['permission'], publicRole['role_name']], ['read', 'read']);
  });

  test('a collaborator who leaves takes along the star and the watch of what is private', async () => {
    for (const isPrivate of [true, false]) {
      const name = isPrivate ? 'departed' : 'visited';
      await ada.repository(name, { private: isPrivate });
      const path = `/repos/ada/${name}`;
      await ada.put(`${path}/collaborators/bob`, { permission: 'pull' });
      await bob.put(`/user/starred/ada/${name}`);
      await bob.put(`${path}/subscription`, {});
      assert.equal((await bob.delete(`${path}/collaborators/bob`)).status, 204);
      assert.equal(await lastVerb(), 'removed the collaborator bob from');
      const { json } = await ada.get(path);
      const kept = isPrivate ? 0 : 1;
      assert.deepEqual([json['stargazers_count'], json['subscribers_count']], [kept, kept]);
      assert.equal((await bob.get(path)).status, isPrivate ? 404 : 200);
      assert.equal((await ada.get(`${path}/collaborators/bob`)).status, 404);
    }
  });

  test('in an organization, members and teams have roles beside collaborators', async () => {
    await createTestOrganization(server, 'acme', { admin: 'ada', members: ['bob'] });
    const sent = async (answer: Promise<Answer>) => {
      const { status, text, json } = await answer;
      assert.ok(status < 300, text);
      return json;
    };
    await sent(ada.post('/orgs/acme/repos', { name: 'tools', private: true }));
    const parent = await sent(ada.post('/orgs/acme/teams', { name: 'all', privacy: 'closed' }));
    await sent(ada.post('/orgs/acme/teams', { name: 'some', parent_team_id: parent['id'] }));
    await ada.put('/orgs/acme/teams/all/repos/acme/tools', { permission: 'triage' });
    await sent(ada.put('/orgs/acme/teams/some/memberships/bob'));
    const role = { name: 'Release manager', base_role: 'maintain', permissions: ['delete_issue'] };
    await sent(ada.post('/orgs/acme/custom-repository-roles', role));
    const path = '/repos/acme/tools/collaborators';
    assert.deepEqual(rolesIn(await ada.get(path)), { ada: 'admin', bob: 'triage' });
    assert.equal((await ada.put(`${path}/cid`, { permission: 'release MANAGER' })).status, 204);
    assert.equal((await ada.put(`${path}/acme`)).status, 422);
    assert.deepEqual(rolesIn(await ada.get(path)), { ada: 'admin', bob: 'triage', cid: 'Release manager' });
    assert.deepEqual(rolesIn(await ada.get(`${path}?affiliation=outside`)), { cid: 'Release manager' });
    assert.deepEqual(rolesIn(await ada.get(`${path}?affiliation=direct`)), { cid: 'Release manager' });
    assert.deepEqual(rolesIn(await ada.get(`${path}?permission=maintain`)), {
      ada: 'admin',
      cid: 'Release manager',
    });
    const { json: level } = await ada.get(`${path}/cid/permission`);
    assert.deepEqual([level['permission'], level['role_name']], ['write', 'Release manager']);
    assert.equal((await cid.get('/repos/acme/tools')).json['permissions'].maintain, true);
    await cid.put('/user/starred/acme/tools');
    assert.equal((await ada.delete(`${path}/cid`)).status, 204);
    assert.equal((await cid.get('/repos/acme/tools')).status, 404);
    assert.equal((await ada.get('/repos/acme/tools')).json['stargazers_count'], 0);
    assert.equal((await bob.put('/user/starred/acme/tools')).status, 204);
    const starred = (await bob.get('/users/bob/starred')).json as unknown as Json[];
    assert.ok(starred.some((one) => one['full_name'] === 'acme/tools'));
    const toCid = (await cid.get('/users/bob/starred')).json as unknown as Json[];
    assert.ok(!toCid.some((one) => one['full_name'] === 'acme/tools'));
  });
});

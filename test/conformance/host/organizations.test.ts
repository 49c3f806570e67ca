// Organizations and their members on the host API, on each engine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { needsGit } from '../../../src/host/git/fixture-repository.ts';
import { organizationModule } from '../../../src/host/organizations/module.ts';
import { findOrganization } from '../../../src/host/organizations/store.ts';
import { customRoleModule } from '../../../src/host/repository-roles/module.ts';
import { organizationTeamModule } from '../../../src/host/teams/module.ts';
import { fillPath } from '../../../src/kernel/http/path-template.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import type { Answer, CallInit, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import {
  createPerson,
  createTestOrganization,
  expectStatus,
  giveRepository,
  linkedPages,
  type Person,
} from './organization-calls.ts';

/** Sorted: what was created in the same second has no order. */
const loginsOf = ({ json }: Answer) =>
  (json as unknown as { login: string }[]).map(({ login }) => login).toSorted();

onEachEngine((engine) => {
  let server: TestServer;
  let ada: Person;
  let bob: Person;
  let eve: Person;
  let reader: Person;
  const expect = (status: number, method: string, path: string, init: CallInit = {}) =>
    expectStatus(server, status, method, path, init);

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob, eve, reader] = [
      await createPerson(server, 'ada'),
      await createPerson(server, 'bob'),
      await createPerson(server, 'eve'),
      await createPerson(server, 'reads', 'reader'),
    ];
  });
  after(() => server.stop());

  test('an administrator of the host creates an organization, and anybody sees it', async () => {
    const body = { login: 'Acme', admin: 'ada', profile_name: 'Acme Inc.' };
    const { json } = await expect(201, 'POST', '/admin/organizations', { body });
    assert.equal(json['login'], 'Acme');
    assert.equal(json['url'], `${server.url}/orgs/Acme`);
    assert.equal(json['members_url'], `${server.url}/orgs/Acme/members{/member}`);
    for (const path of ['/orgs/acme', `/organizations/${json['id']}`, '/api/v3/orgs/ACME']) {
      const { json: full } = await expect(200, 'GET', path, { token: null });
      assert.equal(full['name'], 'Acme Inc.');
      assert.equal(full['type'], 'Organization');
      assert.equal(full['public_repos'], 0);
      assert.equal('default_repository_permission' in full, false);
    }
    const { json: listed } = await expect(200, 'GET', '/orgs/acme/members', { token: ada.token });
    assert.equal(listed[0].login, 'ada');
  });

  test('a bad organization is refused and changes nothing', async () => {
    await createTestOrganization(server, 'taken');
    const { json: known } = await expect(200, 'GET', '/organizations?per_page=100');
    const bodies: [body: unknown, status: number, field: string][] = [
      [{ admin: 'ada' }, 422, 'login'],
      [{ login: 'fresh' }, 422, 'admin'],
      [{ login: 'fresh', admin: 'nobody-here' }, 422, 'admin'],
      [{ login: 'TAKEN', admin: 'ada' }, 422, 'login'],
      [{ login: 'Ada', admin: 'ada' }, 422, 'login'],
      [{ login: 'apify', admin: 'ada' }, 422, 'login'],
      [{ login: 'Settings', admin: 'ada' }, 422, 'login'],
      [{ login: 'organizations', admin: 'ada' }, 422, 'login'],
      [{ login: 'two--hyphens', admin: 'ada' }, 422, 'login'],
      [{ login: 'a.bot', admin: 'ada' }, 422, 'login'],
      [{ login: 'nul\0', admin: 'ada' }, 422, 'login'],
      [{ login: 'x'.repeat(40), admin: 'ada' }, 422, 'login'],
      [{ login: 'x'.repeat(4000), admin: 'ada' }, 422, 'login'],
      [{ login: 7, admin: 'ada' }, 422, 'login'],
      [{ login: 'fresh', admin: 'ada', profile_name: 'x'.repeat(256) }, 422, 'profile_name'],
      [[], 400, ''],
    ];
    for (const [body, status, field] of bodies) {
      const { json } = await expect(status, 'POST', '/admin/organizations', { body });
      if (field !== '') assert.equal(json['errors'][0].field, field, JSON.stringify(body));
    }
    const init = { body: { login: 'fresh', admin: 'ada' } };
    await expect(401, 'POST', '/admin/organizations', { ...init, token: null });
    for (const { token } of [ada, reader])
      await expect(403, 'POST', '/admin/organizations', { ...init, token });
    await expect(400, 'POST', '/admin/organizations', { body: '{' });
    assert.deepEqual((await expect(200, 'GET', '/organizations?per_page=100')).json, known);
  });

  test('members create organizations only where a setting says so', async () => {
    const init = { body: { login: 'own' }, token: ada.token };
    const { json } = await expect(403, 'POST', '/user/orgs', init);
    assert.match(json['message'], /--organizations-by-members/);
    const { settings } = server.app.kernel;
    Object.assign(settings, { organizationsByMembers: true });
    try {
      await expect(201, 'POST', '/user/orgs', init);
      await expect(403, 'POST', '/user/orgs', { body: { login: 'other' }, token: reader.token });
      await expect(422, 'POST', '/user/orgs', init);
    } finally {
      Object.assign(settings, { organizationsByMembers: false });
    }
    const { json: membership } = await expect(200, 'GET', '/user/memberships/orgs/own', { token: ada.token });
    assert.deepEqual(
      [membership['role'], membership['state'], membership['user'].login, membership['organization'].login],
      ['admin', 'active', 'ada', 'own'],
    );
  });

  test('all organizations are listed after an id, a page at a time', async () => {
    for (const login of ['page-1', 'page-2', 'page-3']) await createTestOrganization(server, login);
    const { json: all } = await expect(200, 'GET', '/organizations?per_page=100', { token: null });
    let url: string | undefined = '/organizations?per_page=2';
    const seen: string[] = [];
    while (url !== undefined) {
      const answer: Answer = await expect(200, 'GET', url, { token: null });
      seen.push(...loginsOf(answer));
      const next: string | undefined = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link')!)?.[1];
      url = next?.slice(server.url.length);
    }
    assert.deepEqual(seen.toSorted(), loginsOf({ json: all } as Answer));
    for (const query of ['since=-1', 'since=x', 'per_page=x', 'since=99999999999'])
      await expect(422, 'GET', `/organizations?${query}`);
  });

  test('an admin changes profile and settings, and sees more than others', async () => {
    await createTestOrganization(server, 'patched', { admin: 'ada', members: ['bob'] });
    const body = {
      name: 'Patched',
      description: 'One',
      company: 'Two',
      blog: 'https://three.test',
      location: 'Four',
      email: 'five@example.com',
      twitter_username: 'six',
      billing_email: 'seven@example.com',
      default_repository_permission: 'none',
      members_can_create_public_repositories: false,
      members_can_fork_private_repositories: true,
      web_commit_signoff_required: true,
      has_organization_projects: false,
      has_repository_projects: false,
      secret_scanning_push_protection_custom_link: 'https://eight.test',
      dependency_graph_enabled_for_new_repositories: true,
    };
    const { json } = await expect(200, 'PATCH', '/orgs/patched', { body, token: ada.token });
    for (const [field, value] of Object.entries(body)) assert.equal(json[field], value, field);
    assert.equal(json['members_allowed_repository_creation_type'], 'private');
    assert.deepEqual((await expect(200, 'GET', '/orgs/patched', { token: ada.token })).json, json);
    const { json: seen } = await expect(200, 'GET', '/orgs/patched', { token: bob.token });
    assert.equal(seen['name'], 'Patched');
    for (const field of ['billing_email', 'members_can_create_repositories', 'disk_usage'])
      assert.equal(field in seen, false, field);
    const cleared = { name: '', description: null, secret_scanning_push_protection_custom_link: null };
    const { json: bare } = await expect(200, 'PATCH', '/orgs/patched', { body: cleared, token: ada.token });
    assert.equal('name' in bare, false);
    assert.equal(bare['description'], null);
    assert.equal(bare['secret_scanning_push_protection_custom_link'], null);
    assert.equal(bare['company'], 'Two');
    const word = { members_allowed_repository_creation_type: 'none' };
    const { json: closed } = await expect(200, 'PATCH', '/orgs/patched', { body: word, token: ada.token });
    assert.equal(closed['members_can_create_repositories'], false);
  });

  test('a bad change of an organization is refused and changes nothing', async () => {
    await createTestOrganization(server, 'steady', { admin: 'ada', members: ['bob', 'reads'] });
    const { json: known } = await expect(200, 'GET', '/orgs/steady', { token: ada.token });
    const bodies = [
      { name: 7 },
      { name: 'x'.repeat(256) },
      { description: 'x'.repeat(1001) },
      { company: 'nul\0' },
      { email: 'nowhere' },
      { billing_email: 'no where@example.com' },
      { default_repository_permission: 'maintain' },
      { members_can_create_repositories: 'yes' },
      { members_allowed_repository_creation_type: 'some' },
      { secret_scanning_push_protection_custom_link: true },
    ];
    for (const body of bodies) await expect(422, 'PATCH', '/orgs/steady', { body, token: ada.token });
    const body = { name: 'Other' };
    await expect(401, 'PATCH', '/orgs/steady', { body, token: null });
    for (const { token } of [bob, eve, reader]) await expect(403, 'PATCH', '/orgs/steady', { body, token });
    await expect(404, 'PATCH', '/orgs/missing', { body, token: ada.token });
    await expect(404, 'PATCH', '/orgs/not%20a%20login', { body, token: ada.token });
    await expect(404, 'GET', '/orgs/missing', { token: null });
    await expect(404, 'GET', '/organizations/1', { token: null });
    assert.deepEqual((await expect(200, 'GET', '/orgs/steady', { token: ada.token })).json, known);
  });

  test('a token that may not change an organization cannot, though its owner is an admin of it', async () => {
    await createTestOrganization(server, 'guarded', { admin: 'ada' });
    const allowed = { effect: 'allow' as const, actions: ['*'], resources: ['*'] };
    const denied = { effect: 'deny' as const, actions: ['update*', 'delete*'], resources: ['org/guarded'] };
    const { value: token } = await giveToken(server, ada, { inlinePolicy: [allowed, denied] });
    await expect(403, 'PATCH', '/orgs/guarded', { body: { name: 'x' }, token });
    await expect(403, 'PUT', '/orgs/guarded/memberships/bob', { token });
    await expect(403, 'DELETE', '/orgs/guarded', { token });
    const hidden = { effect: 'deny' as const, actions: ['view*'], resources: ['org/guarded'] };
    const { value: blind } = await giveToken(server, ada, { inlinePolicy: [allowed, hidden] });
    const { json } = await expect(200, 'GET', '/orgs/guarded', { token: blind });
    assert.equal('billing_email' in json, false);
    assert.deepEqual((await expect(200, 'GET', '/orgs/guarded/members', { token: blind })).json, []);
    await expect(403, 'GET', '/orgs/guarded/memberships/ada', { token: blind });
    await expect(403, 'GET', '/user/memberships/orgs/guarded', { token: blind });
  });

  test('every change takes the permission that its route declares', async () => {
    await createTestOrganization(server, 'strict', { admin: 'ada', members: ['bob'] });
    const as = { token: ada.token };
    const { json: team } = await expect(201, 'POST', '/orgs/strict/teams', { ...as, body: { name: 'Team' } });
    const role = { name: 'Role', base_role: 'read', permissions: [] };
    const { json: made } = await expect(201, 'POST', '/orgs/strict/custom-repository-roles', {
      ...as,
      body: role,
    });
    await giveRepository(server, 'strict', 'code');
    const values: Record<string, string> = {
      org: 'strict',
      username: 'bob',
      team_slug: team['slug'],
      role_id: made['id'],
      owner: 'strict',
      repo: 'code',
    };
    const bodies: Record<string, unknown> = {
      'teams/create': { name: 'Other' },
      'orgs/create-custom-repo-role': { ...role, name: 'Other' },
    };
    const parts = [organizationModule, organizationTeamModule, customRoleModule];
    const routes = parts.flatMap((part) => part.routes ?? []).map(({ shape }) => shape);
    const changing = routes.filter(
      ({ access }) => typeof access === 'object' && !access.action.startsWith('view'),
    );
    const tokens = new Map<string, string>();
    let asked = 0;
    for (const shape of changing.filter(({ path }) => path.startsWith('/orgs/'))) {
      const { action } = shape.access as { action: string };
      const inlinePolicy = [
        { effect: 'allow' as const, actions: ['*'], resources: ['*'] },
        { effect: 'deny' as const, actions: [action], resources: ['*'] },
      ];
      const token = tokens.get(action) ?? (await giveToken(server, ada, { inlinePolicy })).value;
      tokens.set(action, token);
      const body = bodies[shape.id] ?? (shape.body === undefined ? undefined : {});
      const init = { token, ...(body !== undefined && { body }) };
      await expect(403, shape.method, fillPath(shape.path, values), init);
      asked += 1;
    }
    assert.ok(asked >= 16, String(asked));
  });

  test('members are added, promoted and removed by admins', async () => {
    await createTestOrganization(server, 'crew', { admin: 'ada' });
    const as = { token: ada.token };
    const { json } = await expect(200, 'PUT', '/orgs/crew/memberships/BOB', as);
    assert.deepEqual([json['role'], json['state'], json['user'].login], ['member', 'active', 'bob']);
    assert.equal(json['url'], `${server.url}/orgs/crew/memberships/bob`);
    await expect(200, 'PUT', '/orgs/crew/memberships/bob', { ...as, body: { role: 'admin' } });
    const { json: read } = await expect(200, 'GET', '/orgs/crew/memberships/bob', as);
    assert.equal(read['role'], 'admin');
    await expect(200, 'PUT', '/orgs/crew/memberships/eve', as);
    assert.deepEqual(loginsOf(await expect(200, 'GET', '/orgs/crew/members?role=admin', as)), ['ada', 'bob']);
    assert.deepEqual(loginsOf(await expect(200, 'GET', '/orgs/crew/members?role=member', as)), ['eve']);
    await expect(422, 'PUT', '/orgs/crew/memberships/eve', { ...as, body: { role: 'owner' } });
    await expect(422, 'GET', '/orgs/crew/members?role=owner', as);
    await expect(404, 'PUT', '/orgs/crew/memberships/nobody-here', as);
    await expect(403, 'PUT', '/orgs/crew/memberships/reads', { token: eve.token });
    await expect(403, 'DELETE', '/orgs/crew/memberships/bob', { token: eve.token });
    await expect(403, 'DELETE', '/orgs/crew/members/bob', { token: eve.token });
    await expect(204, 'DELETE', '/orgs/crew/members/bob', as);
    await expect(404, 'DELETE', '/orgs/crew/members/bob', as);
    await expect(204, 'DELETE', '/orgs/crew/memberships/eve', { token: eve.token });
    await expect(404, 'GET', '/orgs/crew/memberships/eve', as);
    await expect(403, 'GET', '/orgs/crew/memberships/ada', { token: eve.token });
    await expect(401, 'GET', '/orgs/crew/memberships/ada', { token: null });
  });

  test('the last admin can neither leave nor be demoted', async () => {
    await createTestOrganization(server, 'lonely', { admin: 'ada', members: ['bob'] });
    const as = { token: ada.token };
    const demoted = { ...as, body: { role: 'member' } };
    const { json } = await expect(422, 'PUT', '/orgs/lonely/memberships/ada', demoted);
    assert.match(json['message'], /last admin/);
    await expect(403, 'DELETE', '/orgs/lonely/memberships/ada', as);
    await expect(403, 'DELETE', '/orgs/lonely/members/ada');
    await expect(200, 'PUT', '/orgs/lonely/memberships/bob', { ...as, body: { role: 'admin' } });
    await expect(204, 'DELETE', '/orgs/lonely/memberships/ada', as);
  });

  test('outsiders see public members only, and are led to them', async () => {
    await createTestOrganization(server, 'shy', { admin: 'ada', members: ['bob'] });
    for (const { token } of [{ token: null }, eve]) {
      assert.deepEqual((await expect(200, 'GET', '/orgs/shy/members', { token })).json, []);
      const { headers } = await expect(302, 'GET', '/orgs/shy/members/bob', { token });
      assert.equal(headers.get('location'), `${server.url}/orgs/shy/public_members/bob`);
      await expect(404, 'GET', '/orgs/shy/public_members/bob', { token });
      await expect(404, 'GET', '/orgs/shy/members/nobody-here', { token });
    }
    await expect(403, 'PUT', '/orgs/shy/public_members/bob', { token: ada.token });
    await expect(404, 'PUT', '/orgs/shy/public_members/eve', { token: eve.token });
    await expect(401, 'PUT', '/orgs/shy/public_members/bob', { token: null });
    for (let round = 0; round < 2; round += 1)
      await expect(204, 'PUT', '/orgs/shy/public_members/bob', { token: bob.token });
    await expect(204, 'GET', '/orgs/shy/public_members/bob', { token: null });
    for (const path of ['members', 'public_members'])
      assert.deepEqual(loginsOf(await expect(200, 'GET', `/orgs/shy/${path}`, { token: null })), ['bob']);
    const { json } = await expect(200, 'GET', '/users/bob/orgs', { token: null });
    assert.ok(loginsOf({ json } as Answer).includes('shy'));
    await expect(204, 'DELETE', '/orgs/shy/public_members/bob', { token: bob.token });
    await expect(404, 'GET', '/orgs/shy/public_members/bob');
    await expect(204, 'GET', '/orgs/shy/members/bob', { token: ada.token });
    await expect(404, 'GET', '/orgs/shy/members/eve', { token: ada.token });
    await expect(404, 'GET', '/users/nobody-here/orgs', { token: null });
  });

  test('lists have pages, and Link leads from one to the next', async () => {
    const names = ['paged-a', 'paged-b', 'paged-c'];
    for (const name of names) await join(server, name);
    const { id } = await createTestOrganization(server, 'paged', { admin: 'ada', members: names });
    const first = await expect(200, 'GET', '/orgs/paged/members?per_page=3', { token: ada.token });
    assert.equal(first.json['length'], 3);
    assert.deepEqual(linkedPages(first), { first: '1', last: '2', next: '2' });
    const next = /<([^>]*)>; rel="next"/.exec(first.headers.get('link')!)![1]!.slice(server.url.length);
    const second = await expect(200, 'GET', next, { token: ada.token });
    assert.deepEqual([...loginsOf(first), ...loginsOf(second)].toSorted(), ['ada', ...names]);
    const byNumber = `/organizations/${id}/members?per_page=3&page=2`;
    assert.deepEqual((await expect(200, 'GET', byNumber, { token: ada.token })).json, second.json);
    const whole = await expect(200, 'GET', '/orgs/paged/members?per_page=1000', { token: ada.token });
    assert.equal(whole.headers.get('link'), null);
    for (const path of ['/orgs/paged/members', '/user/orgs', '/user/memberships/orgs', '/users/ada/orgs'])
      for (const query of ['page=0', 'page=x', 'per_page=-1', 'page=99999999999'])
        await expect(422, 'GET', `${path}?${query}`, { token: ada.token });
  });

  test('callers read their own organizations and memberships', async () => {
    const own = await createPerson(server, 'joins');
    await createTestOrganization(server, 'joined-1', { members: ['joins'] });
    await createTestOrganization(server, 'joined-2', { admin: 'joins' });
    const as = { token: own.token };
    assert.deepEqual(loginsOf(await expect(200, 'GET', '/user/orgs', as)), ['joined-1', 'joined-2']);
    const paged = await expect(200, 'GET', '/user/memberships/orgs?per_page=1', as);
    assert.deepEqual(linkedPages(paged), { first: '1', last: '2', next: '2' });
    const { json } = await expect(200, 'GET', '/user/memberships/orgs?state=active', as);
    assert.deepEqual((json as unknown as Answer['json'][]).map(({ role }) => role as string).toSorted(), [
      'admin',
      'member',
    ]);
    assert.deepEqual((await expect(200, 'GET', '/user/memberships/orgs?state=pending', as)).json, []);
    await expect(422, 'GET', '/user/memberships/orgs?state=gone', as);
    const active = { ...as, body: { state: 'active' } };
    await expect(200, 'PATCH', '/user/memberships/orgs/joined-1', active);
    await expect(422, 'PATCH', '/user/memberships/orgs/joined-1', { ...as, body: { state: 'pending' } });
    await expect(404, 'PATCH', '/user/memberships/orgs/acme', active);
    await expect(404, 'GET', '/user/memberships/orgs/acme', as);
    await expect(404, 'GET', '/user/memberships/orgs/missing', as);
    for (const path of ['/user/orgs', '/user/memberships/orgs', '/user/memberships/orgs/acme'])
      await expect(401, 'GET', path, { token: null });
  });

  test('an organization is deleted by its admins, and its login is free again', async () => {
    await createTestOrganization(server, 'passing', { admin: 'ada', members: ['bob'] });
    await expect(401, 'DELETE', '/orgs/passing', { token: null });
    for (const { token } of [bob, eve, reader]) await expect(403, 'DELETE', '/orgs/passing', { token });
    const number = await giveRepository(server, 'passing', 'gone');
    await expect(200, 'GET', '/repos/passing/gone', { token: ada.token });
    await expect(202, 'DELETE', '/orgs/passing', { token: ada.token });
    for (const path of ['/orgs/passing', '/repos/passing/gone', `/repositories/${number}`])
      await expect(404, 'GET', path);
    await expect(404, 'DELETE', '/orgs/passing', { token: ada.token });
    await createTestOrganization(server, 'passing');
    await expect(403, 'DELETE', '/orgs/passing', { token: ada.token });
  });

  test('the memberships of an account end with it, and the last admin has an heir', async () => {
    const { id: memberId } = await createPerson(server, 'leaves');
    const service = await expect(201, 'POST', '/api/v2/tokens', {
      body: { name: 'robot', role: 'writer', serviceToken: true },
    });
    await createTestOrganization(server, 'left-1', { admin: 'leaves' });
    await createTestOrganization(server, 'left-2', { admin: 'ada', members: ['leaves'] });
    await createTestOrganization(server, 'left-3', { admin: 'robot.bot' });
    await expect(204, 'DELETE', `/api/v2/members/${memberId}`);
    await expect(204, 'DELETE', `/api/v2/tokens/${service.json['_id']}`);
    for (const login of ['left-1', 'left-3'])
      assert.deepEqual(
        loginsOf(await expect(200, 'GET', `/orgs/${login}/members?role=admin`)),
        ['admin'],
        login,
      );
    assert.deepEqual(loginsOf(await expect(200, 'GET', '/orgs/left-2/members')), ['ada']);
  });

  test(
    'a repository that is created while its organization is deleted does not outlive it',
    needsGit,
    async () => {
      await createTestOrganization(server, 'closing', { admin: 'ada' });
      const { db } = server.app.kernel;
      const { id } = (await findOrganization(db, { login: 'closing' }))!;
      const create = (name: string) =>
        server.call('/orgs/closing/repos', { method: 'POST', body: { name }, token: ada.token });
      const answers = await Promise.all([
        create('one'),
        create('two'),
        server.call('/orgs/closing', { method: 'DELETE', token: ada.token }),
        create('three'),
        create('four'),
      ]);
      for (const { status, text } of answers)
        assert.ok([201, 202, 404].includes(status), `${status} ${text}`);
      const left = await db
        .selectFrom('repositories')
        .select('name')
        .where('owner_id', '=', id)
        .where('deleted_at', 'is', null)
        .execute();
      assert.deepEqual(left, []);
      await expect(404, 'GET', '/orgs/closing');
    },
  );

  test('of two admins who demote or remove each other at once, one stays', async () => {
    await createTestOrganization(server, 'duel', { admin: 'ada' });
    for (let round = 0; round < 4; round += 1) {
      for (const { username } of [ada, bob])
        await expect(200, 'PUT', `/orgs/duel/memberships/${username}`, { body: { role: 'admin' } });
      const calls = [ada, bob].flatMap(({ token }, at) => {
        const path = `/orgs/duel/memberships/${[bob, ada][at]!.username}`;
        return [0, 1].map((other) =>
          round % 2 === other
            ? server.call(path, { method: 'PUT', body: { role: 'member' }, token })
            : server.call(path, { method: 'DELETE', token }),
        );
      });
      for (const { status, text } of await Promise.all(calls))
        assert.ok([200, 204, 403, 404, 422].includes(status), `${status} ${text}`);
      const { json } = await expect(200, 'GET', '/orgs/duel/members?role=admin');
      assert.equal(json['length'], 1);
    }
  });
});

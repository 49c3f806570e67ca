// Teams of organizations on the host API, on each engine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import { giveToken } from '../../people.ts';
import type { Answer, CallInit, Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import {
  createPerson,
  createTestOrganization,
  expectStatus,
  giveRepository,
  linkedPages,
  type Person,
} from './organization-calls.ts';

const REPOSITORY_TYPE = {
  accept: 'application/vnd.github.v3.repository+json',
  'x-host-api-version': '2026-03-10',
};

const fieldsOf = (field: string, { json }: Answer) =>
  (json as unknown as Json[]).map((item) => item[field] as string).toSorted();

onEachEngine((engine) => {
  let server: TestServer;
  let ada: Person;
  let bob: Person;
  let cleo: Person;
  let eve: Person;
  let reader: Person;
  let organization: Json;
  const expect = (status: number, method: string, path: string, init: CallInit = {}) =>
    expectStatus(server, status, method, path, init);
  const createTeam = async (name: string, more: Json = {}, { token }: { token: string } = ada) => {
    const { json } = await expect(201, 'POST', '/orgs/crew/teams', { body: { name, ...more }, token });
    return json;
  };

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await createPerson(server, 'ada');
    bob = await createPerson(server, 'bob');
    cleo = await createPerson(server, 'cleo');
    eve = await createPerson(server, 'eve');
    reader = await createPerson(server, 'reads', 'reader');
    const members = ['bob', 'cleo', 'reads'];
    organization = await createTestOrganization(server, 'crew', { admin: 'ada', members });
    await createTestOrganization(server, 'others', { admin: 'eve' });
  });
  after(() => server.stop());

  test('a team is created, and reached by its slug and by its number', async () => {
    const team = await createTeam('Night Shift!', { description: 'Late', privacy: 'closed' });
    assert.deepEqual(
      [team['slug'], team['permission'], team['privacy'], team['members_count'], team['repos_count']],
      ['night-shift', 'pull', 'closed', 1, 0],
    );
    assert.equal(team['organization'].login, 'crew');
    assert.equal(team['url'], `${server.url}/organizations/${organization['id']}/team/${team['id']}`);
    const paths = [
      '/orgs/crew/teams/night-shift',
      '/orgs/CREW/teams/Night-Shift',
      `/teams/${team['id']}`,
      `/organizations/${organization['id']}/team/${team['id']}`,
      `/organizations/${organization['id']}/teams/night-shift`,
    ];
    for (const path of paths)
      assert.deepEqual((await expect(200, 'GET', path, { token: bob.token })).json, team, path);
    for (const { token } of [eve, { token: null }])
      for (const path of paths) await expect(token === null ? 401 : 404, 'GET', path, { token });
    await expect(404, 'GET', `/organizations/1500000002/team/${team['id']}`);
    await expect(404, 'GET', '/teams/2147483647');
    await expect(404, 'GET', '/teams/x');
    await expect(404, 'GET', '/orgs/crew/teams/missing');
    await expect(404, 'GET', '/orgs/others/teams/night-shift');
    const { json: membership } = await expect(200, 'GET', '/orgs/crew/teams/night-shift/memberships/ada');
    assert.deepEqual([membership['role'], membership['state']], ['maintainer', 'active']);
  });

  test('H11 the newest version has no permission of new teams', async () => {
    const headers = { 'x-host-api-version': '2026-03-10' };
    const body = { name: 'Newest', permission: 'push' };
    const { json } = await expect(201, 'POST', '/orgs/crew/teams', { body, headers });
    assert.equal(json['permission'], 'pull');
  });

  test('names are unique whatever their case, and slugs get numbers', async () => {
    assert.equal((await createTeam('Café Öl'))['slug'], 'cafe-ol');
    assert.equal((await createTeam('cafe ol'))['slug'], 'cafe-ol-2');
    assert.equal((await createTeam('cafe/ol'))['slug'], 'cafe-ol-3');
    assert.equal((await createTeam('日本'))['slug'], 'team');
    for (const name of ['CAFÉ öl', 'Cafe OL'])
      await expect(422, 'POST', '/orgs/crew/teams', { body: { name } });
    const { json } = await expect(200, 'PATCH', '/orgs/crew/teams/cafe-ol-3', { body: { name: 'Tea' } });
    assert.equal(json['slug'], 'tea');
    await expect(422, 'PATCH', '/orgs/crew/teams/tea', { body: { name: 'CAFE OL' } });
    await expect(404, 'GET', '/orgs/crew/teams/cafe-ol-3');
  });

  test('a bad team is refused and changes nothing', async () => {
    const parent = await createTeam('Good Parent', { privacy: 'closed' });
    const secret = await createTeam('Secret Parent');
    const foreign = (
      await expect(201, 'POST', '/orgs/others/teams', {
        body: { name: 'Foreign', privacy: 'closed' },
        token: eve.token,
      })
    ).json;
    const known = (await expect(200, 'GET', '/orgs/crew/teams?per_page=100')).json;
    const bodies = [
      {},
      { name: '' },
      { name: ' ' },
      { name: 7 },
      { name: 'nul\0' },
      { name: 'x'.repeat(256) },
      { name: 'New', privacy: 'open' },
      { name: 'New', notification_setting: 'on' },
      { name: 'New', description: 'x'.repeat(1001) },
      { name: 'New', maintainers: 'ada' },
      { name: 'New', maintainers: ['eve'] },
      { name: 'New', maintainers: ['nobody-here'] },
      { name: 'New', repo_names: ['crew'] },
      { name: 'New', parent_team_id: foreign['id'] },
      { name: 'New', parent_team_id: secret['id'] },
      { name: 'New', parent_team_slug: 'missing' },
      { name: 'New', parent_team_id: parent['id'], privacy: 'secret' },
    ];
    for (const body of bodies) {
      const { status, text } = await server.call('/orgs/crew/teams', {
        method: 'POST',
        body,
        token: ada.token,
      });
      assert.equal(status, 422, `${JSON.stringify(body)} ${text}`);
    }
    const body = { name: 'New', repo_names: ['crew/missing'] };
    await expect(404, 'POST', '/orgs/crew/teams', { body });
    await expect(401, 'POST', '/orgs/crew/teams', { body: { name: 'New' }, token: null });
    for (const { token } of [eve, reader])
      await expect(403, 'POST', '/orgs/crew/teams', { body: { name: 'New' }, token });
    await expect(404, 'POST', '/orgs/missing/teams', { body: { name: 'New' } });
    for (const patch of [{ parent_team_id: parent['id'] }, { name: 3 }, { permission: 'maintain' }])
      await expect(422, 'PATCH', '/orgs/crew/teams/good-parent', { body: patch });
    assert.deepEqual((await expect(200, 'GET', '/orgs/crew/teams?per_page=100')).json, known);
  });

  test('secret teams are seen by their members and by admins only', async () => {
    await createTeam('Cabal', { maintainers: ['bob'] }, ada);
    const listed = async (token: string) =>
      fieldsOf('slug', await expect(200, 'GET', '/orgs/crew/teams?per_page=100', { token })).includes(
        'cabal',
      );
    assert.deepEqual(
      [await listed(ada.token), await listed(bob.token), await listed(cleo.token)],
      [true, true, false],
    );
    for (const { token } of [ada, bob]) await expect(200, 'GET', '/orgs/crew/teams/cabal', { token });
    for (const path of ['', '/members', '/teams', '/repos', '/memberships/bob'])
      await expect(404, 'GET', `/orgs/crew/teams/cabal${path}`, { token: cleo.token });
    await expect(404, 'PATCH', '/orgs/crew/teams/cabal', { body: { name: 'Mine' }, token: cleo.token });
    await expect(404, 'DELETE', '/orgs/crew/teams/cabal', { token: cleo.token });
    await expect(403, 'GET', '/orgs/crew/teams', { token: eve.token });
    await expect(401, 'GET', '/orgs/crew/teams', { token: null });
  });

  test('maintainers change their team and its members, members do not', async () => {
    await createTeam('Tools', { privacy: 'closed' }, bob);
    const path = '/orgs/crew/teams/tools';
    const as = { token: bob.token };
    assert.equal((await expect(200, 'PUT', `${path}/memberships/CLEO`, as)).json['role'], 'member');
    await expect(403, 'PATCH', path, { body: { description: 'x' }, token: cleo.token });
    await expect(403, 'PUT', `${path}/memberships/reads`, { token: cleo.token });
    await expect(403, 'DELETE', `${path}/memberships/bob`, { token: cleo.token });
    await expect(403, 'DELETE', path, { token: cleo.token });
    const body = {
      description: 'Hammers',
      privacy: 'secret',
      notification_setting: 'notifications_disabled',
    };
    const { json } = await expect(200, 'PATCH', path, { ...as, body: { ...body, permission: 'push' } });
    assert.deepEqual(
      [json['description'], json['privacy'], json['notification_setting'], json['permission']],
      ['Hammers', 'secret', 'notifications_disabled', 'push'],
    );
    await expect(200, 'PUT', `${path}/memberships/cleo`, { ...as, body: { role: 'maintainer' } });
    await expect(422, 'PUT', `${path}/memberships/cleo`, { ...as, body: { role: 'admin' } });
    await expect(422, 'PUT', `${path}/memberships/eve`, as);
    await expect(404, 'PUT', `${path}/memberships/nobody-here`, as);
    assert.deepEqual(fieldsOf('login', await expect(200, 'GET', `${path}/members?role=maintainer`, as)), [
      'bob',
      'cleo',
    ]);
    await expect(422, 'GET', `${path}/members?role=owner`, as);
    await expect(204, 'DELETE', `${path}/memberships/cleo`, { token: cleo.token });
    await expect(404, 'GET', `${path}/memberships/cleo`, as);
    await expect(404, 'DELETE', `${path}/memberships/cleo`, as);
    await expect(204, 'DELETE', path, as);
    await expect(404, 'GET', path, as);
  });

  test('children count as members of their parents, and go with them', async () => {
    const top = await createTeam('Top', { privacy: 'closed', maintainers: ['bob'] });
    const middle = await createTeam('Middle', { parent_team_id: top['id'] });
    assert.deepEqual([middle['privacy'], middle['parent'].slug], ['closed', 'top']);
    await createTeam('Bottom', { parent_team_slug: 'middle', maintainers: ['cleo'] });
    const members = (query = '') => expect(200, 'GET', `/orgs/crew/teams/top/members${query}`);
    assert.deepEqual(fieldsOf('login', await members()), ['ada', 'bob', 'cleo']);
    assert.deepEqual(fieldsOf('login', await members('?role=member')), ['cleo']);
    const { json } = await expect(200, 'GET', '/orgs/crew/teams/top/memberships/cleo');
    assert.equal(json['role'], 'member');
    assert.deepEqual(fieldsOf('slug', await expect(200, 'GET', '/orgs/crew/teams/top/teams')), ['middle']);
    const cycle = { body: { parent_team_slug: 'bottom' } };
    for (const slug of ['top', 'middle', 'bottom'])
      await expect(422, 'PATCH', `/orgs/crew/teams/${slug}`, cycle);
    await expect(422, 'PATCH', '/orgs/crew/teams/top', { body: { privacy: 'secret' } });
    await expect(403, 'POST', '/orgs/crew/teams', {
      body: { name: 'Beside', parent_team_slug: 'top' },
      token: cleo.token,
    });
    const { json: free } = await expect(200, 'PATCH', '/orgs/crew/teams/bottom', {
      body: { parent_team_id: null },
    });
    assert.equal(free['parent'], null);
    await expect(204, 'DELETE', '/orgs/crew/teams/top');
    for (const slug of ['top', 'middle']) await expect(404, 'GET', `/orgs/crew/teams/${slug}`);
    await expect(200, 'GET', '/orgs/crew/teams/bottom');
  });

  test('repositories are given to teams with a role, and children have them too', async () => {
    await giveRepository(server, 'crew', 'Hidden');
    await giveRepository(server, 'crew', 'open', false);
    await giveRepository(server, 'eve', 'foreign', false);
    await expect(200, 'PATCH', '/orgs/crew', { body: { default_repository_permission: 'none' } });
    await createTeam('Coders', { privacy: 'closed', repo_names: ['crew/open'] });
    await createTeam('Testers', { parent_team_slug: 'coders', maintainers: ['bob'] });
    const path = '/orgs/crew/teams/coders/repos';
    const child = '/orgs/crew/teams/testers/repos';
    await expect(204, 'GET', `${path}/crew/open`);
    await expect(404, 'GET', `${path}/crew/hidden`);
    await expect(403, 'PUT', `${path}/crew/open`, { token: bob.token });
    await expect(404, 'PUT', `${path}/crew/hidden`, { token: bob.token });
    await expect(404, 'PUT', `${path}/crew/missing`);
    await expect(422, 'PUT', `${path}/eve/foreign`);
    for (const permission of ['owner', '', 7])
      await expect(422, 'PUT', `${path}/crew/hidden`, { body: { permission } });
    await expect(204, 'PUT', `${path}/crew/hidden`, { body: { permission: 'triage' } });
    const { json } = await expect(200, 'GET', `${path}/crew/hidden`, { headers: REPOSITORY_TYPE });
    assert.deepEqual([json['full_name'], json['role_name']], ['crew/Hidden', 'triage']);
    assert.deepEqual(json['permissions'], {
      admin: false,
      maintain: false,
      push: false,
      triage: true,
      pull: true,
    });
    await expect(204, 'GET', `${child}/crew/hidden`, { token: bob.token });
    assert.deepEqual(fieldsOf('name', await expect(200, 'GET', child, { token: bob.token })), [
      'Hidden',
      'open',
    ]);
    assert.deepEqual(fieldsOf('name', await expect(200, 'GET', path, { token: cleo.token })), ['open']);
    await expect(404, 'GET', `${path}/crew/hidden`, { token: cleo.token });
    const { json: role } = await expect(201, 'POST', '/orgs/crew/custom-repository-roles', {
      body: { name: 'Builder', base_role: 'write', permissions: ['delete_tag'] },
    });
    await expect(204, 'PUT', `${path}/crew/hidden`, { body: { permission: 'builder' } });
    const shown = async () =>
      (await expect(200, 'GET', `${path}/crew/hidden`, { headers: REPOSITORY_TYPE })).json;
    assert.deepEqual([(await shown())['role_name'], (await shown())['permissions'].push], ['Builder', true]);
    const rolePath = `/orgs/crew/custom-repository-roles/${role['id']}`;
    await expect(200, 'PATCH', rolePath, { body: { name: 'Maker', base_role: 'maintain' } });
    assert.deepEqual(
      [(await shown())['role_name'], (await shown())['permissions'].maintain],
      ['Maker', true],
    );
    await expect(204, 'DELETE', rolePath);
    assert.equal((await shown())['role_name'], 'maintain');
    const first = await expect(200, 'GET', `${path}?per_page=1`);
    assert.deepEqual(linkedPages(first), { first: '1', last: '2', next: '2' });
    for (let round = 0; round < 2; round += 1) await expect(204, 'DELETE', `${path}/crew/hidden`);
    await expect(404, 'GET', `${path}/crew/hidden`);
  });

  test('the list of a team has no repository that the policy of the token hides', async () => {
    for (const name of ['drafts', 'plans']) await giveRepository(server, 'crew', name);
    await createTeam('Writers', { repo_names: ['crew/drafts', 'crew/plans'] });
    const { value: token } = await giveToken(server, ada, {
      inlinePolicy: [
        { effect: 'allow', actions: ['*'], resources: ['*'] },
        { effect: 'deny', actions: ['viewRepository'], resources: ['repo/crew/drafts'] },
      ],
    });
    const path = '/orgs/crew/teams/writers/repos';
    assert.deepEqual(fieldsOf('name', await expect(200, 'GET', path, { token })), ['plans']);
    await expect(404, 'GET', `${path}/crew/drafts`, { token });
    assert.deepEqual(fieldsOf('name', await expect(200, 'GET', path)), ['drafts', 'plans']);
  });

  test('a repository lists its teams with their roles to members who see them', async () => {
    await giveRepository(server, 'crew', 'common', false);
    await giveRepository(server, 'crew', 'within');
    await giveRepository(server, 'eve', 'alone', false);
    await createTeam('Plain', { privacy: 'closed', repo_names: ['crew/common', 'crew/within'] });
    await createTeam('Quiet', { maintainers: ['bob'], repo_names: ['crew/common'] });
    await expect(204, 'PUT', '/orgs/crew/teams/quiet/repos/crew/common', { body: { permission: 'push' } });
    const listed = async (name: string, token: string | null, query = '') => {
      const { json } = await expect(200, 'GET', `/repos/crew/${name}/teams${query}`, { token });
      return (json as unknown as Json[]).map(({ slug, permission }) => [slug, permission]);
    };
    const [plain, quiet] = [
      ['plain', 'pull'],
      ['quiet', 'push'],
    ];
    assert.deepEqual(await listed('common', ada.token), [plain, quiet]);
    assert.deepEqual(await listed('common', bob.token), [plain, quiet]);
    assert.deepEqual(await listed('common', cleo.token), [plain]);
    for (const token of [eve.token, null]) assert.deepEqual(await listed('common', token), []);
    assert.deepEqual(await listed('common', ada.token, '?per_page=1&page=2'), [quiet]);
    const first = await expect(200, 'GET', '/repos/crew/common/teams?per_page=1', { token: ada.token });
    assert.deepEqual(linkedPages(first), { first: '1', last: '2', next: '2' });
    assert.deepEqual((await expect(200, 'GET', '/repos/eve/alone/teams')).json, []);
    for (const { token } of [eve, { token: null }])
      await expect(404, 'GET', '/repos/crew/within/teams', { token });
    await expect(404, 'GET', '/repos/crew/none/teams');
    await expect(404, 'POST', '/repos/crew/common/teams');
    await expect(422, 'GET', '/repos/crew/common/teams?page=x');
    const { value: narrow } = await giveToken(server, ada, {
      inlinePolicy: [{ effect: 'allow', actions: ['viewRepository'], resources: ['*'] }],
    });
    assert.deepEqual(await listed('common', narrow), []);
  });

  test('who leaves the organization leaves its teams and repositories', async () => {
    const person = await createPerson(server, 'goes');
    await expect(200, 'PUT', '/orgs/crew/memberships/goes');
    await createTeam('Leavers', { maintainers: ['goes'] });
    await expect(200, 'PUT', '/orgs/others/memberships/goes', { token: eve.token });
    await expect(201, 'POST', '/orgs/others/teams', { body: { name: 'Stays' }, token: person.token });
    const own = () => expect(200, 'GET', '/user/teams', { token: person.token });
    assert.deepEqual(fieldsOf('slug', await own()), ['leavers', 'stays']);
    await giveRepository(server, 'crew', 'shared');
    await server.call('/repos/crew/shared/collaborators/goes', { method: 'PUT' });
    await expect(204, 'GET', '/repos/crew/shared/collaborators/goes');
    await expect(204, 'DELETE', '/orgs/crew/memberships/goes');
    await expect(404, 'GET', '/repos/crew/shared/collaborators/goes');
    assert.deepEqual(fieldsOf('slug', await own()), ['stays']);
    await expect(404, 'GET', '/orgs/crew/teams/leavers/memberships/goes');
    await expect(401, 'GET', '/user/teams', { token: null });
  });

  test('lists of teams have pages', async () => {
    const parent = await createTeam('Paged', { privacy: 'closed' });
    for (const name of ['Paged 1', 'Paged 2', 'Paged 3'])
      await createTeam(name, { parent_team_id: parent['id'] });
    for (const path of [
      '/orgs/crew/teams/paged/teams?per_page=2',
      '/user/teams?per_page=2',
      '/orgs/crew/teams?per_page=2',
    ]) {
      const first = await expect(200, 'GET', path, { token: ada.token });
      assert.equal(first.json['length'], 2, path);
      assert.equal(linkedPages(first)['next'], '2', path);
      await expect(422, 'GET', `${path}&page=0`, { token: ada.token });
    }
  });

  test('all teams are teams of an organization', async () => {
    await createTeam('Typed');
    const list = (query: string, status = 200) =>
      expect(status, 'GET', `/orgs/crew/teams?per_page=100${query}`, { token: ada.token });
    const all = (await list('')).json;
    for (const type of ['all', 'organization'])
      assert.deepEqual((await list(`&team_type=${type}`)).json, all, type);
    assert.deepEqual((await list('&team_type=enterprise')).json, []);
    await list('&team_type=secret', 422);
    await expect(403, 'GET', '/orgs/crew/teams?team_type=enterprise', { token: eve.token });
  });

  test('eight callers who create teams of one name at once create one', async () => {
    const calls = Array.from({ length: 8 }, () =>
      server.call('/orgs/crew/teams', { method: 'POST', body: { name: 'Race' } }),
    );
    const statuses = (await Promise.all(calls))
      .map(({ status }) => status)
      .toSorted((one, other) => one - other);
    assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 422)]);
  });

  test('two teams that become parents of each other at once do not', async () => {
    for (const name of ['Left', 'Right']) await createTeam(name, { privacy: 'closed' });
    const nest = (slug: string, parent: string) =>
      server.call(`/orgs/crew/teams/${slug}`, { method: 'PATCH', body: { parent_team_slug: parent } });
    const answers = await Promise.all([nest('left', 'right'), nest('right', 'left')]);
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((one, other) => one - other),
      [200, 422],
    );
  });
});

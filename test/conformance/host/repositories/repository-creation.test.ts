// New repositories of organizations: who administers them and which team gets them; and the settings of pull requests and security.
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
  /** An admin and a member of the organization, and somebody else. */
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
    await createTestOrganization(server, 'crew', { admin: 'ada', members: ['bob'] });
    await createTestOrganization(server, 'others', { admin: 'eve' });
  });
  after(() => server.stop());

  const expect = async (status: number, answer: Promise<Answer>): Promise<Json> => {
    const got = await answer;
    assert.equal(got.status, status, got.text);
    return got.text === '' ? {} : got.json;
  };
  const createTeam = (person: HostPerson, org: string, body: Json) =>
    expect(201, person.post(`/orgs/${org}/teams`, body));

  test('a member administers the repositories that they create in an organization', async () => {
    await expect(200, ada.patch('/orgs/crew', { default_repository_permission: 'none' }));
    const created = await expect(201, bob.post('/orgs/crew/repos', { name: 'mine', private: true }));
    assert.equal(created['permissions'].admin, true);
    await expect(200, bob.patch('/repos/crew/mine', { description: 'Changed' }));
    await expect(201, bob.put('/repos/crew/mine/contents/a.txt', { message: 'First', content: 'YQ==' }));
    await expect(201, ada.post('/user/repos', { name: 'kit', auto_init: true, is_template: true }));
    for (const answer of [
      await expect(202, bob.post('/repos/ada/kit/forks', { organization: 'crew' })),
      await expect(201, bob.post('/repos/ada/kit/generate', { owner: 'crew', name: 'from-kit' })),
    ])
      assert.equal(answer['permissions'].admin, true, answer['full_name']);
    await expect(204, ada.delete('/orgs/crew/members/bob'));
    await expect(404, bob.get('/repos/crew/mine'));
    await expect(200, server.call('/orgs/crew/memberships/bob', { method: 'PUT' }));
    await expect(200, ada.patch('/orgs/crew', { default_repository_permission: 'read' }));
  });

  test('a team that a new repository names gets it, with its role', async () => {
    const { id } = await createTeam(ada, 'crew', { name: 'Writers', privacy: 'closed' });
    await expect(200, ada.patch('/orgs/crew/teams/writers', { permission: 'push' }));
    const body = { name: 'teamed', private: true, team_id: id };
    await expect(201, bob.post('/orgs/crew/repos', body));
    const { call } = ada;
    const headers = { accept: 'application/vnd.github.v3.repository+json' };
    const { json } = await call('/orgs/crew/teams/writers/repos/crew/teamed', { headers });
    assert.deepEqual([json['role_name'], json['permissions'].push], ['write', true]);
  });

  test('a team that cannot get a new repository leaves nothing behind', async () => {
    const foreign = await createTeam(eve, 'others', { name: 'Them', privacy: 'closed' });
    const secret = await createTeam(ada, 'crew', { name: 'Hidden', privacy: 'secret' });
    const errors = new Set<string>();
    for (const id of [foreign['id'], secret['id'], 2 ** 31 - 1]) {
      const answer = await bob.post('/orgs/crew/repos', { name: 'none', team_id: id });
      assert.equal(answer.status, 422, answer.text);
      assert.equal(answer.json['errors'][0].field, 'team_id');
      errors.add((answer.json['errors'][0].message as string).replace(/\d+/, 'N'));
    }
    assert.equal(errors.size, 1, 'a secret team is not told from one that does not exist');
    for (const id of [0, -1, 1.5, 2 ** 31, 'x', null, [], {}])
      await expect(422, ada.post('/orgs/crew/repos', { name: 'none', team_id: id }));
    await expect(422, ada.post('/user/repos', { name: 'none', team_id: secret['id'] }));
    await expect(404, ada.get('/repos/crew/none'));
    await expect(404, ada.get('/repos/ada/none'));
    await expect(201, ada.post('/orgs/crew/repos', { name: 'kept-secret', team_id: secret['id'] }));
    await expect(204, ada.get('/orgs/crew/teams/hidden/repos/crew/kept-secret'));
  });

  test('a token that may not give repositories to teams creates none with a team', async () => {
    const { id } = await createTeam(ada, 'crew', { name: 'Wanted', privacy: 'closed' });
    const policy = [{ effect: 'deny' as const, actions: ['updateTeamRepositories'], resources: ['org/*'] }];
    const { value: token } = await giveToken(server, ada.member, {
      inlinePolicy: [{ effect: 'allow', actions: ['*'], resources: ['*'] }, ...policy],
    });
    const create = (body: Json) => server.call('/orgs/crew/repos', { method: 'POST', token, body });
    await expect(403, create({ name: 'narrow', team_id: id }));
    await expect(404, ada.get('/repos/crew/narrow'));
    await expect(201, create({ name: 'narrow' }));
  });

  test('who may create pull requests is a setting of a repository', async () => {
    const shown = ({ has_pull_requests: has, pull_request_creation_policy: policy }: Json) => [has, policy];
    assert.deepEqual(shown(await ada.repository('asked')), [true, 'all']);
    const path = '/repos/ada/asked';
    const sent = { has_pull_requests: false, pull_request_creation_policy: 'collaborators_only' };
    assert.deepEqual(shown(await expect(200, ada.patch(path, sent))), [false, 'collaborators_only']);
    assert.deepEqual(shown(await expect(200, ada.patch(path, { description: 'x' }))), [
      false,
      'collaborators_only',
    ]);
    assert.deepEqual(shown(await expect(200, eve.get(path))), [false, 'collaborators_only']);
    for (const body of [{ has_pull_requests: 'no' }, { pull_request_creation_policy: 'nobody' }])
      await expect(422, ada.patch(path, body));
    await expect(403, eve.patch(path, sent));
  });

  test('administrators see which security features there are, and cannot ask for others', async () => {
    await ada.repository('safe');
    const path = '/repos/ada/safe';
    const { security_and_analysis: features } = await expect(200, ada.get(path));
    assert.equal(features.code_security.status, 'enabled');
    assert.equal(features.secret_scanning.status, 'disabled');
    assert.equal((await expect(200, eve.get(path)))['security_and_analysis'], undefined);
    const change = (status: number, sent: unknown) =>
      expect(status, ada.patch(path, { description: 'new', security_and_analysis: sent }));
    await change(200, null);
    await change(200, {});
    await change(200, { code_security: { status: 'enabled' }, secret_scanning: { status: 'disabled' } });
    await expect(200, ada.patch(path, { description: 'old' }));
    for (const [name, status] of [
      ['secret_scanning', 'enabled'],
      ['secret_scanning_push_protection', 'enabled'],
      ['advanced_security', 'disabled'],
      ['code_security', 'off'],
    ] as const) {
      const { errors } = await change(422, { [name]: { status } });
      assert.equal(errors[0].field, `security_and_analysis.${name}.status`);
    }
    for (const sent of ['on', [], { secret_scanning: 'enabled' }, { secret_scanning: { status: 1 } }])
      await change(422, sent);
    assert.equal((await expect(200, ada.get(path)))['description'], 'old');
  });
});

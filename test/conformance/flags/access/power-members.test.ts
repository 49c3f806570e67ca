// Nobody gets more permissions than they hold through members, teams and roles, on a running server: rules F31 and F35.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Member, NewMember } from '../../../../src/kernel/identity/store-members.ts';
import type { BaseRole, PolicyStatement } from '../../../../src/kernel/identity/policy.ts';
import { insertRole } from '../../../../src/kernel/identity/store-roles.ts';
import type { NewToken } from '../../../../src/kernel/identity/store-tokens.ts';
import { giveToken, join, openBrowser } from '../../../people.ts';
import { startServer, type CallInit, type Json, type TestServer } from '../../../server.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=flagservice.semanticpatch' };
const ROLES: BaseRole[] = ['no_access', 'reader', 'writer', 'admin', 'owner'];
const ALL: PolicyStatement[] = [{ effect: 'allow', actions: ['*'], resources: ['*'] }];
const PEOPLE: PolicyStatement[] = [
  { effect: 'allow', actions: ['*'], resources: ['member/*', 'team/*', 'role/*', 'member/me:token/*'] },
];

let server: TestServer;
const people = {} as Record<BaseRole, Member>;
const tokens = {} as Record<BaseRole, string>;
before(async () => {
  server = await startServer({ limits: 'off' });
  const { db, clock } = server.app.kernel;
  await insertRole(db, { key: 'everything', name: 'Everything', policy: ALL }, clock.now());
  await insertRole(db, { key: 'people', name: 'People', policy: PEOPLE }, clock.now());
  const resources = ['proj/${roleAttribute/p}'];
  const filled: PolicyStatement[] = [{ effect: 'allow', actions: ['*'], resources }];
  await insertRole(db, { key: 'filled', name: 'Filled', policy: filled }, clock.now());
  for (const role of ROLES) {
    people[role] = await join(server, `a-${role.replace('_', '-')}`, { role });
    tokens[role] = (await giveToken(server, people[role], { role })).value;
  }
  await as(tokens.owner, 'POST', 'teams', { key: 'strong', name: 'Strong', customRoleKeys: ['everything'] });
  await as(tokens.owner, 'POST', 'teams', { key: 'plain', name: 'Plain' });
});
after(() => server.stop());

function as(token: string, method: string, path: string, body?: unknown, init: CallInit = {}) {
  return server.call(`/api/v2/${path}`, { method, token, ...(body !== undefined && { body }), ...init });
}
const status = async (answer: Promise<{ status: number }>) => (await answer).status;
const semantic = (token: string, path: string, ...instructions: unknown[]) =>
  status(as(token, 'PATCH', path, { instructions }, { headers: SEMANTIC }));
const setRole = (token: string, { id }: { id: string }, value: BaseRole) =>
  status(as(token, 'PATCH', `members/${id}`, [{ op: 'replace', path: '/role', value }]));
const setRoles = (token: string, { id }: { id: string }, value: string[]) =>
  status(as(token, 'PATCH', `members/${id}`, [{ op: 'replace', path: '/customRoles', value }]));

let count = 0;
async function person(member: Partial<NewMember> = {}, token: Partial<NewToken> = {}) {
  count += 1;
  const made = await join(server, `p-${count}`, member);
  const { value } = await giveToken(server, made, token);
  return Object.assign(made, { token: value });
}
/** A call by browser session: no token narrows what the member holds. */
async function browse(member: Member) {
  const browser = await openBrowser(server, member);
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.call(`/api/v2/${path}`, {
      method,
      token: null,
      headers: { ...browser, origin: server.url, ...headers },
      ...(body !== undefined && { body }),
    });
}
const roleNow = async (id: string) => (await as(tokens.owner, 'GET', `members/${id}`)).json['role'] as string;

test('F31 readers look, writers do not manage people, and who has no access sees nothing', async () => {
  const victim = await person();
  for (const [role, reads] of [
    ['no_access', 401],
    ['reader', 200],
    ['writer', 200],
  ] as const) {
    const token = tokens[role];
    for (const path of ['members', 'teams', 'roles'])
      assert.equal(await status(as(token, 'GET', path)), reads);
    const single = reads === 401 ? 403 : 200;
    for (const path of [`members/${victim.id}`, 'teams/plain', 'roles/people', 'teams/plain/roles']) {
      assert.equal(await status(as(token, 'GET', path)), single, `${role} ${path}`);
    }
    assert.equal(await status(as(token, 'GET', 'members/me')), 200);
    for (const [method, path, body] of [
      ['POST', 'members', [{ email: 'x@y.z', role: 'no_access' }]],
      ['PATCH', `members/${victim.id}`, [{ op: 'replace', path: '/role', value: 'no_access' }]],
      ['DELETE', `members/${victim.id}`, undefined],
      ['POST', `members/${victim.id}/teams`, { teamKeys: ['plain'] }],
      ['POST', 'teams', { key: 'new', name: 'New' }],
      ['DELETE', 'teams/plain', undefined],
      ['POST', 'roles', { key: 'new', name: 'New', policy: [] }],
      ['PATCH', 'roles/people', { name: 'x' }],
      ['DELETE', 'roles/people', undefined],
    ] as const) {
      const answer = await as(token, method, path, body);
      assert.equal(answer.status, 401, `${role} ${method} ${path}`);
      const { access, reason } = answer.json;
      assert.ok(access.action && access.resource && reason.effect === 'deny');
    }
    assert.equal(await semantic(token, 'teams/plain', { kind: 'updateName', value: 'x' }), 401);
    assert.equal(
      await semantic(token, 'teams', {
        kind: 'addMembersToTeams',
        memberIDs: [victim.id],
        teamKeys: ['plain'],
      }),
      401,
    );
    const bulk = { kind: 'replaceMembersRoles', value: 'no_access', memberIDs: [victim.id] };
    assert.equal(await semantic(token, 'members', bulk), 401);
  }
  assert.equal(await roleNow(victim.id), 'reader');
});

test('F35 lists show only what the caller may see', async () => {
  const hides: PolicyStatement[] = [
    { effect: 'allow', actions: ['view*'], resources: ['*'] },
    {
      effect: 'deny',
      actions: ['*'],
      resources: [`member/${people.writer.id}`, 'team/strong', 'role/everything'],
    },
  ];
  const { token } = await person({ role: 'reader' }, { inlinePolicy: hides });
  for (const [path, key, hidden] of [
    ['members', '_id', people.writer.id],
    ['teams', 'key', 'strong'],
    ['roles', 'key', 'everything'],
  ] as const) {
    const { json } = await as(token, 'GET', `${path}?limit=1000`);
    const names = (json['items'] as Json[]).map((item) => item[key] as string);
    assert.ok(!names.includes(hidden), path);
    assert.equal(json['totalCount'], names.length);
    assert.equal(await status(as(token, 'GET', `${path}/${hidden}`)), 403);
  }
});

test('F35 nobody gives a role above their own, nor to themselves', async () => {
  for (const role of ['admin', 'owner'] as const) {
    for (const given of ROLES) {
      const target = await person();
      const allowed = ROLES.indexOf(given) <= ROLES.indexOf(role);
      assert.equal(await setRole(tokens[role], target, given), allowed ? 200 : 401, `${role} gives ${given}`);
    }
  }
  assert.equal(await setRole(tokens.admin, people.admin, 'owner'), 401);
  assert.equal(await status(as(tokens.admin, 'POST', 'members', [{ email: 'o@w.n', role: 'owner' }])), 400);
  const bulk = { kind: 'replaceMembersRoles', value: 'owner', memberIDs: [people.admin.id] };
  assert.equal(await semantic(tokens.admin, 'members', bulk), 400);
});

test('F35 an administrator leaves owners alone', async () => {
  assert.equal(await setRole(tokens.admin, people.owner, 'reader'), 401);
  assert.equal(await setRoles(tokens.admin, people.owner, ['people']), 401);
  assert.equal(await status(as(tokens.admin, 'DELETE', `members/${people.owner.id}`)), 401);
  const bulk = { kind: 'replaceAllMembersRoles', value: 'reader', ignoredMemberIDs: [people.admin.id] };
  const others = ROLES.filter((role) => role !== 'owner').map((role) => people[role].id);
  assert.equal(await semantic(tokens.admin, 'members', { ...bulk, ignoredMemberIDs: others }), 200);
  assert.equal(await roleNow(people.owner.id), 'owner');
});

test('F35 who manages people by a custom role gives no more than they hold', async () => {
  for (const role of ['no_access', 'reader', 'writer'] as const) {
    const manager = await person({ role, customRoles: ['people'] });
    const call = await browse(manager);
    const put = async (id: string, path: string, value: unknown) =>
      (await call('PATCH', `members/${id}`, [{ op: 'replace', path, value }])).status;
    for (const given of ROLES) {
      const target = await person({ role: 'no_access' });
      const allowed = ROLES.indexOf(given) <= ROLES.indexOf(role);
      assert.equal(await put(target.id, '/role', given), allowed ? 200 : 401, `${role} gives ${given}`);
      assert.equal(await put(manager.id, '/role', given), given === role ? 200 : allowed ? 200 : 401);
      await server.app.kernel.db.updateTable('members').set({ role }).where('id', '=', manager.id).execute();
      await server.app.kernel.identity.invalidate();
      const invited = await call('POST', 'members', [{ email: `${role}-${given}@x.y`, role: given }]);
      assert.equal(invited.status, given === 'owner' ? 400 : allowed ? 201 : 401);
    }
    const target = await person({ role: 'no_access' });
    assert.equal(await put(manager.id, '/customRoles', ['people', 'everything']), 401, 'not to themselves');
    assert.equal(await put(target.id, '/customRoles', ['everything']), 401);
    assert.equal(await put(target.id, '/customRoles', ['people']), 200, 'what they hold they give');
    assert.equal(await put(target.id, '/customRoles', []), 200, 'and take');
    assert.equal(await put(target.id, '/roleAttributes', { p: ['*'] }), 401);
    const strong = [{ email: `s-${role}@x.y`, role: 'no_access', customRoles: ['everything'] }];
    assert.equal((await call('POST', 'members', strong)).status, 401);
    const joined = [{ email: `t-${role}@x.y`, role: 'no_access', teamKeys: ['strong'] }];
    assert.equal((await call('POST', 'members', joined)).status, 401);
    assert.equal(
      (await call('DELETE', `members/${people.admin.id}`)).status,
      401,
      'nor remove their betters',
    );
    assert.equal(await put(people.admin.id, '/role', 'no_access'), 401);
  }
});

test('F35 a weak token of a strong member gives as little as it holds', async () => {
  const owner = await person({ role: 'owner' }, { inlinePolicy: PEOPLE });
  const target = await person({ role: 'no_access' });
  for (const given of ['reader', 'writer', 'admin', 'owner'] as const) {
    assert.equal(await setRole(owner.token, target, given), 401, given);
  }
  assert.equal(await setRoles(owner.token, target, ['everything']), 401);
  assert.equal(await setRoles(owner.token, target, ['people']), 401, 'its member does not hold that');
  assert.equal(await semantic(owner.token, 'teams/strong', { kind: 'addMembers', values: [target.id] }), 401);
  assert.equal(await semantic(owner.token, 'teams/plain', { kind: 'addMembers', values: [target.id] }), 200);
  assert.equal(
    await semantic(owner.token, 'teams/plain', { kind: 'addCustomRoles', values: ['people'] }),
    401,
  );
  const invite = [{ email: 'weak@x.y', role: 'admin', password: 'long enough' }];
  assert.equal(await status(as(owner.token, 'POST', 'members', invite)), 401);
});

test('F35 nobody comes to power through a team', async () => {
  const manager = await person({ role: 'reader', customRoles: ['people'] });
  const call = await browse(manager);
  const patch = async (key: string, ...instructions: unknown[]) =>
    (await call('PATCH', `teams/${key}`, { instructions }, SEMANTIC)).status;
  for (const values of [[manager.id], [people.reader.id]]) {
    assert.equal(await patch('strong', { kind: 'addMembers', values }), 401);
    assert.equal(await patch('strong', { kind: 'replaceMembers', values }), 401);
  }
  const addAll = { kind: 'addAllMembersToTeams', teamKeys: ['strong'] };
  assert.equal((await call('PATCH', 'teams', { instructions: [addAll] }, SEMANTIC)).status, 401);
  assert.equal((await call('POST', 'members/me/teams', { teamKeys: ['strong'] })).status, 401);
  const form = new FormData();
  form.set('file', new Blob([manager.email]), 'm.csv');
  const headers = { ...(await openBrowser(server, manager)), origin: server.url };
  const file = await fetch(`${server.url}/api/v2/teams/strong/members`, {
    method: 'POST',
    headers,
    body: form,
  });
  assert.equal(file.status, 401);
  assert.equal(
    await patch('strong', {
      kind: 'addPermissionGrants',
      actionSet: 'maintainTeam',
      memberIDs: [manager.id],
    }),
    401,
  );
  assert.equal(await patch('plain', { kind: 'addCustomRoles', values: ['everything'] }), 401);
  assert.equal(await patch('plain', { kind: 'replaceRoleAttributes', value: { p: ['*'] } }), 401);
  const post = (body: object) => call('POST', 'teams', { key: 'mine', name: 'Mine', ...body });
  assert.equal((await post({ customRoleKeys: ['everything'] })).status, 401);
  assert.equal((await post({ roleAttributes: { p: ['x'] } })).status, 401);
  assert.equal((await post({ customRoleKeys: ['people'], memberIDs: [people.reader.id] })).status, 201);
  assert.equal((await as(tokens.owner, 'GET', 'teams/strong?expand=members')).json['members'].totalCount, 0);
  // In two steps: join a team without roles, then give it the role.
  assert.equal(await patch('plain', { kind: 'addMembers', values: [manager.id] }), 200);
  assert.equal(await patch('plain', { kind: 'addCustomRoles', values: ['filled'] }), 401);
});

test('F35 who tends a team chooses its members, and no more', async () => {
  const tender = await person({ role: 'reader' }, { role: 'reader' });
  await as(tokens.owner, 'POST', 'teams', {
    key: 'tended',
    name: 'Tended',
    customRoleKeys: ['people'],
    permissionGrants: [{ actionSet: 'maintainTeam', memberIDs: [tender.id] }],
  });
  const call = await browse(tender);
  const patch = async (key: string, ...instructions: unknown[]) =>
    (await call('PATCH', `teams/${key}`, { instructions }, SEMANTIC)).status;
  const other = await person();
  assert.equal(await patch('tended', { kind: 'addMembers', values: [other.id] }), 200);
  assert.equal(await patch('tended', { kind: 'updateName', value: 'Ours' }), 200);
  assert.equal(await patch('tended', { kind: 'addCustomRoles', values: ['everything'] }), 401);
  const grant = { kind: 'addPermissionGrants', actionSet: 'maintainTeam', memberIDs: [other.id] };
  assert.equal(await patch('tended', grant), 401);
  assert.equal(await patch('plain', { kind: 'addMembers', values: [other.id] }), 401);
  assert.equal((await call('DELETE', 'teams/tended')).status, 401);
  assert.equal(
    await semantic(tender.token, 'teams/tended', { kind: 'removeMembers', values: [other.id] }),
    401,
    'not with a reader token',
  );
});

test("F35 a team's roles are its members' at once, and gone with them", async () => {
  const member = await person({ role: 'no_access' });
  const call = await browse(member);
  const remove = async () => (await call('DELETE', 'roles/nothing')).status;
  assert.equal(await remove(), 404);
  const look = async () => (await call('GET', 'members')).status;
  assert.equal(await look(), 401);
  assert.equal(
    await semantic(tokens.owner, 'teams/strong', { kind: 'addMembers', values: [member.id] }),
    200,
  );
  assert.equal(await look(), 200);
  assert.equal(
    await semantic(tokens.owner, 'teams/strong', { kind: 'removeCustomRoles', values: ['everything'] }),
    200,
  );
  assert.equal(await look(), 401);
  assert.equal(
    await semantic(tokens.owner, 'teams/strong', { kind: 'addCustomRoles', values: ['everything'] }),
    200,
  );
  assert.equal(await look(), 200);
  assert.equal(
    await semantic(tokens.owner, 'teams/strong', { kind: 'removeMembers', values: [member.id] }),
    200,
  );
  assert.equal(await look(), 401);
});

test("F26 a token of a base role does not reach for its owner's team roles", async () => {
  const member = await person({ role: 'reader' }, { role: 'reader' });
  assert.equal(
    await semantic(tokens.owner, 'teams/strong', { kind: 'addMembers', values: [member.id] }),
    200,
  );
  for (const body of [{ inlineRole: ALL }, { customRoleIds: ['everything'] }]) {
    assert.equal(await status(as(member.token, 'POST', 'tokens', body)), 401, JSON.stringify(body));
  }
  const call = await browse(member);
  const { json } = await call('POST', 'tokens', { customRoleIds: ['everything'] });
  const make = (key: string) =>
    status(as(json['token'] as string, 'POST', 'roles', { key, name: key, policy: [] }));
  assert.equal(await make('before'), 201);
  assert.equal(
    await semantic(tokens.owner, 'teams/strong', { kind: 'removeMembers', values: [member.id] }),
    200,
  );
  assert.equal(await make('after'), 401, 'what they lose, it loses');
});

test('F35 nobody rewrites the role that they hold, or that anybody holds', async () => {
  const manager = await person({ role: 'reader', customRoles: ['people'] });
  const call = await browse(manager);
  const patch = async (key: string, body: unknown) => (await call('PATCH', `roles/${key}`, body)).status;
  assert.equal(await patch('people', { policy: ALL }), 401);
  assert.equal(await patch('people', { basePermissions: 'reader' }), 401);
  assert.equal(await patch('everything', { policy: [] }), 401, 'a team holds it');
  assert.equal(await patch('people', { description: 'of people' }), 200);
  assert.equal((await call('POST', 'roles', { key: 'draft', name: 'Draft', policy: [] })).status, 201);
  assert.equal(await patch('draft', { policy: ALL }), 200, 'nobody holds it');
  const own = [{ op: 'add', path: '/customRoles/-', value: 'draft' }];
  assert.equal((await call('PATCH', 'members/me', own)).status, 401, 'nor can they take it');
  const token = await call('POST', 'tokens', { customRoleIds: ['draft'] });
  assert.equal(token.status, 201, 'on a personal token it only narrows');
  const value = token.json['token'] as string;
  assert.equal(await status(as(value, 'POST', 'projects', { key: 'x', name: 'x' })), 401);
  const service = await call('POST', 'tokens', { customRoleIds: ['draft'], serviceToken: true });
  assert.equal(service.status, 401);
});

test('F35 attributes fill roles for administrators to say, and values stay values', async () => {
  const member = await person({ role: 'no_access', customRoles: ['filled'] });
  const call = await browse(member);
  const look = async (key: string) => (await call('GET', `projects/${key}`)).status;
  for (const key of ['web', 'app']) await as(tokens.owner, 'POST', 'projects', { key, name: key });
  assert.deepEqual([await look('web'), await look('app')], [403, 403]);
  const set = (value: unknown) =>
    status(
      as(tokens.admin, 'PATCH', `members/${member.id}`, [{ op: 'replace', path: '/roleAttributes', value }]),
    );
  assert.equal(await set({ p: ['web'] }), 200);
  assert.deepEqual([await look('web'), await look('app')], [200, 403]);
  for (const value of ['x:env/*', 'x;tag', 'a,b', '${roleAttribute/p}', '', 'a b', 'a/b']) {
    assert.equal(await set({ p: [value] }), 400, value);
  }
  assert.equal(await set({ p: ['*'] }), 200);
  assert.deepEqual([await look('web'), await look('app')], [200, 200]);
});

test('F26 what stands for nobody is nobody: a service token has no me to change', async () => {
  const service = await giveToken(server, people.owner, { role: 'admin', isService: true });
  assert.equal(await status(as(service.value, 'PATCH', 'members/me', [])), 404);
  assert.equal(await status(as(service.value, 'DELETE', 'members/me')), 404);
  assert.equal(await setRole(service.value, people.owner, 'reader'), 401);
  const target = await person();
  assert.equal(await setRole(service.value, target, 'admin'), 200);
  assert.equal(await setRole(service.value, target, 'owner'), 401);
});

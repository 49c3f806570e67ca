// Custom roles on the flags API, on a running server with each engine: both patch kinds, bad policies, holders.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import type { Answer, CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=flagservice.semanticpatch' };
const STATEMENT = { effect: 'allow', actions: ['updateOn'], resources: ['proj/*:env/test:flag/*'] };

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  const call = (path: string, init?: CallInit): Promise<Answer> => server.call(`/api/v2/${path}`, init);
  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    call(path, { method, ...(body !== undefined && { body }), ...(headers && { headers }) });
  const make = async (key: string, more: object = {}): Promise<Json> => {
    const answer = await send('POST', 'roles', { key, name: key, policy: [STATEMENT], ...more });
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };
  const eventsOf = (key: string) =>
    server.app.kernel.db
      .selectFrom('events')
      .selectAll()
      .where('resource', '=', `role/${key}`)
      .orderBy('seq')
      .execute();

  test('F5 a role has its fields and links, by key and by id', async () => {
    const made = await make('full', {
      description: 'why',
      basePermissions: 'no_access',
      resourceCategory: 'any',
    });
    const { _id: id, _links, ...rest } = made;
    assert.match(id as string, /^[0-9a-f]{24}$/);
    assert.deepEqual([_links.self.href, _links.parent.href], ['/api/v2/roles/full', '/api/v2/roles']);
    assert.deepEqual(rest, {
      key: 'full',
      name: 'full',
      description: 'why',
      policy: [STATEMENT],
      basePermissions: 'no_access',
      resourceCategory: 'any',
      assignedTo: { membersCount: 0, teamsCount: 0 },
    });
    assert.deepEqual((await call('roles/full')).json, made);
    assert.deepEqual((await call(`roles/${id}`)).json, made);
    assert.equal((await make('plain'))['basePermissions'], 'reader');
  });

  test('a key is taken once, and what is no role makes none', async () => {
    const again = await send('POST', 'roles', { key: 'full', name: 'x', policy: [] });
    assert.deepEqual([again.status, again.json['code']], [409, 'key_exists']);
    const bad = (policy: unknown) => ({ key: 'bad', name: 'x', policy });
    for (const body of [
      {},
      { key: 'bad', name: 'x' },
      { key: 'bad', policy: [] },
      { name: 'x', policy: [] },
      { key: 'b d', name: 'x', policy: [] },
      { key: '0'.repeat(24), name: 'x', policy: [] },
      { key: 'bad', name: '', policy: [] },
      { key: 'bad', name: 'x', policy: [], basePermissions: 'admin' },
      bad('all'),
      bad([{}]),
      bad([{ ...STATEMENT, effect: 'maybe' }]),
      bad([{ effect: 'allow', actions: ['*'] }]),
      bad([{ effect: 'allow', resources: ['*'] }]),
      bad([{ ...STATEMENT, notActions: ['x'] }]),
      bad([{ ...STATEMENT, notResources: ['*'] }]),
      bad([{ ...STATEMENT, actions: 'updateOn' }]),
      bad([{ ...STATEMENT, actions: ['two words'] }]),
      bad([{ ...STATEMENT, resources: ['proj/*:'] }]),
      bad([{ ...STATEMENT, resources: ['Proj/*'] }]),
      bad([{ ...STATEMENT, resources: [5] }]),
      bad(Array.from({ length: 501 }, () => STATEMENT)),
      bad([{ ...STATEMENT, resources: ['proj/${roleAttribute/a}${roleAttribute/b}${roleAttribute/c}'] }]),
      [],
      '{',
    ]) {
      const { status, json } = await send('POST', 'roles', body);
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], JSON.stringify(body).slice(0, 200));
    }
    assert.equal((await call('roles/bad')).status, 404);
  });

  test('what is wrong with a policy is said where it is', async () => {
    const policy = [STATEMENT, { ...STATEMENT, resources: ['proj/*', 'no such thing'] }];
    const { json } = await send('POST', 'roles', { key: 'bad', name: 'x', policy });
    assert.match(json['message'] as string, /\/1\/resources\/1/);
  });

  test('F14 a JSON patch changes all but the key', async () => {
    await make('json');
    const deny = { effect: 'deny', actions: ['*'], resources: ['proj/secret'] };
    const { status, json } = await send('PATCH', 'roles/json', [
      { op: 'test', path: '/key', value: 'json' },
      { op: 'replace', path: '/name', value: 'New' },
      { op: 'add', path: '/description', value: 'Why' },
      { op: 'add', path: '/policy/0', value: deny },
      { op: 'replace', path: '/basePermissions', value: 'no_access' },
    ]);
    assert.equal(status, 200);
    assert.deepEqual(
      [json['name'], json['description'], json['policy'], json['basePermissions']],
      ['New', 'Why', [deny, STATEMENT], 'no_access'],
    );
    const [, event] = await eventsOf('json');
    const actions = (JSON.parse(event!.accesses!) as Json[]).map(({ action }) => action as string);
    assert.deepEqual(actions, ['updateName', 'updateDescription', 'updatePolicy']);
    for (const [operation, expected] of [
      [{ op: 'replace', path: '/key', value: 'other' }, 400],
      [{ op: 'replace', path: '/_id', value: 'x' }, 400],
      [{ op: 'remove', path: '/policy' }, 400],
      [{ op: 'replace', path: '/policy', value: [{}] }, 400],
      [{ op: 'replace', path: '/policy/9', value: STATEMENT }, 422],
      [{ op: 'test', path: '/name', value: 'other' }, 409],
    ] as const) {
      assert.equal(
        (await send('PATCH', 'roles/json', [operation])).status,
        expected,
        JSON.stringify(operation),
      );
    }
    assert.equal((await eventsOf('json')).length, 2);
  });

  test('F15 F21 a merge patch changes what it holds, bare and with a comment', async () => {
    await make('merge', { description: 'old' });
    const bare = await send('PATCH', 'roles/merge', { name: 'Bare' });
    assert.deepEqual([bare.status, bare.json['name'], bare.json['description']], [200, 'Bare', 'old']);
    const merge = { comment: 'so', merge: { name: 'Wrapped', description: null } };
    const { json } = await send('PATCH', 'roles/merge', merge);
    assert.deepEqual([json['name'], json['description']], ['Wrapped', '']);
    assert.equal((await eventsOf('merge')).at(-1)?.comment, 'so');
    const patch = { comment: 'still', patch: [{ op: 'replace', path: '/name', value: 'Wrapped' }] };
    assert.equal((await send('PATCH', 'roles/merge', patch)).status, 200);
    assert.equal((await eventsOf('merge')).length, 3, 'what changes nothing is no event');
    assert.equal((await send('PATCH', 'roles/merge', { key: 'x' })).status, 400);
    assert.equal((await send('PATCH', 'roles/merge', { _id: 'x' })).status, 400);
    const semantic = { instructions: [{ kind: 'updateName', value: 'x' }] };
    assert.equal((await send('PATCH', 'roles/merge', semantic)).status, 400);
    assert.equal((await send('PATCH', 'roles/merge', semantic, SEMANTIC)).status, 422);
    assert.equal((await send('PATCH', 'roles/merge', 'null')).status, 422);
  });

  test('a role counts who holds it, and its end is the end of that', async () => {
    await make('held', { policy: [{ effect: 'allow', actions: ['deleteRole'], resources: ['role/*'] }] });
    const member = await join(server, 'holder', { role: 'no_access', customRoles: ['held'] });
    await send('POST', 'teams', { key: 'holders', name: 'Holders', customRoleKeys: ['held'] });
    assert.deepEqual((await call('roles/held')).json['assignedTo'], { membersCount: 1, teamsCount: 1 });
    const token = await giveToken(server, member, { customRoles: ['held'] });
    const remove = (key: string) => call(`roles/${key}`, { method: 'DELETE', token: token.value });
    await make('victim-1');
    await make('victim-2');
    assert.equal((await remove('victim-1')).status, 204);
    assert.equal((await send('DELETE', 'roles/held')).status, 204);
    assert.equal((await remove('victim-2')).status, 401, 'at once');
    assert.deepEqual((await call(`members/${member.id}`)).json['customRoles'], []);
    assert.equal((await call('teams/holders/roles')).json['totalCount'], 0);
    assert.equal((await send('DELETE', 'roles/held')).status, 404);
    await make('held', { policy: [{ effect: 'allow', actions: ['*'], resources: ['*'] }] });
    assert.equal((await remove('victim-2')).status, 401, 'and a new one of its key gives it to nobody');
  });

  test('a policy that changes is in force at once', async () => {
    await make('turning', {
      policy: [{ effect: 'allow', actions: ['viewTeam'], resources: ['team/*'] }],
      basePermissions: 'no_access',
    });
    await send('POST', 'teams', { key: 'seen', name: 'Seen' });
    const member = await join(server, 'turner', { role: 'no_access', customRoles: ['turning'] });
    const token = await giveToken(server, member, { customRoles: ['turning'] });
    const look = async () => (await call('teams/seen', { token: token.value })).status;
    assert.equal(await look(), 200);
    await send('PATCH', 'roles/turning', { policy: [] });
    assert.equal(await look(), 403);
  });

  test('a reader base lets its holders look and make tokens, unless the policy denies it', async () => {
    const deny = (actions: string[], resources: string[]) => ({ effect: 'deny', actions, resources });
    await make('based', { policy: [deny(['viewProject'], ['proj/secret'])] });
    await make('tokenless', { policy: [deny(['createAccessToken'], ['member/*:token/*'])] });
    await make('baseless', { policy: [], basePermissions: 'no_access' });
    for (const key of ['open', 'secret']) await send('POST', 'projects', { key, name: key });
    const tryAs = async (role: string) => {
      const member = await join(server, `as-${role}`, { role: 'no_access', customRoles: [role] });
      const { value: token } = await giveToken(server, member, { customRoles: [role] });
      return [
        (await call('projects/open', { token })).status,
        (await call('projects/secret', { token })).status,
        (await call('tokens', { token, method: 'POST', body: { customRoleIds: [role] } })).status,
      ];
    };
    assert.deepEqual(await tryAs('based'), [200, 403, 201]);
    assert.deepEqual(await tryAs('tokenless'), [200, 200, 401]);
    assert.deepEqual(await tryAs('baseless'), [403, 403, 401]);
  });

  test('F35 what a role is denied in one environment, it does not do there by changing the flag everywhere', async () => {
    const flags = 'proj/*:env/*:flag/*';
    const inProduction = 'proj/*:env/production:flag/*';
    const effect = (kind: string, actions: string[], resource: string) => ({
      effect: kind,
      actions,
      resources: [resource],
    });
    const serving = ['updateFlagVariations', 'updateGlobalArchived', 'deleteFlag'];
    await make('denied-there', {
      policy: [effect('allow', ['*'], flags), effect('deny', ['*'], inProduction)],
    });
    await make('not-allowed-there', { policy: [effect('allow', ['*'], 'proj/*:env/test:flag/*')] });
    await make('allowed-there', { policy: [effect('allow', serving, inProduction)] });
    await send('POST', 'projects', { key: 'walls', name: 'Walls' });
    const tryAs = async (name: string, customRoles: string[]) => {
      const member = await join(server, name, { role: 'no_access', customRoles });
      const { value: token } = await giveToken(server, member, { customRoles });
      const key = `flag-${name}`;
      await send('POST', 'flags/walls', { key, name: key, variations: [{ value: 'a' }, { value: 'b' }] });
      const patch = (path: string, value: unknown) =>
        call(`flags/walls/${key}`, { method: 'PATCH', token, body: [{ op: 'replace', path, value }] });
      const instruct = (kind: string, more = {}) =>
        call(`flags/walls/${key}`, {
          method: 'PATCH',
          token,
          headers: SEMANTIC,
          body: { instructions: [{ kind, ...more }] },
        });
      return [
        await patch('/name', 'Renamed'),
        await patch('/variations/0/name', 'A'),
        await patch('/variations/0/value', 'c'),
        await instruct('archiveFlag'),
        await instruct('restoreFlag'),
        await instruct('deleteFlag'),
        await call(`flags/walls/${key}`, { method: 'DELETE', token }),
      ];
    };
    const denied = await tryAs('denied', ['denied-there']);
    // Restoring what was not archived changes nothing.
    assert.deepEqual(
      denied.map(({ status }) => status),
      [200, 200, 401, 401, 200, 401, 401],
    );
    for (const { status, json } of denied) {
      if (status !== 401) continue;
      assert.match(String(json['message']), /in Production/);
      assert.ok(serving.includes(json['access'].action as string));
      assert.match(json['access'].resource as string, /^proj\/walls:env\/production:flag\/flag-denied/);
    }
    const free = [200, 200, 200, 200, 200, 200, 404];
    const statuses = async (name: string, roles: string[]) =>
      (await tryAs(name, roles)).map(({ status }) => status);
    assert.deepEqual(
      await statuses('silent', ['not-allowed-there']),
      free,
      'what no statement allows is no deny',
    );
    assert.deepEqual(
      await statuses('both', ['denied-there', 'allowed-there']),
      free,
      'another policy that allows wins',
    );
  });

  test('F35 a project is not deleted past a deny of deleting one of its environments', async () => {
    const resources = ['proj/*', 'proj/*:env/*'];
    const allow = { effect: 'allow', actions: ['*'], resources };
    const deny = { effect: 'deny', actions: ['deleteEnvironment'], resources: ['proj/*:env/production'] };
    await make('keeps-production', { policy: [allow, deny] });
    const member = await join(server, 'keeps', { role: 'no_access', customRoles: ['keeps-production'] });
    const { value: token } = await giveToken(server, member, { customRoles: ['keeps-production'] });
    await send('POST', 'projects', { key: 'kept', name: 'Kept' });
    const refused = await call('projects/kept', { method: 'DELETE', token });
    assert.deepEqual([refused.status, refused.json['access'].action], [401, 'deleteEnvironment']);
    assert.match(String(refused.json['message']), /in Production/);
    assert.equal((await call('projects/kept/environments/test', { method: 'DELETE', token })).status, 204);
  });

  test('F8 F9 the list is paged; unknown roles are 404', async () => {
    const { json } = await call('roles?limit=2&offset=1');
    assert.equal((json['items'] as Json[]).length, 2);
    assert.ok(json['totalCount'] > 3 && json['_links'].next && json['_links'].prev);
    for (const key of ['none', '0'.repeat(24), 'a%20b']) {
      assert.equal((await call(`roles/${key}`)).status, 404, key);
      assert.equal((await send('DELETE', `roles/${key}`)).status, 404, key);
      assert.equal((await send('PATCH', `roles/${key}`, [])).status, 404, key);
    }
    assert.equal((await call('roles?limit=x')).status, 400);
    assert.equal((await send('PUT', 'roles/full', {})).status, 405);
  });
});

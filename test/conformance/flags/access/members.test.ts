// Members of the account on the flags API, on a running server with each engine: lists, invitations, changes and removal.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findMember } from '../../../../src/kernel/identity/store-members.ts';
import { onEachEngine } from '../../../engines.ts';
import { FORM, giveToken, join, openBrowser, browserHeadersOf } from '../../../people.ts';
import type { Answer, CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=flagservice.semanticpatch' };
const POLICY = [{ effect: 'allow', actions: ['*'], resources: ['proj/*'] }];

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    for (const key of ['ops', 'dev']) await send('POST', 'roles', { key, name: key, policy: POLICY });
    for (const key of ['core', 'rim']) await send('POST', 'teams', { key, name: key });
  });
  after(() => server.stop());

  const call = (path: string, init?: CallInit): Promise<Answer> => server.call(`/api/v2/${path}`, init);
  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    call(path, { method, ...(body !== undefined && { body }), ...(headers && { headers }) });
  const patch = (id: string, ...operations: unknown[]) => send('PATCH', `members/${id}`, operations);
  const bulk = (...instructions: unknown[]) => send('PATCH', 'members', { instructions }, SEMANTIC);
  const emailsOf = ({ json }: Answer) => (json['items'] as Json[]).map(({ email }) => email as string);

  async function invite(email: string, more: object = {}): Promise<Json> {
    const answer = await send('POST', 'members', [{ email, ...more }]);
    assert.equal(answer.status, 201, answer.text);
    return (answer.json['items'] as Json[])[0]!;
  }

  /** The descriptions of audit entries about the member, oldest first. */
  async function eventsOf(id: string) {
    const { db } = server.app.kernel;
    return db
      .selectFrom('events')
      .selectAll()
      .where('resource', '=', `member/${id}`)
      .orderBy('seq')
      .execute();
  }

  test('an invited member has all fields, links, and is told apart from those who came', async () => {
    const made = await invite('Full.Fields@Example.com', {
      firstName: 'Full',
      lastName: 'Fields',
      role: 'writer',
      customRoles: ['ops'],
      teamKeys: ['core'],
      roleAttributes: { projects: ['web'] },
    });
    const id = made['_id'] as string;
    assert.match(id, /^[0-9a-f]{24}$/);
    const { json } = await call(`members/${id}?expand=roleAttributes,customRoles`);
    const { _links, creationDate, teams, ...rest } = json;
    assert.deepEqual(rest, {
      _id: id,
      role: 'writer',
      email: 'full.fields@example.com',
      firstName: 'Full',
      lastName: 'Fields',
      customRoles: ['ops'],
      mfa: 'disabled',
      version: 1,
      _pendingInvite: true,
      _verified: false,
      _lastSeen: 0,
      permissionGrants: [],
      roleAttributes: { projects: ['web'] },
      _site: { href: `/console/account/members?member=${id}`, type: 'text/html' },
    });
    assert.deepEqual([_links.self.href, _links.parent.href], [`/api/v2/members/${id}`, '/api/v2/members']);
    assert.deepEqual(
      (teams as Json[]).map(({ key, name, customRoleKeys }) => [key, name, customRoleKeys]),
      [['core', 'core', []]],
    );
    assert.ok(Number.isInteger(creationDate));
    assert.equal((await call(`members/${id}`)).json['roleAttributes'], undefined);
    const member = await findMember(server.app.kernel.db, { id });
    assert.equal(member?.username, 'full-fields');
    const events = await eventsOf(id);
    assert.deepEqual(
      [events[0]?.action, events[0]?.kind, events[0]?.name],
      ['createMember', 'member', rest['email']],
    );
  });

  test('an invited member logs in by the link, once, or by the password', async () => {
    const made = await invite('linked@example.com');
    const { href } = made['_links'].login as { href: string };
    assert.ok(href.startsWith(`${server.url}/session/`));
    const enter = (form: string) =>
      server.call('/session', {
        method: 'POST',
        token: null,
        headers: { ...FORM, origin: server.url },
        body: form,
      });
    const link = href.split('/').at(-1)!;
    const entered = await enter(`link=${link}`);
    assert.equal(entered.status, 200);
    assert.equal((await enter(`link=${link}`)).status, 401);
    const headers = browserHeadersOf(entered);
    assert.equal((await call('members/me', { token: null, headers })).json['_id'], made['_id']);
    await server.app.kernel.identity.saveLastSeen();
    const seen = (await call(`members/${made['_id']}`)).json;
    assert.deepEqual([seen['_pendingInvite'], seen['_verified'], seen['_lastSeen'] > 0], [false, true, true]);

    const other = await invite('secret@example.com', { password: 'open sesame' });
    assert.equal(other['_links'].login, undefined);
    assert.equal((await enter('name=secret@example.com&password=open+sesame')).status, 200);
    const { text } = await call(`members/${made['_id']}`);
    assert.ok(!text.includes(link) && !text.includes('login'));
    const rows = await server.app.kernel.db.selectFrom('events').select(['after', 'detail']).execute();
    assert.ok(!JSON.stringify(rows).includes(link) && !JSON.stringify(rows).includes('open sesame'));
  });

  test('fifty are invited at once, fifty-one are not', async () => {
    const many = (count: number, name: string) =>
      Array.from({ length: count }, (_, index) => ({ email: `${name}@${name}-${index}.com` }));
    const answer = await send('POST', 'members', many(50, 'mass'));
    assert.equal(answer.status, 201);
    assert.equal(answer.json['totalCount'], 50);
    assert.equal((await call('members?filter=query:mass@&limit=100')).json['totalCount'], 50);
    assert.equal((await send('POST', 'members', many(51, 'more'))).status, 400);
    assert.equal((await call('members?filter=query:more@')).json['totalCount'], 0);
  });

  test('an invitation is all or nothing, and says what is wrong with which address', async () => {
    await invite('there@example.com');
    for (const [body, code, names] of [
      [[{ email: 'new@x.y' }, { email: 'THERE@example.com' }], 'email_already_exists_in_account', 'there@'],
      [[{ email: 'twin@x.y' }, { email: 'new@x.y' }, { email: 'Twin@x.y' }], 'duplicate_emails', 'twin@x.y'],
      [[{ email: 'new@x.y' }, { email: 'nonsense' }], 'invalid_request', 'nonsense'],
      [[{ email: 'new@x.y' }, { email: 'o@x.y', customRoles: ['none'] }], 'invalid_request', 'none'],
      [[{ email: 'new@x.y' }, { email: 'o@x.y', teamKeys: ['none'] }], 'invalid_request', 'none'],
      [[{ email: 'new@x.y' }, { email: 'o@x.y', role: 'owner' }], 'invalid_request', 'role'],
      [[{ email: 'new@x.y' }, {}], 'invalid_request', 'email'],
      [[], 'invalid_request', ''],
      [{ email: 'new@x.y' }, 'invalid_request', ''],
      ['{', 'invalid_request', ''],
      [[{ email: 'new@x.y', password: 'short' }], 'invalid_request', 'password'],
      [[{ email: 'a\0@x.y' }], 'invalid_request', 'email'],
      [[{ email: 'new@x.y', roleAttributes: { k: ['a:b'] } }], 'invalid_request', ''],
      [[{ email: 'new@x.y', firstName: 'x'.repeat(257) }], 'invalid_request', 'firstName'],
    ] as const) {
      const { status, json } = await send('POST', 'members', body);
      const label = JSON.stringify(body);
      assert.deepEqual([status, json['code']], [400, code], label);
      assert.ok((json['message'] as string).includes(names), `${json['message']} names ${names}`);
      assert.match(json['id'] as string, /^[0-9a-f-]{36}$/);
    }
    assert.equal((await call('members?filter=email:new@x.y|twin@x.y|o@x.y')).json['totalCount'], 0);
  });

  test('F8 F9 F10 the list is a collection of pages whose items lead to the member', async () => {
    const { json } = await call('members?limit=3&offset=3');
    assert.equal((json['items'] as Json[]).length, 3);
    assert.deepEqual(Object.keys(json['_links']).sort(), ['first', 'last', 'next', 'prev', 'self']);
    const { href } = (json['items'] as Json[])[0]!['_links'].self as { href: string };
    assert.equal((await server.call(href)).status, 200);
    assert.equal((await call('members')).json['items'].length, 20);
  });

  test('the list is narrowed by filters and put in order', async () => {
    await invite('zoe@filter.com', { firstName: 'Zoe', role: 'writer', teamKeys: ['rim'] });
    await invite('abe@filter.com', { firstName: 'abe', customRoles: ['dev'] });
    const list = async (query: string) => emailsOf(await call(`members?${query}`));
    const both = ['zoe@filter.com', 'abe@filter.com'];
    assert.deepEqual(await list('filter=query:FILTER.com'), both);
    assert.deepEqual(await list('filter=query:filter.com&sort=displayName'), both.toReversed());
    assert.deepEqual(await list('filter=query:filter.com&sort=-displayName'), both);
    assert.deepEqual(await list('filter=query:filter.com,role:writer|admin'), both.slice(0, 1));
    assert.deepEqual(await list('filter=role:dev'), both.slice(1));
    assert.deepEqual(await list('filter=team:rim'), both.slice(0, 1));
    assert.deepEqual(await list('filter=noteam:true,query:filter.com'), both.slice(1));
    assert.deepEqual(await list('filter=email:abe@filter.com|none@x.y'), both.slice(1));
    assert.deepEqual(await list('filter=lastSeen:{"never":true},query:filter.com'), both);
    assert.deepEqual(await list(`filter=lastSeen:{"before":${Date.now()}},query:zoe`), both.slice(0, 1));
    const { _id } = ((await call('members?filter=query:zoe')).json['items'] as Json[])[0]!;
    assert.deepEqual(await list(`filter=id:${_id}|${'0'.repeat(24)}`), both.slice(0, 1));
    for (const bad of [
      'filter=none:1',
      'filter=query',
      'filter=noteam:perhaps',
      'filter=lastSeen:soon',
      'filter=lastSeen:{"before":"now"}',
      'sort=email',
      'expand=teams',
      'limit=-1',
      'limit=x',
    ]) {
      assert.equal((await call(`members?${bad}`)).status, 400, bad);
    }
    assert.equal((await call('members?filter=query:%00')).status, 400);
  });

  test('role, custom roles and role attributes are patched; all else is not', async () => {
    const { _id: id } = await invite('patched@example.com');
    const first = await patch(
      id,
      { op: 'test', path: '/version', value: 1 },
      { op: 'replace', path: '/role', value: 'writer' },
    );
    assert.deepEqual([first.status, first.json['role'], first.json['version']], [200, 'writer', 2]);
    const roles = await patch(
      id,
      { op: 'add', path: '/customRoles/-', value: 'ops' },
      { op: 'add', path: '/customRoles/0', value: 'dev' },
    );
    assert.deepEqual(roles.json['customRoles'], ['dev', 'ops']);
    const attributes = await patch(id, { op: 'add', path: '/roleAttributes/p', value: ['web'] });
    assert.deepEqual(attributes.json['roleAttributes'], { p: ['web'] });
    assert.deepEqual((await patch(id, { op: 'remove', path: '/customRoles' })).json['customRoles'], []);
    const { version } = (await call(`members/${id}`)).json;
    const same = await patch(id, { op: 'replace', path: '/role', value: 'writer' });
    assert.deepEqual([same.status, same.json['version']], [200, version], 'left as it is');
    const events = await eventsOf(id);
    assert.deepEqual(
      events.map(({ action }) => action),
      ['createMember', 'updateRole', 'updateCustomRole', 'updateCustomRole', 'updateCustomRole'],
    );
    for (const [operation, status] of [
      [{ op: 'replace', path: '/role', value: 'king' }, 400],
      [{ op: 'remove', path: '/role' }, 400],
      [{ op: 'replace', path: '/email', value: 'other@x.y' }, 400],
      [{ op: 'replace', path: '/_lastSeen', value: 1 }, 400],
      [{ op: 'replace', path: '/customRoles', value: ['none'] }, 400],
      [{ op: 'replace', path: '/customRoles', value: 'ops' }, 400],
      [{ op: 'replace', path: '/roleAttributes', value: { 'a b': ['x'] } }, 400],
      [{ op: 'replace', path: '/roleAttributes', value: { a: ['x y'] } }, 400],
      [{ op: 'test', path: '/version', value: 99 }, 409],
      [{ op: 'jump', path: '/role' }, 422],
      [{ op: 'replace', path: 'role', value: 'reader' }, 422],
    ] as const) {
      const answer = await patch(id, operation);
      assert.equal(answer.status, status, `${JSON.stringify(operation)} ${answer.text}`);
    }
    const semantic = { instructions: [{ kind: 'updateRole', value: 'reader' }] };
    assert.equal((await send('PATCH', `members/${id}`, semantic)).status, 400);
    assert.equal((await send('PATCH', `members/${id}`, semantic, SEMANTIC)).status, 422);
    assert.equal((await send('PATCH', `members/${id}`, { role: 'reader' })).status, 422);
    assert.equal((await call(`members/${id}`)).json['version'], version);
  });

  test('F22 a comment stands in the event', async () => {
    const { _id: id } = await invite('commented@example.com');
    const body = { comment: 'why not', patch: [{ op: 'replace', path: '/role', value: 'writer' }] };
    assert.equal((await send('PATCH', `members/${id}`, body)).status, 200);
    assert.equal((await eventsOf(id)).at(-1)?.comment, 'why not');
  });

  test('a removed member is gone, and so are their tokens and sessions; service tokens go on', async () => {
    const { _id: id } = await invite('leaver@example.com', { role: 'writer', teamKeys: ['core'] });
    const member = (await findMember(server.app.kernel.db, { id }))!;
    const personal = await giveToken(server, member, { role: 'writer' });
    const service = await giveToken(server, member, { role: 'reader', isService: true });
    const headers = await openBrowser(server, member);
    const ask = (init: CallInit) => call('caller-identity', init);
    assert.deepEqual(
      [(await ask({ token: personal.value })).status, (await ask({ token: null, headers })).status],
      [200, 200],
    );
    assert.equal((await send('DELETE', `members/${id}`)).status, 204);
    assert.equal((await send('DELETE', `members/${id}`)).status, 404);
    assert.equal((await call(`members/${id}`)).status, 404);
    assert.equal((await patch(id, { op: 'replace', path: '/role', value: 'admin' })).status, 404);
    assert.deepEqual(
      [
        (await ask({ token: personal.value })).status,
        (await ask({ token: null, headers })).status,
        (await ask({ token: service.value })).status,
      ],
      [401, 401, 200],
    );
    assert.equal((await call(`tokens/${personal.id}`)).status, 404);
    assert.equal((await call(`tokens/${service.id}`)).json['ownerId'], id);
    assert.equal((await call('teams/core?expand=members')).json['members'].totalCount, 1);
    assert.equal((await eventsOf(id)).at(-1)?.action, 'deleteMember');
    assert.equal((await invite('leaver@example.com'))['email'], 'leaver@example.com', 'who may come again');
  });

  test('the owner is not removed, and the last one stays owner', async () => {
    const owner = (await call('members/me')).json;
    const removed = await send('DELETE', 'members/me');
    assert.deepEqual([removed.status, removed.json['code']], [403, 'forbidden']);
    assert.equal((await patch('me', { op: 'replace', path: '/role', value: 'admin' })).status, 403);
    const { _id: id } = await invite('heir@example.com');
    assert.equal((await patch(id, { op: 'replace', path: '/role', value: 'owner' })).status, 200);
    assert.equal((await send('DELETE', `members/${id}`)).status, 403);
    assert.equal((await patch(id, { op: 'replace', path: '/role', value: 'reader' })).status, 200);
    assert.equal((await call(`members/${owner['_id']}`)).json['role'], 'owner');
  });

  test('unknown members are 404, whatever is asked of them', async () => {
    for (const id of ['0'.repeat(24), 'nobody', 'me2', '%F0%9F%90%99']) {
      assert.equal((await call(`members/${id}`)).status, 404, id);
      assert.equal((await patch(id)).status, 404, id);
      assert.equal((await send('DELETE', `members/${id}`)).status, 404, id);
      assert.equal((await send('POST', `members/${id}/teams`, { teamKeys: ['core'] })).status, 404, id);
    }
    const service = await giveToken(
      server,
      (await findMember(server.app.kernel.db, { username: 'admin' }))!,
      {
        role: 'admin',
        isService: true,
      },
    );
    assert.equal(
      (await call('members/me', { token: service.value })).status,
      404,
      'a service token is nobody',
    );
  });

  test('a member is taken into teams', async () => {
    const { _id: id } = await invite('joiner@example.com');
    const answer = await send('POST', `members/${id}/teams`, { teamKeys: ['rim', 'core', 'rim'] });
    assert.equal(answer.status, 201);
    assert.deepEqual(
      (answer.json['teams'] as Json[]).map(({ key }) => key as string),
      ['core', 'rim'],
    );
    for (const body of [
      {},
      { teamKeys: [] },
      { teamKeys: ['none'] },
      { teamKeys: 'core' },
      { teamKeys: [5] },
    ]) {
      assert.equal((await send('POST', `members/${id}/teams`, body)).status, 400, JSON.stringify(body));
    }
  });

  test('many are changed by one semantic patch', async () => {
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      ids.push((await invite(`${name}@bulk.com`, { customRoles: ['ops'], role: 'reader' }))['_id'] as string);
    }
    const [one, two] = ids as [string, string, string];
    const first = await bulk({ kind: 'replaceMembersRoles', value: 'writer', memberIDs: [one, two, one] });
    assert.equal(first.status, 200, first.text);
    assert.deepEqual([first.json['members'], first.json['errors']], [[one, two], []]);
    const shown = (await call(`members/${one}`)).json;
    assert.deepEqual([shown['role'], shown['customRoles']], ['writer', []], 'custom roles go');
    const second = await bulk(
      { kind: 'replaceMembersCustomRoles', values: ['dev'], memberIDs: [one] },
      { kind: 'replaceMembersRoleAttributes', value: { p: ['x'] }, memberIDs: [one] },
    );
    assert.deepEqual(second.json['members'], [one]);
    const now = (await call(`members/${one}?expand=roleAttributes`)).json;
    assert.deepEqual([now['customRoles'], now['roleAttributes']], [['dev'], { p: ['x'] }]);
    const third = await bulk({
      kind: 'replaceAllMembersCustomRoles',
      values: ['ops'],
      filterQuery: 'two@',
      ignoredMemberIDs: [one],
    });
    assert.ok(!(third.json['members'] as string[]).includes(one));
    assert.ok(!(third.json['members'] as string[]).includes(two));
    assert.ok((third.json['members'] as string[]).includes(ids[2]!));
    const all = await bulk({
      kind: 'replaceAllMembersRoles',
      value: 'no_access',
      filterRoles: 'writer|admin',
    });
    assert.equal((await call(`members/${two}`)).json['role'], 'writer');
    assert.equal((await call(`members/${ids[2]}`)).json['role'], 'no_access');
    assert.ok(
      !JSON.stringify(all.json['members']).includes((await call('members/me')).json['_id'] as string),
    );
  });

  test('F19 one invalid instruction is named, and nobody is changed', async () => {
    const { _id: id } = await invite('atomic@bulk.com');
    const good = { kind: 'replaceMembersRoles', value: 'admin', memberIDs: [id] };
    const attributes = { kind: 'replaceMembersRoleAttributes', memberIDs: [id] };
    const bads: [status: number, instruction: Json][] = [
      [400, { kind: 'replaceMembersRoles', value: 'king', memberIDs: [id] }],
      [400, { kind: 'replaceMembersRoles', value: 'owner', memberIDs: [id] }],
      [422, { kind: 'replaceMembersRoles', value: 'reader' }],
      [422, { kind: 'replaceMembersRoles', value: 5, memberIDs: [id] }],
      [422, { kind: 'replaceMembersRoles', value: 'reader', memberIDs: [id], memberIds: [] }],
      [400, { kind: 'replaceMembersRoles', value: 'reader', memberIDs: ['x'] }],
      [400, { kind: 'replaceMembersCustomRoles', values: ['none'], memberIDs: [id] }],
      [422, { ...attributes, value: { p: 'x' } }],
      [422, { kind: 'replaceAllMembersRoles', value: 'reader', filterLastSeen: 5 }],
      [422, { kind: 'dance' }],
    ];
    for (const [wanted, bad] of bads) {
      const { status, json } = await bulk(good, bad);
      assert.equal(status, wanted, JSON.stringify(bad));
      assert.match(json['message'] as string, /^instructions\[1\]/);
      assert.equal((await call(`members/${id}`)).json['version'], 1, JSON.stringify(bad));
    }
    assert.equal((await send('PATCH', 'members', [{ op: 'test', path: '' }])).status, 422);
    assert.equal((await send('PATCH', 'members', { instructions: [] }, SEMANTIC)).status, 422);
  });

  test('F19 members who are named are changed together or not at all, an unknown one is named', async () => {
    const { _id: id } = await invite('together@bulk.com');
    const nobody = '0'.repeat(24);
    const change = { kind: 'replaceMembersRoles', value: 'writer' };
    const versionNow = async () => (await call(`members/${id}`)).json['version'] as number;
    const unknown = await bulk({ ...change, memberIDs: [id, nobody] });
    assert.equal(unknown.status, 400);
    assert.equal(
      unknown.json['message'],
      `instructions[0] (replaceMembersRoles): memberIDs names an unknown member: ${nobody}.`,
    );
    const owner = (await call('members/me')).json['_id'] as string;
    const withOwner = await bulk({ ...change, memberIDs: [id, owner] });
    assert.equal(withOwner.status, 403);
    assert.ok((withOwner.json['message'] as string).includes(owner));
    // The second instruction fails after the first was applied.
    assert.equal(
      (await bulk({ ...change, memberIDs: [id] }, { ...change, memberIDs: [nobody] })).status,
      400,
    );
    assert.equal(await versionNow(), 1);
    assert.equal((await eventsOf(id)).length, 1, 'only the invitation is recorded');
  });

  test('F19 a member whom the caller may not change spoils the patch for all who are named', async () => {
    const { _id: mine } = await invite('mine@bulk.com');
    const { _id: other } = await invite('other@bulk.com');
    const inlinePolicy = [
      { effect: 'allow' as const, actions: ['*'], resources: ['member/*'] },
      { effect: 'deny' as const, actions: ['updateRole'], resources: [`member/${other as string}`] },
    ];
    const chief = await join(server, 'chief', { role: 'admin' });
    const { value: token } = await giveToken(server, chief, { inlinePolicy });
    const change = (memberIDs: unknown[]) =>
      call('members', {
        method: 'PATCH',
        token,
        headers: SEMANTIC,
        body: { instructions: [{ kind: 'replaceMembersRoles', value: 'no_access', memberIDs }] },
      });
    const { status, json } = await change([mine, other]);
    assert.equal(status, 401);
    assert.deepEqual(json['access'], { action: 'updateRole', resource: `member/${other as string}` });
    assert.equal((await call(`members/${mine as string}`)).json['role'], 'reader');
    assert.equal((await change([mine])).status, 200);
  });

  test('F19 a change of all members leaves owners as they are, with no error', async () => {
    const owner = (await call('members/me')).json;
    const { _id: id } = await invite('everybody@bulk.com');
    const { status, json } = await bulk({ kind: 'replaceAllMembersRoles', value: 'reader' });
    assert.deepEqual([status, json['errors']], [200, []]);
    assert.ok((json['members'] as string[]).includes(id as string));
    assert.ok(!(json['members'] as string[]).includes(owner['_id'] as string));
    assert.equal((await call('members/me')).json['version'], owner['version']);
  });

  test('F20 instructions are read without their media type where nothing else is taken', async () => {
    const { _id: id } = await invite('plain@bulk.com');
    const body = { instructions: [{ kind: 'replaceMembersRoles', value: 'writer', memberIDs: [id] }] };
    assert.equal((await send('PATCH', 'members', body)).status, 200);
    assert.equal((await call(`members/${id as string}`)).json['role'], 'writer');
  });

  test('F31 without a token nothing is told', async () => {
    for (const [method, path] of [
      ['GET', 'members'],
      ['GET', 'members/me'],
      ['POST', 'members'],
      ['PATCH', 'members'],
      ['PATCH', 'members/me'],
      ['DELETE', 'members/me'],
      ['POST', 'members/me/teams'],
    ] as const) {
      assert.equal(
        (await call(path, { method, token: null, body: method === 'GET' ? undefined : {} })).status,
        401,
      );
    }
  });
});

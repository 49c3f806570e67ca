// Teams on the flags API, on a running server with each engine: every kind of change, expansions, files and bulk changes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onEachEngine } from '../../../engines.ts';
import { join } from '../../../people.ts';
import { type Answer, type CallInit, type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const SEMANTIC = { 'content-type': 'application/json; domain-model=flagservice.semanticpatch' };
const POLICY = [{ effect: 'allow', actions: ['*'], resources: ['proj/shop-*:env/*:flag/*'] }];
const EVERYTHING = 'expand=members,roles,roleAttributes,projects,maintainers';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: string;
  let bob: string;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = (await join(server, 'ada')).id;
    bob = (await join(server, 'bob')).id;
    for (const key of ['ops', 'dev']) await send('POST', 'roles', { key, name: key, policy: POLICY });
  });
  after(() => server.stop());

  const call = (path: string, init?: CallInit): Promise<Answer> => server.call(`/api/v2/${path}`, init);
  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    call(path, { method, ...(body !== undefined && { body }), ...(headers && { headers }) });
  const patch = (key: string, ...instructions: unknown[]) =>
    send('PATCH', `teams/${key}?${EVERYTHING}`, { instructions }, SEMANTIC);
  const make = async (key: string, more: object = {}) => {
    const answer = await send('POST', `teams?${EVERYTHING}`, { key, name: key, ...more });
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };
  const teamsOf = async (id: string) =>
    ((await call(`members/${id}`)).json['teams'] as Json[]).map(({ key }) => key as string);
  const eventsOf = (key: string) =>
    server.app.kernel.db
      .selectFrom('events')
      .selectAll()
      .where('resource', '=', `team/${key}`)
      .orderBy('seq')
      .execute();

  test('F5 a team has its fields and links, and what is not asked for is left out', async () => {
    const grants = [{ actionSet: 'maintainTeam', memberIDs: [bob] }];
    const parts = {
      memberIDs: [ada],
      customRoleKeys: ['ops'],
      permissionGrants: grants,
      roleAttributes: { p: ['x'] },
    };
    const made = await send('POST', 'teams', {
      key: 'full',
      name: 'Full',
      description: 'all of it',
      ...parts,
    });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('location'), '/api/v2/teams/full');
    const { _links, _creationDate, _lastModified, ...rest } = made.json;
    assert.deepEqual(rest, {
      key: 'full',
      name: 'Full',
      description: 'all of it',
      _version: 1,
      _idpSynced: false,
    });
    assert.deepEqual(
      [_links.self.href, _links.parent.href, _links.roles.href],
      ['/api/v2/teams/full', '/api/v2/teams', '/api/v2/teams/full/roles'],
    );
    assert.ok(Number.isInteger(_creationDate) && Number.isInteger(_lastModified));
    assert.deepEqual((await call('teams/full')).json, made.json);
  });

  test('F11 an expansion adds what it names, and an unknown one is refused', async () => {
    await send('POST', 'projects', { key: 'shop-web', name: 'Shop' });
    await send('POST', 'projects', { key: 'blog', name: 'Blog' });
    const { json } = await call(`teams/full?${EVERYTHING}`);
    assert.deepEqual([json['members'].totalCount, json['members'].items.length], [1, 1]);
    assert.deepEqual(json['roleAttributes'], { p: ['x'] });
    assert.deepEqual([json['roles'].totalCount, json['roles'].items[0].key], [1, 'ops']);
    assert.deepEqual([json['maintainers'].totalCount, json['maintainers'].items[0]._id], [1, bob]);
    const keys = (json['projects'].items as Json[]).map(({ key }) => key as string);
    assert.deepEqual(keys, ['shop-web'], 'where its roles allow more than to look');
    for (const path of ['teams?', 'teams/full?']) {
      assert.equal((await call(`${path}expand=members,everything`)).status, 400);
      const some = (await call(`${path}expand=members,maintainers&limit=1`)).json;
      const team = (some['items'] as Json[] | undefined)?.[0] ?? some;
      assert.deepEqual([team['members'].totalCount, team['roles']], [1, undefined]);
    }
  });

  test('its roles and maintainers are lists of their own', async () => {
    const roles = (await call('teams/full/roles?limit=1')).json;
    assert.deepEqual([roles['totalCount'], roles['items'][0].name], [1, 'ops']);
    assert.ok(Number.isInteger(roles['items'][0].appliedOn));
    const maintainers = (await call('teams/full/maintainers')).json;
    assert.deepEqual([maintainers['totalCount'], maintainers['items'][0].email], [1, 'bob@example.com']);
    for (const part of ['roles', 'maintainers']) assert.equal((await call(`teams/none/${part}`)).status, 404);
  });

  test('every kind of instruction does what it says, and again changes nothing', async () => {
    await make('kinds');
    const steps: [instruction: Json, read: (team: Json) => unknown, expected: unknown][] = [
      [{ kind: 'updateName', value: 'New' }, ({ name }) => name, 'New'],
      [{ kind: 'updateDescription', value: 'Why' }, ({ description }) => description, 'Why'],
      [{ kind: 'addMembers', values: [ada, bob] }, ({ members }) => members.totalCount, 2],
      [{ kind: 'removeMembers', values: [bob] }, ({ members }) => members.totalCount, 1],
      [{ kind: 'replaceMembers', values: [bob] }, ({ members }) => members.totalCount, 1],
      [{ kind: 'addCustomRoles', values: ['ops', 'dev'] }, ({ roles }) => roles.totalCount, 2],
      [{ kind: 'removeCustomRoles', values: ['ops'] }, ({ roles }) => roles.items[0].key, 'dev'],
      [
        { kind: 'addPermissionGrants', actionSet: 'maintainTeam', memberIDs: [ada] },
        ({ maintainers }) => maintainers.items[0]._id,
        ada,
      ],
      [
        { kind: 'removePermissionGrants', actionSet: 'maintainTeam', memberIDs: [ada] },
        ({ maintainers }) => maintainers.totalCount,
        0,
      ],
      [
        { kind: 'addPermissionGrants', actions: ['updateTeamName', 'updateTeamMembers'], memberIDs: [bob] },
        ({ maintainers }) => maintainers.items[0]._id,
        bob,
      ],
      [
        { kind: 'addRoleAttribute', key: 'p', values: ['x'] },
        ({ roleAttributes }) => roleAttributes,
        { p: ['x'] },
      ],
      [
        { kind: 'updateRoleAttribute', key: 'p', values: ['y'] },
        ({ roleAttributes }) => roleAttributes,
        { p: ['y'] },
      ],
      [{ kind: 'removeRoleAttribute', key: 'p' }, ({ roleAttributes }) => roleAttributes, {}],
      [
        { kind: 'replaceRoleAttributes', value: { q: ['z', 'w'] } },
        ({ roleAttributes }) => roleAttributes,
        { q: ['z', 'w'] },
      ],
    ];
    for (const [index, [instruction, read, expected]] of steps.entries()) {
      const { status, json, text } = await patch('kinds', instruction);
      assert.equal(status, 200, text);
      assert.deepEqual([read(json), json['_version']], [expected, index + 2], instruction['kind'] as string);
      const again = await patch('kinds', instruction);
      assert.deepEqual(
        [again.status, again.json['_version']],
        [200, index + 2],
        `${instruction['kind']} again`,
      );
    }
    assert.deepEqual(await teamsOf(bob), ['kinds']);
    const [grant] = (await call(`members/${bob}`)).json['permissionGrants'] as Json[];
    assert.deepEqual(grant, { resource: 'team/full', actionSet: 'maintainTeam' });
    assert.equal((await eventsOf('kinds')).length, steps.length + 1);
  });

  test('F19 one invalid instruction is named, and nothing changes', async () => {
    await make('atomic', { roleAttributes: { p: ['x'] } });
    for (const unread of [
      { kind: 'updateName', value: 5 },
      { kind: 'updateName' },
      { kind: 'updateName', value: 'x', values: [] },
      { kind: 'addMembers', values: ada },
      { kind: 'addPermissionGrants', memberIDs: [ada] },
      { kind: 'dance' },
    ]) {
      const { status, json } = await patch('atomic', { kind: 'updateName', value: 'changed' }, unread);
      assert.deepEqual([status, json['code']], [422, 'patch_failed'], JSON.stringify(unread));
      assert.match(json['message'] as string, /instructions\[1\]/);
    }
    for (const bad of [
      { kind: 'updateName', value: '' },
      { kind: 'addMembers', values: ['0'.repeat(24)] },
      { kind: 'addMembers', values: ['ada'] },
      { kind: 'replaceMembers', values: ['0'.repeat(24)] },
      { kind: 'addCustomRoles', values: ['none'] },
      { kind: 'addPermissionGrants', actionSet: 'maintainTeam', actions: ['viewTeam'], memberIDs: [ada] },
      { kind: 'addPermissionGrants', actionSet: 'ownTeam', memberIDs: [ada] },
      { kind: 'addPermissionGrants', actions: ['*'], memberIDs: [ada] },
      { kind: 'addPermissionGrants', actions: ['deleteMember'], memberIDs: [ada] },
      { kind: 'addPermissionGrants', actionSet: 'maintainTeam', memberIDs: ['0'.repeat(24)] },
      { kind: 'addRoleAttribute', key: 'p', values: ['other'] },
      { kind: 'updateRoleAttribute', key: 'none', values: ['x'] },
      { kind: 'addRoleAttribute', key: 'r', values: ['a:b'] },
      { kind: 'replaceRoleAttributes', value: { 'a b': [] } },
    ]) {
      const { status, json } = await patch('atomic', { kind: 'updateName', value: 'changed' }, bad);
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], JSON.stringify(bad));
      assert.match(json['message'] as string, /instructions\[1\]/);
    }
    assert.deepEqual(
      [(await call('teams/atomic')).json['_version'], (await eventsOf('atomic')).length],
      [1, 1],
    );
  });

  test('F17 it takes semantic patches and no others', async () => {
    const body = { instructions: [{ kind: 'updateName', value: 'x' }] };
    assert.equal(
      (await send('PATCH', 'teams/full', [{ op: 'replace', path: '/name', value: 'x' }])).status,
      422,
    );
    assert.equal((await send('PATCH', 'teams/full', { name: 'x' })).status, 422);
    assert.equal((await send('PATCH', 'teams/full', { instructions: [] }, SEMANTIC)).status, 422);
    assert.equal((await send('PATCH', 'teams/full', '{', SEMANTIC)).status, 400);
    assert.equal((await send('PATCH', 'teams/none', body, SEMANTIC)).status, 404);
    const good = await send('PATCH', 'teams/full', { ...body, comment: 'because' }, SEMANTIC);
    assert.equal(good.status, 200);
    assert.equal((await eventsOf('full')).at(-1)?.comment, 'because');
  });

  test('a key is taken once, and a bad post makes nothing', async () => {
    const again = await send('POST', 'teams', { key: 'full', name: 'Twin' });
    assert.deepEqual([again.status, again.json['code']], [409, 'key_exists']);
    for (const body of [
      {},
      { key: 'bad' },
      { name: 'bad' },
      { key: 'b d', name: 'x' },
      { key: 'bad', name: 5 },
      { key: 'bad', name: 'x', memberIDs: ['0'.repeat(24)] },
      { key: 'bad', name: 'x', customRoleKeys: ['none'] },
      { key: 'bad', name: 'x', permissionGrants: [{ memberIDs: [ada] }] },
      {
        key: 'bad',
        name: 'x',
        permissionGrants: [{ actionSet: 'maintainTeam', memberIDs: ['0'.repeat(24)] }],
      },
      { key: 'bad', name: 'x', roleAttributes: { a: 'b' } },
      [],
      'null',
    ]) {
      assert.equal((await send('POST', 'teams', body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await call('teams/bad')).status, 404);
  });

  test('F8 F9 the list is paged and narrowed', async () => {
    for (const key of ['list-a', 'list-b', 'list-c']) await make(key, { name: `Listed ${key}` });
    await patch('list-b', { kind: 'addMembers', values: [ada] });
    const keys = async (query: string) =>
      ((await call(`teams?${query}`)).json['items'] as Json[]).map(({ key }) => key as string);
    assert.deepEqual(await keys('filter=query:LISTED'), ['list-a', 'list-b', 'list-c']);
    assert.deepEqual(await keys('filter=query:listed,nomembers:true'), ['list-a', 'list-c']);
    assert.deepEqual(await keys('filter=query:listed,nomembers:false'), ['list-b']);
    assert.deepEqual(await keys('filter=query:listed&limit=1&offset=1'), ['list-b']);
    const { json } = await call('teams?filter=query:listed&limit=1&offset=1');
    assert.deepEqual(
      [json['totalCount'], Object.keys(json['_links']).sort()],
      [3, ['first', 'last', 'next', 'prev', 'self']],
    );
    for (const bad of ['filter=key:x', 'filter=nomembers:1', 'limit=x', 'offset=-1', 'expand=x']) {
      assert.equal((await call(`teams?${bad}`)).status, 400, bad);
    }
  });

  test('a deleted team is gone, and its members know nothing of it', async () => {
    await make('brief', { memberIDs: [ada], customRoleKeys: ['ops'] });
    assert.ok((await teamsOf(ada)).includes('brief'));
    assert.equal((await send('DELETE', 'teams/brief')).status, 204);
    assert.equal((await send('DELETE', 'teams/brief')).status, 404);
    assert.equal((await call('teams/brief')).status, 404);
    assert.ok(!(await teamsOf(ada)).includes('brief'));
    assert.deepEqual(
      (await eventsOf('brief')).map(({ action }) => action),
      ['createTeam', 'deleteTeam'],
    );
  });

  async function upload(key: string, content: string, name = 'file') {
    const form = new FormData();
    form.set(name, new Blob([content], { type: 'text/csv' }), 'members.csv');
    const whole = new Response(form);
    return await server.call(`/api/v2/teams/${key}/members`, {
      method: 'POST',
      headers: { 'content-type': whole.headers.get('content-type')! },
      body: new Uint8Array(await whole.arrayBuffer()),
    });
  }
  const countOf = async (key: string) =>
    (await call(`teams/${key}?expand=members`)).json['members'].totalCount;

  test('members come by a file of addresses, all or none', async () => {
    await make('file');
    const good = await upload('file', '\uFEFFEmail,Name\r\n"ADA@example.com",Ada\r\n');
    assert.deepEqual(
      [good.status, good.json['items']],
      [201, [{ status: 'success', value: 'ADA@example.com' }]],
    );
    assert.equal(await countOf('file'), 1);
    const mixed = await upload(
      'file',
      'bob@example.com\n\nada@example.com\nnonsense\nBob@example.com\nno@x.y\n',
    );
    assert.equal(mixed.status, 207);
    assert.deepEqual(
      (mixed.json['items'] as Json[]).map(({ status, message }) => (message as string | undefined) ?? status),
      [
        'success',
        'Line 2: empty row',
        'Line 3: email already exists in the specified team',
        'Line 4: invalid email formatting',
        'Line 5: duplicate entry',
        'Line 6: email does not belong to a member',
      ],
    );
    assert.equal(await countOf('file'), 1, 'nobody came');
    for (const [content, words] of [
      ['', 'File is empty'],
      ['email\n', 'File is empty'],
      ['x\ny', 'invalid formatting'],
      ['ada@example.com', 'existing team members'],
      ['no@x.y', 'No emails belong'],
    ] as const) {
      const { status, json } = await upload('file', content);
      assert.equal(status, 400, content);
      assert.ok((json['message'] as string).includes(words), json['message'] as string);
    }
    assert.equal((await upload('file', 'bob@example.com', 'other')).status, 400);
    assert.equal((await upload('none', 'bob@example.com')).status, 404);
    assert.equal((await send('POST', 'teams/file/members', { file: 'bob@example.com' })).status, 400);
  });

  test('F3 members come by JSON, by their addresses and ids, all or none', async () => {
    await make('json');
    const post = (body: unknown, headers?: Record<string, string>) =>
      send('POST', 'teams/json/members', body, headers);
    const mixed = await post({
      emails: ['ada@example.com', '', 'ADA@example.com', 'nonsense', 'no@x.y'],
      memberIDs: [ada, '0'.repeat(24), 'nobody', bob],
    });
    assert.equal(mixed.status, 207, mixed.text);
    assert.deepEqual(
      (mixed.json['items'] as Json[]).map(({ status, value, message }) => [
        status,
        value,
        ...(message === undefined ? [] : [message]),
      ]),
      [
        ['success', 'ada@example.com'],
        ['error', '', 'emails.1: empty'],
        ['error', 'ADA@example.com', 'emails.2: duplicate entry'],
        ['error', 'nonsense', 'emails.3: invalid email formatting'],
        ['error', 'no@x.y', 'emails.4: email does not belong to a member'],
        ['error', ada, 'memberIDs.0: duplicate entry'],
        ['error', '0'.repeat(24), 'memberIDs.1: not the id of a member'],
        ['error', 'nobody', 'memberIDs.2: not the id of a member'],
        ['success', bob],
      ],
    );
    assert.equal(await countOf('json'), 0, 'nobody came');
    const good = await post({ emails: [' ADA@example.com'], memberIDs: [bob] });
    assert.deepEqual(
      [good.status, good.json['items']],
      [
        201,
        [
          { status: 'success', value: 'ADA@example.com' },
          { status: 'success', value: bob },
        ],
      ],
    );
    assert.equal(await countOf('json'), 2);
    const present = await post({ emails: ['ada@example.com'], memberIDs: [bob] });
    assert.equal(present.status, 400);
    assert.match(present.json['message'] as string, /emails\.0: .*already/);
    assert.equal((await eventsOf('json')).length, 2);
  });

  test('F33 members in bad JSON, of wrong types or under other names are refused, and nobody comes', async () => {
    await make('refused');
    const post = (body: unknown, headers?: Record<string, string>, key = 'refused') =>
      send('POST', `teams/${key}/members`, body, headers);
    const bads: [body: unknown, words: RegExp][] = [
      ['{"emails": [', /not valid JSON, line 1/],
      ['', /body/i],
      ['null', /body must be object/],
      [[], /body must be object/],
      [['ada@example.com'], /body must be object/],
      [{}, /emails.*memberIDs/],
      [{ emails: [] }, /emails.*memberIDs/],
      [{ emails: 'ada@example.com' }, /emails must be array/],
      [{ emails: [5] }, /emails\.0 must be string/],
      [{ emails: [null, 'ada@example.com'] }, /emails\.0 must be string/],
      [{ memberIDs: { [ada]: true } }, /memberIDs must be array/],
      [{ emails: ['ada@example.com'], memberIDs: [{ _id: ada }] }, /memberIDs\.0 must be string/],
      [{ emails: ['ada@example.com'], members: [ada] }, /members/],
      [{ file: 'ada@example.com' }, /file/],
      [{ emails: Array.from({ length: 50_001 }, () => 'a@b.c') }, /emails .*50000/],
      [{ emails: ['a\0b@example.com', 'c\0d'] }, /formatting|emails\.0/],
      [{ memberIDs: ['\0'] }, /memberIDs\.0/],
    ];
    for (const [body, words] of bads) {
      const { status, json } = await post(body);
      const what = JSON.stringify(body).slice(0, 80);
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], what);
      assert.match(json['message'] as string, words, what);
    }
    const typed = await post('emails: [x]', { 'content-type': 'application/yaml' });
    assert.equal(typed.status, 400);
    assert.match(typed.json['message'] as string, /application\/json.*multipart\/form-data/);
    assert.equal((await post({ emails: ['ada@example.com'] }, undefined, 'none')).status, 404);
    assert.equal(await countOf('refused'), 0);
    assert.equal((await eventsOf('refused')).length, 1);
  });

  test('members come by compressed JSON, and by a type with parameters', async () => {
    await make('packed');
    const body = gzipSync(JSON.stringify({ memberIDs: [ada] }));
    const headers = { 'content-type': 'Application/JSON; charset=utf-8', 'content-encoding': 'gzip' };
    const packed = await call('teams/packed/members', { method: 'POST', headers, body });
    assert.equal(packed.status, 201, packed.text);
    assert.equal(await countOf('packed'), 1);
  });

  test('members come into several teams by one semantic patch', async () => {
    await make('bulk-a');
    await make('bulk-b');
    const bulk = (...instructions: unknown[]) => send('PATCH', 'teams', { instructions }, SEMANTIC);
    const some = await bulk({
      kind: 'addMembersToTeams',
      memberIDs: [ada, ada],
      teamKeys: ['bulk-b', 'bulk-a'],
    });
    assert.equal(some.status, 200, some.text);
    assert.deepEqual([some.json['memberIDs'], some.json['teamKeys']], [[ada], ['bulk-a', 'bulk-b']]);
    assert.deepEqual(some.json['errors'], []);
    assert.deepEqual([await countOf('bulk-a'), await countOf('bulk-b')], [1, 1]);
    const all = await bulk({ kind: 'addAllMembersToTeams', teamKeys: ['bulk-a'], filterRoles: 'admin' });
    assert.equal(all.status, 200);
    assert.equal(await countOf('bulk-a'), 2, 'all but the owner');
  });

  test('F19 a patch of several teams is atomic: who or what is unknown is named, and nobody joins', async () => {
    await make('whole-a');
    await make('whole-b');
    const bulk = (...instructions: unknown[]) => send('PATCH', 'teams', { instructions }, SEMANTIC);
    const nobody = '0'.repeat(24);
    const good = { kind: 'addMembersToTeams', memberIDs: [bob], teamKeys: ['whole-a'] };
    const bads: [status: number, words: string, instruction: Json][] = [
      [400, nobody, { ...good, memberIDs: [bob, nobody] }],
      [400, 'nobody', { ...good, memberIDs: ['nobody'] }],
      [400, 'none', { ...good, teamKeys: ['whole-b', 'none'] }],
      [400, 'teamKeys', { ...good, teamKeys: [] }],
      [422, 'memberIDs', { kind: 'addMembersToTeams', teamKeys: ['whole-b'] }],
      [422, 'teamKeys', { ...good, teamKeys: 'whole-b' }],
      [422, 'dance', { kind: 'dance' }],
    ];
    for (const [wanted, words, bad] of bads) {
      const { status, json } = await bulk(good, bad);
      assert.equal(status, wanted, JSON.stringify(bad));
      const message = json['message'] as string;
      assert.ok(message.startsWith('instructions[1]') && message.includes(words), message);
    }
    assert.deepEqual([await countOf('whole-a'), await countOf('whole-b')], [0, 0]);
    assert.equal((await eventsOf('whole-a')).length, 1, 'only its making is recorded');
  });

  test('F20 instructions for teams are read without their media type', async () => {
    await make('plain');
    const named = { kind: 'updateName', value: 'By a generated client' };
    assert.equal((await send('PATCH', 'teams/plain', { instructions: [named] })).json['name'], named.value);
    const joining = { kind: 'addMembersToTeams', memberIDs: [ada], teamKeys: ['plain'] };
    assert.equal((await send('PATCH', 'teams', { instructions: [joining] })).status, 200);
    assert.equal(await countOf('plain'), 1);
  });

  test('F36: of a patch of several teams each entry tells what became of its own', async () => {
    await make('own-a', { memberIDs: [ada] });
    await make('own-b');
    const bulk = (...instructions: unknown[]) => send('PATCH', 'teams', { instructions }, SEMANTIC);
    const updatesOf = async (key: string) =>
      (await eventsOf(key))
        .slice(1)
        .map(({ detail }) => (JSON.parse(detail!) as Json)['update'].instructions);
    const add = { kind: 'addMembersToTeams', memberIDs: [ada, bob] };
    const all = { kind: 'addAllMembersToTeams', filterRoles: 'owner' };
    const { status, text } = await bulk(
      { ...add, teamKeys: ['own-a', 'own-b'] },
      { ...all, teamKeys: ['own-b'], ignoredMemberIDs: [ada] },
    );
    assert.equal(status, 200, text);
    assert.deepEqual(await updatesOf('own-a'), [[{ ...add, memberIDs: [bob], teamKeys: ['own-a'] }]]);
    assert.deepEqual(await updatesOf('own-b'), [[{ ...add, memberIDs: [ada, bob], teamKeys: ['own-b'] }]]);
    const carl = (await join(server, 'carl')).id;
    assert.equal((await bulk({ ...all, teamKeys: ['own-b'], ignoredMemberIDs: [ada, bob] })).status, 200);
    assert.deepEqual((await updatesOf('own-b')).at(-1), [{ ...all, teamKeys: ['own-b'] }]);
    assert.ok((await teamsOf(carl)).includes('own-b'));
  });

  test('a patch of several teams that would keep all others waiting is refused, with what to do', async () => {
    const memberIDs = Array.from({ length: 5000 }, (_, index) => index.toString(16).padStart(24, '0'));
    const teamKeys = Array.from({ length: 21 }, (_, index) => `many-${index}`);
    const instructions = [{ kind: 'addMembersToTeams', memberIDs, teamKeys }];
    const { status, json } = await send('PATCH', 'teams', { instructions }, SEMANTIC);
    assert.deepEqual([status, json['code']], [400, 'invalid_request']);
    assert.match(json['message'], /at most 100,000 memberships: send fewer/);
  });

  test('changes at the same time are all kept or told to try again', async () => {
    await make('busy');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        patch('busy', { kind: 'addRoleAttribute', key: `k${index}`, values: ['v'] }),
      ),
    );
    const kept = answers.filter(({ status }) => status === 200).length;
    for (const { status } of answers) assert.ok([200, 409, 503].includes(status), String(status));
    const { json } = await call('teams/busy?expand=roleAttributes');
    assert.equal(Object.keys(json['roleAttributes']).length, kept);
    assert.equal(json['_version'], kept + 1);
  });

  test('F11 members expand to who they are, in every reply that has the team', async () => {
    const made = await make('expanded', { memberIDs: [bob, ada] });
    const replies = [
      made,
      (await call('teams/expanded?expand=members')).json,
      (await patch('expanded', { kind: 'updateDescription', value: 'with members' })).json,
      ((await call('teams?expand=members&filter=query:expanded')).json['items'] as Json[])[0]!,
    ];
    const emailOf: Record<string, string> = { [ada]: 'ada@example.com', [bob]: 'bob@example.com' };
    for (const { members } of replies) {
      const { totalCount, items, _links } = members as Json;
      assert.equal(totalCount, 2);
      assert.deepEqual(
        (items as Json[]).map(({ _id, email, role, _links: own }) => [_id, email, role, own.self.href]),
        [ada, bob].toSorted().map((id) => [id, emailOf[id], 'reader', `/api/v2/members/${id}`]),
      );
      const listed = (await server.call(_links.self.href as string)).json;
      assert.deepEqual([listed['totalCount'], listed['items'].length], [2, 2]);
    }
    const nobody = (await make('nobody-yet'))['members'] as Json;
    assert.deepEqual([nobody['totalCount'], nobody['items']], [0, []]);
    assert.equal((await call('teams/expanded')).json['members'], undefined, 'not without being asked');
  });

  test('F11 a list shows the first members of each team, and one team all of them', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 21; index += 1) ids.push((await join(server, `crowd-${index}`)).id);
    await make('crowd', { memberIDs: ids });
    const idsIn = (team: Json) => (team['members'].items as Json[]).map(({ _id }) => _id as string);
    const one = (await call('teams/crowd?expand=members')).json;
    assert.deepEqual([one['members'].totalCount, idsIn(one)], [21, ids.toSorted()]);
    const [listed] = (await call('teams?expand=members&filter=query:crowd')).json['items'] as Json[];
    assert.deepEqual([listed!['members'].totalCount, idsIn(listed!)], [21, ids.toSorted().slice(0, 20)]);
  });

  test('F35 who may see a team and not its members gets their number alone', async () => {
    await send('POST', 'roles', {
      key: 'teams-alone',
      name: 'Teams alone',
      basePermissions: 'no_access',
      policy: [
        { effect: 'allow', actions: ['viewTeam'], resources: ['team/*'] },
        { effect: 'allow', actions: ['viewMember'], resources: [`member/${bob}`] },
      ],
    });
    const { json } = await send('POST', 'tokens', { name: 'narrow', customRoleIds: ['teams-alone'] });
    const token = json['token'] as string;
    const { members } = (await call('teams/expanded?expand=members', { token })).json;
    assert.equal(members.totalCount, 2);
    assert.deepEqual(
      (members.items as Json[]).map(({ _id }) => _id as string),
      [bob],
    );
  });
});

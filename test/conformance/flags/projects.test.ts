// Projects and their flag defaults on the flags API, on a running server with each engine.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PolicyStatement } from '../../../src/kernel/identity/policy.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import { startServer, type Answer, type CallInit, type Json, type TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const byNumber = (one: number, other: number) => one - other;

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  const call = (path: string, init?: CallInit): Promise<Answer> => server.call(`/api/v2/${path}`, init);
  const post = (body: object, token?: string) =>
    call('projects', { method: 'POST', body, ...(token !== undefined && { token }) });
  const patch = (key: string, body: unknown, init: CallInit = {}) =>
    call(`projects/${key}`, { method: 'PATCH', body, ...init });
  const set = (path: string, value: unknown) => ({ op: 'replace', path, value });

  async function make(key: string, more: object = {}): Promise<Json> {
    const { status, json } = await post({ key, name: key, ...more });
    assert.equal(status, 201);
    return json;
  }

  async function keysOf(query: string, token?: string): Promise<string[]> {
    const { status, json } = await call(`projects?${query}`, token === undefined ? {} : { token });
    assert.equal(status, 200, query);
    return (json['items'] as Json[]).map(({ key }) => key as string);
  }

  /** The newest audit event as stored. */
  async function lastEvent() {
    const { db } = server.app.kernel;
    return db.selectFrom('events').selectAll().orderBy('seq', 'desc').limit(1).executeTakeFirstOrThrow();
  }

  async function giveWith(inlinePolicy: PolicyStatement[]): Promise<string> {
    const member = await join(server, `m${Math.random().toString(36).slice(2)}`, { role: 'admin' });
    return (await giveToken(server, member, { inlinePolicy })).value;
  }

  async function giveRole(role: 'reader' | 'writer' | 'no_access'): Promise<string> {
    const member = await join(server, `m${Math.random().toString(36).slice(2)}`, { role: 'admin' });
    return (await giveToken(server, member, { role })).value;
  }

  test('every list that is sorted by name goes by the code points of the folded text', async () => {
    // Sorted by folded names, neither by bytes nor by the rules of a language.
    const names = [
      'apple',
      'Beta',
      'straße 1',
      'STRASSE 2',
      'strasse 3',
      'zoo',
      'Äpfel',
      'éclair',
      'Ａ',
      '😀',
    ];
    const shuffled = [7, 2, 9, 0, 4, 6, 1, 8, 3, 5].map((index) => [index, names[index]!] as const);
    await make('sorted', { name: 'Sorted' });
    for (const [index, name] of shuffled) {
      await make(`sorted-${index}`, { name });
      for (const [path, body] of [
        ['projects/sorted/environments', { key: `e-${index}`, name, color: 'abcdef' }],
        ['flags/sorted', { key: `f-${index}`, name }],
        ['segments/sorted/test', { key: `s-${index}`, name }],
        ['members', [{ email: `m-${index}@sorted.com`, lastName: name }]],
      ] as const)
        assert.equal((await call(path, { method: 'POST', body })).status, 201, path);
    }
    const numbersOf = (json: Json, of: string) =>
      (json['items'] as Json[])
        .map((item) => Number(/^\D+-(\d+)(@sorted.com)?$/.exec(item[of] as string)?.[1] ?? NaN))
        .filter((number) => !Number.isNaN(number));
    const inOrder = names.map((_, index) => index);
    const context = { kind: 'user', key: 'ada' };
    for (const [path, of, init] of [
      ['projects?filter=query:sorted-&', 'key'],
      ['projects/sorted/environments?', 'key'],
      ['flags/sorted?', 'key'],
      ['segments/sorted/test?', 'key'],
      ['projects/sorted/environments/test/flags/evaluate?', 'key', { method: 'POST', body: context }],
      ['members?filter=query:sorted.com&', 'email'],
    ] as const) {
      const sort = of === 'email' ? 'displayName' : 'name';
      const up = await call(`${path}limit=100&sort=${sort}`, init);
      assert.deepEqual(numbersOf(up.json, of), inOrder, path);
      const down = await call(`${path}limit=100&sort=-${sort}`, init);
      assert.deepEqual(numbersOf(down.json, of), inOrder.toReversed(), path);
    }
    const renamed = { op: 'replace', path: '/name', value: 'ÉZ' };
    for (const path of ['flags/sorted/f-0', 'segments/sorted/test/s-0'])
      assert.equal((await call(path, { method: 'PATCH', body: [renamed] })).status, 200);
    for (const path of ['flags/sorted', 'segments/sorted/test']) {
      const { json } = await call(`${path}?sort=name&limit=100`);
      assert.deepEqual(numbersOf(json, 'key'), [1, 2, 3, 4, 5, 6, 7, 0, 8, 9], path);
    }
  });

  test('a new server has one project to begin with', async () => {
    const { json } = await call('projects?filter=keys:default&expand=environments');
    const [project] = json['items'] as Json[];
    assert.equal(project!['name'], 'Default');
    const keys = (project!['environments'].items as Json[]).map(({ key }) => key as string);
    assert.deepEqual(keys, ['production', 'test']);
  });

  describe('making one', () => {
    test('gives it the environments test and production, and links to all', async () => {
      const made = await post({ key: 'first', name: 'First', tags: ['b', 'a'] });
      assert.equal(made.status, 201);
      assert.equal(made.headers.get('location'), '/api/v2/projects/first');
      const { _id, _links, environments, ...rest } = made.json;
      assert.match(_id as string, /^[0-9a-f]{24}$/);
      assert.deepEqual(rest, {
        _site: { href: '/console/environments/first', type: 'text/html' },
        _version: 1,
        key: 'first',
        name: 'First',
        tags: ['a', 'b'],
        includeInSnippetByDefault: false,
        defaultClientSideAvailability: { usingEnvironmentId: false, usingMobileKey: true },
      });
      assert.deepEqual(
        Object.entries(_links as Record<string, { href: string }>).map(([rel, { href }]) => [rel, href]),
        [
          ['self', '/api/v2/projects/first'],
          ['parent', '/api/v2/projects'],
          ['environments', '/api/v2/projects/first/environments'],
          ['flagDefaults', '/api/v2/projects/first/flag-defaults'],
        ],
      );
      assert.deepEqual(
        (environments as Json[]).map(({ key }) => key as string),
        ['production', 'test'],
      );
      for (const link of ['', '/environments', '/flag-defaults']) {
        assert.equal((await call(`projects/first${link}`)).status, 200, link);
      }
    });

    test('takes the environments it is given', async () => {
      const json = await make('own', {
        includeInSnippetByDefault: true,
        namingConvention: { case: 'kebabCase', prefix: 'x-' },
        environments: [{ key: 'live', name: 'Live', color: 'ff0000', secureMode: true, tags: ['z'] }],
      });
      const [only, ...others] = json['environments'] as Json[];
      assert.deepEqual([only!['key'], only!['secureMode'], only!['tags'], others], ['live', true, ['z'], []]);
      assert.equal(json['defaultClientSideAvailability'].usingEnvironmentId, true);
      assert.deepEqual(json['namingConvention'], { case: 'kebabCase', prefix: 'x-' });
    });

    test('a taken key is 409 key_exists, also for the slower of two at once', async () => {
      await make('taken');
      const { status, json } = await post({ key: 'taken', name: 'Again' });
      assert.deepEqual([status, json['code']], [409, 'key_exists']);
      const both = await Promise.all([post({ key: 'race', name: 'a' }), post({ key: 'race', name: 'b' })]);
      assert.deepEqual(both.map((answer) => answer.status).toSorted(byNumber), [201, 409]);
      assert.equal((await call('projects/race/environments')).json['totalCount'], 2);
    });

    test('is written down', async () => {
      await make('told', { tags: ['x'] });
      const event = await lastEvent();
      assert.deepEqual([event.kind, event.name, event.action], ['project', 'told', 'createProject']);
      assert.equal(event.resource, 'proj/told');
      assert.equal(JSON.parse(event.detail!).verb, 'created the project');
    });
  });

  describe('listing', () => {
    before(async () => {
      await make('list-a', { name: 'Zebra list', tags: ['alpha', 'beta'] });
      await make('list-b', { name: 'apple LIST', tags: ['alpha'] });
      await make('list-c', { name: 'Mango list' });
    });

    test('F8 F9 pages of projects hold what was asked for, and link to each other', async () => {
      const { json } = await call('projects?filter=query:list&limit=1&offset=1');
      assert.deepEqual([json['totalCount'], json['items'][0].key], [3, 'list-b']);
      const hrefs = Object.fromEntries(
        Object.entries(json['_links'] as Record<string, { href: string }>).map(([rel, { href }]) => [
          rel,
          href,
        ]),
      );
      assert.deepEqual(Object.keys(hrefs).sort(), ['first', 'last', 'next', 'prev', 'self']);
      const next = await server.call(hrefs['next']!);
      assert.deepEqual([next.json['items'][0].key, next.json['_links'].next], ['list-c', undefined]);
    });

    test('is searched by text, tags and keys', async () => {
      assert.deepEqual(await keysOf('filter=query:LIST-'), ['list-a', 'list-b', 'list-c']);
      assert.deepEqual(await keysOf('filter=query:zebra'), ['list-a']);
      assert.deepEqual(await keysOf('filter=tags:alpha'), ['list-a', 'list-b']);
      assert.deepEqual(await keysOf('filter=tags:alpha%2Bbeta'), ['list-a']);
      assert.deepEqual(await keysOf('filter=keys:list-c|list-a'), ['list-a', 'list-c']);
      assert.deepEqual(await keysOf('filter=query:list,tags:alpha,keys:list-b'), ['list-b']);
      assert.deepEqual(await keysOf('filter=query:nothing-like-it'), []);
    });

    test('is sorted by name or age, either way', async () => {
      assert.deepEqual(await keysOf('filter=query:list&sort=name'), ['list-b', 'list-c', 'list-a']);
      assert.deepEqual(await keysOf('filter=query:list&sort=-name'), ['list-a', 'list-c', 'list-b']);
      assert.deepEqual(await keysOf('filter=query:list&sort=-createdOn'), ['list-c', 'list-b', 'list-a']);
    });

    test('F11 environments are there when asked for', async () => {
      for (const path of ['projects?filter=keys:list-a', 'projects/list-a?']) {
        const read = async (query: string) => {
          const { json } = await call(path + query);
          return (json['items']?.[0] ?? json) as Json;
        };
        assert.equal((await read(''))['environments'], undefined);
        const { environments } = await read('&expand=environments');
        assert.deepEqual([environments.totalCount, environments.items.length], [2, 2]);
        assert.equal(environments._links.self.href, '/api/v2/projects/list-a/environments');
        assert.match(environments.items[0].apiKey as string, /^sdk-/);
      }
    });

    test('what cannot be asked for is 400', async () => {
      for (const query of [
        'expand=other',
        'sort=color',
        'filter=color:red',
        'filter=query',
        'limit=-1',
        'limit=x',
        'offset=-1',
        'offset=1.5',
      ]) {
        const { status, json } = await call(`projects?${query}`);
        assert.deepEqual([status, json['code']], [400, 'invalid_request'], query);
      }
      assert.equal((await call('projects/list-a?expand=other')).status, 400);
    });
  });

  describe('patching one', () => {
    test('F14 several operations happen together, and the reply is the project', async () => {
      await make('patched', { tags: ['a'] });
      const { status, json } = await patch('patched', [
        { op: 'test', path: '/_version', value: 1 },
        set('/name', 'New'),
        { op: 'add', path: '/tags/-', value: 'b' },
        set('/defaultClientSideAvailability', { usingEnvironmentId: true, usingMobileKey: false }),
      ]);
      assert.equal(status, 200);
      assert.deepEqual([json['name'], json['tags'], json['_version']], ['New', ['a', 'b'], 2]);
      assert.equal(json['includeInSnippetByDefault'], true);
      assert.equal(json['environments'].length, 2);
      const { environments: _, ...shown } = json;
      assert.deepEqual((await call('projects/patched')).json, shown);
    });

    test('F21 F36 it is written down with the comment, what it took, and both states', async () => {
      await make('audited');
      const body = { comment: 'because', patch: [set('/name', 'New'), set('/tags', ['t'])] };
      assert.equal((await patch('audited', body)).status, 200);
      const event = await lastEvent();
      assert.deepEqual(
        [event.action, event.resource, event.comment],
        ['updateProjectName', 'proj/audited', 'because'],
      );
      assert.deepEqual(JSON.parse(event.accesses!), [
        { action: 'updateProjectName', resource: 'proj/audited' },
        { action: 'updateTags', resource: 'proj/audited' },
      ]);
      const detail = JSON.parse(event.detail!) as Json;
      assert.equal(detail['verb'], 'updated the project');
      assert.deepEqual(detail['update'], { patch: body.patch });
      assert.deepEqual([JSON.parse(event.before!).name, JSON.parse(event.after!).name], ['audited', 'New']);
    });

    test('one that changes nothing is 200 and leaves no trace', async () => {
      await make('same', { tags: ['a', 'b'] });
      const { seq } = await lastEvent();
      for (const body of [[], [set('/name', 'same')], [set('/tags', ['b', 'a'])]]) {
        const { status, json } = await patch('same', body);
        assert.deepEqual([status, json['_version']], [200, 1]);
      }
      assert.equal((await lastEvent()).seq, seq);
    });

    test('F7 F17 F20 F23 one that cannot be is refused whole', async () => {
      await make('firm');
      const kept = (await call('projects/firm')).text;
      for (const [body, status] of [
        [[set('/name', 'x'), { op: 'test', path: '/_version', value: 7 }], 409],
        [[set('/_id', 'x')], 400],
        [[set('/_version', 7)], 400],
        [[set('/key', 'x')], 400],
        [[set('/name', 5)], 400],
        [[set('/name', '')], 400],
        [[set('/tags', 'a')], 400],
        [[set('/tags', ['a b'])], 400],
        [[set('/defaultClientSideAvailability', { usingMobileKey: true })], 400],
        [[{ op: 'remove', path: '/name' }], 400],
        [[{ op: 'add', path: '/other', value: 1 }], 400],
        [[set('/other', 1)], 422],
        [[{ op: 'remove', path: '/environments' }], 422],
        [[set('', null)], 422],
        [[{ op: 'what', path: '/name' }], 422],
        [{ name: 'merged' }, 422],
        [{ merge: { name: 'merged' } }, 422],
        [{ instructions: [] }, 400],
        ['null', 422],
        ['{"a"', 400],
      ] as const) {
        const answer = await patch('firm', body);
        assert.equal(answer.status, status, JSON.stringify(body));
        assert.deepEqual(Object.keys(answer.json).slice(0, 3), ['code', 'message', 'id']);
      }
      const semantic = { 'content-type': 'application/json; domain-model=flagservice.semanticpatch' };
      const body = { instructions: [{ kind: 'updateName', value: 'x' }] };
      assert.equal((await patch('firm', body, { headers: semantic })).status, 422);
      assert.equal((await patch('firm', [], { headers: { 'content-type': 'text/plain' } })).status, 400);
      assert.equal((await call('projects/firm')).text, kept);
    });

    test('of many at once none is lost', async () => {
      await make('busy');
      const tags = Array.from({ length: 12 }, (_, index) => `tag-${index}`);
      const answers = await Promise.all(
        tags.map((value) => patch('busy', [{ op: 'add', path: '/tags/-', value }])),
      );
      assert.ok(answers.every(({ status }) => status === 200));
      const { json } = await call('projects/busy');
      assert.deepEqual([json['tags'], json['_version']], [tags.toSorted(), 13]);
    });
  });

  describe('deleting one', () => {
    test('takes all that is in it, and is written down', async () => {
      await make('gone');
      const { json } = await call('projects/gone/environments');
      assert.equal((await call('projects/gone', { method: 'DELETE' })).status, 204);
      assert.deepEqual((await lastEvent()).action, 'deleteProject');
      for (const path of ['projects/gone', 'projects/gone/environments', 'projects/gone/environments/test']) {
        const answer = await call(path);
        assert.deepEqual([answer.status, answer.json['code']], [404, 'not_found'], path);
      }
      const ids = (json['items'] as Json[]).map(({ _id }) => _id as string);
      const { db } = server.app.kernel;
      const left = await db.selectFrom('environments').select('id').where('id', 'in', ids).execute();
      assert.deepEqual(left, []);
      assert.equal((await call('projects/gone', { method: 'DELETE' })).status, 404);
    });
  });

  describe('flag defaults', () => {
    const path = 'projects/defaults/flag-defaults';
    const whole = {
      tags: ['b', 'a'],
      temporary: false,
      booleanDefaults: {
        trueDisplayName: 'On',
        falseDisplayName: 'Off',
        trueDescription: '',
        falseDescription: '',
        onVariation: 0,
        offVariation: 1,
      },
      defaultClientSideAvailability: { usingEnvironmentId: true, usingMobileKey: true },
    };
    before(() => make('defaults'));

    test('are replaced, and the project shows the availability', async () => {
      const { status, json } = await call(path, { method: 'PUT', body: whole });
      assert.equal(status, 200);
      const { _links, key, ...rest } = json;
      assert.deepEqual([rest, key], [{ ...whole, tags: ['a', 'b'] }, 'defaults']);
      assert.deepEqual(_links.parent.href, '/api/v2/projects/defaults');
      assert.deepEqual((await call(path)).json, json);
      assert.equal((await call('projects/defaults')).json['includeInSnippetByDefault'], true);
    });

    test('F15 F21 take JSON patches and merge patches, bare or with a comment', async () => {
      for (const [body, name] of [
        [[set('/booleanDefaults/trueDisplayName', 'A')], 'A'],
        [{ comment: 'c', patch: [set('/booleanDefaults/trueDisplayName', 'B')] }, 'B'],
        [{ booleanDefaults: { trueDisplayName: 'C' } }, 'C'],
        [{ comment: 'c', merge: { booleanDefaults: { trueDisplayName: 'D' } } }, 'D'],
      ] as const) {
        const { status, json } = await call(path, { method: 'PATCH', body });
        assert.deepEqual([status, json['booleanDefaults'].trueDisplayName], [200, name]);
      }
      const event = await lastEvent();
      assert.deepEqual([event.action, event.comment], ['updateProjectFlagDefaults', 'c']);
      const { verb, update } = JSON.parse(event.detail!) as Json;
      assert.equal(verb, 'updated the flag defaults of the project');
      assert.deepEqual(update, { merge: { booleanDefaults: { trueDisplayName: 'D' } } });
    });

    test('what cannot be is refused and changes nothing', async () => {
      const { text } = await call(path);
      const { temporary: _, ...partial } = whole;
      for (const body of [partial, {}, [], { ...whole, temporary: 'no' }, { ...whole, tags: [5] }, '"x"']) {
        assert.equal((await call(path, { method: 'PUT', body })).status, 400, JSON.stringify(body));
      }
      const wrong = { ...whole, booleanDefaults: { ...whole.booleanDefaults, onVariation: 2 } };
      assert.equal((await call(path, { method: 'PUT', body: wrong })).status, 400);
      for (const [body, status] of [
        [{ key: 'x' }, 400],
        [{ _links: {} }, 400],
        [{ other: 1 }, 400],
        [[set('/booleanDefaults', 5)], 400],
        [[set('/nothing', 5)], 422],
        [{ instructions: [] }, 400],
      ] as const) {
        assert.equal((await call(path, { method: 'PATCH', body })).status, status, JSON.stringify(body));
      }
      assert.equal((await call(path)).text, text);
    });
  });

  describe('who may', () => {
    const DENY_ONE: PolicyStatement[] = [
      { effect: 'allow', actions: ['*'], resources: ['*'] },
      { effect: 'deny', actions: ['viewProject'], resources: ['proj/*;secret'] },
    ];
    before(async () => {
      await make('open');
      await make('hidden', { tags: ['secret'] });
    });

    test('F31 nobody without a token', async () => {
      for (const [path, method] of [
        ['projects', 'GET'],
        ['projects', 'POST'],
        ['projects/open', 'GET'],
        ['projects/open', 'PATCH'],
        ['projects/open', 'DELETE'],
        ['projects/open/flag-defaults', 'GET'],
      ]) {
        assert.equal((await call(path!, { method: method!, token: null })).status, 401, `${method} ${path}`);
      }
    });

    test('F31 a reader sees all and changes nothing', async () => {
      const token = await giveRole('reader');
      assert.equal((await call('projects/open', { token })).status, 200);
      assert.equal((await call('projects/open/flag-defaults', { token })).status, 200);
      for (const [answer, action] of [
        [await post({ key: 'by-reader', name: 'x' }, token), 'createProject'],
        [await patch('open', [set('/name', 'x')], { token }), 'updateProjectName'],
        [await patch('open', [set('/tags', ['x'])], { token }), 'updateTags'],
        [await call('projects/open', { method: 'DELETE', token }), 'deleteProject'],
        [
          await call('projects/open/flag-defaults', { method: 'PATCH', body: { temporary: false }, token }),
          'updateProjectFlagDefaults',
        ],
      ] as const) {
        const { code, access, reason } = answer.json;
        assert.equal(answer.status, 401);
        assert.deepEqual([code, access.action, reason], ['unauthorized', action, { effect: 'deny' }]);
      }
      assert.equal((await call('projects/by-reader')).status, 404);
    });

    test('F31 F35 a project that is denied is 403, and not in lists', async () => {
      const token = await giveWith(DENY_ONE);
      for (const [path, init] of [
        ['projects/hidden', {}],
        ['projects/hidden/flag-defaults', {}],
        ['projects/hidden', { method: 'PATCH', body: [] }],
        ['projects/hidden', { method: 'DELETE' }],
      ] as const) {
        const { status, json } = await call(path, { ...init, token });
        assert.deepEqual([status, json['code']], [403, 'forbidden'], path);
        assert.deepEqual(json['access'], { action: 'viewProject', resource: 'proj/hidden;secret' });
      }
      const keys = await keysOf('limit=1000', token);
      assert.ok(keys.includes('open') && !keys.includes('hidden'));
      assert.deepEqual(await keysOf('filter=keys:hidden', token), []);
    });

    test('F31 who sees no project at all is refused the list', async () => {
      assert.equal((await call('projects', { token: await giveRole('no_access') })).status, 401);
      const token = await giveWith([{ effect: 'allow', actions: ['viewProject'], resources: ['proj/open'] }]);
      assert.deepEqual(await keysOf('', token), ['open']);
      assert.deepEqual(await keysOf('filter=query:none', token), []);
    });

    test('F35 each field has its own permission', async () => {
      const token = await giveWith([
        { effect: 'allow', actions: ['viewProject', 'updateProjectName'], resources: ['proj/open'] },
      ]);
      assert.equal((await patch('open', [set('/name', 'Renamed')], { token })).status, 200);
      const { status, json } = await patch('open', [set('/name', 'x'), set('/tags', ['x'])], { token });
      assert.deepEqual([status, json['access'].action], [401, 'updateTags']);
      assert.equal((await call('projects/open')).json['name'], 'Renamed');
    });

    test('F35 a policy may allow to make projects of some names', async () => {
      const token = await giveWith([
        { effect: 'allow', actions: ['createProject'], resources: ['proj/team-*'] },
      ]);
      assert.equal((await post({ key: 'team-a', name: 'x' }, token)).status, 201);
      assert.equal((await post({ key: 'other', name: 'x' }, token)).status, 401);
    });
  });

  test('F33 what no honest client sends is 400 or 404, and makes nothing', async () => {
    const good = { key: 'bad-input', name: 'x' };
    const environment = { key: 'a', name: 'A', color: 'ffffff' };
    for (const body of [
      {},
      [],
      '"text"',
      'null',
      '{"key":',
      { name: 'x' },
      { key: 'bad-input' },
      { ...good, key: '' },
      { ...good, key: '-a' },
      { ...good, key: 'a b' },
      { ...good, key: 'a/b' },
      { ...good, key: 'x'.repeat(257) },
      { ...good, key: 5 },
      { ...good, name: '' },
      { ...good, name: 'a\0b' },
      { ...good, name: 'x'.repeat(257) },
      { ...good, tags: 'x' },
      { ...good, tags: [''] },
      { ...good, tags: ['x'.repeat(65)] },
      { ...good, includeInSnippetByDefault: 'yes' },
      { ...good, defaultClientSideAvailability: {} },
      { ...good, namingConvention: { case: 'shouting' } },
      { ...good, environments: {} },
      { ...good, environments: [{}] },
      { ...good, environments: [{ ...environment, color: '#ffffff' }] },
      { ...good, environments: [environment, environment] },
      {
        ...good,
        environments: Array.from({ length: 101 }, (_, index) => ({ ...environment, key: `e${index}` })),
      },
    ]) {
      const { status, json } = await call('projects', { method: 'POST', body });
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], JSON.stringify(body).slice(0, 200));
    }
    assert.equal((await call('projects/bad-input')).status, 404);
    assert.equal((await call('projects/a%00b')).status, 400);
    for (const key of ['%ff', "'%20or%201=1", 'x'.repeat(5000), '..%2f']) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const init = method === 'PATCH' ? { body: [] } : {};
        assert.equal((await call(`projects/${key}`, { method, ...init })).status, 404, `${method} ${key}`);
      }
    }
  });
});

onEachEngine((engine) => {
  test('the last project stays, also when all are deleted at once', async () => {
    const server = await startServerOn(engine, { limits: 'off' });
    const keys = ['default', 'a', 'b', 'c', 'd'];
    for (const key of keys.slice(1)) {
      await server.call('/api/v2/projects', { method: 'POST', body: { key, name: key } });
    }
    const answers = await Promise.all(
      keys.map((key) => server.call(`/api/v2/projects/${key}`, { method: 'DELETE' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(byNumber), [204, 204, 204, 204, 409]);
    assert.equal((await server.call('/api/v2/projects')).json['totalCount'], 1);
    await server.stop();
  });

  test('a server that finds no project makes one, once', async () => {
    const location = await engine.migratedDatabase();
    const settings =
      engine.kind === 'postgres' ? { database: location } : { data: location.replace(/\/[^/]*$/, '') };
    const first = await startServer(settings);
    await first.app.kernel.db.deleteFrom('projects').execute();
    await first.stop();
    for (let start = 0; start < 2; start += 1) {
      const again = await startServer(settings);
      const { json } = await again.call('/api/v2/projects');
      assert.deepEqual(
        (json['items'] as Json[]).map(({ key }) => key as string),
        ['default'],
      );
      await again.stop();
    }
  });
});

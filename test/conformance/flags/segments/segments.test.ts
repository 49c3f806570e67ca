// Segments over HTTP, on a running server with each engine: rules F5, F8, F10, F14, F15, F16, F19, F20, F21, F23, F33 and F36.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { segmentCalls, SEMANTIC } from './calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  const { call, at, makeProject, list, post, read, patch, instruct, remove, events, useInFlag } =
    segmentCalls(() => server);
  let count = 0;
  let key: string;
  let original: Json;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    await makeProject();
  });
  after(() => server.stop());
  beforeEach(async () => {
    key = `segment-${(count += 1)}`;
    await post({ key, name: 'Before', description: 'as it was', tags: ['x'] });
    original = (await read(key)).json;
  });

  async function assertUnchanged(label?: string): Promise<void> {
    assert.deepEqual((await read(key)).json, original, label);
    assert.equal((await events(key)).length, 1, 'only its making is recorded');
  }

  test('F5 F8 F10 a segment is made, read and listed, in summary and in detail', async () => {
    const { status, json, headers } = await post({ key: 'made', name: 'Made', tags: ['b', 'a', 'b'] });
    assert.equal(status, 201);
    const { creationDate, lastModifiedDate, ...rest } = json;
    assert.equal(creationDate, lastModifiedDate);
    assert.deepEqual(rest, {
      key: 'made',
      name: 'Made',
      tags: ['a', 'b'],
      rules: [],
      version: 1,
      deleted: false,
      unbounded: false,
      generation: 1,
      included: [],
      excluded: [],
      includedContexts: [],
      excludedContexts: [],
      _links: {
        self: { href: '/api/v2/segments/shop/test/made', type: 'application/json' },
        parent: { href: '/api/v2/segments/shop/test', type: 'application/json' },
      },
      _site: { href: '/console/segments/shop/made?env=test', type: 'text/html' },
    });
    assert.equal(headers.get('location'), '/api/v2/segments/shop/test/made');
    assert.deepEqual((await read('made')).json, { ...json, _flags: [] });
    const { items } = (await list('sort=-creationDate&limit=1')).json as { items: Json[] };
    assert.deepEqual(items, [json]);
    const self = (items[0] as Json)['_links'].self.href as string;
    assert.equal((await server.call(self)).json['key'], 'made');
  });

  test('F9 lists are paged, sorted and filtered', async () => {
    for (const name of ['one', 'two', 'three'])
      await post({ key: `listed-${key}-${name}`, name: `Listed ${name}`, tags: [key] });
    const filter = encodeURIComponent(`tags anyOf ["${key}"],query equals LISTED`);
    const page = async (query: string) => {
      const { json } = await list(`filter=${filter}&${query}`);
      return { names: (json['items'] as Json[]).map(({ name }) => name as string), json };
    };
    const first = await page('sort=name&limit=2');
    assert.deepEqual([first.names, first.json['totalCount']], [['Listed one', 'Listed three'], 3]);
    assert.equal(first.json['_links'].prev, undefined);
    const next = (await server.call(first.json['_links'].next.href as string)).json;
    assert.deepEqual(
      (next['items'] as Json[]).map(({ name }) => name as string),
      ['Listed two'],
    );
    assert.equal(next['_links'].next, undefined);
    assert.deepEqual((await page('sort=-name')).names, ['Listed two', 'Listed three', 'Listed one']);
    for (const bad of [
      'sort=key',
      'filter=query',
      'filter=name+equals+x',
      'filter=unbounded+equals+1',
      'limit=x',
      'offset=-1',
    ])
      assert.equal((await list(bad)).status, 400, bad);
  });

  test('F33 a taken key is 409 key_exists, also in a race; another environment has keys of its own', async () => {
    const { status, json } = await post({ key, name: 'Again' });
    assert.deepEqual([status, json['code']], [409, 'key_exists']);
    await assertUnchanged();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => post({ key: `raced-${key}`, name: 'Raced' })),
    );
    assert.deepEqual(answers.map((answer) => String(answer.status)).toSorted(), [
      '201',
      '409',
      '409',
      '409',
      '409',
    ]);
    const elsewhere = await call('segments/shop/production', {
      method: 'POST',
      body: { key, name: 'Elsewhere' },
    });
    assert.equal(elsewhere.status, 201);
    await assertUnchanged();
  });

  test('F33 what is not there is 404', async () => {
    for (const path of [
      'segments/nowhere/test',
      'segments/shop/nowhere',
      at('nobody'),
      at('nobody', 'nowhere'),
      at('%F0%9F%98%80'),
      at('x'.repeat(5000)),
    ])
      assert.deepEqual([(await call(path)).status, path], [404, path]);
    assert.equal((await remove('nobody')).status, 404);
    assert.equal((await patch('nobody', [])).status, 404);
    assert.equal((await instruct('nobody', [{ kind: 'updateName', value: 'x' }])).status, 404);
    assert.equal((await call(at(key), { method: 'PUT', body: {} })).status, 405);
  });

  test('F14 the paths that real clients patch work, one version for each patch', async () => {
    const { status, json } = await patch(key, [
      { op: 'replace', path: '/name', value: 'After' },
      { op: 'replace', path: '/description', value: 'changed' },
      { op: 'replace', path: '/tags', value: ['z', 'y'] },
      { op: 'replace', path: '/included', value: ['ada'] },
      { op: 'replace', path: '/excluded', value: ['eve'] },
      { op: 'replace', path: '/includedContexts', value: [{ contextKind: 'org', values: ['acme'] }] },
      { op: 'replace', path: '/excludedContexts', value: [] },
      {
        op: 'add',
        path: '/rules',
        value: [{ clauses: [{ attribute: 'email', op: 'contains', values: ['@'] }] }],
      },
      { op: 'add', path: '/rules/0', value: { clauses: [], weight: 5000, bucketBy: 'key' } },
    ]);
    assert.equal(status, 200);
    assert.deepEqual([json['version'], json['name'], json['tags']], [2, 'After', ['y', 'z']]);
    assert.deepEqual([json['included'], json['excluded'], json['rules'].length], [['ada'], ['eve'], 2]);
    assert.deepEqual((await read(key)).json, { ...json, _flags: [] });
    const again = await patch(key, [{ op: 'replace', path: '/rules/0', value: json['rules'][0] }]);
    assert.deepEqual([again.status, again.json], [200, json], 'nothing differs, so that nothing is done');
    const [, event, ...others] = await events(key);
    assert.equal(others.length, 0);
    const accesses = JSON.parse(event!.accesses!) as { action: string }[];
    assert.deepEqual(accesses.map(({ action }) => action).toSorted(), [
      'updateDescription',
      'updateExcluded',
      'updateIncluded',
      'updateName',
      'updateRules',
      'updateTags',
    ]);
  });

  test('F15 F21 a merge patch, bare and in its envelope', async () => {
    const bare = await patch(key, { name: 'Merged', description: null });
    assert.deepEqual([bare.status, bare.json['name'], bare.json['description']], [200, 'Merged', undefined]);
    const wrapped = await patch(key, { comment: 'why', merge: { tags: null } });
    assert.deepEqual([wrapped.json['tags'], wrapped.json['version']], [[], 3]);
    assert.equal((await events(key)).at(-1)!.comment, 'why');
  });

  test('F16 F19 a semantic patch is applied whole, and told in the audit log', async () => {
    const { status, json } = await instruct(
      key,
      [
        { kind: 'updateName', value: 'After' },
        { kind: 'addIncludedUsers', values: ['ada'] },
        { kind: 'addExcludedTargets', contextKind: 'org', values: ['evil'] },
        { kind: 'addRule', clauses: [{ attribute: 'country', op: 'in', values: ['fr'] }] },
      ],
      { environmentKey: 'test', comment: 'all at once' },
    );
    assert.deepEqual([status, json['version'], json['name']], [200, 2, 'After']);
    const [, event] = await events(key);
    assert.equal(event!.comment, 'all at once');
    assert.equal((JSON.parse(event!.before!) as Json)['version'], 1);
    assert.equal((JSON.parse(event!.after!) as Json)['version'], 2);
    const ruleId = json['rules'][0]._id as string;
    const clauseId = json['rules'][0].clauses[0]._id as string;
    assert.match(ruleId, /^[0-9a-f-]{36}$/);
    const next = await instruct(key, [{ kind: 'addValuesToClause', ruleId, clauseId, values: ['de'] }]);
    assert.deepEqual(next.json['rules'][0].clauses[0].values, ['fr', 'de']);
  });

  test('F19 one bad instruction undoes all, and is named', async () => {
    const bads: [status: number, instruction: { kind: string; [parameter: string]: unknown }][] = [
      [422, { kind: 'unheardOf' }],
      [422, { kind: 'updateName' }],
      [422, { kind: 'updateName', value: 5 }],
      [400, { kind: 'removeClauses', ruleId: 'nowhere', clauseIds: ['x'] }],
      [400, { kind: 'addBigSegmentIncludedTargets', values: ['a'] }],
      [400, { kind: 'addExcludedUsers', values: ['ada'] }],
    ];
    for (const [wanted, bad] of bads) {
      const { status, json } = await instruct(key, [
        { kind: 'updateName', value: 'changed' },
        { kind: 'addIncludedUsers', values: ['ada'] },
        bad,
      ]);
      const code = wanted === 400 ? 'invalid_request' : 'patch_failed';
      assert.deepEqual([status, json['code']], [wanted, code], bad.kind);
      assert.match(json['message'] as string, new RegExp(`instructions\\[2\\] \\(${bad.kind}\\)`));
    }
    await assertUnchanged();
  });

  test('F19 what is so already is left as it is', async () => {
    const answer = await instruct(key, [
      { kind: 'updateName', value: 'Before' },
      { kind: 'addTags', values: ['x'] },
      { kind: 'removeRule', ruleId: 'nowhere' },
      { kind: 'removeIncludedUsers', values: ['ada'] },
    ]);
    assert.deepEqual([answer.status, answer.json['version']], [200, 1]);
    await assertUnchanged();
  });

  test('F16 the environment of the body must be that of the path', async () => {
    const change = [{ kind: 'updateName', value: 'changed' }];
    assert.equal((await instruct(key, change, { environmentKey: 'production' })).status, 400);
    assert.equal((await instruct(key, change, { environmentKey: 'nowhere' })).status, 400);
    assert.equal((await instruct(key, change, { environmentKey: 5 })).status, 422);
    await assertUnchanged();
  });

  test('F20 instructions without the domain model are 400, and other nonsense is told apart', async () => {
    const wrong: [status: number, body: unknown, headers?: Record<string, string>][] = [
      [400, { instructions: [{ kind: 'updateName', value: 'x' }] }],
      [422, { instructions: [] }, SEMANTIC],
      [422, { instructions: ['updateName'] }, SEMANTIC],
      [422, [{ kind: 'updateName' }], SEMANTIC],
      [422, 'null'],
      [422, '5'],
      [400, '{"name":'],
      [400, '{}', { 'content-type': 'text/plain' }],
      [422, [{ op: 'replace', path: '/nothing/deeper', value: 1 }]],
      [422, [{ op: 'frobnicate', path: '/name' }]],
      [422, [{ op: 'replace', path: '/rules/7', value: {} }]],
      [400, [{ op: 'replace', path: '/key', value: 'other' }]],
      [400, [{ op: 'replace', path: '/version', value: 9 }]],
      [400, [{ op: 'replace', path: '/_links/self/href', value: 'x' }]],
      [400, { name: 5 }],
      [400, { unknown: 5 }],
      [422, { comment: 5, merge: { name: 'x' } }],
    ];
    for (const [status, body, headers] of wrong) {
      const answer = await patch(key, body, headers === undefined ? {} : { headers });
      assert.equal(answer.status, status, JSON.stringify(body));
      assert.deepEqual(Object.keys(answer.json).toSorted(), ['code', 'id', 'message']);
    }
    await assertUnchanged();
  });

  test('F23 a test makes the update conditional', async () => {
    const change = { op: 'replace', path: '/name', value: 'after' };
    const stale = await patch(key, [{ op: 'test', path: '/version', value: 7 }, change]);
    assert.deepEqual([stale.status, stale.json['code']], [409, 'optimistic_locking_error']);
    await assertUnchanged();
    assert.equal(
      (await patch(key, [{ op: 'test', path: '/version', value: 1 }, change])).json['name'],
      'after',
    );
  });

  test('F23 F33 of concurrent patches none is lost', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `user-${index}`);
    const answers = await Promise.all(
      names.map((name) => patch(key, [{ op: 'add', path: '/included/-', value: name }])),
    );
    const applied = names.filter((_, index) => answers[index]!.status === 200);
    for (const { status } of answers) assert.ok(status === 200 || status === 409, String(status));
    const { json } = await read(key);
    assert.deepEqual((json['included'] as string[]).toSorted(), applied.toSorted());
    assert.equal(json['version'], 1 + applied.length);
    assert.equal((await events(key)).length, 1 + applied.length);
  });

  test('a dry run answers as if it were done, and does nothing', async () => {
    const change = [{ kind: 'updateName', value: 'after' }];
    const { status, json } = await instruct(key, change, {}, '?dryRun=true');
    assert.deepEqual([status, json['name'], json['version']], [200, 'after', 2]);
    await assertUnchanged();
    const bad = await instruct(key, [{ kind: 'updateName', value: '' }], {}, '?dryRun=true');
    assert.equal(bad.status, 400);
    const whole = await call(`${at(key)}?dryRun=1`, { method: 'PATCH', body: { name: 'other' } });
    assert.equal(whole.json['name'], 'other');
    assert.equal((await call(`${at(key)}?dryRun=perhaps`, { method: 'PATCH', body: {} })).status, 400);
    await assertUnchanged();
  });

  test('the flags that use it are shown, and it cannot be deleted before they are changed', async () => {
    await useInFlag(key, `flag-${key}`);
    assert.deepEqual((await read(key)).json['_flags'], [
      {
        key: `flag-${key}`,
        name: `FLAG-${key.toUpperCase()}`,
        _links: { self: { href: `/api/v2/flags/shop/flag-${key}`, type: 'application/json' } },
        _site: { href: `/console/flags/shop/flag-${key}/targeting?env=test`, type: 'text/html' },
      },
    ]);
    const refused = await remove(key);
    assert.deepEqual([refused.status, refused.json['code']], [409, 'optimistic_locking_error']);
    assert.match(refused.json['message'] as string, /flag-segment/);
    await useInFlag('', `flag-${key}`);
    await assertUnchanged();
    assert.equal((await remove(key)).status, 204);
  });

  test('F36 it is gone after its deletion, and one of the same key begins above it', async () => {
    await patch(key, { name: 'Second version' });
    const { status, text, headers } = await remove(key);
    assert.deepEqual([status, text, headers.get('content-type')], [204, '', 'application/json']);
    assert.equal((await read(key)).status, 404);
    assert.equal((await remove(key)).status, 404);
    const made = (await post({ key, name: 'Anew' })).json;
    assert.deepEqual([made['version'], made['generation']], [4, 2]);
    assert.deepEqual(
      (await events(key)).map(({ action }) => action),
      ['createSegment', 'updateName', 'deleteSegment', 'createSegment'],
    );
  });

  test('F33 bodies that make no segment are 400, and make none', async () => {
    const good = { key: 'bad', name: 'Bad' };
    const wrong: unknown[] = [
      'null',
      '[]',
      '"text"',
      '{"key":',
      {},
      { key: 'bad' },
      { name: 'Bad' },
      { ...good, key: 5 },
      { ...good, key: '' },
      { ...good, key: '-bad' },
      { ...good, key: 'a b' },
      { ...good, key: 'a/b' },
      { ...good, key: 'x'.repeat(257) },
      { ...good, name: '' },
      { ...good, name: 'a\0b' },
      { ...good, name: 'x'.repeat(257) },
      { ...good, description: 5 },
      { ...good, description: 'x'.repeat(10_001) },
      { ...good, tags: 'x' },
      { ...good, tags: ['a b'] },
      { ...good, tags: ['x'.repeat(65)] },
      { ...good, unbounded: 'yes' },
      { ...good, unbounded: true, unboundedContextKind: 'multi' },
      { ...good, unboundedContextKind: 5 },
    ];
    for (const body of wrong) {
      const { status, json } = await post(body as object);
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], JSON.stringify(body));
    }
    assert.equal(
      (await post(good, { headers: { 'content-type': 'text/plain' }, body: JSON.stringify(good) })).status,
      400,
    );
    assert.equal((await post({ ...good, description: 'x'.repeat(6_000_000) })).status, 413);
    assert.equal((await read('bad')).status, 404);
  });

  test('a segment holds 15,000 targets and no more', async () => {
    const keys = (from: number, length: number) =>
      Array.from({ length }, (_, index) => `user-${from + index}`);
    const full = await patch(key, [{ op: 'add', path: '/included', value: keys(0, 15_000) }]);
    assert.equal(full.status, 200);
    assert.equal((await instruct(key, [{ kind: 'addExcludedUsers', values: ['one-more'] }])).status, 400);
    assert.equal((await instruct(key, [{ kind: 'addIncludedUsers', values: ['user-5'] }])).status, 200);
    assert.equal(
      (await instruct(key, [{ kind: 'removeIncludedUsers', values: keys(0, 1500) }])).json['included'].length,
      13_500,
    );
    assert.equal(
      (await instruct(key, [{ kind: 'addIncludedUsers', values: keys(20_000, 1501) }])).status,
      400,
    );
  });
});

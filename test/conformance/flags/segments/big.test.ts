// Big segments over HTTP, on a running server with each engine: their members and counts.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { segmentCalls } from './calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  const { call, at, makeProject, post, read, patch, instruct, remove, change, events } = segmentCalls(
    () => server,
  );
  let count = 0;
  let key: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    await makeProject();
    await post({ key: 'small', name: 'Small' });
  });
  after(() => server.stop());
  beforeEach(async () => {
    key = `big-${(count += 1)}`;
    await post({ key, name: 'Big', unbounded: true, unboundedContextKind: 'org' });
  });

  const stands = async (context: string, way = 'contexts') => {
    const { json } = await call(`${at(key)}/${way}/${encodeURIComponent(context)}`);
    return [json['included'], json['excluded']];
  };
  const counts = async () => {
    const { _unboundedMetadata: told, version } = (await read(key)).json;
    return [(told as Json)['includedCount'], (told as Json)['excludedCount'], version];
  };

  test('in a list it says that it is big, and leaves its members out', async () => {
    await change(key, { included: { add: ['a'] } });
    const { json } = await call('segments/shop/test?limit=1000');
    const listed = (json['items'] as Json[]).find((item) => item['key'] === key)!;
    assert.deepEqual([listed['unbounded'], listed['unboundedContextKind']], [true, 'org']);
    for (const name of ['included', 'excluded', 'includedContexts', 'excludedContexts'])
      assert.ok(!(name in listed), name);
    const small = (json['items'] as Json[]).find((item) => item['key'] === 'small')!;
    assert.deepEqual([small['unbounded'], small['included'], small['includedContexts']], [false, [], []]);
  });

  test('members come, move and go, and are counted', async () => {
    const { status, text } = await change(key, {
      included: { add: ['a', 'b', 'b'] },
      excluded: { add: ['c'] },
    });
    assert.deepEqual([status, text], [204, '']);
    assert.deepEqual(await counts(), [2, 1, 2]);
    assert.deepEqual(
      [await stands('a'), await stands('c'), await stands('nobody')],
      [
        [true, false],
        [false, true],
        [false, false],
      ],
    );
    const move = { included: { remove: ['a'], add: ['c'] }, excluded: { remove: ['c'], add: ['a'] } };
    assert.equal((await change(key, move)).status, 204);
    assert.deepEqual(
      [await stands('a'), await stands('c')],
      [
        [false, true],
        [true, false],
      ],
    );
    assert.deepEqual(await counts(), [2, 1, 3], 'the counts are as before, and yet it has changed');
    const { json } = await call(`${at(key)}/contexts/a`);
    assert.deepEqual(json, {
      userKey: 'a',
      included: false,
      excluded: true,
      _links: {
        self: { href: `/api/v2/${at(key)}/contexts/a`, type: 'application/json' },
        parent: { href: `/api/v2/${at(key)}`, type: 'application/json' },
      },
    });
    assert.deepEqual(
      (await events(key)).map(({ action, kind }) => [action, kind]),
      [
        ['createSegment', 'segment'],
        ['updateIncluded', 'segment'],
        ['updateIncluded', 'segment'],
      ],
    );
  });

  test('the older paths of users do the same', async () => {
    const odd = 'a/b c?ü%';
    const { status } = await call(`${at(key)}/users`, { method: 'POST', body: { included: { add: [odd] } } });
    assert.equal(status, 204);
    assert.deepEqual(
      [await stands(odd, 'users'), await stands(odd)],
      [
        [true, false],
        [true, false],
      ],
    );
  });

  test('F19 what is so already changes nothing', async () => {
    await change(key, { included: { add: ['a'] } });
    const version = await counts();
    for (const body of [
      {},
      { included: {} },
      { included: { add: ['a'] } },
      { excluded: { remove: ['a', 'z'] } },
    ])
      assert.equal((await change(key, body)).status, 204);
    assert.deepEqual(await counts(), version);
    assert.equal((await events(key)).length, 2);
  });

  test('F19 a change that cannot be is refused whole', async () => {
    await change(key, { included: { add: ['a'] } });
    const many = Array.from({ length: 10_001 }, (_, index) => `k${index}`);
    for (const body of [
      { included: { add: ['z'] }, excluded: { add: ['a'] } },
      { included: { add: ['z'] }, excluded: { add: ['z'] } },
      { included: { add: ['z', 5] } },
      { included: { add: ['z', ''] } },
      { included: { add: ['z', 'a\0b'] } },
      { included: { add: ['z', '\ud800'] } },
      { included: { add: ['z', 'x'.repeat(513)] } },
      { included: { add: 'z' } },
      { included: ['z'] },
      { included: { add: many } },
      { included: { add: many.slice(0, 9000) }, excluded: { remove: many.slice(0, 9000) } },
      [],
      'null',
      '{"included"',
    ]) {
      const { status, json } = await change(key, body);
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], JSON.stringify(body).slice(0, 80));
    }
    assert.deepEqual(
      [await counts(), await stands('z')],
      [
        [1, 0, 2],
        [false, false],
      ],
    );
  });

  test('ten thousand members go in one call', async () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `org-${index}`);
    assert.equal((await change(key, { included: { add: keys } })).status, 204);
    assert.deepEqual(await counts(), [10_000, 0, 2]);
    assert.equal((await change(key, { included: { remove: keys } })).status, 204);
    assert.deepEqual(await counts(), [0, 0, 3]);
  });

  test('semantic patches change members, too, and a dry run only counts them', async () => {
    const add = [
      { kind: 'addBigSegmentIncludedTargets', values: ['a', 'b'] },
      { kind: 'addBigSegmentExcludedTargets', values: ['c'] },
    ];
    const dry = await instruct(key, add, {}, '?dryRun=true');
    assert.deepEqual([dry.status, dry.json['_unboundedMetadata'].includedCount], [200, 2]);
    assert.deepEqual(await counts(), [0, 0, 1]);
    const { status, json } = await instruct(key, [...add, { kind: 'updateName', value: 'Bigger' }]);
    assert.deepEqual([status, json['name'], json['version']], [200, 'Bigger', 2]);
    const mixed = await instruct(key, [
      { kind: 'removeBigSegmentIncludedTargets', values: ['a'] },
      { kind: 'addBigSegmentExcludedTargets', values: ['a', 'b'] },
    ]);
    assert.equal(mixed.status, 400);
    assert.deepEqual(
      [await counts(), await stands('a')],
      [
        [2, 1, 2],
        [true, false],
      ],
    );
    const moved = await instruct(key, [
      { kind: 'removeBigSegmentIncludedTargets', values: ['a'] },
      { kind: 'addBigSegmentExcludedTargets', values: ['a'] },
      { kind: 'removeBigSegmentExcludedTargets', values: ['c'] },
    ]);
    assert.equal(moved.status, 200);
    assert.deepEqual(
      [await counts(), await stands('a')],
      [
        [1, 1, 3],
        [false, true],
      ],
    );
  });

  test('of concurrent changes none is lost', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => change(key, { included: { add: [`k${index}`, 'shared'] } })),
    );
    for (const { status } of answers) assert.equal(status, 204);
    assert.deepEqual(await counts(), [13, 0, 13]);
  });

  test('each sort of segment refuses what is for the other', async () => {
    assert.equal((await change('small', { included: { add: ['a'] } })).status, 400);
    assert.equal((await call(`${at('small')}/contexts/a`)).status, 400);
    assert.equal((await change('nobody', {})).status, 404);
    assert.equal((await call(`${at('nobody')}/users/a`)).status, 404);
    assert.equal((await patch(key, [{ op: 'add', path: '/included', value: ['a'] }])).status, 400);
    assert.equal((await instruct(key, [{ kind: 'addIncludedUsers', values: ['a'] }])).status, 400);
  });

  test('one of the same key, made anew, has no members', async () => {
    await change(key, { included: { add: ['a'] } });
    assert.equal((await remove(key)).status, 204);
    await post({ key, name: 'Anew', unbounded: true });
    assert.deepEqual(
      [await counts(), await stands('a')],
      [
        [0, 0, 4],
        [false, false],
      ],
    );
  });
});

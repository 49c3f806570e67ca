// Tasks over HTTP: their fields, names, lists and input, without executing anything.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '../../../src/actors/actors/model.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import type { CallInit, Json, TestServer } from '../../server.ts';
import { startNodes, startServerOn } from '../../suites.ts';
import { giveActor, giveBuild } from './runs/run-rows.ts';

const SCHEMA = {
  title: 'Input',
  type: 'object',
  schemaVersion: 1,
  properties: {
    query: { title: 'Query', type: 'string', editor: 'textfield', description: 'q', prefill: 'signals' },
    pages: { title: 'Pages', type: 'integer', description: 'p', default: 3, minimum: 1 },
    note: {
      title: 'Note',
      type: 'string',
      editor: 'textfield',
      description: 'n',
      example: 'only an example',
    },
    key: { title: 'Key', type: 'string', editor: 'textfield', description: 'k', isSecret: true },
  },
};

/** The fields of the specification's table, with those of `options` and `actorStandby`. */
const FIELDS =
  'id userId actId name username createdAt modifiedAt removedAt stats options input title actorStandby standbyUrl';
const OPTIONS = 'build timeoutSecs memoryMbytes maxItems maxTotalChargeUsd restartOnError';
const STANDBY =
  'isEnabled desiredRequestsPerActorRun maxRequestsPerActorRun idleTimeoutSecs build memoryMbytes ' +
  'disableStandbyFieldsOverride shouldPassActorInput';

onEachEngine((engine) => {
  let server: TestServer;
  let actor: Actor;
  let plain: Actor;
  let other: string;
  before(async () => {
    // Nothing is executed: the input alone matters here.
    server = await startServerOn(engine, { limits: 'off', role: 'api' });
    other = await newUser('other');
    actor = await giveActor(server, { name: 'finder' });
    await giveBuild(server, actor, { inputSchema: SCHEMA });
    plain = await giveActor(server, { name: 'plain' });
    await giveBuild(server, plain, {});
  });
  after(() => server.stop());

  async function newUser(name: string, role: 'writer' | 'reader' = 'writer'): Promise<string> {
    const member = await join(server, name, { role });
    return (await giveToken(server, member, { role })).value;
  }

  const call = (path: string, init: CallInit = {}) => server.call(`/v2/actor-tasks${path}`, init);
  const put = (path: string, body: unknown, more: CallInit = {}) =>
    call(path, { method: 'PUT', body, ...more });

  async function expectError(
    [path, init]: [path: string, init?: CallInit],
    status: number,
    type: string,
  ): Promise<string> {
    const { status: got, json, text } = await call(path, init);
    assert.deepEqual([got, json['error']?.type], [status, type], text);
    return json['error'].message as string;
  }

  async function createTask(fields: Json = {}, token?: string): Promise<Json> {
    const body = { actId: plain.id, ...fields };
    const { status, json, text } = await call('', { method: 'POST', body, ...(token && { token }) });
    assert.equal(status, 201, text);
    return json['data'] as Json;
  }

  describe('create', () => {
    test('A22 a task has every field of the specification, whatever it was created with', async () => {
      const created = await createTask();
      const { id } = created;
      assert.deepEqual((await call(`/${id}`)).json['data'], created);
      for (const name of FIELDS.split(' ')) assert.ok(name in created, name);
      for (const name of OPTIONS.split(' ')) assert.equal(created['options'][name], null, name);
      for (const name of STANDBY.split(' ')) assert.equal(created['actorStandby'][name], null, name);
      assert.match(id as string, /^[0-9a-f]{24}$/);
      assert.deepEqual([created['actId'], created['username']], [plain.id, 'admin']);
      assert.deepEqual([created['userId'], created['removedAt']], [plain.userId, null]);
      assert.deepEqual(created['stats'], { totalRuns: 0 });
      assert.deepEqual(created['input'], {});
      assert.equal(created['createdAt'], created['modifiedAt']);
      assert.equal(created['standbyUrl'], `${server.url}/standby/admin~${created['name']}`);
    });

    test('without a name it is called like its Actor, with a number where that is taken', async () => {
      const named = await giveActor(server, { name: 'Namesake' });
      const names: string[] = [];
      for (let made = 0; made < 3; made += 1) {
        const { name, title } = await createTask({ actId: '~namesake', ...(made === 1 && { name: null }) });
        names.push(name as string);
        if (made === 0) assert.equal(title, 'Namesake Task');
      }
      assert.deepEqual(names, ['Namesake-task', 'Namesake-task-1', 'Namesake-task-2']);
      const long = await giveActor(server, { name: 'x'.repeat(63) });
      const first = await createTask({ actId: long.id });
      const second = await createTask({ actId: `admin~${long.name}` });
      assert.equal(first['name'].length, 63);
      assert.notEqual(first['name'], second['name']);
      assert.equal(named.name, 'Namesake');
    });

    test('without input it begins with what the schema fills in, and its defaults', async () => {
      assert.deepEqual((await createTask({ actId: actor.id }))['input'], { query: 'signals', pages: 3 });
      const given = await createTask({ actId: actor.id, input: { query: 'other', more: [1, { a: null }] } });
      assert.deepEqual(given['input'], { query: 'other', more: [1, { a: null }] });
      const unbuilt = await giveActor(server);
      assert.deepEqual((await createTask({ actId: unbuilt.id, input: { a: 1 } }))['input'], { a: 1 });
    });

    test('what clients may send besides is stored', async () => {
      const task = await createTask({
        name: 'with-everything',
        title: 'A title',
        description: 'Text',
        options: { build: '0.0.1', timeoutSecs: 0, memoryMbytes: 512, maxItems: 7, maxTotalChargeUsd: 1.5 },
        actorStandby: { isEnabled: true, desiredRequestsPerActorRun: 2, build: 'beta' },
        isPublic: true,
        publicConfig: { seoTitle: 'SEO', inputSchemaFields: ['query'] },
        unknownField: 1,
      });
      assert.deepEqual([task['title'], task['description'], task['isPublic']], ['A title', 'Text', true]);
      assert.deepEqual(task['options'], {
        build: '0.0.1',
        timeoutSecs: 0,
        memoryMbytes: 512,
        maxItems: 7,
        maxTotalChargeUsd: 1.5,
        restartOnError: null,
      });
      assert.deepEqual(task['publicConfig'], {
        publishedAt: task['createdAt'],
        seoTitle: 'SEO',
        inputSchemaFields: ['query'],
      });
      assert.equal(task['actorStandby'].isEnabled, true);
      assert.ok(!('unknownField' in task));
      const hidden = (await put(`/${task['id']}`, { isPublic: false })).json['data'];
      assert.deepEqual([hidden.isPublic, hidden.publicConfig.publishedAt], [false, null]);
    });

    test('a name is unique in its account, in any case', async () => {
      await createTask({ name: 'Taken' });
      const again = { method: 'POST', body: { actId: plain.id, name: 'tAKEN' } };
      assert.match(await expectError(['', again], 409, 'actor-task-name-not-unique'), /tAKEN/);
      const { id } = await createTask({ name: 'not-taken' });
      const rename = { method: 'PUT', body: { name: 'TAKEN' } };
      await expectError([`/${id}`, rename], 409, 'actor-task-name-not-unique');
      // Its own name in another case is no conflict.
      assert.equal((await put(`/${id}`, { name: 'NOT-taken' })).json['data'].name, 'NOT-taken');
      const token = await newUser('namesake');
      const own = await giveActor(server, { token });
      assert.equal((await createTask({ actId: own.id, name: 'Taken' }, token))['name'], 'Taken');
    });

    test('eight clients that create tasks at once get eight names, or one of them the name', async () => {
      const named = await giveActor(server, { name: 'racing' });
      const all = await Promise.all(Array.from({ length: 8 }, () => createTask({ actId: named.id })));
      assert.equal(new Set(all.map(({ name }) => name as string)).size, 8);
      const race = { method: 'POST', body: { actId: named.id, name: 'one-of-eight' } };
      const statuses = await Promise.all(
        Array.from({ length: 8 }, async () => (await call('', race)).status),
      );
      assert.deepEqual(
        statuses.toSorted((a, b) => a - b),
        [201, ...Array<number>(7).fill(409)],
      );
    });
  });

  describe('update', () => {
    test('A22 a change keeps what it does not name, and answers with the full task', async () => {
      const first = await createTask({
        name: 'partial',
        title: 'Before',
        description: 'Stays',
        options: { build: 'latest', memoryMbytes: 256, maxItems: 5 },
        input: { a: 1, b: { c: 2 } },
        actorStandby: { isEnabled: true, idleTimeoutSecs: 60 },
      });
      const unchanged = [
        'id',
        'userId',
        'actId',
        'createdAt',
        'stats',
        'username',
        'removedAt',
        'description',
      ];
      const changes: [sent: Json, expected: Json][] = [
        [{ title: 'After' }, { title: 'After' }],
        [{ title: null }, { title: null }],
        [{ name: 'partial-2' }, { name: 'partial-2', standbyUrl: `${server.url}/standby/admin~partial-2` }],
        [
          { options: { memoryMbytes: 512, maxItems: null, restartOnError: true } },
          {
            options: {
              build: 'latest',
              timeoutSecs: null,
              memoryMbytes: 512,
              maxItems: null,
              maxTotalChargeUsd: null,
              restartOnError: true,
            },
          },
        ],
        // The input is one property, so that fields can be taken out of it.
        [{ input: { b: 3 } }, { input: { b: 3 } }],
        [{}, {}],
      ];
      let expected = first;
      for (const [sent, changed] of changes) {
        server.clock.ahead += 1000;
        const answer = await put(`/${first['id']}`, sent);
        assert.equal(answer.status, 200, answer.text);
        const { data } = answer.json;
        assert.ok(data.modifiedAt > expected['modifiedAt']);
        expected = { ...expected, ...changed, modifiedAt: data.modifiedAt };
        assert.deepEqual(data, expected, JSON.stringify(sent));
        for (const name of unchanged) assert.deepEqual(data[name], first[name], name);
        assert.deepEqual((await call(`/${first['id']}`)).json['data'], expected);
      }
      const standby = await put(`/${first['id']}`, {
        actorStandby: { idleTimeoutSecs: null, build: 'beta' },
      });
      assert.deepEqual(
        ['isEnabled', 'idleTimeoutSecs', 'build'].map((name) => standby.json['data'].actorStandby[name]),
        [true, null, 'beta'],
      );
    });

    test('A22 an update needs Content-Type: application/json', async () => {
      const { id, name } = await createTask();
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', '']) {
        const init = { method: 'PUT', body: '{"title":"no"}', headers: { 'content-type': type } };
        await expectError([`/${id}`, init], 400, 'invalid-content-type-header');
      }
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      const answer = await put(`/~${name}`, '{"title":"yes"}', { headers });
      assert.deepEqual([answer.status, answer.json['data'].title], [200, 'yes']);
    });

    test('eight clients that change one task at once lose nothing of each other', async () => {
      const { id } = await createTask({ input: {} });
      const names = Array.from({ length: 8 }, (_, index) => `field${index}`);
      const fields = ['timeoutSecs', 'memoryMbytes', 'maxItems', 'maxTotalChargeUsd'];
      const answers = await Promise.all([
        ...names.map((name, index) => put(`/${id}/input`, { [name]: index })),
        ...fields.map((field) => put(`/${id}`, { options: { [field]: 256 } })),
      ]);
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      const { data } = (await call(`/${id}`)).json;
      assert.deepEqual(data.input, Object.fromEntries(names.map((name, index) => [name, index])));
      for (const field of fields) assert.equal(data.options[field], 256, field);
    });
  });

  test('A3 a task is named by its id, username~name and ~name', async () => {
    const { id, name } = await createTask({ name: 'Referenced' });
    for (const reference of [id, `admin~${name}`, `~${name}`, `~rEFERENCED`, `admin%2F${name}`]) {
      assert.equal((await call(`/${reference}`)).json['data']?.id, id, reference as string);
      assert.equal((await put(`/${reference}`, {})).status, 200);
      assert.equal((await call(`/${reference}/input`)).status, 200);
      assert.equal((await call(`/${reference}/runs`)).status, 200);
    }
    for (const reference of ['nothing', '~nothing', 'admin~nothing', 'nobody~Referenced', name])
      await expectError([`/${reference}`], 404, 'record-not-found');
    for (const reference of ['admin~', '~']) await expectError([`/${reference}`], 400, 'invalid-request');
  });

  test('lists are in the order of creation, and paged', async () => {
    const token = await newUser('lister');
    const own = await giveActor(server, { token, name: 'listed' });
    const shared = await giveActor(server, { name: 'shared', isPublic: true });
    const ids: string[] = [];
    for (let made = 0; made < 5; made += 1) {
      server.clock.ahead += 1;
      ids.push(
        (await createTask({ actId: made === 0 ? shared.id : own.id, input: { a: 1 } }, token))[
          'id'
        ] as string,
      );
    }
    const listOf = async (query: string) => (await call(query, { token })).json['data'] as Json;
    const all = await listOf('');
    assert.deepEqual(
      [all['total'], all['count'], all['offset'], all['limit'], all['desc']],
      [5, 5, 0, 1000, false],
    );
    assert.deepEqual(
      all['items'].map((item: Json) => item['id']),
      ids,
    );
    const [first, second] = all['items'] as [Json, Json];
    assert.deepEqual(
      [first['actName'], first['actUsername'], first['username']],
      ['shared', 'admin', 'lister'],
    );
    assert.deepEqual([second['actName'], second['actUsername']], ['listed', 'lister']);
    assert.deepEqual(
      [second['actId'], second['stats'], second['title']],
      [own.id, { totalRuns: 0 }, 'Listed Task'],
    );
    for (const absent of ['input', 'options']) assert.ok(!(absent in second));
    const page = await listOf('?offset=1&limit=2&desc=1');
    assert.deepEqual(
      page['items'].map((item: Json) => item['id']),
      [ids[3], ids[2]],
    );
    assert.deepEqual([page['total'], page['desc']], [5, true]);
    assert.deepEqual((await listOf('?offset=9'))['items'], []);
    assert.equal((await listOf('?limit=999999999999'))['limit'], 1000);
    await expectError(['?limit=x', { token }], 400, 'invalid-input');
    await expectError(['?offset=-1', { token }], 400, 'invalid-input');
  });

  describe('input', () => {
    const SECRET = /^ENCRYPTED_VALUE:/;

    test('it is read and changed without an envelope, field by field', async () => {
      const { id } = await createTask({ input: { a: 1, b: { c: 2, d: 3 } } });
      const read = await call(`/${id}/input`);
      assert.deepEqual([read.status, read.json], [200, { a: 1, b: { c: 2, d: 3 } }]);
      assert.match(read.headers.get('content-type')!, /^application\/json/);
      const changed = await put(`/${id}/input`, { b: { c: 4 }, e: null, ['__proto__x']: 1 });
      assert.deepEqual(
        [changed.status, changed.json],
        [200, { a: 1, b: { c: 4 }, e: null, ['__proto__x']: 1 }],
      );
      assert.deepEqual((await call(`/${id}`)).json['data'].input, changed.json);
      const proto = await put(`/${id}/input`, '{"__proto__":{"polluted":true}}', {
        headers: { 'content-type': 'application/json' },
      });
      assert.match(proto.text, /"__proto__":\{"polluted":true\}/);
      assert.equal(({} as Json)['polluted'], undefined);
    });

    test('an invalid one is refused when it is saved, and nothing is stored', async () => {
      const { id } = await createTask({ actId: actor.id, input: { query: 'ok', pages: 2 } });
      const first = (await call(`/${id}`)).json['data'];
      const total = (await call('?limit=1')).json['data'].total;
      const wrong = { pages: 0 };
      const create = { method: 'POST', body: { actId: actor.id, input: wrong } };
      assert.match(await expectError(['', create], 400, 'invalid-input'), /^Input is not valid: .*pages/);
      const replace = { method: 'PUT', body: { title: 'lost', input: wrong } };
      await expectError([`/${id}`, replace], 400, 'invalid-input');
      await expectError([`/${id}/input`, { method: 'PUT', body: wrong }], 400, 'invalid-input');
      assert.deepEqual((await call(`/${id}`)).json['data'], first);
      assert.equal((await call('?limit=1')).json['data'].total, total);
    });

    test('it is validated by the build that the change names', async () => {
      const strict = { ...SCHEMA, required: ['query'] };
      await giveBuild(server, actor, { inputSchema: strict, number: '0.0.9', tag: 'strict' });
      const { id } = await createTask({ actId: actor.id, input: {} });
      const both = { method: 'PUT', body: { options: { build: 'strict' }, input: {} } };
      await expectError([`/${id}`, both], 400, 'invalid-input');
      assert.equal((await put(`/${id}`, { options: { build: 'strict' } })).status, 200);
      await expectError([`/${id}/input`, { method: 'PUT', body: { pages: 1 } }], 400, 'invalid-input');
      assert.equal((await put(`/${id}/input`, { query: 'x' })).status, 200);
    });

    test('secret fields are stored encrypted, stay when they are sent back, and are in no audit entry', async () => {
      const { id, input } = await createTask({ actId: actor.id, input: { key: 'hush-1', query: 'q' } });
      assert.match(input.key, SECRET);
      const back = await put(`/${id}`, { input: { ...input, query: 'r' } });
      assert.deepEqual(back.json['data'].input, { ...input, query: 'r' });
      const merged = await put(`/${id}/input`, { pages: 4 });
      assert.deepEqual(merged.json, { ...input, query: 'r', pages: 4 });
      const changed = await put(`/${id}/input`, { key: 'hush-2' });
      assert.match(changed.json['key'], SECRET);
      assert.notEqual(changed.json['key'], input.key);
      const { db } = server.app.kernel;
      const stored = await db
        .selectFrom('task_inputs')
        .select('input')
        .where('task_id', '=', id as string)
        .execute();
      const audit = await server.call(`/api/v2/auditlog`);
      for (const text of [JSON.stringify(stored), audit.text, JSON.stringify(server.log)])
        assert.doesNotMatch(text, /hush-/);
      const stolen = { method: 'PUT', body: { key: 'ENCRYPTED_VALUE:abc:def' } };
      await expectError([`/${id}/input`, stolen], 400, 'invalid-input');
    });

    test('a large one is stored and merged', async () => {
      const urls = Array.from({ length: 40_000 }, (_, index) => `https://example.com/page/${index}`);
      const { id } = await createTask({ input: { urls } });
      const merged = await put(`/${id}/input`, { more: 1 });
      assert.deepEqual([merged.json['urls'].length, merged.json['more']], [40_000, 1]);
      assert.equal((await call(`/${id}`)).json['data'].input.urls[39_999], urls[39_999]);
      const half = 'x'.repeat(5_000_000);
      assert.equal((await put(`/${id}/input`, { half })).status, 200);
      const tooLong = { method: 'PUT', body: { other: half } };
      await expectError([`/${id}/input`, tooLong], 400, 'input-json-too-long');
    });
  });

  describe('bad input', () => {
    const WRONG: [field: string, values: unknown[]][] = [
      ['name', [1, {}, '', 'ab', '-ab', 'ab-', 'a b c', 'a_b', 'ä-task', 'x'.repeat(64), 'a~b']],
      ['title', [1, {}, [], 'x'.repeat(201), 'a\0b']],
      ['description', [1, 'x'.repeat(10_001)]],
      ['input', [1, 'text', [], null, true]],
      ['isPublic', ['yes', 1]],
      ['publicConfig', [1, { seoTitle: 1 }, { inputSchemaFields: 'a' }]],
    ];
    const WRONG_OPTIONS: [field: string, values: unknown[]][] = [
      ['build', ['', 1, 'x'.repeat(101), 'a\0b']],
      ['timeoutSecs', [-1, 1.5, '60', 1e12]],
      ['memoryMbytes', [0, 100, 127, 300, 65_536, -128, '512', 1e20]],
      ['maxItems', ['1', 1.5, 1e12]],
      ['maxTotalChargeUsd', ['1', 1e12]],
      ['restartOnError', ['true', 1]],
    ];

    test('A28 fields of a wrong type or size are refused, and nothing is stored', async () => {
      const task = await createTask();
      const { total } = (await call('?limit=1')).json['data'];
      const bodies = [
        ...WRONG.flatMap(([field, values]) => values.map((value) => ({ [field]: value }))),
        ...WRONG_OPTIONS.flatMap(([field, values]) =>
          values.map((value) => ({ options: { [field]: value } })),
        ),
        { options: [] },
        { options: 1 },
        { actorStandby: 1 },
        { actorStandby: { isEnabled: 'yes' } },
        { actorStandby: { memoryMbytes: 3 } },
        { actorStandby: { idleTimeoutSecs: -1 } },
      ];
      for (const body of bodies) {
        await expectError([`/${task['id']}`, { method: 'PUT', body }], 400, 'invalid-input');
        await expectError(['', { method: 'POST', body: { actId: plain.id, ...body } }], 400, 'invalid-input');
      }
      assert.deepEqual((await call(`/${task['id']}`)).json['data'], task);
      assert.equal((await call('?limit=1')).json['data'].total, total);
      for (const [field, type] of [
        ['maxItems', 'max-items-must-be-greater-than-zero'],
        ['maxTotalChargeUsd', 'max-total-charge-usd-must-be-greater-than-zero'],
      ] as const) {
        const body = { options: { [field]: 0 } };
        await expectError([`/${task['id']}`, { method: 'PUT', body }], 400, type);
        await expectError(['', { method: 'POST', body: { actId: plain.id, ...body } }], 400, type);
      }
    });

    test('A28 bodies that are none are refused', async () => {
      const { id } = await createTask();
      const headers = { 'content-type': 'application/json' };
      for (const body of ['', '{', '[]', 'null', '"text"', '1', '{"name":}']) {
        await expectError(['', { method: 'POST', body, headers }], 400, 'invalid-input');
        await expectError([`/${id}`, { method: 'PUT', body, headers }], 400, 'invalid-input');
      }
      await expectError(['', { method: 'POST', body: {} }], 400, 'invalid-input');
      for (const actId of [1, null, '']) {
        const { status } = await call('', { method: 'POST', body: { actId } });
        assert.equal(status, 400);
      }
      for (const actId of ['nothing', '~nothing', 'a'.repeat(24)])
        await expectError(['', { method: 'POST', body: { actId } }], 404, 'record-not-found');
      const large = { method: 'PUT', body: { input: { a: 'x'.repeat(9_437_184) } } };
      await expectError([`/${id}`, large], 413, 'request-too-large');
      const encoded = { method: 'PUT', body: '{}', headers: { ...headers, 'content-encoding': 'zstd' } };
      await expectError([`/${id}`, encoded], 415, 'unsupported-content-encoding');
      await expectError([`/${id}/input`, encoded], 415, 'unsupported-content-encoding');
    });

    test('A28 an input that is no JSON object is refused', async () => {
      const { id } = await createTask();
      const headers = { 'content-type': 'application/json' };
      const types: [body: string, type: string][] = [
        ['', 'invalid-input'],
        ['{', 'run-input-body-not-valid-json'],
        ['[]', 'input-json-not-object'],
        ['null', 'input-json-not-object'],
        ['"text"', 'input-json-not-object'],
      ];
      for (const [body, type] of types)
        await expectError([`/${id}/input`, { method: 'PUT', body, headers }], 400, type);
      const text = { method: 'PUT', body: '{}', headers: { 'content-type': 'text/plain' } };
      await expectError([`/${id}/input`, text], 400, 'invalid-content-type-header');
      const bytes = { method: 'PUT', body: Buffer.from([0x7b, 0xff, 0x7d]), headers };
      await expectError([`/${id}/input`, bytes], 400, 'input-json-invalid-characters');
    });

    test('A28 wrong verbs and a missing token are refused', async () => {
      const { id } = await createTask();
      for (const [method, path] of [
        ['PUT', ''],
        ['DELETE', ''],
        ['POST', `/${id}`],
        ['PATCH', `/${id}`],
        ['POST', `/${id}/input`],
        ['DELETE', `/${id}/input`],
        ['PUT', `/${id}/runs`],
      ] as const)
        await expectError([path, { method }], 405, 'method-not-allowed');
      for (const path of ['', `/${id}`, `/${id}/input`, `/${id}/runs`, '/nothing'])
        await expectError([path, { token: null }], 401, 'invalid-token');
      await expectError([`/${id}`, { token: 'api-wrong' }], 401, 'invalid-token');
    });
  });

  describe('others', () => {
    test('a task of another account does not exist, whatever one does with it', async () => {
      const { id, name } = await createTask({ name: 'private' });
      for (const reference of [id, `admin~${name}`]) {
        for (const [method, path, body] of [
          ['GET', ''],
          ['PUT', '', { title: 'stolen' }],
          ['DELETE', ''],
          ['GET', '/input'],
          ['PUT', '/input', { a: 1 }],
          ['GET', '/runs'],
          ['POST', '/runs', {}],
          ['GET', '/run-sync'],
          ['POST', '/run-sync', {}],
          ['GET', '/run-sync-get-dataset-items'],
          ['GET', '/runs/last'],
          ['GET', '/runs/last/dataset/items'],
        ] as const)
          await expectError(
            [`/${reference}${path}`, { method, body, token: other }],
            404,
            'record-not-found',
          );
      }
      // Bad input reveals nothing either.
      const bad = { method: 'PUT', body: { title: 1 }, token: other };
      assert.equal((await call(`/${id}`, bad)).text, (await call('/nothing', bad)).text);
      assert.equal((await call(`/${id}`)).json['data'].title, 'Private');
    });

    test('a reader sees tasks, and changes and runs none', async () => {
      const token = await newUser('reader', 'reader');
      assert.equal((await call('', { token })).status, 200);
      const create = { method: 'POST', body: { actId: plain.id }, token };
      await expectError(['', create], 403, 'insufficient-permissions');
    });

    test('a token with permissions of its own has those alone', async () => {
      const member = await join(server, 'limited', { role: 'writer' });
      const whole = (await giveToken(server, member, { role: 'writer' })).value;
      const own = await giveActor(server, { token: whole });
      const { id } = await createTask({ actId: own.id }, whole);
      const inlinePolicy = [
        { effect: 'allow' as const, actions: ['viewTask'], resources: [`actor-task/${id}`] },
      ];
      const { value: token } = await giveToken(server, member, { inlinePolicy });
      assert.equal((await call(`/${id}`, { token })).status, 200);
      for (const [method, path, body] of [
        ['PUT', '', {}],
        ['DELETE', ''],
        ['POST', '/runs', {}],
        ['PUT', '/input', {}],
      ] as const)
        await expectError([`/${id}${path}`, { method, body, token }], 403, 'insufficient-permissions');
      await expectError(['', { token }], 403, 'insufficient-permissions');
      // Otherwise a task would be a way to run an Actor without the permission.
      const creator = [{ effect: 'allow' as const, actions: ['*'], resources: ['actor-task/*'] }];
      const { value: creates } = await giveToken(server, member, { inlinePolicy: creator });
      const create = { method: 'POST', body: { actId: own.id }, token: creates };
      await expectError(['', create], 403, 'insufficient-permissions');
    });

    test('a task of a public Actor of others is stored; a private one is not found', async () => {
      const hidden = await giveActor(server);
      const create = { method: 'POST', body: { actId: hidden.id }, token: other };
      await expectError(['', create], 404, 'record-not-found');
      const shared = await giveActor(server, { isPublic: true });
      const task = await createTask({ actId: shared.id }, other);
      assert.deepEqual([task['actId'], task['username']], [shared.id, 'other']);
    });
  });

  describe('the end', () => {
    test('A22 a deleted task is not found, and its name is free', async () => {
      const { id } = await createTask({ name: 'ending' });
      assert.equal((await call(`/${id}`, { method: 'DELETE' })).status, 204);
      for (const reference of [id, '~ending']) {
        await expectError([`/${reference}`], 404, 'record-not-found');
        await expectError([`/${reference}`, { method: 'PUT', body: {} }], 404, 'record-not-found');
        await expectError([`/${reference}`, { method: 'DELETE' }], 404, 'record-not-found');
        await expectError([`/${reference}/input`], 404, 'record-not-found');
      }
      assert.notEqual((await createTask({ name: 'ending' }))['id'], id);
    });

    test('an Actor that is deleted takes its tasks with it, those of others too', async () => {
      const ending = await giveActor(server, { isPublic: true });
      const own = await createTask({ actId: ending.id });
      const theirs = await createTask({ actId: ending.id }, other);
      assert.equal((await server.call(`/v2/actors/${ending.id}`, { method: 'DELETE' })).status, 204);
      await expectError([`/${own['id']}`], 404, 'record-not-found');
      await expectError([`/${theirs['id']}`, { token: other }], 404, 'record-not-found');
    });

    test('eight clients that delete one task at once: one of them does', async () => {
      const { id } = await createTask();
      const remove = { method: 'DELETE' };
      const statuses = await Promise.all(
        Array.from({ length: 8 }, async () => (await call(`/${id}`, remove)).status),
      );
      assert.deepEqual(
        statuses.toSorted((a, b) => a - b),
        [204, ...Array<number>(7).fill(404)],
      );
    });

    test('tasks that are created while their Actor is deleted are not left behind', async () => {
      const ending = await giveActor(server);
      const create = { method: 'POST', body: { actId: ending.id } };
      const [removed, ...created] = await Promise.all([
        server.call(`/v2/actors/${ending.id}`, { method: 'DELETE' }),
        ...Array.from({ length: 8 }, () => call('', create)),
      ]);
      assert.equal(removed.status, 204);
      for (const { status } of created) assert.ok(status === 201 || status === 404, String(status));
      const { db } = server.app.kernel;
      const left = await db.selectFrom('tasks').select('id').where('actor_id', '=', ending.id).execute();
      assert.deepEqual(left, []);
    });
  });

  test('clients of two nodes lose nothing of each other, and never share a name', async () => {
    const nodes = await startNodes(engine);
    try {
      const both = [nodes.server, nodes.other ?? nodes.server];
      const shared = await giveActor(nodes.server);
      const at = (client: number, path: string, method: string, body: unknown) =>
        both[client % 2]!.call(`/v2/actor-tasks${path}`, { method, body });
      const clients = Array.from({ length: 8 }, (_, client) => client);
      const created = await Promise.all(
        clients.map((client) => at(client, '', 'POST', { actId: shared.id })),
      );
      assert.equal(new Set(created.map(({ json }) => json['data'].name as string)).size, 8);
      const id = created[0]!.json['data'].id as string;
      const changed = await Promise.all(
        clients.map((client) => at(client, `/${id}/input`, 'PUT', { [`field${client}`]: client })),
      );
      assert.deepEqual([...new Set(changed.map(({ status }) => status))], [200]);
      const { input } = (await nodes.server.call(`/v2/actor-tasks/${id}`)).json['data'];
      assert.deepEqual(input, Object.fromEntries(clients.map((client) => [`field${client}`, client])));
    } finally {
      await nodes.stop();
    }
  });

  test('an account has at most 5,000 tasks, and sees its limits', async () => {
    const token = await newUser('collector');
    const own = await giveActor(server, { token });
    const { id } = await createTask({ actId: own.id }, token);
    const { db } = server.app.kernel;
    const row = await db
      .selectFrom('tasks')
      .selectAll()
      .where('id', '=', id as string)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: 4998 }, (_, at) => ({ ...row, id: `${id}-${at}`, name: `more-${at}` }));
    for (let at = 0; at < rows.length; at += 500)
      await db
        .insertInto('tasks')
        .values(rows.slice(at, at + 500))
        .execute();
    assert.ok(await createTask({ actId: own.id }, token));
    const create = { method: 'POST', body: { actId: own.id }, token };
    await expectError(['', create], 403, 'too-many-actor-tasks');
    const { limits, current } = (await server.call('/v2/users/me/limits', { token })).json['data'];
    assert.deepEqual([limits.maxActorTaskCount, current.actorTaskCount], [5000, 5000]);
  });

  test('every change has an audit entry without the input', async () => {
    const { id } = await createTask({ name: 'audited', input: { quiet: 'not-for-the-log' } });
    await put(`/${id}`, { title: 'Changed' });
    await put(`/${id}/input`, { quiet: 'not-for-the-log-either' });
    await call(`/${id}`, { method: 'DELETE' });
    const { db } = server.app.kernel;
    const rows = await db
      .selectFrom('events')
      .selectAll()
      .where('resource', '=', `actor-task/${id}`)
      .execute();
    const text = JSON.stringify(rows);
    assert.equal(rows.length, 4, text);
    for (const verb of ['created the task', 'updated the task', 'deleted the task'])
      assert.match(text, new RegExp(verb));
    assert.doesNotMatch(text, /not-for-the-log/);
  });
});

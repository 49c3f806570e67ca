// Context kinds on the flags API, on a running server with each engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import type { CallInit, Json, TestServer } from '../../server.ts';
import { onServer } from '../../suites.ts';
import {
  allow,
  assertError,
  expect,
  giveMember,
  openFlagProject,
  type FlagProject,
} from './control-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let setup: FlagProject;
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
    setup = await openFlagProject(server);
  });

  const path = (key = '') => `projects/${setup.project}/context-kinds${key === '' ? '' : `/${key}`}`;
  const put = (key: string, body: unknown, init: CallInit = {}) =>
    setup.call(path(key), { method: 'PUT', body, ...init });
  const read = async (key: string): Promise<Json> => (await expect(200, setup.call(path(key)))).json;
  const entries = async () =>
    (await expect(200, setup.call(`auditlog?spec=proj/${setup.project}:context-kind/*`))).json[
      'items'
    ] as Json[];

  test('F5 F8 F10 users are a kind from the beginning, and the list links to each', async () => {
    const { json } = await expect(200, setup.call(path()));
    const [{ creationDate, lastModified, _links, ...user }] = json['items'];
    assert.deepEqual(user, {
      key: 'user',
      name: 'User',
      description: '',
      version: 1,
      createdFrom: 'default',
      hideInTargeting: false,
      archived: false,
    });
    assert.ok(Number.isInteger(creationDate) && creationDate === lastModified);
    assert.equal(json['totalCount'], 1);
    assert.equal(json['_links'].self.href, `/api/v2/${path()}`);
    assert.equal(_links.parent.href, `/api/v2/${path()}`);
    assert.deepEqual((await server.call(_links.self.href as string)).json, json['items'][0]);
  });

  test('F36 a kind is made, changed in part, and every change is an entry', async () => {
    const body = {
      name: 'Organization',
      description: 'A firm',
      hideInTargeting: false,
      archived: false,
      version: 1,
    };
    const made = await expect(200, put('org.unit_1-a', body));
    assert.equal(made.json['status'], 'success');
    assert.equal(made.json['_links'].self.href, `/api/v2/${path('org.unit_1-a')}`);
    await expect(200, put('org.unit_1-a', { name: 'Firm', version: 1 }));
    await expect(200, put('org.unit_1-a', { name: 'Firm', archived: true }));
    const { name, description, archived, hideInTargeting, version, createdFrom } = await read('org.unit_1-a');
    assert.deepEqual(
      { name, description, archived, hideInTargeting, version, createdFrom },
      {
        name: 'Firm',
        description: 'A firm',
        archived: true,
        hideInTargeting: true,
        version: 3,
        createdFrom: 'manual',
      },
    );
    const [last, second, first] = await entries();
    assert.equal(first!['titleVerb'], 'created the context kind');
    assert.equal(second!['titleVerb'], 'changed the name of the context kind');
    assert.equal(second!['description'], '- Changed the name from `Organization` to `Firm`');
    assert.equal(last!['_links'].canonical.href, `/api/v2/${path('org.unit_1-a')}`);
    assert.deepEqual(
      [first, second, last].map((entry) => entry!['accesses'][0].action as string),
      ['createContextKind', 'updateContextKind', 'updateContextKind'],
    );
    const { json: detail } = await expect(200, setup.call(`auditlog/${last!['_id']}`));
    assert.deepEqual([detail['previousVersion'].archived, detail['currentVersion'].archived], [false, true]);
  });

  test('the kind of users can be changed as any other', async () => {
    await expect(200, put('user', { name: 'Person', hideInTargeting: true }));
    const user = await read('user');
    assert.deepEqual(
      [user['name'], user['archived'], user['version'], user['createdFrom']],
      ['Person', true, 2, 'default'],
    );
    const [entry] = await entries();
    assert.equal(entry!['accesses'][0].action, 'updateContextKind');
  });

  test('what leaves a kind as it was is no change', async () => {
    await expect(200, put('org', { name: 'Org', description: 'x' }));
    for (const body of [{ name: 'Org' }, { name: 'Org', description: 'x', archived: false, version: 1 }])
      await expect(200, put('org', body));
    await expect(200, put('user', { name: 'User' }));
    assert.equal((await read('org'))['version'], 1);
    assert.equal((await entries()).length, 1);
  });

  test('F33 who has seen another version is told so, and changes nothing', async () => {
    await expect(200, put('org', { name: 'Org', version: 4 }));
    await expect(200, put('org', { name: 'Firm', version: 4 }));
    for (const version of [4, 6]) {
      const answer = await expect(409, put('org', { name: 'Late', version }));
      assertError(answer, 'optimistic_locking_error');
    }
    assertError(await expect(409, put('user', { name: 'Late', version: 2 })), 'optimistic_locking_error');
    assert.deepEqual([(await read('org'))['name'], (await read('org'))['version']], ['Firm', 5]);
  });

  test('F33 of many who have seen the same version one is heard', async () => {
    await expect(200, put('org', { name: 'Org' }));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => put('org', { name: `Name ${index}`, version: 1 })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 409)]);
    const made = await Promise.all(Array.from({ length: 10 }, () => put('device', { name: 'Device' })));
    assert.ok(made.every(({ status }) => status === 200));
    assert.equal((await read('device'))['version'], 1);
    assert.equal((await entries()).length, 3);
  });

  test('F33 what is no kind is refused by the name of the field', async () => {
    const bad: [key: string, body: unknown, field: RegExp][] = [
      ['kind', { name: 'x' }, /contextKind/],
      ['multi', { name: 'x' }, /contextKind/],
      ['a%20b', { name: 'x' }, /contextKind/],
      ['a%00b', { name: 'x' }, /contextKind|NUL/],
      ['%C3%A4', { name: 'x' }, /contextKind/],
      ['x'.repeat(257), { name: 'x' }, /contextKind/],
      ['org', {}, /name/],
      ['org', { name: '' }, /name/],
      ['org', { name: 'x'.repeat(257) }, /name/],
      ['org', { name: 'a\0b' }, /name/],
      ['org', { name: 5 }, /name/],
      ['org', { name: null }, /name/],
      ['org', { name: 'x', description: 'x'.repeat(10_001) }, /description/],
      ['org', { name: 'x', description: null }, /description/],
      ['org', { name: 'x', archived: 'yes' }, /archived/],
      ['org', { name: 'x', archived: true, hideInTargeting: false }, /hideInTargeting/],
      ['org', { name: 'x', version: '1' }, /version/],
      ['org', { name: 'x', version: 0 }, /version/],
      ['org', { name: 'x', version: 1.5 }, /version/],
      ['org', { name: 'x', version: 1e12 }, /version/],
      ['org', [], /body/i],
      ['org', '{', /./],
    ];
    for (const [key, body, field] of bad) {
      const answer = await expect(400, put(key, body));
      assertError(answer, 'invalid_request');
      assert.match(answer.json['message'] as string, field, JSON.stringify(body));
    }
    assert.equal((await expect(200, setup.call(path()))).json['totalCount'], 1);
    assert.deepEqual(await entries(), []);
    for (const key of ['none', 'kind', 'a%20b']) await expect(404, setup.call(path(key)));
    await expect(404, setup.call('projects/nowhere/context-kinds'));
    await expect(405, setup.call(path('user'), { method: 'DELETE' }));
  });

  test('there are a hundred of them at the most', async () => {
    for (let index = 1; index < 100; index += 1) await expect(200, put(`k${index}`, { name: 'K' }));
    assertError(await expect(400, put('more', { name: 'K' })), 'invalid_request');
    await expect(200, put('user', { name: 'Person' }));
    await expect(200, put('k1', { name: 'Changed' }));
    assert.equal((await expect(200, setup.call(path()))).json['totalCount'], 100);
  });

  test('F31 making and changing take a permission each, on the kind', async () => {
    const as = async (actions: string[], resource: string) =>
      (await giveMember(server, { inlinePolicy: allow(actions, [resource]) })).token;
    const orgs = await as(['createContextKind'], `proj/${setup.project}:context-kind/org*`);
    await expect(200, put('org', { name: 'Org' }, { token: orgs }));
    const denied = await expect(401, put('device', { name: 'Device' }, { token: orgs }));
    assert.deepEqual(denied.json['access'], {
      action: 'createContextKind',
      resource: `proj/${setup.project}:context-kind/device`,
    });
    await expect(401, put('org', { name: 'Firm' }, { token: orgs }));
    const all = await as(['updateContextKind'], 'proj/*:context-kind/*');
    await expect(200, put('org', { name: 'Firm' }, { token: all }));
    await expect(200, put('user', { name: 'Person' }, { token: all }));
    await expect(401, put('device', { name: 'Device' }, { token: all }));
    const { token: reader } = await giveMember(server, { role: 'reader' });
    await expect(200, setup.call(path(), { token: reader }));
    await expect(200, setup.call(path('org'), { token: reader }));
    await expect(401, put('org', { name: 'Read' }, { token: reader }));
    const { token: nobody } = await giveMember(server, { role: 'no_access' });
    await expect(403, setup.call(path(), { token: nobody }));
    await expect(403, put('org', { name: 'Nothing' }, { token: nobody }));
    await expect(401, setup.call(path(), { token: null }));
    assert.equal((await read('org'))['name'], 'Firm');
  });

  test('kinds go with their project, and a new one of its key has none of them', async () => {
    await expect(200, put('org', { name: 'Org' }));
    await expect(204, setup.call(`projects/${setup.project}`, { method: 'DELETE' }));
    await expect(404, setup.call(path()));
    const body = { key: setup.project, name: 'Again' };
    await expect(201, setup.call('projects', { method: 'POST', body }));
    assert.equal((await expect(200, setup.call(path()))).json['totalCount'], 1);
  });
});

// Expiring targets of segments, on a running server with each engine.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { segmentCalls, SEMANTIC } from './calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  const { call, makeProject, post, read, patch, remove, change, events } = segmentCalls(() => server);
  let count = 0;
  let key: string;
  let soon: number;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    await makeProject();
  });
  after(() => server.stop());
  beforeEach(async () => {
    key = `segment-${(count += 1)}`;
    soon = server.clock.now() + 60_000;
    await post({ key, name: 'Expiring' });
    await patch(key, {
      included: ['ada', 'bob'],
      excludedContexts: [{ contextKind: 'org', values: ['evil'] }],
    });
  });

  const path = (way: string) => `segments/shop/${key}/${way}/test`;
  const list = async (way = 'expiring-targets') => (await call(path(way))).json;
  const instruct = (instructions: object[], way = 'expiring-targets', more: object = {}) =>
    call(path(way), { method: 'PATCH', headers: SEMANTIC, body: { instructions, ...more } });
  const ada = { targetType: 'included', contextKind: 'user', contextKey: 'ada' };
  const add = (value: number) => ({ kind: 'addExpiringTarget', ...ada, value });

  test('a date is set, shown, changed and taken back', async () => {
    const { status, json } = await instruct([add(soon)], undefined, { comment: 'for the trial' });
    assert.equal(status, 200);
    assert.deepEqual([json['totalInstructions'], json['successfulInstructions'], json['errors']], [1, 1, []]);
    const [item] = json['items'] as Json[];
    assert.deepEqual(
      { ...item, _id: undefined, _links: undefined },
      {
        _id: undefined,
        _links: undefined,
        _version: 1,
        expirationDate: soon,
        contextKind: 'user',
        contextKey: 'ada',
        targetType: 'included',
        _resourceId: { kind: 'segment', projectKey: 'shop', environmentKey: 'test', key },
      },
    );
    assert.deepEqual((await list())['items'], json['items']);
    assert.equal((await server.call(item!['_links'].self.href)).json['totalCount'], 1);
    const update = { kind: 'updateExpiringTarget', ...ada, value: soon + 1, version: 1 };
    assert.equal((await instruct([update])).json['items'][0]._version, 2);
    assert.equal((await instruct([{ ...update, value: soon + 2 }])).status, 409);
    assert.equal((await instruct([{ kind: 'removeExpiringTarget', ...ada }])).json['items'].length, 0);
    const told = (await events(key)).slice(2);
    assert.deepEqual(
      told.map(({ action }) => action),
      Array.from({ length: 3 }, () => 'updateExpiringTargets'),
    );
    assert.equal(told[0]!.comment, 'for the trial');
  });

  test('the older words of users mean the same', async () => {
    const user = { targetType: 'included', userKey: 'bob' };
    const set = await instruct(
      [{ kind: 'addExpireUserTargetDate', ...user, value: soon }],
      'expiring-user-targets',
    );
    assert.deepEqual([set.status, set.json['items'][0].userKey], [200, 'bob']);
    assert.equal((await list())['items'][0].contextKey, 'bob');
    assert.equal((await list('expiring-user-targets'))['items'].length, 1);
  });

  test('F19 one bad instruction undoes all', async () => {
    for (const unread of [
      { kind: 'unheardOf' },
      { kind: 'addExpiringTarget', ...ada },
      { ...add(soon), value: 'tomorrow' },
    ]) {
      const { status, json } = await instruct([add(soon), unread]);
      assert.deepEqual([status, json['code']], [422, 'patch_failed'], JSON.stringify(unread));
      assert.match(json['message'] as string, /instructions\[1\]/);
    }
    for (const bad of [
      { ...add(soon), contextKey: 'nobody' },
      { ...add(soon), contextKind: 'org' },
      { ...add(soon), targetType: 'excluded' },
      { ...add(soon), targetType: 'perhaps' },
      { ...add(soon), value: 5 },
      { kind: 'updateExpiringTarget', ...ada, contextKey: 'bob', value: soon },
    ]) {
      const { status, json } = await instruct([add(soon), bad]);
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], JSON.stringify(bad));
      assert.match(json['message'] as string, /instructions\[1\]/);
    }
    assert.equal((await call(path('expiring-targets'), { method: 'PATCH', body: [] })).status, 422);
    assert.deepEqual((await list())['items'], []);
    assert.equal((await call('segments/shop/nobody/expiring-targets/test')).status, 404);
  });

  test('when its time has come a target goes, and the audit log says so', async () => {
    const org = { targetType: 'excluded', contextKind: 'org', contextKey: 'evil', value: soon + 600_000 };
    await instruct([add(soon), { kind: 'addExpiringTarget', ...org }]);
    server.clock.goTo(soon);
    await server.app.kernel.engine.notify('due');
    await eventually(async () => (await read(key)).json['included'].length === 1);
    const { json } = await read(key);
    assert.deepEqual([json['included'], json['version']], [['bob'], 3]);
    assert.deepEqual((await list())['items'].length, 1);
    const last = (await events(key)).at(-1)!;
    assert.deepEqual([last.action, last.member_id], ['updateIncluded', null]);
    assert.match(last.comment!, /"ada" has expired/);
  });

  test('a target that was removed has no date any more', async () => {
    await instruct([add(soon)]);
    await patch(key, { included: ['bob'] });
    assert.deepEqual((await list())['items'], []);
    await patch(key, { included: ['ada', 'bob'] });
    assert.deepEqual((await list())['items'], []);
    await instruct([add(soon)]);
    await remove(key);
    const { db } = server.app.kernel;
    const left = await db
      .selectFrom('expiring_targets')
      .selectAll()
      .where('context_key', '=', 'ada')
      .execute();
    assert.deepEqual(left, []);
  });

  test('members of big segments expire, too', async () => {
    key = `${key}-big`;
    await post({ key, name: 'Big', unbounded: true, unboundedContextKind: 'org' });
    await change(key, { included: { add: ['acme', 'best', 'core'] } });
    const org = (contextKey: string) => ({
      kind: 'addExpiringTarget',
      targetType: 'included',
      contextKind: 'org',
      contextKey,
    });
    assert.equal((await instruct([{ ...org('nobody'), value: soon }])).status, 400);
    assert.equal((await instruct([{ ...org('acme'), contextKind: 'user', value: soon }])).status, 400);
    assert.equal(
      (await instruct(['acme', 'best'].map((name) => ({ ...org(name), value: soon })))).status,
      200,
    );
    await change(key, { included: { remove: ['best'] } });
    assert.deepEqual(
      (await list())['items'].map(({ contextKey }: Json) => contextKey as string),
      ['acme'],
    );
    server.clock.goTo(soon);
    await server.app.kernel.engine.notify('due');
    await eventually(async () => (await read(key)).json['_unboundedMetadata'].includedCount === 1);
  });
});

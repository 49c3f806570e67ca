// Expiring targets of a flag over HTTP, from the request until they are removed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type Answer, type Json, type TestServer } from '../../../server.ts';

const PROJECT = 'shop';
const SEMANTIC = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };
const HOUR = 60 * 60 * 1000;

let server: TestServer;
const call: TestServer['call'] = (path, init) => server.call(`/api/v2/${path}`, init);
const pathOf = (key: string, way = 'expiring-targets', environment = 'test') =>
  `flags/${PROJECT}/${key}/${way}/${environment}`;

function patch(path: string, instructions: object[], more: object = {}, token?: string): Promise<Answer> {
  const body = { instructions, ...more };
  return call(path, { method: 'PATCH', headers: SEMANTIC, body, ...(token !== undefined && { token }) });
}

async function read(path: string): Promise<Json> {
  const { status, json, text } = await call(path);
  assert.equal(status, 200, text);
  return json;
}

/** A flag that serves its first variation to two users and a company. */
async function createFlag(key: string): Promise<{ red: string; blue: string }> {
  const { json, status, text } = await call(`flags/${PROJECT}`, {
    method: 'POST',
    body: { key, name: `The ${key}`, variations: [{ value: 'red' }, { value: 'blue' }] },
  });
  assert.equal(status, 201, text);
  const [red, blue] = json['variations'].map(({ _id }: { _id: string }) => _id);
  await changeTargets(key, [
    { kind: 'addTargets', variationId: red, values: ['ada', 'bob'] },
    { kind: 'addTargets', variationId: red, values: ['acme'], contextKind: 'company' },
  ]);
  return { red, blue };
}

async function changeTargets(key: string, instructions: object[]): Promise<void> {
  const { status, text } = await patch(`flags/${PROJECT}/${key}`, instructions, { environmentKey: 'test' });
  assert.equal(status, 200, text);
}

async function targetsOf(key: string): Promise<string[]> {
  const { targets, contextTargets } = (await read(`flags/${PROJECT}/${key}`))['environments'].test;
  return [...targets, ...contextTargets].flatMap(({ values }: { values: string[] }) => values);
}

/** Expiries that are due or being handled. */
async function underWay(): Promise<string[]> {
  const rows = await server.app.kernel.db
    .selectFrom('due')
    .select('id')
    .where('kind', '=', 'flags.expire-flag-target')
    .where((where) => where.or([where('owner', 'is not', null), where('due_at', '<=', server.clock.now())]))
    .execute();
  return rows.map(({ id }) => id);
}

/** Waits for the work under way before it moves the clock: a lease that ends by that is claimed a second time. */
async function passAnHour(): Promise<void> {
  await eventually(async () => (await underWay()).length === 0);
  server.clock.ahead += HOUR + 1000;
}

async function entriesOf(key: string): Promise<Json[]> {
  const spec = encodeURIComponent(`proj/${PROJECT}:env/*:flag/${key}`);
  return (await read(`auditlog?spec=${spec}`))['items'];
}

const soon = () => server.clock.now() + HOUR;
const add = (variationId: string, rest: object = {}) => ({
  kind: 'addExpiringTarget',
  variationId,
  contextKey: 'ada',
  contextKind: 'user',
  value: soon(),
  ...rest,
});

onEachEngine(({ kind, database }) => {
  before(async () => {
    server = await startServer({ limits: 'off', ...(kind === 'postgres' && { database: await database() }) });
    const { status, text } = await call('projects', { method: 'POST', body: { key: PROJECT, name: 'Shop' } });
    assert.equal(status, 201, text);
  });
  after(() => server.stop());

  test('F10 an expiring target links to itself', async () => {
    const { red } = await createFlag('linked');
    const both = [add(red), add(red, { contextKey: 'bob' })];
    const { items } = (await patch(pathOf('linked'), both)).json;
    assert.equal(items.length, 2);
    for (const item of items) {
      const own = await server.call(item._links.self.href);
      assert.deepEqual([own.status, own.json['items']], [200, [item]]);
    }
  });

  test('a date is set, shown, moved and taken back, each with an audit entry', async () => {
    const { red } = await createFlag('banner');
    const value = soon();
    const set = await patch(pathOf('banner'), [add(red, { value })], { comment: 'A trial' });
    assert.equal(set.status, 200, set.text);
    const [item] = set.json['items'];
    assert.deepEqual(item, {
      _id: item._id,
      _version: 1,
      expirationDate: value,
      contextKind: 'user',
      contextKey: 'ada',
      variationId: red,
      _resourceId: {
        kind: 'flag',
        projectKey: PROJECT,
        environmentKey: 'test',
        key: 'banner',
        flagKey: 'banner',
      },
      _links: {
        self: { href: `/api/v2/${pathOf('banner')}?id=${item._id}`, type: 'application/json' },
        parent: { href: `/api/v2/${pathOf('banner')}`, type: 'application/json' },
      },
    });
    assert.deepEqual(
      [set.json['totalInstructions'], set.json['successfulInstructions'], set.json['failedInstructions']],
      [1, 1, 0],
    );
    const shown = await read(pathOf('banner'));
    assert.deepEqual(shown['items'], [item]);
    assert.deepEqual(shown['_links'].self, { href: `/api/v2/${pathOf('banner')}`, type: 'application/json' });
    const [entry] = await entriesOf('banner');
    assert.equal(entry!['comment'], 'A trial');
    assert.deepEqual(
      entry!['accesses'].map(({ action }: { action: string }) => action),
      ['updateExpiringTargets'],
    );

    const update = { ...add(red, { value: value + HOUR }), kind: 'updateExpiringTarget', version: 1 };
    const moved = await patch(pathOf('banner'), [update]);
    assert.equal(moved.status, 200, moved.text);
    assert.deepEqual(
      [moved.json['items'][0]._version, moved.json['items'][0].expirationDate],
      [2, value + HOUR],
    );
    const stale = await patch(pathOf('banner'), [{ ...update, value: value + 2 * HOUR }]);
    assert.equal(stale.status, 409, stale.text);

    const { value: _, ...named } = add(red);
    const taken = await patch(pathOf('banner'), [{ ...named, kind: 'removeExpiringTarget' }]);
    assert.deepEqual(taken.json['items'], []);
    assert.equal((await targetsOf('banner')).includes('ada'), true);
  });

  test('the older routes speak of users alone', async () => {
    const { red } = await createFlag('older');
    const path = pathOf('older', 'expiring-user-targets');
    const user = { variationId: red, userKey: 'bob' };
    const value = soon();
    const set = await patch(path, [{ kind: 'addExpireUserTargetDate', ...user, value }]);
    assert.equal(set.status, 200, set.text);
    await patch(pathOf('older'), [add(red, { contextKey: 'acme', contextKind: 'company' })]);
    assert.deepEqual(
      (await read(path))['items'].map(({ userKey, variationId }: Json) => [userKey, variationId]),
      [['bob', red]],
    );
    assert.equal((await read(pathOf('older')))['items'].length, 2);
    const later = { kind: 'updateExpireUserTargetDate', ...user, value: value + HOUR };
    assert.equal((await patch(path, [later])).json['items'][0].expirationDate, value + HOUR);
    assert.deepEqual(
      (await patch(path, [{ kind: 'removeExpireUserTargetDate', ...user }])).json['items'],
      [],
    );
  });

  test('F19: dates are set together or not at all, and what is so already stays as it is', async () => {
    const { red } = await createFlag('atomic');
    const good = add(red);
    const wrong = await patch(pathOf('atomic'), [good, add(red, { contextKey: 'nobody' })]);
    assert.equal(wrong.status, 400, wrong.text);
    assert.match(wrong.json['message'], /^instructions\[1\] \(addExpiringTarget\): contextKey/);
    assert.deepEqual((await read(pathOf('atomic')))['items'], []);
    const first = await patch(pathOf('atomic'), [good]);
    const entries = await entriesOf('atomic');
    const again = await patch(pathOf('atomic'), [good]);
    assert.deepEqual(again.json, first.json);
    assert.deepEqual(await entriesOf('atomic'), entries);
  });

  test('bad input changes nothing', async () => {
    const { red } = await createFlag('bad');
    const cases: [body: unknown, status: number][] = [
      [{ instructions: [{ kind: 'expireAll' }] }, 422],
      [{ instructions: [add(red, { value: 1 })] }, 400],
      [{ instructions: [add(red, { value: 'soon' })] }, 422],
      [{ instructions: [add('nothing')] }, 400],
      [{ instructions: [add(red, { contextKey: 'a\0b' })] }, 400],
      [{ instructions: [add(red, { surprise: true })] }, 422],
      [{ instructions: [] }, 422],
      [{}, 422],
      [[], 422],
      [{ instructions: [add(red)], comment: 1 }, 422],
      [{ instructions: [add(red)], environmentKey: 'production' }, 400],
      [{ instructions: [add(red)], environmentKey: 'nowhere' }, 400],
    ];
    for (const [body, status] of cases) {
      const answer = await call(pathOf('bad'), { method: 'PATCH', headers: SEMANTIC, body });
      assert.equal(answer.status, status, `${JSON.stringify(body)}: ${answer.text}`);
      assert.deepEqual(Object.keys(answer.json).toSorted(), ['code', 'id', 'message']);
    }
    const jsonPatch = await call(pathOf('bad'), {
      method: 'PATCH',
      body: [{ op: 'remove', path: '/items' }],
    });
    assert.equal(jsonPatch.status, 422, jsonPatch.text);
    for (const path of [
      pathOf('nowhere'),
      pathOf('bad', 'expiring-targets', 'moon'),
      `flags/none/bad/expiring-targets/test`,
    ]) {
      assert.equal((await call(path)).status, 404);
      assert.equal((await patch(path, [add(red)])).status, 404);
    }
    assert.deepEqual((await read(pathOf('bad')))['items'], []);
  });

  test('F31: it takes updateExpiringTargets there, and sight of the project', async () => {
    const { red } = await createFlag('guarded');
    const tim = await join(server, 'tim', { role: 'admin' });
    const holding = async (actions: string[], resource: string) => {
      const view = { effect: 'allow' as const, actions: ['viewProject'], resources: ['proj/*'] };
      const inlinePolicy = [view, { effect: 'allow' as const, actions, resources: [resource] }];
      return (await giveToken(server, tim, { inlinePolicy })).value;
    };
    const weak = await holding(['updateTargets'], 'proj/*:env/*:flag/*');
    const refused = await patch(pathOf('guarded'), [add(red)], {}, weak);
    assert.equal(refused.status, 401, refused.text);
    assert.equal(refused.json['access'].action, 'updateExpiringTargets');
    assert.equal((await call(pathOf('guarded'), { token: weak })).status, 200);
    const elsewhere = await holding(['updateExpiringTargets'], 'proj/*:env/production:flag/*');
    assert.equal((await patch(pathOf('guarded'), [add(red)], {}, elsewhere)).status, 401);
    const { value: blind } = await giveToken(server, tim, {
      inlinePolicy: [{ effect: 'deny', actions: ['viewProject'], resources: ['proj/*'] }],
    });
    assert.equal((await call(pathOf('guarded'), { token: blind })).status, 403);
    assert.equal((await call(pathOf('guarded'), { token: null })).status, 401);
    assert.deepEqual((await read(pathOf('guarded')))['items'], []);
    const right = await holding(['updateExpiringTargets'], 'proj/*:env/test:flag/*');
    assert.equal((await patch(pathOf('guarded'), [add(red)], {}, right)).status, 200);
  });

  test('a target that is removed by hand does not expire when it comes back', async () => {
    const { red, blue } = await createFlag('moved');
    await patch(pathOf('moved'), [add(red), add(red, { contextKey: 'bob' })]);
    await changeTargets('moved', [
      { kind: 'removeTargets', variationId: red, values: ['ada'] },
      { kind: 'addTargets', variationId: blue, values: ['ada'] },
    ]);
    assert.deepEqual(
      (await read(pathOf('moved')))['items'].map(({ contextKey }: Json) => contextKey),
      ['bob'],
    );
    assert.equal((await patch(pathOf('moved'), [add(blue)])).status, 200);
  });

  test('a target goes when its time has come, by the program itself, and only that one', async () => {
    const { red } = await createFlag('timed');
    const value = soon();
    const company = { contextKey: 'acme', contextKind: 'company' };
    await patch(pathOf('timed'), [
      add(red, { value }),
      add(red, { ...company, value: value + 1 }),
      add(red, { contextKey: 'bob', value: value + 100 * HOUR }),
    ]);
    assert.deepEqual((await targetsOf('timed')).toSorted(), ['acme', 'ada', 'bob']);
    await passAnHour();
    await server.app.kernel.engine.notify('due');
    await eventually(async () => (await targetsOf('timed')).join() === 'bob');
    assert.deepEqual(
      (await read(pathOf('timed')))['items'].map(({ contextKey }: Json) => contextKey),
      ['bob'],
    );
    const [entry] = await entriesOf('timed');
    assert.match(entry!['comment'], /has expired/);
    assert.equal(entry!['member'], undefined);
    assert.deepEqual(
      entry!['accesses'].map(({ action }: { action: string }) => action),
      ['updateTargets'],
    );
  });

  test('what was deleted or taken back before its time is left in peace', async () => {
    const { red } = await createFlag('peace');
    await createFlag('gone').then(({ red: there }) => patch(pathOf('gone'), [add(there)]));
    await patch(pathOf('peace'), [add(red), add(red, { contextKey: 'bob' })]);
    const { value: _, ...named } = add(red);
    await patch(pathOf('peace'), [{ ...named, kind: 'removeExpiringTarget' }]);
    assert.equal((await call(`flags/${PROJECT}/gone`, { method: 'DELETE' })).status, 204);
    await passAnHour();
    await server.app.kernel.engine.notify('due');
    await eventually(async () => (await targetsOf('peace')).toSorted().join() === 'acme,ada');
    const { db } = server.app.kernel;
    const waiting = () =>
      db.selectFrom('due').select('id').where('kind', '=', 'flags.expire-flag-target').execute();
    await eventually(async () => (await underWay()).length === 0);
    assert.ok((await waiting()).length > 0, 'the one that is far away still waits');
    const warnings = server.log.filter(({ msg }) => msg === 'due work failed');
    assert.deepEqual(warnings, []);
  });

  test('an environment that asks for comments or approval asks here, too', async () => {
    const { red } = await createFlag('strict');
    const environment = `projects/${PROJECT}/environments/test`;
    const set = async (path: string, value: unknown) => {
      const { status, text } = await call(environment, {
        method: 'PATCH',
        body: [{ op: 'replace', path, value }],
      });
      assert.equal(status, 200, text);
    };
    await set('/requireComments', true);
    const silent = await patch(pathOf('strict'), [add(red)]);
    assert.equal(silent.status, 400, silent.text);
    assert.match(silent.json['message'], /^comment/);
    const value = soon();
    assert.equal((await patch(pathOf('strict'), [add(red, { value })], { comment: 'Trial' })).status, 200);
    await set('/approvalSettings/required', true);
    const unasked = await patch(pathOf('strict'), [add(red, { contextKey: 'bob' })], { comment: 'Trial' });
    assert.equal(unasked.status, 405, unasked.text);
    // A change that was permitted when requested is applied.
    await passAnHour();
    await server.app.kernel.engine.notify('due');
    await eventually(async () => !(await targetsOf('strict')).includes('ada'));
    await set('/approvalSettings/required', false);
    await set('/requireComments', false);
  });

  test('many that expire at once, while their dates are changed, go once each', async () => {
    const { red } = await createFlag('many');
    const names = Array.from({ length: 30 }, (_, index) => `user-${index}`);
    await changeTargets('many', [{ kind: 'addTargets', variationId: red, values: names }]);
    const value = soon();
    const dates = names.map((contextKey) => add(red, { contextKey, value }));
    const { status, text } = await patch(pathOf('many'), dates);
    assert.equal(status, 200, text);
    const { version } = (await read(`flags/${PROJECT}/many`))['environments'].test;
    await passAnHour();
    const { engine } = server.app.kernel;
    const late = names.slice(0, 10).map(async (contextKey) => {
      const update = { ...add(red, { contextKey }), kind: 'updateExpiringTarget' };
      const { status: told } = await patch(pathOf('many'), [update]);
      return { contextKey, told };
    });
    await engine.notify('due');
    const answers = await Promise.all(late);
    for (const { told } of answers) assert.ok([200, 400, 409].includes(told), String(told));
    const stay = answers.filter(({ told }) => told === 200).map(({ contextKey }) => contextKey);
    const left = ['acme', 'ada', 'bob', ...stay].toSorted().join();
    await eventually(async () => (await targetsOf('many')).toSorted().join() === left);
    const last = (await read(`flags/${PROJECT}/many`))['environments'].test.version;
    assert.equal(last - version, names.length - stay.length);
  });
});

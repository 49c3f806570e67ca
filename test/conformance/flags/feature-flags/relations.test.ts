// Relations of flags over HTTP: prerequisites, copying between environments, statuses, and permissions.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { giveToken, join } from '../../../people.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { assertRefused, flagCalls } from './feature-flag-calls.ts';

let server: TestServer;
let flags: ReturnType<typeof flagCalls>;

const BETA = { 'ld-api-version': 'beta' };
const DAY_MS = 24 * 60 * 60 * 1000;

before(async () => {
  server = await startServer();
  flags = flagCalls(server);
});
after(() => server.stop());

function needing(key: string, variation = 0): Json[] {
  return [{ op: 'replace', path: '/environments/test/prerequisites', value: [{ key, variation }] }];
}

describe('prerequisites', () => {
  test('a flag begins with those it was made with, everywhere', async () => {
    const { variations } = await flags.make('ground');
    const initialPrerequisites = [{ key: 'ground', variationId: variations[1]._id }];
    const made = await flags.make('upon', { initialPrerequisites });
    for (const config of Object.values<Json>(made.environments))
      assert.deepEqual(config.prerequisites, [{ key: 'ground', variation: 1 }]);
    assert.equal(made.environments.test._summary.prerequisites, 1);
    for (const [wrong, at] of [
      [{ key: 'unknown', variationId: variations[0]._id }, /key/],
      [{ key: 'ground', variationId: 'unknown' }, /variationId/],
    ] as const) {
      const body = { key: 'no', name: 'no', initialPrerequisites: [wrong] };
      const answer = await server.call('/api/v2/flags/default', { method: 'POST', body });
      assertRefused(answer, 400, 'invalid_request', at);
    }
  });

  test('never go in a circle, however long', async () => {
    for (const key of ['ring-a', 'ring-b', 'ring-c']) await flags.make(key);
    assert.equal((await flags.patch('ring-a', needing('ring-b'))).status, 200);
    assert.equal((await flags.patch('ring-b', needing('ring-c'))).status, 200);
    assertRefused(await flags.patch('ring-c', needing('ring-a')), 400, 'invalid_request', /circle/);
    const { variations } = await flags.get('ring-a');
    const instruction = { kind: 'addPrerequisite', key: 'ring-a', variationId: variations[0]._id };
    assertRefused(await flags.instruct('ring-c', 'test', [instruction]), 400, 'invalid_request');
    const elsewhere = await flags.instruct('ring-c', 'production', [instruction]);
    assert.equal(elsewhere.status, 200, 'in another environment there is no circle');
  });

  test('of two that would close a circle at the same time, one is refused', async () => {
    for (const key of ['left', 'right']) await flags.make(key);
    const answers = await Promise.all([
      flags.patch('left', needing('right')),
      flags.patch('right', needing('left')),
    ]);
    assert.deepEqual(answers.map(({ status }) => String(status)).sort(), ['200', '400']);
  });

  test('a flag that others need can be neither deleted nor archived, nor lose or move that variation', async () => {
    await flags.make('needed', { variations: [{ value: 1 }, { value: 2 }, { value: 3 }, { value: 4 }] });
    await flags.make('needs-it');
    await flags.patch('needs-it', needing('needed', 2));
    assertRefused(await server.call(flags.at('needed'), { method: 'DELETE' }), 409, 'conflict', /needs-it/);
    assertRefused(
      await flags.instruct('needed', undefined, [{ kind: 'archiveFlag' }]),
      409,
      'conflict',
      /needs-it/,
    );
    assertRefused(await flags.patch('needed', { archived: true }), 409, 'conflict');
    const { variations } = await flags.get('needed');
    for (const index of [1, 2]) {
      const instruction = { kind: 'removeVariation', variationId: variations[index]._id };
      assertRefused(
        await flags.instruct('needed', undefined, [instruction]),
        400,
        'invalid_request',
        /needs-it/,
      );
    }
    assertRefused(await flags.patch('needs-it', needing('needed', 4)), 400, 'invalid_request');
    await flags.instruct('needs-it', 'test', [{ kind: 'removePrerequisite', key: 'needed' }]);
    assert.equal((await flags.instruct('needed', undefined, [{ kind: 'archiveFlag' }])).status, 200);
    assertRefused(await flags.patch('needs-it', needing('needed', 2)), 400, 'invalid_request', /archived/);
    assert.equal((await server.call(flags.at('needed'), { method: 'DELETE' })).status, 204);
  });

  test('dependents are told for all environments and for one, to those who ask for beta', async () => {
    await flags.make('base');
    await flags.make('wing', { name: 'The wing' });
    await flags.patch('wing', needing('base'));
    const path = '/api/v2/flags/default/base/dependent-flags';
    const all = await server.call(path, { headers: BETA });
    assert.equal(all.status, 200, all.text);
    const [{ name, key, environments }] = all.json.items;
    assert.deepEqual([name, key, environments.length], ['The wing', 'wing', 1]);
    assert.deepEqual([environments[0].key, environments[0].name], ['test', 'Test']);
    assert.equal(environments[0]._site.href, '/console/flags/default/wing/targeting?env=test');
    assert.equal(all.json._links.self.href, path);
    const one = await server.call('/api/v2/flags/default/test/base/dependent-flags', { headers: BETA });
    assert.deepEqual(
      one.json.items.map((item: Json) => [item.key, item._links.self.href]),
      [['wing', '/api/v2/flags/default/wing']],
    );
    const none = await server.call('/api/v2/flags/default/production/base/dependent-flags', {
      headers: BETA,
    });
    assert.deepEqual(none.json.items, []);
    assertRefused(await server.call(path), 403, 'forbidden', /beta/);
  });
});

describe('copying', () => {
  const copy = (key: string, body: Json) => server.call(`${flags.at(key)}/copy`, { method: 'POST', body });

  test('takes over the whole configuration, or the parts that are named', async () => {
    await flags.make('copied', { variations: [{ value: 1 }, { value: 2 }, { value: 3 }] });
    await flags.patch('copied', [
      { op: 'replace', path: '/environments/test/on', value: true },
      { op: 'replace', path: '/environments/test/fallthrough', value: { variation: 1 } },
      { op: 'add', path: '/environments/test/targets/-', value: { values: ['ada'], variation: 2 } },
      { op: 'remove', path: '/environments/test/offVariation' },
    ]);
    const sides = { source: { key: 'test' }, target: { key: 'production' } };
    const partly = await copy('copied', { ...sides, includedActions: ['updateFallthrough'] });
    assert.equal(partly.status, 201, partly.text);
    const { on, fallthrough, targets, version } = partly.json.environments.production;
    assert.deepEqual([on, fallthrough, targets, version], [false, { variation: 1 }, [], 2]);
    const most = await copy('copied', { ...sides, excludedActions: ['updateOn'] });
    assert.equal(most.json.environments.production.on, false);
    assert.equal(most.json.environments.production.offVariation, undefined);
    assert.deepEqual(most.json.environments.production.targets, most.json.environments.test.targets);
    const whole = await copy('copied', { ...sides, comment: 'ship it' });
    assert.equal(whole.json.environments.production.on, true);
  });

  test('of another version than the one that was seen is a conflict', async () => {
    await flags.make('stale');
    const source = { key: 'test', currentVersion: 9 };
    assertRefused(
      await copy('stale', { source, target: { key: 'production' } }),
      409,
      'optimistic_locking_error',
    );
    const target = { key: 'production', currentVersion: 9 };
    assertRefused(await copy('stale', { source: { key: 'test' }, target }), 409, 'optimistic_locking_error');
    assert.equal((await flags.get('stale')).version, 1);
  });

  test('wants two environments, and actions of one list', async () => {
    await flags.make('fussy');
    const sides = { source: { key: 'test' }, target: { key: 'production' } };
    for (const body of [
      { ...sides, target: { key: 'test' } },
      { ...sides, target: { key: 'nowhere' } },
      { source: { key: 'test' } },
      { ...sides, includedActions: ['updateOn'], excludedActions: ['updateRules'] },
      { ...sides, includedActions: ['updateEverything'] },
    ])
      assertRefused(await copy('fussy', body), 400, 'invalid_request');
    assertRefused(await copy('unknown', sides), 404, 'not_found');
  });
});

describe('statuses', () => {
  after(() => {
    server.clock.ahead = 0;
  });

  test('new, then inactive; active when asked for; launched when all get the same for a week', async () => {
    const { environments } = await flags.make('watched');
    assert.equal(environments.test.on, false);
    const { db } = server.app.kernel;
    const { flag_id, environment_id } = await db
      .selectFrom('flag_configs')
      .innerJoin('flags', 'flags.id', 'flag_configs.flag_id')
      .innerJoin('environments', 'environments.id', 'flag_configs.environment_id')
      .where('flags.key', '=', 'watched')
      .where('environments.key', '=', 'test')
      .select(['flag_id', 'environment_id'])
      .executeTakeFirstOrThrow();
    const status = async () => {
      const one = await server.call('/api/v2/flag-statuses/default/test/watched');
      const across = await server.call('/api/v2/flag-status/default/watched?env=test');
      const all = await server.call('/api/v2/flag-statuses/default/test');
      assert.deepEqual(Object.keys(across.json.environments), ['test']);
      const listed = all.json.items.find((item: Json) => item._links.self.href.endsWith('/watched'));
      assert.equal(across.json.environments.test.name, one.json.name);
      assert.deepEqual(listed, one.json);
      return one.json;
    };
    const request = (at: number) =>
      db
        .insertInto('flag_usage')
        .values({ flag_id, environment_id, last_requested_at: at, last_default: 'false' })
        .onConflict((conflict) =>
          conflict.columns(['environment_id', 'flag_id']).doUpdateSet({ last_requested_at: at }),
        )
        .execute();
    assert.equal((await status()).name, 'new');
    server.clock.ahead = 8 * DAY_MS;
    assert.equal((await status()).name, 'inactive');
    const now = server.clock.now();
    await request(now);
    const active = await status();
    assert.equal(active.name, 'active');
    assert.equal(active.lastRequested, new Date(now).toISOString());
    assert.equal(active.default, false);
    await flags.instruct('watched', 'test', [{ kind: 'turnFlagOn' }]);
    assert.equal((await status()).name, 'active', 'changed within the week');
    server.clock.ahead = 16 * DAY_MS;
    assert.equal((await status()).name, 'inactive', 'not asked for within the week');
    await request(server.clock.now());
    assert.equal((await status()).name, 'launched');
    const target = {
      op: 'add',
      path: '/environments/test/targets/-',
      value: { values: ['x'], variation: 1 },
    };
    await flags.patch('watched', [target]);
    server.clock.ahead = 24 * DAY_MS;
    await request(server.clock.now());
    assert.equal((await status()).name, 'active', 'not everyone gets the same');
  });

  test('of what does not exist there are none', async () => {
    await flags.make('there');
    for (const path of [
      '/flag-status/default/unknown',
      '/flag-status/default/there?env=unknown',
      '/flag-statuses/default/unknown',
      '/flag-statuses/default/unknown/there',
      '/flag-statuses/default/test/unknown',
      '/flag-statuses/unknown/test',
    ])
      assertRefused(await server.call(`/api/v2${path}`), 404, 'not_found');
  });
});

describe('permissions', () => {
  async function tokenFor(name: string, inlinePolicy: Json[]): Promise<string> {
    const member = await join(server, name, { role: 'admin' });
    const { value } = await giveToken(server, member, { inlinePolicy: inlinePolicy as never });
    return value;
  }
  const SEE: Json = { effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] };

  test('F31: a reader sees flags and changes nothing: 401, and the body says what was missing', async () => {
    const member = await join(server, 'reader');
    const { value: token } = await giveToken(server, member, { role: 'reader' });
    await flags.make('read-only');
    assert.equal((await server.call(flags.at('read-only'), { token })).status, 200);
    const calls = [
      server.call(flags.at('read-only'), { method: 'PATCH', token, body: { name: 'x' } }),
      flags.instruct('read-only', 'test', [{ kind: 'turnFlagOn' }], {}, { token }),
      server.call(flags.at('read-only'), { method: 'DELETE', token }),
      server.call('/api/v2/flags/default', { method: 'POST', token, body: { key: 'x', name: 'x' } }),
      server.call(`${flags.at('read-only')}/copy`, {
        method: 'POST',
        token,
        body: { source: { key: 'test' }, target: { key: 'production' } },
      }),
    ];
    for (const answer of await Promise.all(calls)) {
      assertRefused(answer, 401, 'unauthorized');
      assert.match(answer.json.access.resource, /^proj\/default:env\/\w+:flag\//);
      assert.deepEqual(answer.json.reason, { effect: 'deny' });
    }
    assert.equal((await flags.get('read-only')).version, 1);
  });

  test('F31: without access to the project there is 403', async () => {
    const token = await tokenFor('stranger', [
      { effect: 'allow', actions: ['*'], resources: ['proj/other'] },
    ]);
    await flags.make('hidden');
    const paths = ['/flags/default', '/flags/default/hidden', '/flag-status/default/hidden'];
    for (const path of paths) assertRefused(await server.call(`/api/v2${path}`, { token }), 403, 'forbidden');
    assertRefused(await flags.patch('hidden', { name: 'x' }, { token }), 403, 'forbidden');
  });

  test('F35: what may be done in one environment may not be done in another', async () => {
    const token = await tokenFor('tester', [
      SEE,
      { effect: 'allow', actions: ['updateOn', 'updateName'], resources: ['proj/*:env/test:flag/*;mine'] },
    ]);
    await flags.make('ours', { tags: ['mine'] });
    await flags.make('theirs');
    const on = [{ kind: 'turnFlagOn' }];
    assert.equal((await flags.instruct('ours', 'test', on, {}, { token })).status, 200);
    assertRefused(await flags.instruct('ours', 'production', on, {}, { token }), 401, 'unauthorized');
    assertRefused(await flags.instruct('theirs', 'test', on, {}, { token }), 401, 'unauthorized');
    const both = [
      { op: 'replace', path: '/environments/test/on', value: false },
      { op: 'replace', path: '/environments/production/on', value: true },
    ];
    assertRefused(await flags.patch('ours', both, { token }), 401, 'unauthorized');
    assert.equal((await flags.get('ours')).environments.test.on, true);
    // The name belongs to all environments: the permission in any of them is enough.
    assert.equal((await flags.patch('ours', { name: 'Renamed' }, { token })).status, 200);
    assertRefused(await flags.patch('ours', { description: 'x' }, { token }), 401, 'unauthorized');
  });

  async function makeEnvironment(key: string, settings: Json): Promise<void> {
    const body = { key, name: key, color: 'aabbcc' };
    const made = await server.call('/api/v2/projects/default/environments', { method: 'POST', body });
    assert.equal(made.status, 201, made.text);
    const operations = Object.entries(settings).map(([path, value]) => ({ op: 'replace', path, value }));
    const patched = await server.call(`/api/v2/projects/default/environments/${key}`, {
      method: 'PATCH',
      body: operations,
    });
    assert.equal(patched.status, 200, patched.text);
  }

  test('an environment that requires comments gets one with every change', async () => {
    await makeEnvironment('talkative', { '/requireComments': true });
    await flags.make('told');
    const on = [{ kind: 'turnFlagOn' }];
    assertRefused(await flags.instruct('told', 'talkative', on), 400, 'invalid_request', /comment/);
    assertRefused(await flags.instruct('told', 'talkative', on, { comment: ' ' }), 400, 'invalid_request');
    assert.equal((await flags.instruct('told', 'test', on)).status, 200);
    assert.equal((await flags.instruct('told', 'talkative', on, { comment: 'because' })).status, 200);
  });

  test('an environment that requires approval is changed directly only by those who may bypass it', async () => {
    await makeEnvironment('guarded', { '/approvalSettings/required': true });
    await flags.make('careful');
    const on = [{ kind: 'turnFlagOn' }];
    const refused = await flags.instruct('careful', 'guarded', on);
    assertRefused(refused, 405, 'method_not_allowed', /approval is required/);
    assert.equal(refused.json.access.action, 'bypassRequiredApproval');
    const merge = { environments: { guarded: { on: true } } };
    assertRefused(await flags.patch('careful', merge), 405, 'method_not_allowed');
    const copied = await server.call(`${flags.at('careful')}/copy`, {
      method: 'POST',
      body: { source: { key: 'guarded' }, target: { key: 'test' } },
    });
    assert.equal(copied.status, 201, 'out of it nothing needs approval');
    assert.equal((await flags.instruct('careful', 'test', on)).status, 200);
    assert.equal((await flags.patch('careful', { name: 'Careful' })).status, 200);
    const statements = [
      SEE,
      {
        effect: 'allow',
        actions: ['updateOn', 'bypassRequiredApproval'],
        resources: ['proj/*:env/*:flag/*'],
      },
    ];
    const own = await tokenFor('self-helper', statements);
    assertRefused(
      await flags.instruct('careful', 'guarded', on, {}, { token: own }),
      405,
      'method_not_allowed',
    );
    const member = await join(server, 'bypasser', { role: 'admin' });
    const power = { isService: true, inlinePolicy: statements as never };
    const { value: token } = await giveToken(server, member, power);
    assert.equal((await flags.instruct('careful', 'guarded', on, {}, { token })).status, 200);
  });

  test('an environment may require approval for some tags alone', async () => {
    await makeEnvironment('picky', { '/approvalSettings/requiredApprovalTags': ['critical'] });
    await flags.make('easy');
    await flags.make('hard', { tags: ['critical'] });
    const on = [{ kind: 'turnFlagOn' }];
    assert.equal((await flags.instruct('easy', 'picky', on)).status, 200);
    assertRefused(await flags.instruct('hard', 'picky', on), 405, 'method_not_allowed');
  });
});

describe('environments that are made later', () => {
  test('have every flag as it begins, or as it is in the environment they are made from', async () => {
    await flags.make('early', { variations: [{ value: 1 }, { value: 2 }] });
    await flags.make('ahead');
    await flags.patch('early', [
      { op: 'replace', path: '/environments/test/on', value: true },
      ...needing('ahead'),
    ]);
    const make = async (key: string, fields: Json) => {
      const body = { key, name: key, color: 'aabbcc', ...fields };
      const answer = await server.call('/api/v2/projects/default/environments', { method: 'POST', body });
      assert.equal(answer.status, 201, answer.text);
    };
    await make('blank', {});
    await make('likewise', { source: { key: 'test' } });
    const { environments } = await flags.get('early');
    assert.deepEqual([environments.blank.on, environments.blank.version], [false, 1]);
    assert.deepEqual(environments.blank.prerequisites, []);
    assert.deepEqual([environments.likewise.on, environments.likewise.version], [true, 1]);
    assert.deepEqual(environments.likewise.prerequisites, [{ key: 'ahead', variation: 0 }]);
    const path = '/api/v2/flags/default/likewise/ahead/dependent-flags';
    assert.equal((await server.call(path, { headers: BETA })).json.items.length, 1);
  });
});

// Feature flags over HTTP: creation, representation, lists.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { join, openBrowser } from '../../../people.ts';
import { assertRefused, flagCalls, keysOf } from './feature-flag-calls.ts';

let server: TestServer;
let flags: ReturnType<typeof flagCalls>;

before(async () => {
  server = await startServer();
  flags = flagCalls(server);
});
after(() => server.stop());

async function makeProject(key: string, fields: Json = {}) {
  const body = { key, name: key, ...fields };
  const { status, text } = await server.call('/api/v2/projects', { method: 'POST', body });
  assert.equal(status, 201, text);
  return flagCalls(server, key);
}

describe('creating', () => {
  test('F12: a flag has name, key, description and version, which _version mirrors', async () => {
    const made = await flags.make('plain', { description: 'What it is for' });
    assert.equal(made.name, 'plain');
    assert.equal(made.key, 'plain');
    assert.equal(made.description, 'What it is for');
    assert.equal(made.version, 1);
    assert.equal(made._version, 1);
    assert.deepEqual(await flags.get('plain'), made);
  });

  test('F5 F6 a flag links to itself and to its list, each configuration to its page', async () => {
    const made = await flags.make('linked');
    assert.deepEqual(made._links.self, { href: '/api/v2/flags/default/linked', type: 'application/json' });
    assert.deepEqual(made._links.parent, { href: '/api/v2/flags/default', type: 'application/json' });
    assert.deepEqual(made.environments.test._site, {
      href: '/console/flags/default/linked/targeting?env=test',
      type: 'text/html',
    });
  });

  test('F6 the page of a flag is for members who have logged in and may see it', async () => {
    await flags.make('paged');
    const { href } = (await flags.get('paged')).environments.test._site;
    const open = (path: string, headers: Record<string, string> = {}) =>
      server.call(path, { token: null, headers });
    const stranger = await open(href);
    const back = new URLSearchParams({ return: href }).toString();
    assert.deepEqual([stranger.status, stranger.headers.get('location')], [303, `/session?${back}`]);
    assert.equal((await open(href, { cookie: 'session=wrong' })).status, 303);
    const browser = await openBrowser(server, await join(server, 'page-reader'));
    const page = await open(href, { ...browser, accept: 'text/html' });
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/);
    assert.ok(
      !page.text.includes('paged'),
      'the page gets the flag by a call, with the rights of the session',
    );
    const call = `/api/v2/flags/default/paged`;
    assert.equal((await open(call, browser)).status, 200);
    const other = await openBrowser(server, await join(server, 'page-nobody', { role: 'no_access' }));
    assert.equal((await open(call, other)).status, 403);
  });

  test('without variations it is boolean, off everywhere, and serves true when on', async () => {
    const made = await flags.make('usual');
    assert.equal(made.kind, 'boolean');
    assert.deepEqual(
      made.variations.map(({ value }: Json) => value),
      [true, false],
    );
    assert.deepEqual(made.defaults, { onVariation: 0, offVariation: 1 });
    assert.deepEqual(Object.keys(made.environments).sort(), ['production', 'test']);
    for (const config of Object.values<Json>(made.environments)) {
      assert.equal(config.on, false);
      assert.equal(config.archived, false);
      assert.equal(config.version, 1);
      assert.match(config.salt, /^[0-9a-f]{32}$/);
      assert.match(config.sel, /^[0-9a-f]{32}$/);
      assert.deepEqual(config.fallthrough, { variation: 0 });
      assert.equal(config.offVariation, 1);
      assert.deepEqual(
        [config.targets, config.contextTargets, config.rules, config.prerequisites],
        [[], [], [], []],
      );
    }
    assert.deepEqual(made.environments.test._summary, {
      prerequisites: 0,
      variations: {
        0: { rules: 0, nullRules: 0, targets: 0, contextTargets: 0, isFallthrough: true },
        1: { rules: 0, nullRules: 0, targets: 0, contextTargets: 0, isOff: true },
      },
    });
  });

  test('the summary of a rollout says how much each variation has of it, in lists too', async () => {
    const variations = [{ value: 'a' }, { value: 'b' }, { value: 'c' }];
    const made = await flags.make('rolled', { variations });
    const [a, b, c] = made.variations.map(({ _id }: Json) => _id as string) as [string, string, string];
    const { status, text } = await flags.instruct('rolled', 'test', [
      { kind: 'updateFallthroughVariationOrRollout', rolloutWeights: { [a]: 30_000, [b]: 70_000, [c]: 0 } },
    ]);
    assert.equal(status, 200, text);
    const none = { rules: 0, nullRules: 0, targets: 0, contextTargets: 0 };
    const expected = {
      prerequisites: 0,
      variations: {
        0: { ...none, rollout: 30_000 },
        1: { ...none, rollout: 70_000 },
        2: { ...none, rollout: 0, isOff: true },
      },
    };
    const { environments } = await flags.get('rolled');
    assert.deepEqual(environments.test._summary, expected);
    const list = await flags.list('env=test&filter=query:rolled');
    assert.deepEqual(list.items[0].environments.test._summary, expected);
    assert.equal(environments.production._summary.variations[0].isFallthrough, true);
  });

  test('the summary in lists of what was saved before has no variation that is both rolled out and served to all', async () => {
    const made = await flags.make('rolled-before');
    const [a, b] = made.variations.map(({ _id }: Json) => _id as string) as [string, string];
    const rolloutWeights = { [a]: 40_000, [b]: 60_000 };
    await flags.instruct('rolled-before', 'test', [
      { kind: 'updateFallthroughVariationOrRollout', rolloutWeights },
    ]);
    const { db } = server.app.kernel;
    const rows = await db
      .selectFrom('flag_configs')
      .select(['flag_id', 'environment_id', 'head'])
      .where('head', 'like', '%"rollout":40000%')
      .execute();
    assert.equal(rows.length, 1);
    const head = rows[0]!.head.replaceAll('"rollout":', '"isFallthrough":true,"rollout":');
    await db
      .updateTable('flag_configs')
      .set({ head })
      .where('flag_id', '=', rows[0]!.flag_id)
      .where('environment_id', '=', rows[0]!.environment_id)
      .execute();
    const list = await flags.list('env=test&filter=query:rolled-before');
    const { environments } = await flags.get('rolled-before');
    assert.deepEqual(list.items[0].environments.test._summary, environments.test._summary);
  });

  test('with variations of its own it is multivariate, and serves the first on and the last off', async () => {
    const variations = [
      { value: 'a', name: 'A' },
      { value: 'b', description: 'B' },
      { value: { deep: [1] } },
    ];
    const made = await flags.make('several', { variations });
    assert.equal(made.kind, 'multivariate');
    assert.deepEqual(made.defaults, { onVariation: 0, offVariation: 2 });
    assert.deepEqual(
      made.variations.map(({ _id, ...rest }: Json) => rest),
      variations,
    );
    assert.equal(new Set(made.variations.map(({ _id }: Json) => _id)).size, 3);
  });

  test('what is said is kept', async () => {
    const said = {
      variations: [{ value: 1 }, { value: 2 }],
      temporary: false,
      tags: ['z', 'a', 'z'],
      customProperties: { 'jira.issues': { name: 'Jira issues', value: ['A-1', 'A-2'] } },
      clientSideAvailability: { usingEnvironmentId: true, usingMobileKey: false },
      defaults: { onVariation: 1, offVariation: 0 },
      isFlagOn: true,
    };
    const made = await flags.make('said', said);
    assert.equal(made.temporary, false);
    assert.deepEqual(made.tags, ['a', 'z']);
    assert.deepEqual(made.customProperties, said.customProperties);
    assert.deepEqual(made.clientSideAvailability, said.clientSideAvailability);
    assert.equal(made.includeInSnippet, true);
    assert.deepEqual(made.defaults, said.defaults);
    assert.deepEqual([made.environments.test.on, made.environments.production.on], [true, true]);
    assert.deepEqual(made.environments.test.fallthrough, { variation: 1 });
  });

  test('the member who makes it looks after it, unless another is named', async () => {
    const made = await flags.make('tended');
    assert.equal(made._maintainer._id, made.maintainerId);
    assert.equal(typeof made._maintainer.email, 'string');
    const refused = await server.call('/api/v2/flags/default', {
      method: 'POST',
      body: { key: 'untended', name: 'x', maintainerId: '000000000000000000000000' },
    });
    assertRefused(refused, 400, 'invalid_request', /maintainerId/);
    const team = await server.call('/api/v2/flags/default', {
      method: 'POST',
      body: { key: 'untended', name: 'x', maintainerTeamKey: 'nobody' },
    });
    assertRefused(team, 400, 'invalid_request', /maintainerTeamKey/);
  });

  test("a project's defaults and naming convention hold for its new flags", async () => {
    const shop = await makeProject('shop', {
      defaultClientSideAvailability: { usingEnvironmentId: true, usingMobileKey: true },
      namingConvention: { case: 'kebabCase', prefix: 'shop.' },
    });
    const defaults = await server.call('/api/v2/projects/shop/flag-defaults', {
      method: 'PATCH',
      body: [
        { op: 'replace', path: '/tags', value: ['from-project'] },
        { op: 'replace', path: '/temporary', value: false },
        { op: 'replace', path: '/booleanDefaults/trueDisplayName', value: 'Yes' },
        { op: 'replace', path: '/booleanDefaults/onVariation', value: 1 },
        { op: 'replace', path: '/booleanDefaults/offVariation', value: 0 },
      ],
    });
    assert.equal(defaults.status, 200, defaults.text);
    const made = await shop.make('shop.big-banner');
    assert.deepEqual(made.tags, ['from-project']);
    assert.equal(made.temporary, false);
    assert.equal(made.variations[0].name, 'Yes');
    assert.deepEqual(made.defaults, { onVariation: 1, offVariation: 0 });
    assert.deepEqual(made.clientSideAvailability, { usingEnvironmentId: true, usingMobileKey: true });
    for (const key of ['big-banner', 'shop.BigBanner']) {
      const body = { key, name: key };
      const refused = await server.call('/api/v2/flags/shop', { method: 'POST', body });
      assertRefused(refused, 400, 'invalid_request', /key must/);
    }
  });

  test('a migration has the variations of its stages', async () => {
    const fields = { purpose: 'migration', migrationSettings: { stageCount: 4 } };
    const made = await flags.make('moving', fields);
    assert.equal(made._purpose, 'migration');
    assert.deepEqual(made.migrationSettings, { stageCount: 4 });
    assert.deepEqual(
      made.variations.map(({ value }: Json) => value),
      ['off', 'shadow', 'live', 'complete'],
    );
  });

  test('a new migration is in its first stage, turned on or off', async () => {
    for (const stageCount of [2, 4, 6]) {
      const made = await flags.make(`stages-${stageCount}`, {
        purpose: 'migration',
        migrationSettings: { stageCount },
      });
      assert.deepEqual(made.defaults, { onVariation: 0, offVariation: 0 });
      for (const config of Object.values<Json>(made.environments)) {
        assert.deepEqual([config.offVariation, config.fallthrough], [0, { variation: 0 }]);
      }
      assert.equal(made.variations[0].value, 'off');
    }
    const chosen = await flags.make('stages-chosen', {
      purpose: 'migration',
      migrationSettings: { stageCount: 2 },
      defaults: { onVariation: 1, offVariation: 0 },
    });
    assert.deepEqual(chosen.defaults, { onVariation: 1, offVariation: 0 });
  });

  test('a key that is taken is a conflict', async () => {
    await flags.make('taken');
    const body = { key: 'taken', name: 'again' };
    const answer = await server.call('/api/v2/flags/default', { method: 'POST', body });
    assertRefused(answer, 409, 'key_exists');
  });

  test('a clone is configured as the flag it is made from, and is another flag', async () => {
    await flags.make('model', { variations: [{ value: 'x' }, { value: 'y' }], tags: ['t'] });
    const rule = {
      clauses: [{ attribute: 'country', op: 'in', values: ['de'] }],
      variation: 1,
    };
    await flags.patch('model', [
      { op: 'replace', path: '/environments/test/on', value: true },
      { op: 'add', path: '/environments/test/rules/-', value: rule },
    ]);
    const source = await flags.get('model');
    const clone = await flags.make('likeness', {}, '?clone=model');
    assert.equal(clone.environments.test.on, true);
    assert.deepEqual(clone.tags, ['t']);
    assert.equal(clone.environments.test.rules[0].clauses[0].attribute, 'country');
    assert.notEqual(clone.environments.test.salt, source.environments.test.salt);
    assert.notEqual(clone.variations[0]._id, source.variations[0]._id);
    const unknown = await server.call('/api/v2/flags/default?clone=nothing', {
      method: 'POST',
      body: { key: 'none', name: 'none' },
    });
    assertRefused(unknown, 404, 'not_found');
  });

  test('one that is made again after it was deleted goes on above its old version', async () => {
    await flags.make('phoenix');
    await flags.instruct('phoenix', 'test', [{ kind: 'turnFlagOn' }]);
    assert.equal((await server.call(flags.at('phoenix'), { method: 'DELETE' })).status, 204);
    assert.equal((await server.call(flags.at('phoenix'))).status, 404);
    const again = await flags.make('phoenix');
    assert.ok(again.version > 2, String(again.version));
    assert.ok(again.environments.test.version > 2);
  });
});

describe('showing', () => {
  test('env limits the environments shown, and can be repeated', async () => {
    await flags.make('placed');
    const one = await flags.get('placed', '?env=test');
    assert.deepEqual(Object.keys(one.environments), ['test']);
    const two = await flags.get('placed', '?env=test&env=production');
    assert.deepEqual(Object.keys(two.environments).sort(), ['production', 'test']);
    assertRefused(await server.call(`${flags.at('placed')}?env=nowhere`), 404, 'not_found');
  });

  test('F10: lists give summaries, which link to the detail; summary=0 with env adds the rest', async () => {
    const list = await makeProject('listed');
    await list.make('one');
    const [plain] = (await list.list()).items;
    assert.equal(plain.environments, undefined);
    const [summary] = (await list.list('env=test')).items;
    const config = summary.environments.test;
    for (const name of ['rules', 'targets', 'contextTargets', 'prerequisites', 'fallthrough'])
      assert.equal(config[name], undefined, name);
    for (const name of [
      'on',
      'archived',
      'salt',
      'sel',
      'lastModified',
      'version',
      '_site',
      '_environmentName',
      '_summary',
    ])
      assert.notEqual(config[name], undefined, name);
    const [whole] = (await list.list('env=test&summary=0')).items;
    assert.deepEqual([whole.environments.test.rules, whole.environments.test.prerequisites], [[], []]);
    const detail = await server.call(summary._links.self.href);
    assert.deepEqual(detail.json.environments.test, whole.environments.test);
    assert.deepEqual({ ...detail.json, environments: 0 }, { ...whole, environments: 0 });
  });

  test('F11: expand adds attributes, and knows its words', async () => {
    await flags.make('expanded');
    const shown = await flags.get('expanded', '?expand=evaluation,codeReferences');
    assert.deepEqual(shown.environments.test.evaluation, { contextKinds: [] });
    assert.deepEqual(shown.codeReferences, { items: [] });
    assertRefused(await server.call(`${flags.at('expanded')}?expand=secrets`), 400, 'invalid_request');
  });
});

describe('lists', () => {
  let shelf: ReturnType<typeof flagCalls>;
  before(async () => {
    shelf = await makeProject('shelf');
    server.clock.goTo(Date.UTC(2030, 0, 1));
    const kinds: [string, Json][] = [
      ['alpha', { name: 'Zebra', tags: ['red', 'blue'], temporary: true }],
      ['beta', { name: 'Yak', tags: ['red'], temporary: false }],
      [
        'gamma',
        { name: '100%_off', clientSideAvailability: { usingEnvironmentId: true, usingMobileKey: true } },
      ],
      [
        'delta',
        { name: 'Walrus', clientSideAvailability: { usingEnvironmentId: false, usingMobileKey: false } },
      ],
      ['omega', { name: 'Viper' }],
    ];
    for (const [key, fields] of kinds) {
      server.clock.ahead += 60_000;
      await shelf.make(key, fields);
    }
    await shelf.instruct('omega', undefined, [{ kind: 'archiveFlag' }]);
    await shelf.instruct('delta', undefined, [{ kind: 'deprecateFlag' }]);
    server.clock.ahead += 60_000;
    await shelf.instruct('beta', 'test', [{ kind: 'turnFlagOn' }]);
  });
  after(() => {
    server.clock.ahead = 0;
  });

  test('newest first, without what is archived', async () => {
    assert.deepEqual(keysOf(await shelf.list()), ['delta', 'gamma', 'beta', 'alpha']);
  });

  test('F9: pages have first, last, and their neighbours where there are any', async () => {
    const first = await shelf.list('limit=2&sort=key');
    assert.deepEqual(keysOf(first), ['alpha', 'beta']);
    assert.equal(first.totalCount, 4);
    assert.equal(first._links.prev, undefined);
    const next = await server.call(first._links.next.href);
    assert.deepEqual(keysOf(next.json), ['delta', 'gamma']);
    assert.equal(next.json._links.next, undefined);
    assert.ok(next.json._links.prev && next.json._links.first && next.json._links.last);
  });

  test('at most 100 on a page, 20 unless asked', async () => {
    const crowd = await makeProject('crowd');
    await Promise.all(Array.from({ length: 25 }, (_, index) => crowd.make(`flag-${index}`)));
    assert.equal((await crowd.list()).items.length, 20);
    assert.equal((await crowd.list('limit=1000')).items.length, 25);
    assert.match((await crowd.list('limit=1000'))._links.self.href, /limit=100\b/);
  });

  const filters: [string, string[]][] = [
    ['query:ALPHA', ['alpha']],
    ['query:zeb', ['alpha']],
    ['query:0%25_o', ['gamma']],
    ['query:_', ['gamma']],
    ['tags:red', ['beta', 'alpha']],
    ['tags:red%2Bblue', ['alpha']],
    ['tags:unknown', []],
    ['type:permanent', ['beta']],
    ['type:temporary,tags:red', ['alpha']],
    ['state:archived', ['omega']],
    ['state:deprecated', ['delta']],
    ['state:live', ['gamma', 'beta', 'alpha']],
    ['state:live|archived', ['omega', 'gamma', 'beta', 'alpha']],
    ['archived:true', ['omega']],
    ['sdkAvailability:client', ['gamma']],
    ['sdkAvailability:server', ['delta']],
    ['sdkAvailability:anyClient', ['gamma', 'beta', 'alpha']],
    [`creationDate:{"before":${Date.UTC(2030, 0, 1) + 150_000}}`, ['beta', 'alpha']],
    ['maintainerTeamKey:nobody', []],
    ['hasExperiment:true', []],
    ['hasExperiment:false', ['delta', 'gamma', 'beta', 'alpha']],
    ['codeReferences.min:1', []],
    ['codeReferences.max:0', ['delta', 'gamma', 'beta', 'alpha']],
    ['releasePipeline:any', []],
    ['guardedRollout:any', []],
    ['contextKindsEvaluated:user', []],
    ['filterEnv:test,evaluated:{"after":1}', []],
  ];
  for (const [filter, keys] of filters) {
    test(`filter=${decodeURIComponent(filter)}`, async () => {
      const list = await shelf.list(`filter=${filter}`);
      assert.deepEqual(keysOf(list), keys);
      assert.equal(list.totalCount, keys.length);
    });
  }

  test('by what the flag is for', async () => {
    await server.call('/api/v2/projects', { method: 'POST', body: { key: 'purposes', name: 'Purposes' } });
    const own = flagCalls(server, 'purposes');
    await own.make('plain');
    const migrationSettings = { stageCount: 2 };
    await own.make('moving', { purpose: 'migration', migrationSettings });
    await own.make('held', { purpose: 'holdout' });
    assert.deepEqual(keysOf(await own.list('filter=purpose:migration')), ['moving']);
    assert.deepEqual(keysOf(await own.list('filter=purpose:holdout')), ['held']);
    assert.deepEqual(keysOf(await own.list('filter=purpose:holdout|migration&sort=key')), ['held', 'moving']);
    assert.equal((await own.list()).totalCount, 3);
    // As the command-line tool sends it, and with the plus as it was typed.
    for (const filter of ['purpose%3Aall%2B%21%28holdout%29', 'purpose:all+!(holdout)'])
      assert.deepEqual(keysOf(await own.list(`filter=${filter}&sort=key`)), ['moving', 'plain']);
    const of = async (purpose: string) =>
      keysOf(await own.list(`filter=purpose:${encodeURIComponent(purpose)}&sort=key`));
    assert.deepEqual(await of('all'), ['held', 'moving', 'plain']);
    assert.deepEqual(await of('all+!(holdout|migration)'), ['plain']);
    assert.deepEqual(await of('!(migration)'), ['held', 'plain']);
    for (const purpose of ['none', 'all+!(none)', 'all+migration', '!(holdout', 'all|migration']) {
      const query = `filter=purpose:${encodeURIComponent(purpose)}`;
      const { status, json } = await server.call(`/api/v2/flags/purposes?${query}`);
      assert.equal(status, 400);
      assert.equal(
        json['message'],
        'filter: purpose is one of migration, holdout, or all, or all but some: all+!(holdout).',
      );
    }
  });

  test('by the maintainer, and by what SDKs have asked for', async () => {
    const { maintainerId } = await shelf.get('alpha');
    assert.equal((await shelf.list(`filter=maintainerId:${maintainerId}`)).totalCount, 4);
    assert.equal((await shelf.list('filter=maintainerId:000000000000000000000000')).totalCount, 0);
    const { db } = server.app.kernel;
    const rows = await db
      .selectFrom('flags')
      .innerJoin('environments', 'environments.project_id', 'flags.project_id')
      .where('flags.key', '=', 'gamma')
      .where('environments.key', '=', 'test')
      .select(['flags.id as flag_id', 'environments.id as environment_id'])
      .execute();
    await db
      .insertInto('flag_usage')
      .values(rows.map((row) => ({ ...row, last_requested_at: 1000, last_default: null })))
      .execute();
    assert.deepEqual(keysOf(await shelf.list('filter=filterEnv:test,evaluated:{"after":999}')), ['gamma']);
    assert.deepEqual(keysOf(await shelf.list('filter=filterEnv:test,evaluated:{"after":1000}')), []);
  });

  const sorts: [string, string[]][] = [
    ['sort=key', ['alpha', 'beta', 'delta', 'gamma']],
    ['sort=-key', ['gamma', 'delta', 'beta', 'alpha']],
    ['sort=name', ['gamma', 'delta', 'beta', 'alpha']],
    ['sort=creationDate', ['alpha', 'beta', 'gamma', 'delta']],
    ['sort=type,key', ['beta', 'alpha', 'delta', 'gamma']],
    ['sort=tags,key', ['alpha', 'beta', 'delta', 'gamma']],
    ['sort=maintainerId,-key', ['gamma', 'delta', 'beta', 'alpha']],
    ['sort=-targetingModifiedDate&env=test', ['beta', 'delta', 'gamma', 'alpha']],
    ['tag=red&sort=key', ['alpha', 'beta']],
    ['archived=true', ['omega']],
  ];
  for (const [query, keys] of sorts) {
    test(query, async () => assert.deepEqual(keysOf(await shelf.list(query)), keys));
  }

  const bad = [
    'filter=colour:red',
    'filter=nonsense',
    'filter=type:eternal',
    'filter=state:dead',
    'filter=creationDate:yesterday',
    'filter=creationDate:{"since":1}',
    'filter=evaluated:{"after":1}',
    'filter=sdkAvailability:toaster',
    'filter=codeReferences.min:many',
    'sort=colour',
    'sort=targetingModifiedDate',
    'sort=targetingModifiedDate,name&env=test',
    'expand=everything',
    'limit=many',
    'offset=-1',
  ];
  for (const query of bad) {
    test(`${query} is refused`, async () => {
      assertRefused(await server.call(`/api/v2/flags/shelf?${query}`), 400, 'invalid_request');
    });
  }

  test('of an unknown project or environment there is none', async () => {
    assertRefused(await server.call('/api/v2/flags/nowhere'), 404, 'not_found');
    assertRefused(await server.call('/api/v2/flags/shelf?env=nowhere'), 404, 'not_found');
  });
});

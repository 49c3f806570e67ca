// One search over the Signalbox API: what is found, by what, in which order, and by whom.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SEARCH_SOURCES } from '../../../src/signalbox/search/sources.ts';
import { indexChanges } from '../../../src/signalbox/search/store.ts';
import { onEachEngine } from '../../engines.ts';
import { giveIssue } from '../../host-issues.ts';
import { giveToken, join } from '../../people.ts';
import { startServerOn } from '../../suites.ts';
import type { Json, TestServer } from '../../server.ts';
import { giveActor, giveBuild, giveRun, giveTask } from '../actors/runs/run-rows.ts';

const BASE = '/signalbox/v1/search';

onEachEngine((engine) => {
  let server: TestServer;
  let outsider: string;

  const search = async (q: string, query = '', token?: string): Promise<Json[]> => {
    const path = `${BASE}?q=${encodeURIComponent(q)}${query}`;
    const { status, json, text } = await server.call(path, token === undefined ? {} : { token });
    assert.equal(status, 200, text);
    return json['items'] as Json[];
  };
  const titles = async (q: string, query = '', token?: string) =>
    (await search(q, query, token)).map(({ title }) => title as string);
  const make = async (path: string, body: object, token?: string): Promise<Json> => {
    const { status, json, text } = await server.call(path, {
      method: 'POST',
      body,
      ...(token !== undefined && { token }),
    });
    assert.equal(status, 201, text);
    return json;
  };
  /** Brings the index up to date: until then, searches read what has changed by themselves. */
  const index = async () => {
    while ((await indexChanges(server.app.kernel.db, SEARCH_SOURCES, 200)) > 0);
  };

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    outsider = (await giveToken(server, await join(server, 'olga'), { role: 'reader' })).value;
  });
  after(() => server.stop());

  describe('every kind', () => {
    const expected = new Map<string, { q: string; title: string; path: string }>();
    before(async () => {
      await make('/api/v2/projects', { key: 'velo', name: 'Velo Shop' });
      await make('/api/v2/flags/velo', { key: 'velo-light', name: 'Velo light', tags: ['glow'] });
      await make('/api/v2/segments/velo/test', { key: 'velo-riders', name: 'Velo riders' });
      const actor = await giveActor(server, { name: 'velo-crawler' });
      await giveTask(server, actor, { name: 'velo-nightly' });
      const build = await giveBuild(server, actor, { number: '0.0.7' });
      const run = await giveRun(server, actor, {});
      await make('/v2/schedules', {
        name: 'velo-schedule',
        cronExpression: '0 0 * * *',
        isEnabled: false,
        isExclusive: false,
        actions: [],
      });
      const storage = async (path: string, name: string) =>
        (await server.call(`${path}?name=${name}`, { method: 'POST' })).json['data'].id as string;
      const dataset = await storage('/v2/datasets', 'velo-items');
      const store = await storage('/v2/key-value-stores', 'velo-records');
      const queue = await storage('/v2/request-queues', 'velo-requests');
      await make('/user/repos', { name: 'velo-site', private: true });
      const issue = await giveIssue(server, 'admin/velo-site', { title: 'Velo rusts' });
      const pull = await giveIssue(server, 'admin/velo-site', { title: 'Velo oil', isPull: true });
      const gist = await make('/gists', {
        description: 'velo notes',
        public: false,
        files: { 'a.md': { content: 'x' } },
      });
      await join(server, 'velocipede', { firstName: 'Vera', lastName: 'Lo' });
      await make('/api/v2/teams', { key: 'velo-team', name: 'Velo people' });
      const token = await make('/api/v2/tokens', { name: 'velo laptop', role: 'reader' });
      const all = {
        flag: ['velo light', 'Velo light', 'flags/velo/velo-light'],
        segment: ['velo riders', 'Velo riders', 'segments/velo/velo-riders?env=test'],
        project: ['velo shop', 'Velo Shop', 'flags/velo'],
        actor: ['velo crawler', 'velo-crawler', 'actors/admin~velo-crawler'],
        run: [run.id, 'Run of velo-crawler', `runs/${run.id}`],
        build: [build, 'Build 0.0.7 of velo-crawler', 'actors/admin~velo-crawler/builds?q=0.0.7'],
        task: ['velo nightly', 'Velo Nightly', 'tasks?q=velo-nightly'],
        schedule: ['velo schedule', 'Velo Schedule', 'schedules?q=velo-schedule'],
        dataset: ['velo items', 'velo-items', `storage/datasets/${dataset}`],
        'key-value-store': ['velo records', 'velo-records', `storage/stores/${store}`],
        'request-queue': ['velo requests', 'velo-requests', `storage/queues/${queue}`],
        repository: ['velo site', 'admin/velo-site', 'code/admin/velo-site'],
        issue: [
          'rusts velo',
          `admin/velo-site#${issue.number} Velo rusts`,
          `code/admin/velo-site/issues/${issue.number}`,
        ],
        pull: [
          'oil velo',
          `admin/velo-site#${pull.number} Velo oil`,
          `code/admin/velo-site/pulls/${pull.number}`,
        ],
        gist: ['velo notes', 'velo notes', `gists/${gist['id']}`],
        member: ['velocipede', 'Vera Lo', 'account/members?q=velocipede'],
        team: ['velo people', 'Velo people', 'account/teams?q=velo-team'],
        token: ['velo laptop', 'velo laptop', `account/tokens?q=${(token['token'] as string).slice(-4)}`],
      };
      for (const [kind, [q, title, path]] of Object.entries(all))
        expected.set(kind, { q: q!, title: title!, path: path! });
    });

    for (const when of ['before it is indexed', 'once it is indexed'])
      test(`is found ${when}, with a title and the path of its page`, async () => {
        if (when === 'once it is indexed') await index();
        for (const [kind, { q, title, path }] of expected) {
          const [first] = await search(q, `&kinds=${kind}`);
          assert.ok(first !== undefined, `${kind} by ${q}`);
          assert.deepEqual([first['kind'], first['title'], first['path']], [kind, title, path]);
          assert.notEqual(first['detail'], '');
        }
        const environments = await search('production', '&kinds=environment');
        assert.ok(environments.some(({ path }) => path === 'flags/velo?env=production'));
      });

    test('is found by one search of all kinds, at most as many of each as the limit', async () => {
      const kinds = (await search('velo')).map(({ kind }) => kind as string);
      for (const kind of expected.keys())
        if (kind !== 'build') assert.ok(kinds.includes(kind), `${kind} in ${kinds.join()}`);
      const one = (await search('velo', '&limit=1')).map(({ kind }) => kind as string);
      assert.deepEqual(one, [...new Set(one)]);
    });

    test('that belongs to another account, or is private, is found by nobody else, not even by its id', async () => {
      const hidden = [
        'actor',
        'run',
        'build',
        'task',
        'schedule',
        'dataset',
        'key-value-store',
        'request-queue',
        'repository',
        'issue',
        'pull',
        'token',
      ];
      const found = await search('velo', '', outsider);
      for (const kind of hidden) assert.ok(!found.some((item) => item['kind'] === kind), kind);
      assert.ok(!found.some(({ kind }) => kind === 'gist'), 'a secret gist');
      for (const item of await search('velo', '&limit=20')) {
        if (!hidden.includes(item['kind'] as string)) continue;
        // A short number may begin the end of a token of one's own.
        const others = await search(item['id'] as string, '', outsider);
        const notOwn = others.filter(({ kind }) => kind !== 'token' || kind === item['kind']);
        assert.deepEqual(notOwn, [], item['kind'] as string);
      }
      for (const q of [
        'admin/velo-site',
        'admin/velo-site#1',
        'admin~velo-crawler',
        `${server.url}/admin/velo-site`,
      ])
        assert.deepEqual(await search(q, '', outsider), [], q);
      assert.ok(
        found.some(({ kind }) => kind === 'flag'),
        'readers see all projects',
      );
    });
  });

  test('words match in any order and any case, by their beginnings, in names, keys and tags', async () => {
    await make('/api/v2/projects', { key: 'wort', name: 'Wörter' });
    await make('/api/v2/flags/wort', { key: 'uebung-eins', name: 'Übung MACHT Meister', tags: ['ARGER'] });
    for (const round of ['new', 'indexed']) {
      if (round === 'indexed') await index();
      for (const q of [
        'übung macht',
        'MEISTER übu',
        'meist arg',
        'eins uebung',
        'Übung macht meister',
        'U\u0308bung',
      ])
        assert.deepEqual(await titles(q, '&kinds=flag'), ['Übung MACHT Meister'], `${round}: ${q}`);
      for (const q of ['bung', 'übung fehlt', 'eister'])
        assert.deepEqual(await titles(q, '&kinds=flag'), [], `${round}: ${q}`);
    }
  });

  test('the best come first: the key, the name, what begins so, what has the word', async () => {
    await make('/api/v2/projects', { key: 'rank', name: 'Rank' });
    for (const [key, name] of [
      ['a-kiwi', 'Green kiwi'],
      ['kiwi-split', 'Kiwi split'],
      ['other', 'Kiwi'],
      ['kiwi', 'Fruit'],
    ])
      await make('/api/v2/flags/rank', { key, name });
    for (const round of ['new', 'indexed']) {
      if (round === 'indexed') await index();
      const found = await search('kiwi', '&kinds=flag');
      assert.deepEqual(
        found.map(({ title }) => title as string),
        ['Fruit', 'Kiwi', 'Kiwi split', 'Green kiwi'],
        round,
      );
      assert.deepEqual(
        found.map(({ isExact }) => isExact === true),
        [true, false, false, false],
      );
      assert.deepEqual(await titles('kiwi', '&kinds=flag&limit=2'), ['Fruit', 'Kiwi']);
    }
  });

  test('a letter alone finds names that begin with it', async () => {
    await make('/api/v2/projects', { key: 'letter', name: 'Letters' });
    await make('/api/v2/flags/letter', { key: 'q-one', name: 'Quince' });
    await make('/api/v2/flags/letter', { key: 'one-q', name: 'One quince' });
    await index();
    assert.deepEqual(await titles('q', '&kinds=flag'), ['Quince']);
  });

  test('what is renamed is found by its new name only, and what is deleted is not found', async () => {
    await make('/api/v2/projects', { key: 'change', name: 'Changes' });
    await make('/api/v2/flags/change', { key: 'one', name: 'Plum' });
    await make('/user/repos', { name: 'plum-code' });
    const issue = await giveIssue(server, 'admin/plum-code', { title: 'Plum falls' });
    const dataset = (await server.call('/v2/datasets?name=plum-items', { method: 'POST' })).json['data'];
    await index();
    assert.equal((await search('plum')).length, 4);
    const change = async (method: string, path: string, body?: object) => {
      const { status, text } = await server.call(path, { method, ...(body && { body }) });
      assert.ok(status < 300, text);
    };
    await change('PATCH', '/api/v2/flags/change/one', [{ op: 'replace', path: '/name', value: 'Pear' }]);
    await change('PATCH', '/repos/admin/plum-code', { name: 'pear-code' });
    await change('PATCH', `/repos/admin/pear-code/issues/${issue.number}`, { title: 'Pear falls' });
    await change('PUT', `/v2/datasets/${dataset.id}`, { name: 'pear-items' });
    for (const round of ['new', 'indexed']) {
      if (round === 'indexed') await index();
      assert.deepEqual(await search('plum'), [], round);
      assert.equal((await search('pear')).length, 4, round);
    }
    await change('DELETE', '/api/v2/projects/change');
    await change('DELETE', '/repos/admin/pear-code');
    await change('DELETE', `/v2/datasets/${dataset.id}`);
    for (const round of ['new', 'indexed']) {
      if (round === 'indexed') await index();
      assert.deepEqual(await search('pear'), [], round);
      assert.deepEqual(await search(dataset.id as string), [], round);
    }
  });

  test('what is pasted comes first, and is exact', async () => {
    await make('/api/v2/projects', { key: 'paste', name: 'Paste' });
    await make('/api/v2/flags/paste', { key: 'glue', name: 'Glue stick' });
    await make('/api/v2/segments/paste/test', { key: 'sticky', name: 'Sticky ones' });
    await make('/user/repos', { name: 'glue-code' });
    const issue = await giveIssue(server, 'admin/glue-code', { title: 'Too runny' });
    const pull = await giveIssue(server, 'admin/glue-code', { title: 'Thicken', isPull: true });
    const actor = await giveActor(server, { name: 'glue-actor' });
    const run = await giveRun(server, actor, {});
    const token = await make('/api/v2/tokens', { name: 'paste token', role: 'reader' });
    const ending = (token['token'] as string).slice(-4);
    await index();
    const flag = 'flags/paste/glue';
    const repository = 'code/admin/glue-code';
    for (const [pasted, path] of [
      ['paste/glue', flag],
      ['https://app.launchdarkly.com/paste/production/features/glue/targeting', flag],
      ['https://app.launchdarkly.com/projects/paste/flags/glue/targeting?env=test', flag],
      [`${server.url}/api/v2/flags/paste/glue`, flag],
      [`${server.url}/console/flags/paste/glue/history?env=test`, flag],
      [`${server.url}/api/v2/segments/paste/test/sticky`, 'segments/paste/sticky?env=test'],
      [`${server.url}/console/segments/paste/sticky`, 'segments/paste/sticky?env=test'],
      ['admin/glue-code', repository],
      ['ADMIN/Glue-Code', repository],
      ['https://github.com/admin/glue-code', repository],
      ['https://github.com/admin/glue-code.git', repository],
      [`${server.url}/console/code/admin/glue-code/tree/main`, repository],
      [`admin/glue-code#${issue.number}`, `${repository}/issues/${issue.number}`],
      [`https://github.com/admin/glue-code/issues/${issue.number}`, `${repository}/issues/${issue.number}`],
      [`https://github.com/admin/glue-code/pull/${pull.number}/files`, `${repository}/pulls/${pull.number}`],
      [`${server.url}/repos/admin/glue-code/pulls/${pull.number}`, `${repository}/pulls/${pull.number}`],
      [run.id, `runs/${run.id}`],
      [`https://console.apify.com/actors/${actor.id}/runs/${run.id}#log`, `runs/${run.id}`],
      [`${server.url}/v2/actor-runs/${run.id}`, `runs/${run.id}`],
      [actor.id, 'actors/admin~glue-actor'],
      ['admin~glue-actor', 'actors/admin~glue-actor'],
      ['https://apify.com/admin/glue-actor', 'actors/admin~glue-actor'],
      [ending, `account/tokens?q=${ending}`],
      [`api-${ending}`, `account/tokens?q=${ending}`],
      [`api-…${ending}`, `account/tokens?q=${ending}`],
      [`****${ending}`, `account/tokens?q=${ending}`],
      [token['_id'] as string, `account/tokens?q=${ending}`],
    ] as const) {
      const [first] = await search(pasted);
      assert.equal(first?.['path'], path, pasted);
      assert.equal(first['isExact'], true, pasted);
    }
  });

  test('a member whose policy allows one project finds things of that project alone', async () => {
    for (const key of ['open', 'shut']) {
      await make('/api/v2/projects', { key, name: `Harbour ${key}` });
      await make(`/api/v2/flags/${key}`, { key: 'ferry', name: `Ferry ${key}` });
      await make(`/api/v2/segments/${key}/test`, { key: 'ferry', name: `Ferry ${key}` });
    }
    const { value } = await giveToken(server, await join(server, 'paula'), {
      inlinePolicy: [{ effect: 'allow', actions: ['viewProject'], resources: ['proj/open'] }],
    });
    for (const round of ['new', 'indexed']) {
      if (round === 'indexed') await index();
      assert.deepEqual(await titles('ferry', '', value), ['Ferry open', 'Ferry open'], round);
      assert.deepEqual(await titles('harbour', '', value), ['Harbour open'], round);
      assert.deepEqual(await titles('shut/ferry', '', value), [], round);
      assert.deepEqual(await titles('velo', '', value), [], round);
    }
  });

  test('public Actors, repositories and gists of others are found', async () => {
    await giveActor(server, { name: 'zebra-actor', isPublic: true });
    await make('/user/repos', { name: 'zebra-code' });
    await make('/gists', { description: 'zebra', public: true, files: { 'z.md': { content: 'x' } } });
    await index();
    const kinds = (await search('zebra', '', outsider)).map(({ kind }) => kind as string);
    assert.deepEqual(kinds, ['actor', 'repository', 'gist']);
    const made = await server.call('/repos/admin/zebra-code', { method: 'PATCH', body: { private: true } });
    assert.equal(made.status, 200, made.text);
    assert.deepEqual(await titles('zebra code', '', outsider), [], 'private from now on');
  });

  test('many things that the caller may not see do not hide the one that they may', async () => {
    const member = await join(server, 'iris', { role: 'writer' });
    const { value } = await giveToken(server, member, { role: 'writer' });
    const own = await server.call('/v2/datasets?name=crowd-own', { method: 'POST', token: value });
    assert.equal(own.status, 201, own.text);
    for (let n = 0; n < 60; n += 1) await server.call(`/v2/datasets?name=crowd-${n}`, { method: 'POST' });
    await index();
    assert.deepEqual(await titles('crowd', '', value), ['crowd-own']);
    assert.equal((await search('crowd', '&limit=20')).length, 20);
  });

  test('hostile characters are words like others, or none', async () => {
    await make('/api/v2/projects', { key: 'hostile', name: `50%_off "it's" *:-()` });
    await index();
    assert.deepEqual(await titles(`50%_off "it's`, '&kinds=project'), [`50%_off "it's" *:-()`]);
    for (const q of [
      '%',
      '_',
      "'",
      '"',
      '*',
      ':',
      '-',
      '()',
      '\\',
      "';--",
      '" OR "',
      '!!',
      '&|',
      '%_\'"*:-()',
      '\u{e000}flag',
      'http://',
      'https://[',
      '/%zz',
      'a#b',
      '~',
      '/',
    ])
      assert.deepEqual((await search(q, '&kinds=project')).length, 0, q);
    assert.ok((await search('x AND y OR z NEAR(a b)')).length === 0);
    assert.equal((await search('x'.repeat(500))).length, 0);
    assert.equal((await search(Array.from({ length: 150 }, () => 'zq').join(' '))).length, 0);
  });

  test('bad input is refused by name', async () => {
    for (const [query, field] of [
      ['', 'query.q'],
      ['?q=', 'query.q'],
      ['?q=%20%20', 'query.q'],
      [`?q=${'x'.repeat(501)}`, 'query.q'],
      ['?q=a%00b', 'query.q'],
      ['?q=a&kinds=flag,nothing', 'query.kinds'],
      ['?q=a&kinds=', 'query.kinds'],
      ['?q=a&limit=0', 'query.limit'],
      ['?q=a&limit=x', 'query.limit'],
    ]) {
      const { status, json, text } = await server.call(BASE + query);
      assert.equal(status, 422, `${query} ${text}`);
      assert.equal(json['errors'][0].field, field, text);
    }
    assert.equal((await server.call(`${BASE}?q=a&limit=1000`)).status, 200);
    assert.equal((await server.call(`${BASE}?q=a`, { token: null })).status, 401);
  });
});

// Environments on the flags API, on a running server with each engine: keys, approval settings, and permissions.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  findEnvironmentByClientId,
  findEnvironmentByMobileKey,
  findEnvironmentBySdkKey,
} from '../../../src/flags/environments/store.ts';
import type { PolicyStatement } from '../../../src/kernel/identity/policy.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import type { Answer, CallInit, Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const SDK_KEY = /^sdk-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MINUTE = 60_000;
const byNumber = (one: number, other: number) => one - other;

onEachEngine((engine) => {
  let server: TestServer;
  /** Each test has a project of its own. */
  let root: string;
  let number = 0;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());
  beforeEach(async () => {
    number += 1;
    const body = { key: `p${number}`, name: 'Project', tags: ['pt'] };
    assert.equal((await server.call('/api/v2/projects', { method: 'POST', body })).status, 201);
    root = `/api/v2/projects/p${number}/environments`;
  });

  const call = (path: string, init?: CallInit): Promise<Answer> => server.call(root + path, init);
  const post = (body: unknown, init: CallInit = {}) => call('', { method: 'POST', body, ...init });
  const patch = (body: unknown, init: CallInit = {}) => call('/test', { method: 'PATCH', body, ...init });
  const set = (path: string, value: unknown) => ({ op: 'replace', path, value });
  const dev = { key: 'dev', name: 'Development', color: 'aa00FF' };

  async function read(key = 'test', token?: string): Promise<Json> {
    const { status, json } = await call(`/${key}`, token === undefined ? {} : { token });
    assert.equal(status, 200);
    return json;
  }

  async function keysOf(query: string): Promise<string[]> {
    const { status, json } = await call(`?${query}`);
    assert.equal(status, 200, query);
    return (json['items'] as Json[]).map(({ key }) => key as string);
  }

  async function eventsSince(seq = 0) {
    const { db } = server.app.kernel;
    return db.selectFrom('events').selectAll().where('seq', '>', seq).orderBy('seq').execute();
  }

  async function lastEvent() {
    return (await eventsSince()).at(-1)!;
  }

  async function giveWith(power: { inlinePolicy: PolicyStatement[] } | { role: 'reader' | 'writer' }) {
    const member = await join(server, `m${Math.random().toString(36).slice(2)}`, { role: 'admin' });
    return (await giveToken(server, member, power)).value;
  }

  describe('as they are shown', () => {
    test('F5 an environment has all its fields, and links that are good', async () => {
      const { _id, _links, apiKey, mobileKey, approvalSettings, ...rest } = await read();
      assert.match(_id as string, /^[0-9a-f]{24}$/);
      assert.match(apiKey as string, SDK_KEY);
      assert.match(mobileKey as string, new RegExp(SDK_KEY.source.replace('sdk', 'mob')));
      assert.deepEqual(
        Object.entries(_links as Record<string, { href: string }>).map(([rel, { href }]) => [rel, href]),
        [
          ['self', `${root}/test`],
          ['parent', root.replace(/\/environments$/, '')],
          ['apiKey', `${root}/test/apiKey`],
          ['mobileKey', `${root}/test/mobileKey`],
          ['clientSideId', `${root}/test/clientSideId`],
        ],
      );
      const { color, ...fields } = rest;
      assert.match(color as string, /^[0-9a-f]{6}$/);
      assert.deepEqual(fields, {
        _site: {
          href: `${root.replace('/api/v2/projects', '/console/environments').replace(/\/environments$/, '')}?env=test`,
          type: 'text/html',
        },
        _version: 1,
        key: 'test',
        name: 'Test',
        defaultTtl: 0,
        secureMode: false,
        defaultTrackEvents: false,
        requireComments: false,
        confirmChanges: false,
        critical: false,
        tags: [],
      });
      assert.deepEqual(approvalSettings, {
        required: false,
        bypassApprovalsForPendingChanges: false,
        minNumApprovals: 1,
        canReviewOwnRequest: false,
        canApplyDeclinedChanges: true,
        autoApplyApprovedChanges: false,
        serviceKind: 'launchdarkly',
        serviceConfig: {},
        requiredApprovalTags: [],
      });
    });

    test('F8 F9 lists are paged, searched and sorted', async () => {
      await post({ ...dev, tags: ['x', 'y'], critical: true });
      await post({ ...dev, key: 'stage', name: 'A stage', tags: ['x'] });
      assert.deepEqual(await keysOf(''), ['production', 'test', 'dev', 'stage']);
      assert.deepEqual(await keysOf('filter=query:TAG'), ['stage']);
      assert.deepEqual(await keysOf('filter=tags:x%2By'), ['dev']);
      assert.deepEqual(await keysOf('sort=name'), ['stage', 'dev', 'production', 'test']);
      assert.deepEqual(await keysOf('sort=-critical,-name'), ['dev', 'test', 'production', 'stage']);
      assert.deepEqual(await keysOf('sort=-createdOn&limit=1'), ['stage']);
      const { json } = await call('?limit=2&offset=2');
      assert.deepEqual([json['totalCount'], json['items'].length, json['_links'].next], [4, 2, undefined]);
      assert.equal(json['_links'].prev.href, `${root}?limit=2`);
      for (const query of ['filter=keys:a', 'sort=color', 'limit=x']) {
        assert.equal((await call(`?${query}`)).status, 400, query);
      }
    });
  });

  describe('making one', () => {
    test('takes what it is given, and is written down without its keys', async () => {
      const { seq } = await lastEvent();
      const made = await post({
        ...dev,
        defaultTtl: 5,
        secureMode: true,
        tags: ['b', 'a'],
        requireComments: true,
      });
      assert.equal(made.status, 201);
      assert.equal(made.headers.get('location'), `${root}/dev`);
      const { name, color, defaultTtl, secureMode, tags, requireComments } = made.json;
      assert.deepEqual(
        { name, color, defaultTtl, secureMode, tags, requireComments },
        {
          name: 'Development',
          color: 'aa00FF',
          defaultTtl: 5,
          secureMode: true,
          tags: ['a', 'b'],
          requireComments: true,
        },
      );
      assert.deepEqual(await read('dev'), made.json);
      const [event, ...others] = await eventsSince(seq);
      assert.deepEqual(others, []);
      assert.deepEqual([event!.action, event!.resource], ['createEnvironment', `proj/p${number}:env/dev`]);
      assert.equal(JSON.parse(event!.detail!).verb, 'created the environment');
      assert.ok(!JSON.stringify(event).includes(made.json['apiKey'] as string));
    });

    test('a taken key is 409 key_exists, also for the slower of two at once', async () => {
      const { status, json } = await post({ ...dev, key: 'test' });
      assert.deepEqual([status, json['code']], [409, 'key_exists']);
      const both = await Promise.all([post(dev), post(dev)]);
      assert.deepEqual(both.map((answer) => answer.status).toSorted(byNumber), [201, 409]);
    });

    test('a source must be there, and be of the version that is named', async () => {
      assert.equal((await post({ ...dev, source: { key: 'nothing' } })).status, 400);
      const stale = await post({ ...dev, source: { key: 'test', version: 7 } });
      assert.deepEqual([stale.status, stale.json['code']], [409, 'optimistic_locking_error']);
      assert.equal((await call('/dev')).status, 404);
      assert.equal((await post({ ...dev, source: { key: 'test', version: 1 } })).status, 201);
    });

    test('F33 what cannot be is 400, and makes nothing', async () => {
      for (const body of [
        {},
        [],
        'null',
        '{',
        { ...dev, key: undefined },
        { ...dev, key: 'a b' },
        { ...dev, key: 'x'.repeat(257) },
        { ...dev, name: '' },
        { ...dev, name: 'a\0b' },
        { ...dev, color: undefined },
        { ...dev, color: '#aabbcc' },
        { ...dev, defaultTtl: '5' },
        { ...dev, defaultTtl: 61 },
        { ...dev, secureMode: 1 },
        { ...dev, tags: [' '] },
        { ...dev, source: 'test' },
        { ...dev, source: { key: 5 } },
      ]) {
        const { status, json } = await post(body);
        assert.deepEqual([status, json['code']], [400, 'invalid_request'], JSON.stringify(body));
      }
      assert.deepEqual(await keysOf(''), ['production', 'test']);
      const elsewhere = '/api/v2/projects/unknown/environments';
      assert.equal((await server.call(elsewhere, { method: 'POST', body: dev })).status, 404);
    });
  });

  describe('patching one', () => {
    test('F14 F21 F36 changes what it names, and tells of it', async () => {
      const { seq } = await lastEvent();
      const operations = [set('/name', 'QA'), set('/defaultTtl', 3), set('/secureMode', true)];
      const { status, json } = await patch({ comment: 'why', patch: operations });
      assert.equal(status, 200);
      assert.deepEqual(
        [json['name'], json['defaultTtl'], json['secureMode'], json['_version']],
        ['QA', 3, true, 2],
      );
      assert.deepEqual(await read(), json);
      const [event] = await eventsSince(seq);
      assert.equal(event!.comment, 'why');
      const resource = `proj/p${number};pt:env/test`;
      assert.deepEqual(JSON.parse(event!.accesses!), [
        { action: 'updateName', resource },
        { action: 'updateTtl', resource },
        { action: 'updateSecureMode', resource },
      ]);
    });

    test('members that are unset may be removed or replaced', async () => {
      const { json } = await patch([
        { op: 'remove', path: '/tags' },
        { op: 'remove', path: '/approvalSettings/required' },
        { op: 'remove', path: '/approvalSettings/requiredApprovalTags' },
        set('/approvalSettings/requiredApprovalTags', ['core']),
        set('/approvalSettings/minNumApprovals', 2),
        set('/approvalSettings/serviceKind', 'launchdarkly'),
        set('/approvalSettings/serviceConfig', {}),
        set('/approvalSettings/autoApplyApprovedChanges', true),
        set('/resourceApprovalSettings/segment/required', true),
      ]);
      const { requiredApprovalTags, minNumApprovals, autoApplyApprovedChanges } = json['approvalSettings'];
      assert.deepEqual(
        [requiredApprovalTags, minNumApprovals, autoApplyApprovedChanges],
        [['core'], 2, true],
      );
      assert.equal(json['resourceApprovalSettings'].segment.required, true);
      assert.deepEqual(await read(), json);
    });

    test('approvals are required for all or by tags, not both', async () => {
      const both = [
        set('/approvalSettings/required', true),
        set('/approvalSettings/requiredApprovalTags', ['core']),
      ];
      const { status, json } = await patch(both);
      assert.deepEqual([status, json['code']], [400, 'invalid_request']);
      assert.match(json['message'] as string, /requiredApprovalTags/);
      assert.equal((await patch(both.slice(0, 1))).status, 200);
      assert.equal((await patch(both.slice(1))).status, 400);
    });

    test('F7 F17 F20 F23 one that cannot be is refused whole', async () => {
      const first = await read();
      for (const [body, status] of [
        [[set('/name', 'x'), { op: 'test', path: '/name', value: 'Other' }], 409],
        [[set('/_id', 'x')], 400],
        [[set('/apiKey', 'sdk-mine')], 400],
        [[set('/mobileKey', 'mob-mine')], 400],
        [[set('/key', 'x')], 400],
        [[set('/color', 'red')], 400],
        [[set('/name', 'x'), set('/defaultTtl', -1)], 400],
        [[set('/approvalSettings/minNumApprovals', 'x')], 400],
        [[set('/nothing', 'x')], 422],
        [[{ op: 'remove', path: '/nothing' }], 422],
        [[set('/name/deeper', 'x')], 422],
        [{ name: 'merged' }, 422],
        [{ instructions: [{ kind: 'updateName' }] }, 400],
        ['5', 422],
        ['[', 400],
      ] as const) {
        const answer = await patch(body);
        assert.equal(answer.status, status, JSON.stringify(body));
        assert.deepEqual(Object.keys(answer.json).slice(0, 3), ['code', 'message', 'id']);
      }
      assert.equal((await patch('[]', { headers: { 'content-type': 'text/plain' } })).status, 400);
      assert.deepEqual(await read(), first);
    });

    test('one that changes nothing is 200 and leaves no trace', async () => {
      const { seq } = await lastEvent();
      const { status, json } = await patch([set('/name', 'Test'), set('/approvalSettings/required', false)]);
      assert.deepEqual([status, json['_version']], [200, 1]);
      assert.deepEqual(await eventsSince(seq), []);
    });

    test('of many at once none is lost', async () => {
      const tags = Array.from({ length: 10 }, (_, index) => `tag-${index}`);
      const answers = await Promise.all([
        ...tags.map((value) => patch([{ op: 'add', path: '/tags/-', value }])),
        call('/test/apiKey', { method: 'POST' }),
        call('/test/mobileKey', { method: 'POST' }),
      ]);
      assert.ok(answers.every(({ status }) => status === 200));
      const { apiKey, mobileKey, ...json } = await read();
      assert.deepEqual([json['tags'], json['_version']], [tags, 13]);
      assert.deepEqual(
        [apiKey, mobileKey],
        [answers.at(-2)!.json['apiKey'], answers.at(-1)!.json['mobileKey']],
      );
    });
  });

  describe('keys', () => {
    test('F32 a reset SDK key is new at once, and the old one is dead', async () => {
      const { db } = server.app.kernel;
      const first = await read();
      const { status, json } = await call('/test/apiKey', { method: 'POST' });
      assert.equal(status, 200);
      assert.match(json['apiKey'] as string, SDK_KEY);
      assert.notEqual(json['apiKey'], first['apiKey']);
      const now = server.clock.now();
      assert.equal(
        (await findEnvironmentBySdkKey(db, json['apiKey'] as string, now))?.clientId,
        first['_id'],
      );
      assert.equal(await findEnvironmentBySdkKey(db, first['apiKey'] as string, now), undefined);
    });

    test('F32 with a grace time both SDK keys work until it is over', async () => {
      const { db } = server.app.kernel;
      const old = (await read())['apiKey'] as string;
      const expiry = server.clock.now() + MINUTE;
      const { json } = await call(`/test/apiKey?expiry=${expiry}`, { method: 'POST' });
      for (const key of [old, json['apiKey'] as string]) {
        assert.equal((await findEnvironmentBySdkKey(db, key, expiry - 1))?.key, 'test');
      }
      assert.equal(await findEnvironmentBySdkKey(db, old, expiry), undefined);
      // The next reset ends the old key.
      await call('/test/apiKey', { method: 'POST' });
      assert.equal(await findEnvironmentBySdkKey(db, old, server.clock.now()), undefined);
    });

    test('an expiry that is over gives no grace, and one that is no time is 400', async () => {
      const { db } = server.app.kernel;
      const old = (await read())['apiKey'] as string;
      assert.equal((await call('/test/apiKey?expiry=1000', { method: 'POST' })).status, 200);
      assert.equal(await findEnvironmentBySdkKey(db, old, 500), undefined);
      for (const expiry of ['x', '-1', '1.5', '1e30', '9'.repeat(30)]) {
        assert.equal((await call(`/test/apiKey?expiry=${expiry}`, { method: 'POST' })).status, 400, expiry);
      }
    });

    test('F32 a reset mobile key is new at once, and the client-side ID stays', async () => {
      const { db } = server.app.kernel;
      const now = server.clock.now();
      const first = await read();
      const { status, json } = await call('/test/mobileKey', { method: 'POST' });
      assert.deepEqual([status, json['_id'], json['apiKey']], [200, first['_id'], first['apiKey']]);
      const found = await findEnvironmentByMobileKey(db, json['mobileKey'] as string, now);
      assert.equal(found?.clientId, first['_id']);
      assert.equal(await findEnvironmentByMobileKey(db, first['mobileKey'] as string, now), undefined);
      assert.equal((await findEnvironmentByClientId(db, first['_id'] as string, now))?.key, 'test');
    });

    test('F32 a reset client-side ID is new at once, and what is in the environment stays', async () => {
      const { db } = server.app.kernel;
      const now = server.clock.now();
      const first = await read();
      const { status, json } = await call('/test/clientSideId', { method: 'POST' });
      assert.deepEqual([status, json['apiKey']], [200, first['apiKey']]);
      assert.notEqual(json['_id'], first['_id']);
      assert.match(json['_id'] as string, /^[0-9a-f]{24}$/);
      assert.equal((await findEnvironmentByClientId(db, json['_id'] as string, now))?.key, 'test');
      assert.equal(await findEnvironmentByClientId(db, first['_id'] as string, now), undefined);
    });

    test('F32 with a grace time both mobile keys, and both client-side IDs, work until it is over', async () => {
      const { db } = server.app.kernel;
      const expiry = server.clock.now() + MINUTE;
      for (const [path, field, find] of [
        ['mobileKey', 'mobileKey', findEnvironmentByMobileKey],
        ['clientSideId', '_id', findEnvironmentByClientId],
      ] as const) {
        const old = (await read())[field] as string;
        const { json } = await call(`/test/${path}?expiry=${expiry}`, { method: 'POST' });
        for (const key of [old, json[field] as string])
          assert.equal((await find(db, key, expiry - 1))?.key, 'test');
        assert.equal(await find(db, old, expiry), undefined, path);
        await call(`/test/${path}`, { method: 'POST' });
        assert.equal(await find(db, old, server.clock.now()), undefined, path);
      }
    });

    test('never stand in the audit log', async () => {
      const { seq } = await lastEvent();
      const first = await read();
      await call('/test/apiKey', { method: 'POST' });
      await call('/test/mobileKey', { method: 'POST' });
      const second = await read();
      const tested = { op: 'test', path: '/apiKey', value: second['apiKey'] };
      assert.equal((await patch([tested, set('/name', 'New')])).status, 200);
      await call('/test', { method: 'DELETE' });
      const events = await eventsSince(seq);
      assert.deepEqual(
        events.map(({ action }) => action),
        ['updateApiKey', 'updateMobileKey', 'updateName', 'deleteEnvironment'],
      );
      const text = JSON.stringify(events);
      for (const json of [first, second]) {
        for (const name of ['apiKey', 'mobileKey']) assert.ok(!text.includes(json[name] as string), name);
      }
    });

    test('F32 F35 stay readable, and are masked for those whom a policy denies them', async () => {
      const whole = await read();
      const reader = await giveWith({ role: 'reader' });
      assert.equal((await read('test', reader))['apiKey'], whole['apiKey']);
      const token = await giveWith({
        inlinePolicy: [
          { effect: 'allow', actions: ['*'], resources: ['*'] },
          { effect: 'deny', actions: ['viewSdkKey'], resources: ['proj/*:env/test'] },
        ],
      });
      const project = root.replace(/\/environments$/, '');
      const seen: Json[] = [
        await read('test', token),
        (await call('?filter=query:test', { token })).json['items'][0],
        (await server.call(`${project}?expand=environments`, { token })).json['environments'].items[1],
        (await server.call(project, { method: 'PATCH', body: [], token })).json['environments'][1],
        (await patch([{ op: 'copy', from: '/apiKey', path: '/name' }], { token })).json,
        (await call('/test/mobileKey', { method: 'POST', token })).json,
      ];
      for (const json of seen) {
        assert.equal(json['key'], 'test');
        assert.match(json['apiKey'] as string, /^\*{36}[0-9a-f]{4}$/);
        assert.match(json['mobileKey'] as string, /^\*{36}[0-9a-f]{4}$/);
        assert.ok(!JSON.stringify(json).includes(whole['apiKey'] as string));
      }
      assert.equal(
        (await patch([{ op: 'test', path: '/apiKey', value: whole['apiKey'] }], { token })).status,
        409,
      );
      assert.equal((await read('production', token))['apiKey'], (await read('production'))['apiKey']);
    });

    test('F29 keys of an environment cannot call the API', async () => {
      const { apiKey, mobileKey, _id } = await read();
      for (const token of [apiKey, mobileKey, _id] as string[]) {
        assert.equal((await call('', { token })).status, 401);
      }
    });
  });

  describe('deleting one', () => {
    test('takes it away, and the last one stays', async () => {
      assert.equal((await call('/test', { method: 'DELETE' })).status, 204);
      assert.equal((await call('/test')).status, 404);
      const { status, json } = await call('/production', { method: 'DELETE' });
      assert.equal(status, 409);
      assert.match(json['message'] as string, /last environment/);
      assert.deepEqual(await keysOf(''), ['production']);
    });

    test('of all that are deleted at once one stays', async () => {
      await post(dev);
      const answers = await Promise.all(
        ['test', 'production', 'dev'].map((key) => call(`/${key}`, { method: 'DELETE' })),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(byNumber), [204, 204, 409]);
      assert.equal((await keysOf('')).length, 1);
    });
  });

  describe('who may', () => {
    test('F31 a reader sees, and changes nothing', async () => {
      const token = await giveWith({ role: 'reader' });
      const first = await read();
      for (const [answer, action] of [
        [await post(dev, { token }), 'createEnvironment'],
        [await patch([set('/color', '000000')], { token }), 'updateColor'],
        [await call('/test/apiKey', { method: 'POST', token }), 'updateApiKey'],
        [await call('/test/mobileKey', { method: 'POST', token }), 'updateMobileKey'],
        [await call('/test', { method: 'DELETE', token }), 'deleteEnvironment'],
      ] as const) {
        assert.deepEqual([answer.status, answer.json['access'].action], [401, action]);
      }
      assert.deepEqual(await read('test', token), first);
      assert.deepEqual(await keysOf(''), ['production', 'test']);
    });

    test('F31 a project that is denied is 403 in all that is in it', async () => {
      const token = await giveWith({
        inlinePolicy: [
          { effect: 'allow', actions: ['*'], resources: ['*'] },
          { effect: 'deny', actions: ['viewProject'], resources: ['proj/*;pt'] },
        ],
      });
      for (const answer of [
        await call('', { token }),
        await call('/test', { token }),
        await post(dev, { token }),
        await patch([], { token }),
        await call('/test/apiKey', { method: 'POST', token }),
        await call('/test', { method: 'DELETE', token }),
      ]) {
        assert.deepEqual([answer.status, answer.json['code']], [403, 'forbidden']);
      }
    });

    test('F35 a policy speaks of single environments, fields and tags', async () => {
      const token = await giveWith({
        inlinePolicy: [
          { effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] },
          { effect: 'allow', actions: ['updateName', 'updateTtl'], resources: ['proj/*:env/test'] },
          { effect: 'allow', actions: ['createEnvironment'], resources: ['proj/*:env/*;mine'] },
        ],
      });
      assert.equal((await patch([set('/name', 'x'), set('/defaultTtl', 1)], { token })).status, 200);
      assert.equal((await patch([set('/name', 'y'), set('/critical', true)], { token })).status, 401);
      const other = { method: 'PATCH', body: [set('/name', 'y')], token };
      assert.equal((await call('/production', other)).status, 401);
      assert.equal((await read())['name'], 'x');
      assert.equal((await post(dev, { token })).status, 401);
      assert.equal((await post({ ...dev, tags: ['mine'] }, { token })).status, 201);
    });

    test('F33 names that cannot be are 404', async () => {
      for (const key of ['%ff', "'%20or%201=1", 'x'.repeat(5000), 'unknown']) {
        for (const [path, init] of [
          [`/${key}`, {}],
          [`/${key}`, { method: 'PATCH', body: [] }],
          [`/${key}`, { method: 'DELETE' }],
          [`/${key}/apiKey`, { method: 'POST' }],
          [`/${key}/mobileKey`, { method: 'POST' }],
        ] as const) {
          const { status, json } = await call(path, init);
          assert.deepEqual([status, json['code']], [404, 'not_found'], path);
        }
      }
    });
  });
});

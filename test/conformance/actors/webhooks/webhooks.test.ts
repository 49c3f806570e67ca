// Webhooks of the scraping platform: created, listed, changed, tested and deleted, and what is refused.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { openReceiver, type WebhookReceiver } from '../../../webhook-receiver.ts';
import { giveActor, giveRun } from '../runs/run-rows.ts';

const KEY = 'a1b2c3d4e5f6a7b8c9d0';

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let actorId: string;
  let strangers: string;
  before(async () => {
    receiver = await openReceiver();
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    actorId = (await giveActor(server)).id;
    const member = await join(server, 'stranger', { role: 'writer' });
    strangers = (await giveToken(server, member, { role: 'writer' })).value;
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  const call = (path: string, init?: CallInit) => server.call(`/v2${path}`, init);
  const post = (path: string, body?: unknown, init: CallInit = {}) =>
    call(path, { method: 'POST', ...(body !== undefined && { body }), ...init });
  const wanted = (more: Json = {}): Json => ({
    eventTypes: ['ACTOR.RUN.SUCCEEDED'],
    condition: { actorId },
    requestUrl: `${receiver.url}/hook`,
    ...more,
  });
  const create = async (more: Json = {}): Promise<Json> => {
    const answer = await post('/webhooks', wanted(more));
    assert.equal(answer.status, 201, answer.text);
    return answer.json['data'] as Json;
  };
  const typeOf = ({ json }: { json: Json }) => json['error'].type as string;

  describe('create', () => {
    test('A23 answers 201 with Location and the whole webhook', async () => {
      const answer = await post(
        '/webhooks',
        wanted({
          isAdHoc: false,
          idempotencyKey: 'x0x0x0x0x0x0x0x0',
          ignoreSslErrors: true,
          doNotRetry: true,
          payloadTemplate: '{"run": {{resource.id}}}',
          headersTemplate: '{"X-Run": {{resource.id}}}',
          description: 'tells the others',
          shouldInterpolateStrings: true,
        }),
      );
      assert.equal(answer.status, 201, answer.text);
      const { id, createdAt, modifiedAt, userId, ...rest } = answer.json['data'];
      assert.equal(answer.headers.get('location'), `${server.url}/v2/webhooks/${id}`);
      assert.equal(createdAt, modifiedAt);
      assert.ok(!Number.isNaN(Date.parse(createdAt)));
      assert.equal(userId, (await call('/users/me')).json['data'].id);
      assert.deepEqual(rest, {
        isAdHoc: false,
        isEnabled: true,
        shouldInterpolateStrings: true,
        eventTypes: ['ACTOR.RUN.SUCCEEDED'],
        condition: { actorId, actorTaskId: null, actorRunId: null },
        ignoreSslErrors: true,
        doNotRetry: true,
        requestUrl: `${receiver.url}/hook`,
        payloadTemplate: '{"run": {{resource.id}}}',
        headersTemplate: '{"X-Run": {{resource.id}}}',
        description: 'tells the others',
        lastDispatch: null,
        stats: { totalDispatches: 0 },
      });
      assert.deepEqual((await call(`/webhooks/${id}`)).json['data'], answer.json['data']);
    });

    test('A23 what is left out has its default, and an Actor may be named in any way', async () => {
      const { name } = (await call(`/actors/${actorId}`)).json['data'];
      for (const reference of [`~${name}`, `admin~${name}`, name]) {
        const webhook = await create({ condition: { actorId: reference, actorTaskId: null } });
        assert.equal(webhook['condition'].actorId, actorId);
        assert.deepEqual(
          [
            'isAdHoc',
            'ignoreSslErrors',
            'doNotRetry',
            'shouldInterpolateStrings',
            'payloadTemplate',
            'description',
          ].map((field) => webhook[field] as unknown),
          [false, false, false, false, null, null],
        );
        await call(`/webhooks/${webhook['id']}`, { method: 'DELETE' });
      }
    });

    test('A23 the same idempotencyKey gives the existing one, for twenty callers at once, until it is deleted', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          post('/webhooks', wanted({ idempotencyKey: KEY, description: `caller ${n}` })),
        ),
      );
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
      const ids = new Set(answers.map(({ json }) => json['data'].id as string));
      assert.equal(ids.size, 1);
      for (const { json, headers } of answers) {
        assert.equal(Object.hasOwn(json['data'], 'idempotencyKey'), false);
        assert.ok(headers.get('location')!.endsWith([...ids][0]!));
      }
      // Another account has its own keys.
      const own = await giveActor(server, { token: strangers });
      const theirs = await post(
        '/webhooks',
        wanted({ idempotencyKey: KEY, condition: { actorId: own.id } }),
        {
          token: strangers,
        },
      );
      assert.equal(theirs.status, 201, theirs.text);
      assert.ok(!ids.has(theirs.json['data'].id));
      await call(`/webhooks/${[...ids][0]}`, { method: 'DELETE' });
      const later = await create({ idempotencyKey: KEY });
      assert.ok(!ids.has(later['id'] as string));
      await call(`/webhooks/${later['id']}`, { method: 'DELETE' });
    });

    for (const key of ['', 'short', 'a'.repeat(40), '1234567890abcde']) {
      test(`A23 the key "${key}" is too weak`, async () => {
        const answer = await post('/webhooks', wanted({ idempotencyKey: key }));
        assert.deepEqual([answer.status, typeOf(answer)], [400, 'invalid-idempotency-key']);
      });
    }

    for (const [what, more] of Object.entries<Json>({
      'no event types': { eventTypes: [] },
      'an unknown event type': { eventTypes: ['ACTOR.RUN.EXPLODED'] },
      'event types that are no list': { eventTypes: 'ACTOR.RUN.SUCCEEDED' },
      'no URL': { requestUrl: undefined },
      'an empty URL': { requestUrl: '' },
      'a URL that is a number': { requestUrl: 7 },
      'a URL that is too long': { requestUrl: `https://a.test/${'a'.repeat(5000)}` },
      'no condition': { condition: undefined },
      'a condition that is none': { condition: 'all' },
      'a word for a switch': { doNotRetry: 'yes' },
      'a template of another type': { payloadTemplate: { a: 1 } },
      'a template that is too long': { payloadTemplate: `"${'a'.repeat(70_000)}"` },
      'a zero character': { description: 'a\u0000b' },
    })) {
      test(`A28 ${what}: 400 invalid-input`, async () => {
        const answer = await post('/webhooks', wanted(more));
        assert.deepEqual([answer.status, typeOf(answer)], [400, 'invalid-input'], answer.text);
      });
    }

    for (const [what, more] of Object.entries<Json>({
      'a condition without an id': { condition: {} },
      'a condition with two ids': { condition: { actorId: 'a', actorRunId: 'b' } },
      'a condition with an empty id': { condition: { actorId: '' } },
      'ad-hoc without a run': { isAdHoc: true },
      'a URL that is none': { requestUrl: 'nowhere' },
      'another protocol': { requestUrl: 'ftp://a.test/b' },
      'a URL with a password': { requestUrl: 'https://a:b@a.test/' },
      'a multicast address': { requestUrl: 'http://224.0.0.1/' },
      'a payload template that is no JSON': { payloadTemplate: '{"a": }' },
      'an unknown variable': { payloadTemplate: '{"a": {{secrets}}}' },
      'a variable of the prototype': { payloadTemplate: '{"a": {{constructor.name}}}' },
      'an unknown variable in a string': { payloadTemplate: '"{{secrets}}"', shouldInterpolateStrings: true },
      'headers that are no object': { headersTemplate: '["a"]' },
      'a header with a line break': { headersTemplate: '{"X-A": "a\\r\\nX-B: c"}' },
      'a name of a header that is none': { headersTemplate: '{"X A": "a"}' },
      'a header of the connection': { headersTemplate: '{"Transfer-Encoding": "chunked"}' },
      'the length of the body': { headersTemplate: '{"content-length": "3"}' },
    })) {
      test(`A23 ${what}: 400 schema-validation`, async () => {
        const answer = await post('/webhooks', wanted(more));
        assert.deepEqual([answer.status, typeOf(answer)], [400, 'schema-validation'], answer.text);
      });
    }

    test('A23 the content type must be JSON', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        const answer = await post('/webhooks', JSON.stringify(wanted()), {
          headers: { 'content-type': type },
        });
        assert.deepEqual([answer.status, typeOf(answer)], [400, 'invalid-content-type-header']);
      }
      const broken = await post('/webhooks', '{"a"');
      assert.deepEqual([broken.status, typeOf(broken)], [400, 'invalid-input']);
    });

    test('A23 what the condition names must be there, and visible', async () => {
      const foreign = await giveActor(server, { token: strangers });
      const run = await giveRun(server, foreign, { token: strangers });
      const shown = await giveActor(server, { token: strangers, isPublic: true });
      for (const condition of [
        { actorId: 'nothing-there' },
        { actorId: foreign.id },
        { actorRunId: 'nothing-there' },
        { actorRunId: run.id },
        { actorTaskId: 'nothing-there' },
      ]) {
        const answer = await post('/webhooks', wanted({ condition }));
        assert.deepEqual(
          [answer.status, typeOf(answer)],
          [404, 'record-not-found'],
          JSON.stringify(condition),
        );
      }
      const webhook = await create({ condition: { actorId: shown.id } });
      await call(`/webhooks/${webhook['id']}`, { method: 'DELETE' });
    });

    test('the hundred-and-first webhook of an account is refused; ad-hoc ones do not count, but are limited for each run', async () => {
      const member = await join(server, 'many', { role: 'writer' });
      const token = (await giveToken(server, member, { role: 'writer' })).value;
      const own = await giveActor(server, { token });
      const run = await giveRun(server, own, { token });
      const body = wanted({ condition: { actorId: own.id } });
      const adHoc = wanted({ condition: { actorRunId: run.id }, isAdHoc: true });
      const first = await post('/webhooks', adHoc, { token });
      assert.deepEqual([first.status, first.json['data'].isAdHoc], [201, true]);
      const answers = await Promise.all(
        Array.from({ length: 108 }, () => post('/webhooks', body, { token })),
      );
      assert.equal(answers.filter(({ status }) => status === 201).length, 100);
      const refused = answers.filter(({ status }) => status === 403);
      assert.equal(refused.length, 8);
      assert.ok(refused.every((answer) => typeOf(answer) === 'too-many-webhooks'));
      for (let count = 1; count < 20; count += 1)
        assert.equal((await post('/webhooks', adHoc, { token })).status, 201);
      const oneMore = await post('/webhooks', adHoc, { token });
      assert.deepEqual([oneMore.status, typeOf(oneMore)], [403, 'too-many-webhooks']);
      const { total, items } = (await call('/webhooks?limit=200', { token })).json['data'];
      assert.equal(total, 120);
      assert.deepEqual(
        Object.entries(Object.groupBy(items as Json[], ({ isAdHoc }) => String(isAdHoc))).map(
          ([isAdHoc, those]) => [isAdHoc, those?.length],
        ),
        [
          ['true', 20],
          ['false', 100],
        ],
      );
      const page = (await call('/webhooks?limit=7&offset=110&desc=1', { token })).json['data'];
      assert.deepEqual([page.total, page.items.length], [120, 7]);
      const ofActor = (await call(`/actors/${own.id}/webhooks?limit=200`, { token })).json['data'];
      assert.deepEqual([ofActor.total, ofActor.items[0].isAdHoc], [100, false]);
    });
  });

  describe('get, list, change and delete', () => {
    test('A24 a webhook is shown to its account only, and lists have the paging of all lists', async () => {
      const webhook = await create({ description: 'listed' });
      const path = `/webhooks/${webhook['id']}`;
      assert.equal((await call(path)).status, 200);
      for (const init of [{}, { method: 'PUT', body: {} }, { method: 'DELETE' }]) {
        const answer = await call(path, { ...init, token: strangers });
        assert.deepEqual([answer.status, typeOf(answer)], [404, 'record-not-found']);
        assert.equal((await call(path, { ...init, token: null })).status, 401);
      }
      const { items, total, count, offset, limit, desc } = (await call('/webhooks')).json['data'];
      assert.deepEqual([items.length, offset, limit, desc], [total, 0, 1000, false]);
      assert.equal(count, total);
      const { payloadTemplate: _p, headersTemplate: _h, description: _d, ...short } = webhook;
      assert.deepEqual(items.at(-1), short);
      const ofActor = (await call(`/actors/${actorId}/webhooks?desc=1`)).json['data'];
      assert.equal(ofActor.items[0].id, webhook['id']);
      assert.equal((await call(`/acts/${actorId}/webhooks`)).json['data'].total, ofActor.total);
      assert.equal((await call('/actors/nothing-there/webhooks')).status, 404);
      assert.equal((await call('/webhooks?limit=-1')).status, 400);
      assert.equal((await call('/webhooks?limit=99999')).json['data'].limit, 1000);
      assert.equal((await call('/webhooks', { method: 'PATCH', body: {} })).status, 405);
    });

    test('an update changes what it names, and nothing else', async () => {
      const webhook = await create({ description: 'before', payloadTemplate: '{{resource}}' });
      const path = `/webhooks/${webhook['id']}`;
      server.clock.ahead += 5000;
      const changed = await call(path, {
        method: 'PUT',
        body: { eventTypes: ['TEST', 'TEST'], payloadTemplate: null, isEnabled: false, somethingNew: 1 },
      });
      assert.equal(changed.status, 200, changed.text);
      const { modifiedAt } = changed.json['data'];
      assert.ok(modifiedAt > webhook['modifiedAt']);
      assert.deepEqual(changed.json['data'], {
        ...webhook,
        modifiedAt,
        eventTypes: ['TEST'],
        payloadTemplate: null,
        isEnabled: false,
      });
      const other = await giveActor(server);
      const moved = await call(path, { method: 'PUT', body: { condition: { actorId: other.id } } });
      assert.equal(moved.json['data'].condition.actorId, other.id);
      for (const body of [
        { condition: {} },
        { requestUrl: 'x' },
        { payloadTemplate: '{' },
        { eventTypes: [] },
      ]) {
        assert.equal((await call(path, { method: 'PUT', body })).status, 400, JSON.stringify(body));
      }
      const typed = await call(path, {
        method: 'PUT',
        body: '{}',
        headers: { 'content-type': 'text/plain' },
      });
      assert.deepEqual([typed.status, typeOf(typed)], [400, 'invalid-content-type-header']);
      assert.equal((await call('/webhooks/nothing', { method: 'PUT', body: {} })).status, 404);
    });

    test('a deleted webhook is gone, with its dispatches', async () => {
      const webhook = await create({ requestUrl: `${receiver.url}/deleted` });
      const path = `/webhooks/${webhook['id']}`;
      const dispatch = (await post(`${path}/test`)).json['data'];
      await receiver.wait('/deleted');
      assert.equal((await call(path, { method: 'DELETE' })).status, 204);
      for (const init of [{}, { method: 'DELETE' }]) assert.equal((await call(path, init)).status, 404);
      assert.equal((await call(`${path}/dispatches`)).status, 404);
      assert.equal((await post(`${path}/test`)).status, 404);
      await eventually(async () => (await call(`/webhook-dispatches/${dispatch.id}`)).status === 404);
    });

    test('the webhooks of an Actor go with it, and those of a run with the run', async () => {
      const actor = await giveActor(server);
      const run = await giveRun(server, actor);
      const ofActor = await create({ condition: { actorId: actor.id } });
      const ofRun = await create({ condition: { actorRunId: run.id }, isAdHoc: true });
      assert.equal((await call(`/actor-runs/${run.id}`, { method: 'DELETE' })).status, 204);
      assert.equal((await call(`/webhooks/${ofRun['id']}`)).status, 404);
      assert.equal((await call(`/actors/${actor.id}`, { method: 'DELETE' })).status, 204);
      assert.equal((await call(`/webhooks/${ofActor['id']}`)).status, 404);
    });

    test('the webhooks of a service token that is deleted go to who deletes it, and start no more runs', async () => {
      const admin = (await call('/users/me')).json['data'].id as string;
      const service = await giveToken(server, { id: admin } as never, { isService: true, role: 'writer' });
      const init = { token: service.value };
      const own = await giveActor(server, init);
      const body = wanted({
        condition: { actorId: own.id },
        idempotencyKey: KEY,
        requestUrl: `${server.url}/v2/acts/${own.id}/runs`,
      });
      const made = (await post('/webhooks', body, init)).json['data'];
      const tested = (await post(`/webhooks/${made.id}/test`, undefined, init)).json['data'];
      const { status } = await server.call(`/api/v2/tokens/${service.id}`, { method: 'DELETE' });
      assert.equal(status, 204);
      const inherited = (await call(`/webhooks/${made.id}`)).json['data'];
      assert.deepEqual([inherited.userId, inherited.condition], [admin, made.condition]);
      const { userId, webhookId } = (await call(`/webhook-dispatches/${tested.id}`)).json['data'];
      assert.deepEqual([userId, webhookId], [admin, made.id]);
      // Its key is free.
      const other = await create({ idempotencyKey: KEY });
      assert.notEqual(other['id'], made.id);
      const { id } = (await post(`/webhooks/${made.id}/test`)).json['data'];
      await eventually(
        async () => (await call(`/webhook-dispatches/${id}`)).json['data'].status === 'FAILED',
      );
      const [made401] = (await call(`/webhook-dispatches/${id}`)).json['data'].calls;
      assert.equal(made401.responseStatus, 401);
    });

    test('every change has an audit entry, without secrets of the URL and the templates', async () => {
      const webhook = await create({
        requestUrl: `${receiver.url}/secret-path?token=secret-query`,
        headersTemplate: '{"Authorization": "secret-header"}',
      });
      await call(`/webhooks/${webhook['id']}`, { method: 'PUT', body: { description: 'x' } });
      await call(`/webhooks/${webhook['id']}`, { method: 'DELETE' });
      const entries = await server.app.kernel.db
        .selectFrom('events')
        .selectAll()
        .orderBy('seq', 'desc')
        .limit(3)
        .execute();
      assert.equal(
        entries.filter((entry) => JSON.stringify(entry).includes(webhook['id'] as string)).length,
        3,
      );
      assert.doesNotMatch(JSON.stringify(entries), /secret-/);
    });
  });

  describe('test', () => {
    test('A24 really sends a dummy payload, and answers 201 with its dispatch', async () => {
      const webhook = await create({ requestUrl: `${receiver.url}/tested` });
      const answer = await post(`/webhooks/${webhook['id']}/test`);
      assert.equal(answer.status, 201, answer.text);
      const { id, userId, createdAt, calls, status, ...rest } = answer.json['data'];
      assert.ok(['ACTIVE', 'SUCCEEDED'].includes(status));
      assert.ok(Array.isArray(calls));
      assert.deepEqual(rest, {
        webhookId: webhook['id'],
        eventType: 'TEST',
        eventData: null,
        webhook: {
          actionType: 'HTTP_REQUEST',
          condition: webhook['condition'],
          requestUrl: `${receiver.url}/tested`,
          isAdHoc: false,
        },
      });
      const [got] = await receiver.wait('/tested');
      assert.deepEqual(Object.keys(got!.json), ['userId', 'createdAt', 'eventType', 'eventData', 'resource']);
      assert.deepEqual(
        [got!.json['userId'], got!.json['eventType'], got!.json['createdAt']],
        [userId, 'TEST', createdAt],
      );
      assert.equal(got!.headers['x-apify-webhook-dispatch-id'], id);
      await eventually(
        async () => (await call(`/webhook-dispatches/${id}`)).json['data'].status === 'SUCCEEDED',
      );
      const [made] = (await call(`/webhook-dispatches/${id}`)).json['data'].calls;
      assert.deepEqual(
        { ...made, startedAt: typeof made.startedAt, finishedAt: typeof made.finishedAt },
        {
          startedAt: 'string',
          finishedAt: 'string',
          errorMessage: null,
          responseStatus: 200,
          responseBody: 'thanks',
        },
      );
      const { lastDispatch, stats } = (await call(`/webhooks/${webhook['id']}`)).json['data'];
      assert.deepEqual(
        [lastDispatch.status, lastDispatch.removedAt, stats.totalDispatches],
        ['SUCCEEDED', null, 1],
      );
      assert.ok(!Number.isNaN(Date.parse(lastDispatch.finishedAt)));
      for (const path of [`/webhooks/${webhook['id']}/dispatches`, '/webhook-dispatches?desc=1&limit=1']) {
        const { items } = (await call(path)).json['data'];
        assert.deepEqual([items[0].id, items[0].calls.length], [id, 1]);
      }
      for (const path of [`/webhook-dispatches/${id}`, `/webhooks/${webhook['id']}/dispatches`]) {
        assert.equal((await call(path, { token: strangers })).status, 404);
      }
      assert.equal((await call('/webhook-dispatches', { token: strangers })).json['data'].total, 0);
      assert.equal((await call('/webhook-dispatches/nothing')).status, 404);
      assert.equal((await call('/webhook-dispatches', { method: 'POST', body: {} })).status, 405);
    });
  });
});

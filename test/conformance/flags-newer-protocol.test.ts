// The newer delivery protocol: polls and streams that go on from what an SDK already has, on each engine.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { onEachEngine } from '../engines.ts';
import { EventReader, type ServerEvent, type StreamInit } from '../event-stream.ts';
import { startServer, type CallInit, type Json, type TestServer } from '../server.ts';
import { onServer, startNodes, type Nodes } from '../suites.ts';
import { assertRefused } from './flags-feature-flag-calls.ts';
import { forBrowsers, inBase64, openProject, seenBy, USER, type KeyProject } from './flags-keys-calls.ts';

const OTHER = { kind: 'user', key: 'v' };
const basisOf = (state: string) => `basis=${encodeURIComponent(state)}`;

/** A transfer as tests compare it: the intent, the objects that were put and deleted, and the new state. */
interface Received {
  intent: string;
  reason: string;
  id: string;
  target: number;
  put: Record<string, Json>;
  deleted: Record<string, number>;
  versions: Record<string, number>;
  state?: string;
  version?: number;
}

function received(events: readonly ServerEvent[]): Received {
  const [first, ...rest] = events;
  assert.equal(first!.event, 'server-intent');
  assert.equal(first!.data.payloads.length, 1);
  const { id, target, intentCode, reason } = first!.data.payloads[0];
  const transfer: Received = { intent: intentCode, reason, id, target, put: {}, deleted: {}, versions: {} };
  for (const [index, { event, data }] of rest.entries()) {
    const name = `${data.kind}/${data.key}`;
    if (event === 'put-object') transfer.put[name] = data.object;
    else if (event === 'delete-object') transfer.deleted[name] = data.version;
    else {
      assert.deepEqual([event, index], ['payload-transferred', rest.length - 1]);
      assert.equal(data.id, id);
      assert.equal(data.version, target);
      return { ...transfer, state: data.state, version: data.version };
    }
    transfer.versions[name] = data.version;
  }
  assert.deepEqual([intentCode, rest], ['none', []]);
  return transfer;
}

/** The next event but heartbeats. */
async function nextEvent(reader: EventReader): Promise<ServerEvent> {
  const event = await reader.next();
  return event.event === 'heart-beat' ? nextEvent(reader) : event;
}

/** The next transfer of a stream. */
async function nextOf(reader: EventReader): Promise<Received> {
  const events = [await nextEvent(reader)];
  if (events[0]!.data.payloads?.[0].intentCode === 'none') return received(events);
  while (events.at(-1)!.event !== 'payload-transferred') events.push(await reader.next());
  return received(events);
}

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  const readers: EventReader[] = [];
  onServer(engine, { limits: 'off', streamHeartbeat: 1 }, async (started) => {
    server = started;
    home = await openProject(server);
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  async function pollAt(path: string, key?: string, init: CallInit = {}): Promise<Received> {
    const answer = await home.ask(path, key, {}, init);
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    assert.equal(answer.headers.get('etag'), null);
    assert.equal(answer.headers.get('x-ld-envid'), home.keys.client);
    assert.deepEqual(Object.keys(answer.json), ['events']);
    return received(answer.json.events);
  }

  const poll = (state?: string) =>
    pollAt(`/sdk/poll${state === undefined ? '' : `?${basisOf(state)}`}`, home.keys.sdk);

  async function open(path: string, key?: string, init: StreamInit = {}, at = server): Promise<EventReader> {
    const reader = await EventReader.open(`${at.url}${path}`, {
      ...init,
      headers: { ...(key !== undefined && { authorization: key }), ...init.headers },
    });
    readers.push(reader);
    return reader;
  }

  const stream = (state?: string, at = server) =>
    open(`/sdk/stream${state === undefined ? '' : `?${basisOf(state)}`}`, home.keys.sdk, {}, at);

  const archive = (key: string) =>
    home.flags
      .patch(key, [{ op: 'replace', path: '/archived', value: true }])
      .then(({ status, text }) => assert.equal(status, 200, text));
  const remove = (path: string) => home.rest(path, { method: 'DELETE' });

  describe('polls of servers', () => {
    test('without a basis everything is transferred, as the older protocol has it', async () => {
      await home.flags.make('one');
      await home.flags.make('two');
      await home.makeSegment('some');
      const { flags, segments } = await home.latest();
      const first = await poll();
      assert.deepEqual([first.intent, first.reason], ['xfer-full', 'payload-missing']);
      assert.deepEqual(first.put, {
        'segment/some': segments.some,
        'flag/one': flags.one,
        'flag/two': flags.two,
      });
      assert.deepEqual(first.versions, {
        'segment/some': segments.some.version,
        'flag/one': flags.one.version,
        'flag/two': flags.two.version,
      });
      assert.equal(first.state, `(p:${first.id}:${first.version})`);
      assert.deepEqual((await pollAt('/sdk/poll?basis=', home.keys.sdk)).reason, 'payload-missing');
    });

    test('an environment without flags is transferred, too', async () => {
      const { intent, put, state } = await poll();
      assert.deepEqual([intent, put], ['xfer-full', {}]);
      assert.equal((await poll(state)).intent, 'none');
    });

    test('with the newest state as basis nothing is transferred', async () => {
      await home.flags.make('one');
      const { state, target } = await poll();
      const again = await poll(state);
      assert.deepEqual([again.intent, again.reason, again.target], ['none', 'up-to-date', target]);
    });

    test('with an older basis only what has changed is transferred, and what is gone is deleted', async () => {
      for (const key of ['same', 'changed', 'archived', 'deleted', 'again']) await home.flags.make(key);
      for (const key of ['kept', 'edited', 'removed']) await home.makeSegment(key);
      const before = await poll();
      await home.instruct('changed', [{ kind: 'turnFlagOn' }]);
      await archive('archived');
      await remove(`flags/${home.project}/deleted`);
      await remove(`flags/${home.project}/again`);
      await home.flags.make('again');
      await home.flags.make('new');
      await home.rest(`segments/${home.project}/test/edited`, {
        method: 'PATCH',
        body: [{ op: 'replace', path: '/included', value: ['u'] }],
      });
      await remove(`segments/${home.project}/test/removed`);
      const { flags, segments } = await home.latest();
      const changes = await poll(before.state);
      assert.deepEqual([changes.intent, changes.reason], ['xfer-changes', 'stale']);
      assert.deepEqual(changes.put, {
        'segment/edited': segments.edited,
        'flag/changed': flags.changed,
        'flag/again': flags.again,
        'flag/new': flags.new,
      });
      const gone = ['flag/archived', 'flag/deleted', 'segment/removed'];
      assert.deepEqual(Object.keys(changes.deleted).toSorted(), gone);
      for (const name of ['flag/changed', 'flag/again', ...gone])
        assert.ok(changes.versions[name]! > before.versions[name]!, name);
      assert.ok(changes.version! > before.version!);
      assert.equal((await poll(changes.state)).intent, 'none');
      // A basis of any age will do.
      const much = await poll(before.state);
      assert.deepEqual([much.put, much.deleted], [changes.put, changes.deleted]);
    });

    test('a flag that comes back is put with a higher version than its deletion had', async () => {
      await home.flags.make('flag');
      const before = await poll();
      await archive('flag');
      const gone = await poll(before.state);
      await home.flags.patch('flag', [{ op: 'replace', path: '/archived', value: false }]);
      const back = await poll(gone.state);
      assert.deepEqual(Object.keys(back.put), ['flag/flag']);
      assert.ok(back.versions['flag/flag']! > gone.versions['flag/flag']!);
    });

    test('a change of the environment itself transfers everything', async () => {
      await home.flags.make('flag');
      const { state } = await poll();
      await home.patchEnvironment('/name', 'Renamed');
      const { intent, reason, put } = await poll(state);
      assert.deepEqual([intent, reason, Object.keys(put)], ['xfer-full', 'cant-catchup', ['flag/flag']]);
    });

    test('an unknown basis transfers everything', async () => {
      await home.flags.make('flag');
      const { id, version } = await poll();
      const { sdk } = await home.readKeys('production');
      const elsewhere = await home.ask('/sdk/poll', sdk);
      const other = received(elsewhere.json.events);
      assert.notEqual(other.id, id);
      for (const state of [
        other.state!,
        `(p:${id}:${version! + 1})`,
        `(p:${id}:999999999999999)`,
        `(p:${id}:9999999999999999999999999999999999)`,
        `(p:${id}:-1)`,
        `(p:${id}:1.5)`,
        `(p:${id}:)`,
        `(p::${version})`,
        `p:${id}:${version}`,
        `(p:${id}:${version}) `,
        'FDv1Fallback',
        '(',
        'x'.repeat(4000),
      ]) {
        const { intent, reason, put } = await poll(state);
        assert.deepEqual(
          [intent, reason, Object.keys(put)],
          ['xfer-full', 'cant-catchup', ['flag/flag']],
          state,
        );
      }
    });

    test('only an SDK key opens it, and only without a filter', async () => {
      for (const path of ['/sdk/poll', '/sdk/stream']) {
        for (const key of [undefined, '', 'nonsense', home.keys.mobile, home.keys.client])
          assertRefused(await home.ask(path, key), 401, 'unauthorized');
        assertRefused(await home.ask(`${path}?filter=some`, home.keys.sdk), 404, 'not_found');
        assertRefused(
          await home.ask(path, home.keys.sdk, {}, { method: 'PUT', body: {} }),
          405,
          'method_not_allowed',
        );
      }
    });
  });

  describe('streams to servers', () => {
    test('a stream begins with everything, and goes on with each change', async () => {
      await home.flags.make('flag');
      const reader = await stream();
      assert.equal(reader.headers['content-type'], 'text/event-stream; charset=utf-8');
      assert.equal(reader.headers['x-ld-envid'], home.keys.client);
      const first = await nextOf(reader);
      assert.deepEqual(
        [first.intent, first.reason, Object.keys(first.put)],
        ['xfer-full', 'payload-missing', ['flag/flag']],
      );
      await home.instruct('flag', [{ kind: 'turnFlagOn' }]);
      const on = await nextOf(reader);
      assert.deepEqual([on.intent, on.put['flag/flag']!.on], ['xfer-changes', true]);
      assert.ok(on.version! > first.version!);
      await home.makeSegment('some');
      const segment = await nextOf(reader);
      assert.deepEqual(Object.keys(segment.put), ['segment/some']);
      await remove(`flags/${home.project}/flag`);
      const gone = await nextOf(reader);
      assert.deepEqual(Object.keys(gone.deleted), ['flag/flag']);
      assert.ok(gone.deleted['flag/flag']! > on.versions['flag/flag']!);
      // What the stream has led to is a basis for polls.
      assert.equal((await poll(gone.state)).intent, 'none');
      assert.deepEqual((await poll(segment.state)).deleted, gone.deleted);
    });

    test('a stream with a basis begins with what has changed, or with nothing', async () => {
      await home.flags.make('same');
      await home.flags.make('changed');
      const { state } = await poll();
      const idle = await stream(state);
      assert.equal((await nextOf(idle)).intent, 'none');
      await home.instruct('changed', [{ kind: 'turnFlagOn' }]);
      const live = await nextOf(idle);
      const late = await nextOf(await stream(state));
      for (const { intent, reason, put } of [live, late])
        assert.deepEqual([intent, reason, Object.keys(put)], ['xfer-changes', 'stale', ['flag/changed']]);
      assert.equal(live.state, late.state);
      assert.equal((await nextOf(await stream('nonsense'))).reason, 'cant-catchup');
    });

    test('SDKs send the basis as it is, without encoding it', async () => {
      const { state } = await poll();
      assert.equal((await nextOf(await open(`/sdk/stream?basis=${state}`, home.keys.sdk))).intent, 'none');
    });

    test('an idle stream beats', async () => {
      const reader = await stream((await poll()).state);
      assert.equal((await reader.next()).event, 'server-intent');
      assert.deepEqual(await reader.next(), { event: 'heart-beat', data: {} });
    });

    test('a stream whose key was reset says goodbye and ends', async () => {
      const reader = await stream((await poll()).state);
      assert.equal((await reader.next()).event, 'server-intent');
      await home.rest(`projects/${home.project}/environments/test/apiKey`, { method: 'POST' });
      assert.deepEqual(await nextEvent(reader), {
        event: 'goodbye',
        data: { reason: 'The key is no longer accepted.' },
      });
      await reader.ended();
      assertRefused(await home.ask('/sdk/stream', home.keys.sdk), 401, 'unauthorized');
    });

    test('a stream whose environment was deleted says so and ends', async () => {
      const reader = await stream((await poll()).state);
      assert.equal((await reader.next()).event, 'server-intent');
      await home.rest(`projects/${home.project}/environments/test`, { method: 'DELETE' });
      assert.deepEqual(await nextEvent(reader), {
        event: 'goodbye',
        data: { reason: 'The environment was deleted.' },
      });
      await reader.ended();
      assertRefused(await home.ask('/sdk/stream', home.keys.sdk), 401, 'unauthorized');
    });
  });

  describe('polls and streams of browsers and mobile apps', () => {
    const evalPath = (way: 'poll' | 'stream', context: unknown, query: string) =>
      `/sdk/${way}/eval/${inBase64(context)}?auth=${home.keys.client}${query}`;
    const pollResults = (state?: string, context: unknown = USER, query = '') =>
      pollAt(evalPath('poll', context, `${query}${state === undefined ? '' : `&${basisOf(state)}`}`));
    const streamResults = (state?: string, context: unknown = USER) =>
      open(evalPath('stream', context, state === undefined ? '' : `&${basisOf(state)}`));

    test('a poll transfers the results that this client may see', async () => {
      await home.flags.make('shown', forBrowsers);
      await home.flags.make('mobile', seenBy(true, false));
      await home.flags.make('hidden', seenBy(false, false));
      const first = await pollResults();
      assert.deepEqual([first.intent, first.reason], ['xfer-full', 'payload-missing']);
      const { shown } = await home.evaluate();
      const { version, ...result } = shown;
      assert.deepEqual(first.put, { 'flag-eval/shown': result });
      assert.deepEqual(first.versions, { 'flag-eval/shown': version });
      const withReasons = await pollResults(undefined, USER, '&withReasons=true');
      assert.deepEqual(withReasons.put['flag-eval/shown']!.reason, { kind: 'OFF' });
      const mobile = await pollAt(`/sdk/poll/eval/${inBase64(USER)}`, home.keys.mobile);
      assert.deepEqual(Object.keys(mobile.put), ['flag-eval/mobile']);
    });

    test('the context may be in the body', async () => {
      await home.flags.make('shown', forBrowsers);
      const path = `/eval?auth=${home.keys.client}`;
      const { state, put } = await pollAt(`/sdk/poll${path}`, undefined, { method: 'POST', body: USER });
      assert.deepEqual(Object.keys(put), ['flag-eval/shown']);
      // It is the same payload as with the context in the path.
      assert.equal((await pollResults(state)).intent, 'none');
      const reader = await open(`/sdk/stream${path}&${basisOf(state!)}`, undefined, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(USER),
      });
      assert.equal((await nextOf(reader)).intent, 'none');
      await home.instruct('shown', [{ kind: 'turnFlagOn' }]);
      assert.deepEqual(Object.keys((await nextOf(reader)).put), ['flag-eval/shown']);
    });

    test('with an older basis only results that may have changed are transferred', async () => {
      await home.flags.make('same', forBrowsers);
      const { variations } = await home.flags.make('base', forBrowsers);
      await home.flags.make('child', forBrowsers);
      await home.makeSegment('some');
      await home.flags.make('member', forBrowsers);
      await home.instruct('child', [
        { kind: 'turnFlagOn' },
        { kind: 'addPrerequisite', key: 'base', variationId: variations[0]._id },
      ]);
      const { variations: own } = await home.flags.get('member');
      await home.instruct('member', [
        { kind: 'turnFlagOn' },
        {
          kind: 'addRule',
          variationId: own[1]._id,
          clauses: [{ attribute: '', op: 'segmentMatch', values: ['some'] }],
        },
      ]);
      const before = await pollResults();
      assert.equal(Object.keys(before.put).length, 4);
      assert.equal((await pollResults(before.state)).intent, 'none');
      await home.instruct('base', [{ kind: 'turnFlagOn' }]);
      const changed = await pollResults(before.state);
      assert.deepEqual([changed.intent, changed.reason], ['xfer-changes', 'stale']);
      assert.deepEqual(Object.keys(changed.put).toSorted(), ['flag-eval/base', 'flag-eval/child']);
      assert.ok(changed.versions['flag-eval/child']! > before.versions['flag-eval/child']!);
      await home.rest(`segments/${home.project}/test/some`, {
        method: 'PATCH',
        body: [{ op: 'replace', path: '/included', value: ['u'] }],
      });
      const { put } = await pollResults(changed.state);
      assert.deepEqual(Object.keys(put), ['flag-eval/member']);
      assert.equal(put['flag-eval/member']!.variation, 1);
    });

    test('a change of a flag that the client may not see leads to all results, without its key', async () => {
      await home.flags.make('shown', forBrowsers);
      await home.flags.make('secret', seenBy(false, false));
      const { state } = await pollResults();
      await home.instruct('secret', [{ kind: 'turnFlagOn' }]);
      const { intent, put, deleted } = await pollResults(state);
      assert.deepEqual([intent, Object.keys(put), deleted], ['xfer-full', ['flag-eval/shown'], {}]);
    });

    test('a state is no basis for another context, another kind of key or other reasons', async () => {
      await home.flags.make('shown', seenBy(true, true));
      const { state } = await pollResults();
      const older = { ...USER, name: 'U' };
      for (const again of [
        await pollResults(state, OTHER),
        await pollResults(state, older),
        await pollResults(state, USER, '&withReasons=true'),
        await pollAt(`/sdk/poll/eval/${inBase64(USER)}?${basisOf(state!)}`, home.keys.mobile),
      ])
        assert.deepEqual([again.intent, again.reason], ['xfer-full', 'cant-catchup']);
    });

    test('a stream goes on with the results that have changed for its context', async () => {
      const { variations } = await home.flags.make('shown', forBrowsers);
      await home.flags.make('secret', seenBy(false, false));
      const reader = await streamResults();
      const other = await streamResults(undefined, OTHER);
      const first = await nextOf(reader);
      assert.deepEqual([first.intent, Object.keys(first.put)], ['xfer-full', ['flag-eval/shown']]);
      await nextOf(other);
      await home.instruct('shown', [
        { kind: 'turnFlagOn' },
        { kind: 'addTargets', contextKind: 'user', values: ['u'], variationId: variations[0]._id },
        { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
      ]);
      const on = await nextOf(reader);
      assert.deepEqual([on.intent, on.put['flag-eval/shown']!.variation], ['xfer-changes', 0]);
      await home.instruct('secret', [{ kind: 'turnFlagOn' }]);
      await home.instruct('shown', [
        { kind: 'updateFallthroughVariationOrRollout', variationId: variations[0]._id },
      ]);
      // Until now the other context had what it has when the flag is off.
      const otherOn = await nextOf(other);
      assert.deepEqual(
        [otherOn.put['flag-eval/shown']!.variation, Object.keys(otherOn.put)],
        [0, ['flag-eval/shown']],
      );
      assert.ok(otherOn.version! > on.version!);
      await home.flags.patch('shown', [
        { op: 'replace', path: '/clientSideAvailability/usingEnvironmentId', value: false },
      ]);
      for (const each of [reader, other]) {
        const gone = await nextOf(each);
        assert.deepEqual(gone.deleted, { 'flag-eval/shown': gone.version });
      }
    });

    test('in secure mode the hash of the context is needed', async () => {
      await home.patchEnvironment('/secureMode', true);
      const h = createHmac('sha256', home.keys.sdk).update('u').digest('hex');
      for (const way of ['poll', 'stream'] as const) {
        assertRefused(await home.ask(evalPath(way, USER, '')), 400, 'invalid_request', /secure mode/);
        assertRefused(await home.ask(evalPath(way, OTHER, `&h=${h}`)), 400, 'invalid_request');
      }
      assert.equal((await pollResults(undefined, USER, `&h=${h}`)).intent, 'xfer-full');
      await nextOf(await open(evalPath('stream', USER, `&h=${h}`)));
    });

    test('a wrong key or context is refused', async () => {
      for (const way of ['poll', 'stream']) {
        const good = `/sdk/${way}/eval/${inBase64(USER)}`;
        assertRefused(await home.ask(good), 401, 'unauthorized');
        assertRefused(await home.ask(good, home.keys.sdk), 401, 'unauthorized');
        assertRefused(await home.ask(`${good}?auth=nonsense`), 404, 'not_found');
        assertRefused(await home.ask(`${good}?auth=${home.keys.mobile}`), 404, 'not_found');
        assertRefused(await home.ask(`${good}?auth=${home.keys.client}&filter=x`), 404, 'not_found');
        const bad = `/sdk/${way}/eval/${inBase64({ kind: 'user' })}?auth=${home.keys.client}`;
        assertRefused(await home.ask(bad), 400, 'invalid_request');
        assertRefused(
          await home.ask(`/sdk/${way}/eval/%7B?auth=${home.keys.client}`),
          400,
          'invalid_request',
        );
        const body = `/sdk/${way}/eval?auth=${home.keys.client}`;
        for (const wrong of [[], {}, { kind: 'user', key: 1 }])
          assertRefused(
            await home.ask(body, undefined, {}, { method: 'POST', body: wrong }),
            400,
            'invalid_request',
          );
        const large = { ...USER, name: 'x'.repeat(100_000) };
        assert.equal((await home.ask(body, undefined, {}, { method: 'POST', body: large })).status, 413);
        const text = { method: 'POST', body: JSON.stringify(USER) };
        assert.equal((await home.ask(body, undefined, { 'content-type': 'text/plain' }, text)).status, 400);
        assertRefused(await home.ask(body), 405, 'method_not_allowed');
      }
    });
  });

  describe('a server that stops', () => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
    after(() => rmSync(data, { recursive: true, force: true }));

    test('says goodbye; and after a restart SDKs get only what has changed meanwhile', async () => {
      const settings = {
        limits: 'off',
        data,
        ...(engine.kind === 'postgres' && { database: await engine.migratedDatabase() }),
      } as const;
      const first = await startServer(settings);
      home = await openProject(first);
      await home.flags.make('same', forBrowsers);
      await home.flags.make('changed', forBrowsers);
      await home.flags.make('deleted');
      const results = `/sdk/stream/eval/${inBase64(USER)}?auth=${home.keys.client}`;
      const server1 = await stream(undefined, first);
      const client1 = await open(results, undefined, {}, first);
      const [{ state }, { state: clientState }] = [await nextOf(server1), await nextOf(client1)];
      await first.stop();
      for (const reader of [server1, client1]) {
        assert.deepEqual(await nextEvent(reader), {
          event: 'goodbye',
          data: { reason: 'The server is stopping.' },
        });
        await reader.ended();
      }
      const second = await startServer(settings);
      try {
        const keys = home.keys;
        const idle = await stream(state, second);
        assert.equal((await nextOf(idle)).intent, 'none');
        const answer = await second.call(`/api/v2/flags/${home.project}/changed`, {
          method: 'PATCH',
          body: [{ op: 'replace', path: '/environments/test/on', value: true }],
        });
        assert.equal(answer.status, 200, answer.text);
        const changes = await nextOf(await stream(state, second));
        assert.deepEqual([changes.intent, Object.keys(changes.put)], ['xfer-changes', ['flag/changed']]);
        const own = await nextOf(await open(`${results}&${basisOf(clientState!)}`, undefined, {}, second));
        assert.deepEqual([own.intent, Object.keys(own.put)], ['xfer-changes', ['flag-eval/changed']]);
        await second.call(`/api/v2/flags/${home.project}/deleted`, { method: 'DELETE' });
        const { json } = await second.call(`/sdk/poll?${basisOf(state!)}`, {
          token: null,
          headers: { authorization: keys.sdk },
        });
        const last = received(json.events);
        assert.deepEqual(
          [Object.keys(last.put), Object.keys(last.deleted)],
          [['flag/changed'], ['flag/deleted']],
        );
      } finally {
        for (const reader of readers.splice(0)) reader.close();
        await second.stop();
      }
    });
  });

  describe('several nodes', () => {
    let nodes: Nodes;
    beforeEach(async () => {
      nodes = await startNodes(engine);
    });
    afterEach(() => nodes.stop());

    test('a poll at another node never leads back', async () => {
      const { server: one, other = one } = nodes;
      home = await openProject(one);
      await home.flags.make('flag', forBrowsers);
      const pollOf = async (at: TestServer, path: string, state: string | undefined) => {
        const query = state === undefined ? '' : `&${basisOf(state)}`;
        const { status, json } = await at.call(`${path}${query}`, {
          token: null,
          headers: { authorization: home.keys.sdk },
        });
        assert.equal(status, 200);
        return received(json.events);
      };
      for (const path of ['/sdk/poll?', `/sdk/poll/eval/${inBase64(USER)}?auth=${home.keys.client}`]) {
        let { state, target } = await pollOf(other, path, undefined);
        for (let round = 0; round < 10; round += 1) {
          await home.instruct('flag', [{ kind: round % 2 === 0 ? 'turnFlagOn' : 'turnFlagOff' }]);
          for (const at of [one, other]) {
            const next = await pollOf(at, path, state);
            assert.notEqual(next.intent, 'xfer-full');
            assert.ok(next.target >= target);
            ({ target } = next);
            state = next.state ?? state;
          }
        }
      }
    });
  });
});

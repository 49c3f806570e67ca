// The event streams of OFREP, on running servers with each engine: events, tokens, and what a client hears that was away.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { EventReader } from '../../../event-stream.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startNodes, startServerOn, type Nodes } from '../../../suites.ts';
import { HOUR, seenBy } from './keys-calls.ts';
import { assertOfrepError, openOfrepProject, USER, type OfrepProject } from './ofrep-calls.ts';

const MINUTE = 60_000;

onEachEngine((engine) => {
  let nodes: Nodes;
  let server: TestServer;
  /** The second node where there is one. */
  let other: TestServer;
  let home: OfrepProject;
  let readers: EventReader[] = [];
  before(async () => {
    nodes = await startNodes(engine);
    ({ server } = nodes);
    other = nodes.other ?? server;
  });
  after(() => nodes.stop());
  beforeEach(async () => {
    home = await openOfrepProject(server);
    await home.flags.make('seen', seenBy(true, true));
    await home.flags.make('hidden', seenBy(false, false));
  });
  afterEach(() => {
    for (const reader of readers) reader.close();
    readers = [];
  });

  const turn = (key: string, state: 'On' | 'Off' = 'On') =>
    home.instruct(key, [{ kind: state === 'On' ? 'turnFlagOn' : 'turnFlagOff' }]);
  /** The path of the stream that a bulk evaluation names. */
  async function pathFor(key = home.keys.client): Promise<string> {
    const { status, json, text } = await home.evaluateAll(USER, { key });
    assert.equal(status, 200, text);
    return json['eventStreams'][0].endpoint.requestUri as string;
  }
  async function listen(path: string, headers = {}, node = server): Promise<EventReader> {
    const reader = await EventReader.open(node.url + path, { headers });
    readers.push(reader);
    return reader;
  }
  /** A stream that has begun. */
  async function follow(key?: string, node = server): Promise<EventReader> {
    const reader = await listen(await pathFor(key), {}, node);
    assert.equal(reader.status, 200);
    await reader.commented();
    return reader;
  }
  const isRefused = async (path: string, node = server) =>
    assertOfrepError(await node.call(path, { token: null }), 401);

  describe('an address', () => {
    test('comes with a bulk evaluation, and has no key in it', async () => {
      for (const key of Object.values(home.keys)) {
        const { eventStreams } = (await home.evaluateAll(USER, { key })).json;
        const [first, ...others] = eventStreams as Json[];
        const { endpoint, ...rest } = first!;
        assert.deepEqual([rest, others], [{ type: 'sse', inactivityDelaySec: 120 }, []]);
        assert.deepEqual(Object.keys(endpoint as Json), ['requestUri']);
        assert.match(endpoint.requestUri, /^\/ofrep\/v1\/stream\?token=[\w.-]+&since=\d+$/);
        assert.ok(Object.values(home.keys).every((secret) => !endpoint.requestUri.includes(secret)));
      }
    });

    test('stays the same for some minutes; then the ETag is another, too', async () => {
      try {
        // To the beginning of a period.
        server.clock.ahead = 5 * MINUTE - (server.clock.now() % (5 * MINUTE));
        const { headers } = await home.evaluateAll();
        const etag = headers.get('etag')!;
        const path = await pathFor();
        const ask = () => home.evaluateAll(USER, { headers: { 'if-none-match': etag } });
        server.clock.ahead += 3 * MINUTE;
        assert.equal((await ask()).status, 304);
        assert.equal(await pathFor(), path);
        server.clock.ahead += 3 * MINUTE;
        assert.equal((await ask()).status, 200);
        const next = await pathFor();
        assert.notEqual(next, path);
        assert.equal((await listen(path)).status, 200, 'it still opens');
        server.clock.ahead += 5 * MINUTE;
        await isRefused(path);
        assert.equal((await listen(next)).status, 200);
      } finally {
        server.clock.ahead = 0;
      }
    });

    test('opens a stream on every node', async () => {
      for (const key of Object.values(home.keys)) assert.equal((await follow(key, other)).status, 200);
    });

    test('that was changed opens nothing', async () => {
      const path = await pathFor(home.keys.mobile);
      const [, id, kind, mode, expiry, signature] = /token=(\w+)\.(\w+)\.(\w+)\.(\w+)\.([\w-]+)/.exec(path)!;
      const { json } = await home.evaluateAll(USER, { key: (await home.readKeys('production')).mobile });
      const [, otherId] = /token=(\w+)\./.exec(json['eventStreams'][0].endpoint.requestUri)!;
      assert.equal(kind, 'mobile');
      for (const token of [
        [otherId, kind, mode, expiry, signature],
        [id, 'sdk', mode, expiry, signature],
        [id, 'client', mode, expiry, signature],
        [id, 'constructor', mode, expiry, signature],
        [id, kind, mode, Number(expiry) + HOUR, signature],
        [id, kind, mode, '', signature],
        [id, kind, 'secure', expiry, signature],
        [id, kind, expiry, signature],
        [id, kind, mode, expiry, signature!.toLowerCase()],
        [id, kind, mode, expiry, `${signature}A`],
        [id, kind, mode, expiry, ''],
        [id, kind, mode, expiry],
        ['0'.repeat(24), kind, mode, expiry, signature],
        ['%20', kind, mode, expiry, signature],
        [''],
        [home.keys.sdk],
        [home.keys.mobile],
        [home.keys.client],
      ])
        await isRefused(`/ofrep/v1/stream?token=${token.join('.')}`);
      await isRefused('/ofrep/v1/stream');
      assertOfrepError(await server.call(path, { token: null, method: 'POST', body: {} }), 405);
    });

    test('opens nothing once its key was reset, and open streams end', async () => {
      for (const [key, name] of [
        [home.keys.sdk, 'apiKey'],
        [home.keys.mobile, 'mobileKey'],
      ] as const) {
        const path = await pathFor(key);
        const [here, there] = [await follow(key), await follow(key, other)];
        await home.rest(`projects/${home.project}/environments/test/${name}`, { method: 'POST' });
        await Promise.all([here.ended(), there.ended()]);
        await isRefused(path);
        await isRefused(path, other);
      }
    });

    test('of an old key opens streams until that key expires', async () => {
      const path = await pathFor(home.keys.sdk);
      const expiry = server.clock.now() + 2 * MINUTE;
      await home.rest(`projects/${home.project}/environments/test/apiKey?expiry=${expiry}`, {
        method: 'POST',
      });
      assert.equal((await listen(path)).status, 200);
      try {
        server.clock.ahead = 3 * MINUTE;
        await isRefused(path);
      } finally {
        server.clock.ahead = 0;
      }
    });

    test('that came without a hash opens nothing in secure mode, and open streams end', async () => {
      const { sdk, mobile, client } = home.keys;
      const path = await pathFor(client);
      const [browser, app] = [await follow(client), await follow(mobile)];
      await home.patchEnvironment('/secureMode', true);
      await browser.ended();
      await isRefused(path);
      const hash = createHmac('sha256', sdk).update('u').digest('hex');
      const { json } = await home.evaluateAll(USER, { key: client, query: `?h=${hash}` });
      assert.equal((await listen(json['eventStreams'][0].endpoint.requestUri as string)).status, 200);
      assert.equal(app.isEnded, false, 'only a client-side ID needs the hash');
    });

    test('opens nothing once the environment was deleted, and open streams end', async () => {
      const path = await pathFor();
      const reader = await follow();
      await home.rest(`projects/${home.project}/environments/test`, { method: 'DELETE' });
      await reader.ended();
      await isRefused(path);
    });
  });

  describe('an event', () => {
    test('says that flags have changed, and the evaluation that follows is as new as it says', async () => {
      for (const key of Object.values(home.keys)) {
        const reader = await follow(key, other);
        assert.match(reader.headers['content-type']!, /^text\/event-stream/);
        assert.equal(reader.headers['access-control-allow-origin'], '*');
        const { headers } = await home.evaluateAll(USER, { key });
        for (const state of ['On', 'Off'] as const) {
          await turn('seen', state);
          const { event, data } = await reader.next();
          assert.deepEqual(
            [event, Object.keys(data), data.type],
            ['message', ['type', 'etag', 'lastModified'], 'refetchEvaluation'],
          );
          assert.ok(Math.abs(data.lastModified * 1000 - server.clock.now()) < HOUR);
          assert.equal(data.etag, reader.lastId);
          const query = `?flagConfigEtag=${data.etag}&flagConfigLastModified=${data.lastModified}`;
          for (const node of [server, other]) {
            const { status, json } = await node.call(`/ofrep/v1/evaluate/flags${query}`, {
              method: 'POST',
              token: null,
              headers: { authorization: key, 'if-none-match': headers.get('etag')! },
              body: { context: USER },
            });
            assert.equal(status, 200);
            assert.ok(json['metadata'].version >= Number(data.etag));
            const seen = (json['flags'] as Json[]).find((flag) => flag['key'] === 'seen')!;
            assert.equal(seen['value'], state === 'On');
          }
        }
      }
    });

    test('F30 comes only for flags that the key may see, and for what they depend on', async () => {
      const [all, some] = [await follow(home.keys.sdk), await follow()];
      await turn('hidden');
      await all.next();
      const { variations } = await home.flags.get('hidden');
      await home.instruct('seen', [
        { kind: 'turnFlagOn' },
        { kind: 'addPrerequisite', key: 'hidden', variationId: variations[0]._id },
      ]);
      const { etag } = (await some.next()).data as Json;
      assert.equal((await all.next()).data.etag, etag, 'nothing was sent before it');
      assert.equal(some.events.length, 1);
      await turn('hidden', 'Off');
      await some.next();
      await home.instruct('seen', [{ kind: 'turnOffClientSideAvailability', value: 'usingEnvironmentId' }]);
      await some.next();
    });

    test('comes when a segment, or a membership in a big one, decides', async () => {
      await home.makeSegment('big', { unbounded: true, unboundedContextKind: 'user' });
      const { variations } = await home.flags.get('seen');
      await home.instruct('seen', [
        { kind: 'turnFlagOn' },
        {
          kind: 'addRule',
          variationId: variations[1]._id,
          clauses: [{ attribute: '', op: 'segmentMatch', values: ['big'] }],
        },
      ]);
      const reader = await follow();
      const body = { included: { add: ['u'] } };
      await home.rest(`segments/${home.project}/test/big/contexts`, { method: 'POST', body });
      await reader.next();
      assert.equal((await home.flagsFor(USER, home.keys.client))['seen']!['value'], false);
    });

    test('comes at once to a client whose evaluation is older, or that was away', async () => {
      const path = await pathFor();
      await turn('seen');
      const late = await listen(path);
      assert.equal((await late.next()).data.type, 'refetchEvaluation');
      const back = await listen(path, { 'last-event-id': late.lastId });
      await back.commented();
      assert.equal(back.events.length, 0, 'it has missed nothing');
      const { lastId } = await follow();
      await turn('seen', 'Off');
      const missed = await listen(path, { 'last-event-id': lastId });
      assert.ok(Number((await missed.next()).data.etag) > Number(lastId));
    });

    test('that was never sent is no reason to wait', async () => {
      for (const etag of ['999999999999', '1e9', '%22x%22', '', '-1', '9'.repeat(400)]) {
        const { status } = await home.evaluateAll(USER, { query: `?flagConfigEtag=${etag}` });
        assert.equal(status, 200, etag);
      }
    });
  });

  test('more streams than an address may have are refused with the time to come again', async () => {
    const small = await startServerOn(engine, { limits: 'off', streamsPerAddress: 1 });
    try {
      const project = await openOfrepProject(small);
      const { json } = await project.evaluateAll();
      const path = json['eventStreams'][0].endpoint.requestUri as string;
      const first = await listen(path, {}, small);
      assert.equal(first.status, 200);
      const refused = await small.call(path, { token: null });
      assertOfrepError(refused, 429);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
    } finally {
      await small.stop();
    }
  });

  test('the log does not have the token', async () => {
    const path = await pathFor();
    await listen(path);
    await isRefused(path.replace('.client.', '.sdk.'));
    const lines = server.log.filter((line) => line['route'] === 'streamFlagChanges');
    assert.ok(lines.length > 0);
    assert.ok(!JSON.stringify(lines).includes(/token=([^&]+)/.exec(path)![1]!.split('.')[4]!));
  });
});

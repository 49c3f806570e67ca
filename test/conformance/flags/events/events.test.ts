// Events of SDKs: what they count, once, and what flag statuses make of them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, deflateSync } from 'node:zlib';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import type { TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { openEventProject, riseOf, SDK, summaryOf, type EventCalls } from './calls.ts';
import { forBrowsers, seenBy, USER, type KeyProject } from '../delivery/keys-calls.ts';

const DAY = 24 * 60 * 60 * 1000;

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  let events: EventCalls;
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
    ({ home, events } = await openEventProject(server));
    await home.flags.make('hidden', seenBy(false, false));
  });

  describe('counting', () => {
    test('evaluations are counted per flag, variation, version and SDK', async () => {
      const more = {
        default: 1,
        counters: [
          { variation: 1, version: 3, count: 4 },
          { count: 2, version: 3 },
        ],
      };
      const { features, ...summary } = summaryOf({ shown: { variation: 0, version: 3, count: 5 } });
      await events.send([{ ...summary, features: { ...features, hidden: more } }]);
      await events.send([summaryOf({ shown: { variation: 0, version: 3, count: 7 } })], {
        headers: { 'x-launchdarkly-user-agent': 'GoClient/7.0.0', 'user-agent': 'Go-http-client/1.1' },
      });
      assert.deepEqual(await events.counted(), {
        [`hidden -1 3 ${SDK}`]: 2,
        [`hidden 1 3 ${SDK}`]: 4,
        [`shown 0 3 ${SDK}`]: 5,
        'shown 0 3 GoClient/7.0.0': 7,
      });
    });

    test('they are there soon after the reply, without anything else happening', async () => {
      await events.send([summaryOf({ shown: { variation: 0 } })]);
      await eventually(async () => {
        const { lastRequested } = await home.rest(`flag-statuses/${home.project}/test/shown`);
        return lastRequested !== undefined;
      });
    });

    test('keys that are no flags are counted together', async () => {
      await events.send([
        summaryOf({
          nothing: { unknown: true, count: 2 },
          other: { variation: 0, count: 3 },
          'not a key\u0000': { count: 4 },
          ['x'.repeat(1000)]: { count: 5 },
          ['__proto__']: { count: 6 },
        }),
      ]);
      assert.deepEqual(await events.counted(), {
        [`? -1 0 ${SDK}`]: 2,
        [`? -1 1 ${SDK}`]: 15,
        [`? 0 1 ${SDK}`]: 3,
      });
    });

    test('SDKs with public keys report only flags that they can see', async () => {
      await home.flags.make('mobile', seenBy(true, false));
      await home.flags.make('browser', forBrowsers);
      const summary = summaryOf({
        mobile: { variation: 0 },
        browser: { variation: 0 },
        hidden: { variation: 0 },
      });
      await events.send([summary], { path: '/mobile', key: home.keys.mobile });
      assert.deepEqual(await events.counted(), { [`mobile 0 1 ${SDK}`]: 1, [`? 0 1 ${SDK}`]: 2 });
      await events.send([summary], { path: `/events/bulk/${home.keys.client}` });
      assert.deepEqual(await events.counted(), {
        [`mobile 0 1 ${SDK}`]: 1,
        [`browser 0 1 ${SDK}`]: 1,
        [`? 0 1 ${SDK}`]: 4,
      });
      assert.equal((await events.statusOf('hidden'))['lastRequested'], undefined);
    });

    test('every route takes every kind of event, and every content encoding', async () => {
      const { sdk, mobile, client } = home.keys;
      const context = { ...USER, _meta: { privateAttributes: ['email'] } };
      const kinds = [
        { kind: 'index', context },
        { kind: 'identify', context },
        { kind: 'feature', key: 'shown', value: true, default: false, variation: 0, version: 1, context },
        { kind: 'debug', key: 'shown', value: true, default: false, contextKeys: { user: 'u' } },
        { kind: 'custom', key: 'bought', data: { price: 3 }, metricValue: 3, context },
        { kind: 'click', key: 'goal', url: 'https://shop.example/', selector: '.buy', context },
        { kind: 'pageview', key: 'goal', url: 'https://shop.example/', context },
        {
          kind: 'migration_op',
          operation: 'read',
          contextKeys: { user: 'u' },
          evaluation: {},
          measurements: [],
        },
      ].map((event) => ({ creationDate: 1, ...event }));
      const all = [...kinds, summaryOf({ shown: { variation: 0 } })];
      const paths: [path: string, key?: string][] = [
        ['/bulk', sdk],
        ['/mobile', mobile],
        ['/mobile/events', mobile],
        ['/mobile/events/bulk', mobile],
        [`/events/bulk/${client}`],
      ];
      const counters = all.map(({ kind }) => ['flag_events_total', `kind="${kind}"`] as const);
      const rise = await riseOf(server, counters, async () => {
        for (const [path, key] of paths) {
          const packed = await events.send(all, { path, key, isPacked: true });
          assert.deepEqual([packed.status, packed.text], [202, ''], path);
          assert.ok(
            Math.abs(Date.parse(packed.headers.get('date')!) - Date.now()) < DAY,
            'SDKs read the time',
          );
        }
      });
      assert.deepEqual(
        rise,
        all.map(() => paths.length),
      );
      const text = JSON.stringify(all);
      for (const [encoding, bytes] of [
        ['deflate', deflateSync(text)],
        ['br', brotliCompressSync(text)],
        ['identity', Buffer.from(text)],
      ] as const) {
        const headers = { 'content-encoding': encoding };
        const answer = await home.ask('/bulk', sdk, headers, { method: 'POST', body: bytes });
        assert.equal(answer.status, 202, encoding);
      }
      assert.equal((await events.counted())['shown 0 1 unknown'], 3);
    });

    test('events come in the address of an image', async () => {
      const data = Buffer.from(JSON.stringify([summaryOf({ shown: { variation: 1 } })])).toString(
        'base64url',
      );
      const answer = await home.ask(`/a/${home.keys.client}.gif?d=${data}`);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/gif']);
      assert.deepEqual(await events.counted(), { 'shown 1 1 unknown': 1 });
    });

    test('what deleted flags and environments were asked is dropped without holding back the rest', async () => {
      await home.rest(`projects/${home.project}/environments`, {
        method: 'POST',
        body: { key: 'gone', name: 'Gone', color: '000000' },
      });
      const gone = await home.readKeys('gone');
      await home.flags.make('deleted');
      await events.send([summaryOf({ shown: { variation: 0 } })], { key: gone.sdk });
      await events.send([summaryOf({ shown: { variation: 0 }, deleted: { variation: 0 } })]);
      await home.rest(`projects/${home.project}/environments/gone`, { method: 'DELETE' });
      await home.rest(`flags/${home.project}/deleted`, { method: 'DELETE' });
      const counts = await events.counted();
      assert.equal(counts[`shown 0 1 ${SDK}`], 1);
    });
  });

  describe('payloads', () => {
    const twice = [['flag_event_payloads_total', 'outcome="duplicate"']] as const;

    test('a payload that is sent again is counted once', async () => {
      const body = [summaryOf({ shown: { variation: 0 } })];
      const rise = await riseOf(server, twice, async () => {
        const answers = await Promise.all(
          Array.from({ length: 4 }, () => events.send(body, { id: 'again' })),
        );
        await events.save();
        answers.push(await events.send(body, { id: 'again', isPacked: true }));
        assert.deepEqual(
          answers.map(({ status }) => status),
          [202, 202, 202, 202, 202],
        );
      });
      assert.deepEqual([await events.counted(), rise], [{ [`shown 0 1 ${SDK}`]: 1 }, [4]]);
    });

    test('the same id in another environment is another payload', async () => {
      const production = await home.readKeys('production');
      const body = [summaryOf({ shown: { variation: 0 } })];
      for (const key of [home.keys.sdk, production.sdk]) await events.send(body, { key, id: 'shared' });
      for (const id of [home.keys.client, production.client])
        assert.deepEqual(await events.counted(id), { [`shown 0 1 ${SDK}`]: 1 });
    });

    test('payloads without an id are all counted, and those with different ones', async () => {
      const body = [summaryOf({ shown: { variation: 0 } })];
      for (const id of ['one', 'two', 'not an id, but a sentence', undefined, undefined])
        await events.send(body, id === undefined ? {} : { id });
      assert.deepEqual(await events.counted(), { [`shown 0 1 ${SDK}`]: 5 });
    });

    test('a payload that was not accepted may be sent again', async () => {
      await events.send('[{', { id: 'broken' });
      await events.send([summaryOf({ shown: { variation: 0 } })], { id: 'broken' });
      assert.deepEqual(await events.counted(), { [`shown 0 1 ${SDK}`]: 1 });
    });
  });

  describe('statuses', () => {
    test('a flag is new until it is requested, then active, and inactive after a week without requests', async () => {
      assert.deepEqual(await events.statusOf('shown'), { name: 'new' });
      const before = server.clock.now();
      await events.send([summaryOf({ shown: { variation: 0, default: { text: 'none' } } })]);
      const { lastRequested, ...active } = await events.statusOf('shown');
      assert.deepEqual(active, { name: 'active', default: { text: 'none' } });
      assert.ok(Date.parse(lastRequested as string) >= before);
      server.clock.ahead += 8 * DAY;
      const { lastRequested: unchanged, ...inactive } = await events.statusOf('shown');
      assert.deepEqual(
        [inactive, unchanged],
        [{ name: 'inactive', default: { text: 'none' } }, lastRequested],
      );
      assert.deepEqual(await events.statusOf('hidden'), { name: 'inactive' });
    });

    test('a flag that serves everyone the same for a week is launched when it is requested', async () => {
      await home.instruct('shown', [{ kind: 'turnFlagOn' }]);
      server.clock.ahead += 8 * DAY;
      await events.send([summaryOf({ shown: { variation: 0 }, hidden: { variation: 1 } })]);
      assert.equal((await events.statusOf('shown'))['name'], 'launched');
      assert.equal((await events.statusOf('hidden'))['name'], 'active', 'it is off');
    });

    test('feature and debug events are requests, and count no evaluation', async () => {
      const feature = { kind: 'feature', creationDate: 1, key: 'shown', default: 'a', context: USER };
      await events.send([feature, { ...feature, kind: 'debug', key: 'hidden', default: 'b' }]);
      assert.deepEqual(
        [(await events.statusOf('shown'))['default'], (await events.statusOf('hidden'))['default']],
        ['a', 'b'],
      );
      assert.deepEqual(await events.counted(), {});
    });

    test('the last default is shown, and an event without one does not remove it', async () => {
      for (const value of ['first', 'second', undefined, 'x'.repeat(5000)]) {
        const features = {
          shown: { counters: [{ count: 1 }], ...(value !== undefined && { default: value }) },
        };
        await events.send([{ kind: 'summary', startDate: 1, endDate: 1, features }]);
        await events.save();
      }
      assert.equal((await events.statusOf('shown'))['default'], 'second');
    });
  });
});

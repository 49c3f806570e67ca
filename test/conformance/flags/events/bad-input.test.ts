// Events that are broken, too large, too many or not allowed: each is refused or dropped, and counted.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onEachEngine } from '../../../engines.ts';
import { ADMIN_TOKEN, type Answer, type Json, type TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { openEventProject, riseOf, SDK, summaryOf, type EventCalls } from './calls.ts';
import { USER, type KeyProject } from '../delivery/keys-calls.ts';

const MB = 1024 * 1024;
const payloads = (outcome: string) => ['flag_event_payloads_total', `outcome="${outcome}"`] as const;
const dropped = (reason: string) => ['flag_events_dropped_total', `reason="${reason}"`] as const;

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  let events: EventCalls;
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
    ({ home, events } = await openEventProject(server));
  });

  const assertRefused = ({ status, text, json }: Answer, expected: number, code: string) => {
    assert.deepEqual([status, json['code']], [expected, code], text);
    assert.equal(typeof json['id'], 'string');
  };

  describe('payloads', () => {
    const bad: [name: string, body: string | Uint8Array, headers?: Record<string, string>][] = [
      ['no JSON', 'hello'],
      ['half of it', '[{"kind":"summary"'],
      ['nothing', ''],
      ['an object', '{"kind":"summary"}'],
      ['a number', '5'],
      ['null', 'null'],
      ['JSON nested too deep', `${'['.repeat(300)}${']'.repeat(300)}`],
      ['a large text without an end', `["${'x'.repeat(200_000)}`],
      ['gzip that is none', '[]', { 'content-encoding': 'gzip' }],
      ['half of gzip', gzipSync('[]').subarray(0, 12), { 'content-encoding': 'gzip' }],
      ['an unknown encoding', '[]', { 'content-encoding': 'zip' }],
      ['two encodings', '[]', { 'content-encoding': 'gzip, gzip' }],
    ];
    for (const [name, body, headers = {}] of bad) {
      test(`${name} is 400`, async () => {
        const rise = await riseOf(server, [payloads('malformed')], async () => {
          for (const path of ['/bulk', '/mobile', `/events/bulk/${home.keys.client}`]) {
            const key = path === '/bulk' ? home.keys.sdk : home.keys.mobile;
            const answer = await home.ask(path, key, headers, { method: 'POST', body });
            assertRefused(answer, 400, 'invalid_request');
          }
        });
        assert.deepEqual(rise, [3]);
      });
    }

    const large: [name: string, body: () => string | Uint8Array, headers?: Record<string, string>][] = [
      ['a body over the limit', () => Buffer.alloc(10 * MB + 1, ' ')],
      [
        'a body that inflates beyond it',
        () => gzipSync(Buffer.alloc(64 * MB, ' ')),
        { 'content-encoding': 'gzip' },
      ],
      ['more items than can be parsed', () => `[${'1,'.repeat(260_000)}1]`],
    ];
    for (const [name, body, headers = {}] of large) {
      test(`${name} is 413, which makes SDKs drop it`, async () => {
        const rise = await riseOf(server, [payloads('too-large')], async () => {
          const answer = await home.ask('/bulk', home.keys.sdk, headers, { method: 'POST', body: body() });
          assertRefused(answer, 413, 'request_too_large');
        });
        assert.deepEqual(rise, [1]);
      });
    }

    test('a wrong key is refused, and so are a token and a key of another kind', async () => {
      const body = [summaryOf({ shown: { variation: 0 } })];
      const { sdk, mobile, client } = home.keys;
      const wrong: [path: string, key: string | undefined, status: number, code: string][] = [
        ['/bulk', undefined, 401, 'unauthorized'],
        ['/bulk', mobile, 401, 'unauthorized'],
        ['/bulk', client, 401, 'unauthorized'],
        ['/bulk', ADMIN_TOKEN, 401, 'unauthorized'],
        ['/mobile', sdk, 401, 'unauthorized'],
        ['/diagnostic', mobile, 401, 'unauthorized'],
        [`/events/bulk/${'0'.repeat(24)}`, undefined, 404, 'not_found'],
        [`/events/bulk/${sdk}`, sdk, 404, 'not_found'],
      ];
      for (const [path, key, status, code] of wrong)
        assertRefused(await home.ask(path, key, {}, { method: 'POST', body }), status, code);
      assert.deepEqual(await events.counted(), {});
    });

    test('other verbs are refused, and any content type is taken', async () => {
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'])
        assertRefused(await home.ask('/bulk', home.keys.sdk, {}, { method }), 405, 'method_not_allowed');
      const headers = { 'content-type': 'text/plain;charset=UTF-8' };
      const answer = await events.send([summaryOf({ shown: { variation: 0 } })], { headers });
      assert.equal(answer.status, 202);
    });

    test('an image with anything but events in its address is 400', async () => {
      for (const data of ['', 'e30', 'bnVsbA', '%%%', '%00', 'W3'])
        assert.equal((await home.ask(`/a/${home.keys.client}.gif?d=${data}`)).status, 400, data);
      assert.equal((await home.ask(`/a/${home.keys.client}.gif`)).status, 400);
    });
  });

  describe('events', () => {
    const good = summaryOf({ shown: { variation: 0 } });
    const at = { creationDate: 1 };
    const wide = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]));
    const cases: [name: string, event: unknown, reason: string][] = [
      ['a kind of the future', { kind: 'teleport', ...at }, 'unknown-kind'],
      ['a kind that objects inherit', { kind: 'constructor', ...at }, 'unknown-kind'],
      ['no kind', { ...at }, 'malformed'],
      ['no object', 7, 'malformed'],
      ['null', null, 'malformed'],
      ['a list', [good], 'malformed'],
      ['no time', { kind: 'custom', key: 'x', context: USER }, 'malformed'],
      ['a time that is text', { kind: 'custom', key: 'x', creationDate: 'now' }, 'malformed'],
      ['no key', { kind: 'feature', ...at, context: USER }, 'malformed'],
      ['a key that is a number', { kind: 'debug', ...at, key: 5 }, 'malformed'],
      ['a key too long', { kind: 'custom', ...at, key: 'x'.repeat(9000) }, 'too-large'],
      ['no url', { kind: 'click', ...at, key: 'x' }, 'malformed'],
      ['a context that is text', { kind: 'identify', ...at, context: 'ada' }, 'malformed'],
      ['an index without a context', { kind: 'index', ...at }, 'malformed'],
      ['a context too wide', { kind: 'index', ...at, context: { ...USER, ...wide(1001) } }, 'too-large'],
      [
        'a multi-context too wide',
        { kind: 'index', ...at, context: { kind: 'multi', user: wide(1001) } },
        'too-large',
      ],
      ['a summary without flags', { kind: 'summary', startDate: 1, endDate: 1 }, 'malformed'],
      [
        'a summary with a list of flags',
        { kind: 'summary', startDate: 1, endDate: 1, features: [] },
        'malformed',
      ],
      ['an operation without a name', { kind: 'migration_op', ...at }, 'malformed'],
    ];
    for (const [name, event, reason] of cases) {
      test(`${name} is dropped, and the rest is taken`, async () => {
        const rise = await riseOf(server, [dropped(reason)], async () => {
          assert.equal((await events.send([event, good, event])).status, 202);
        });
        assert.deepEqual([rise, await events.counted()], [[2], { [`shown 0 1 ${SDK}`]: 1 }]);
      });
    }

    test('counters of a summary that make no sense are dropped one by one', async () => {
      const counters: Json[] = [
        { count: 3, variation: 0, version: 2 },
        { count: 0 },
        { count: -1 },
        { count: 1.5 },
        { count: '5' },
        { count: 1e300 },
        { variation: 0 },
      ];
      const odd: Json[] = [
        { count: 1, variation: -4, version: -1 },
        { count: 1, variation: 'on', version: 'x' },
        { count: 1, variation: 1e9, version: 1e20 },
        { count: 1, variation: null, version: null },
      ];
      const features = { shown: { counters: [...counters, null, ...odd] }, other: 5, more: { counters: {} } };
      const rise = await riseOf(server, [dropped('malformed')], () =>
        events.send([{ kind: 'summary', startDate: 1, endDate: 1, features }]),
      );
      assert.deepEqual(rise, [9]);
      assert.deepEqual(await events.counted(), { [`shown 0 2 ${SDK}`]: 3, [`shown -1 0 ${SDK}`]: 4 });
    });

    test('events beyond the limit of a payload are dropped', async () => {
      const rise = await riseOf(server, [dropped('too-many')], async () => {
        assert.equal((await events.send([good, ...Array.from({ length: 50_009 }, () => 1)])).status, 202);
      });
      assert.deepEqual([rise, await events.counted()], [[10], { [`shown 0 1 ${SDK}`]: 1 }]);
    });

    test('made-up versions of a flag in one payload are counted together', async () => {
      const counters = Array.from({ length: 900 }, (_, index) => ({
        count: 1,
        variation: index % 300,
        version: index + 1,
      }));
      const summary = { kind: 'summary', startDate: 1, endDate: 1, features: { shown: { counters } } };
      await events.send(Array.from({ length: 5 }, () => summary));
      const counts = Object.values(await events.counted());
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        4500,
      );
      assert.ok(counts.length <= 201, `${counts.length} rows`);
    });

    test('flags beyond the limit of a payload are dropped', async () => {
      const flags = (first: number) =>
        summaryOf(Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`f${first + index}`, {}])));
      const rise = await riseOf(server, [dropped('too-large')], async () => {
        assert.equal((await events.send([good, flags(0), flags(5000), good])).status, 202);
      });
      assert.deepEqual(rise, [1001]);
      assert.deepEqual(await events.counted(), { [`? -1 1 ${SDK}`]: 10_999, [`shown 0 1 ${SDK}`]: 2 });
    });

    test('a summary with more flags than are taken is 413', async () => {
      const flags = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`f${index}`, 0]));
      const summary = { kind: 'summary', startDate: 1, endDate: 1, features: flags };
      const rise = await riseOf(server, [payloads('too-large')], async () => {
        assert.equal((await events.send([summary])).status, 413);
      });
      assert.deepEqual(rise, [1]);
    });
  });

  describe('diagnostics', () => {
    const paths = ({ sdk, mobile, client }: KeyProject['keys']): [path: string, key?: string][] => [
      ['/diagnostic', sdk],
      ['/mobile/events/diagnostic', mobile],
      [`/events/diagnostic/${client}`],
    ];

    test('are counted per SDK', async () => {
      const kinds = ['diagnostic-init', 'diagnostic', 'diagnostic-combined'];
      const counters = kinds.map((kind) => ['sdk_diagnostics_total', `kind="${kind}",sdk="${SDK}"`] as const);
      const rise = await riseOf(server, counters, async () => {
        for (const [path, key] of paths(home.keys)) {
          for (const kind of kinds) {
            const body = { kind, creationDate: 1, id: { diagnosticId: 'x', sdkKeySuffix: '123456' } };
            const headers = { 'x-launchdarkly-user-agent': SDK };
            const answer = await home.ask(path, key, headers, { method: 'POST', body });
            assert.deepEqual([answer.status, answer.text], [202, '']);
          }
        }
      });
      assert.deepEqual(rise, [3, 3, 3]);
    });

    test('of unknown kinds are dropped, and what is no object is refused', async () => {
      const rise = await riseOf(server, [dropped('unknown-kind'), payloads('malformed')], async () => {
        for (const [path, key] of paths(home.keys)) {
          const ask = (body: string) => home.ask(path, key, {}, { method: 'POST', body });
          assert.equal((await ask('{"kind":"horoscope"}')).status, 202);
          assertRefused(await ask('[{"kind":"diagnostic"}]'), 400, 'invalid_request');
          assertRefused(await ask('{'), 400, 'invalid_request');
        }
      });
      assert.deepEqual(rise, [3, 6]);
    });

    test('the name of an SDK is taken as a label only if it looks like one', async () => {
      const hostile = 'Evil/1.0"} 1\nsignalbox_info{x="';
      for (const agent of [
        'x"y/1',
        'Evil/"1"',
        `${'x'.repeat(100)}/1`,
        'Mozilla/5.0 (X11)',
        hostile.replace('\n', ' '),
      ])
        await home.ask(
          '/diagnostic',
          home.keys.sdk,
          { 'x-launchdarkly-user-agent': agent },
          {
            method: 'POST',
            body: { kind: 'diagnostic' },
          },
        );
      const { text } = await server.call('/metrics', { token: null });
      const labels = text.split('\n').filter((line) => line.startsWith('signalbox_sdk_diagnostics_total{'));
      for (const line of labels) assert.match(line, /^\w+\{kind="[\w-]+",sdk="[\w./+-]+"\} \d+$/);
      assert.ok(labels.some((line) => line.includes('sdk="unknown"')));
    });
  });
});

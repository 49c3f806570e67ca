// What every SDK for flags has to do against a running server: one suite, for each SDK in its own way.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { flagCalls, SEMANTIC } from '../conformance/flags/feature-flags/feature-flag-calls.ts';
import { openProject, seenBy, type KeyProject, type Keys } from '../conformance/flags/delivery/keys-calls.ts';
import type { Config } from '../../src/app/config.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { fixedPort } from '../fixed-port.ts';
import { startServer, type Json, type TestServer } from '../server.ts';

/** The context of all evaluations. */
export const ADA = { kind: 'user', key: 'ada', email: 'ada@example.com' };

/** An SDK that has its flags. */
export interface SdkClient {
  value(key: string, fallback: unknown): Promise<unknown>;
  detail(key: string, fallback: unknown): Promise<Json>;
  /** The keys of flags of whose change it has told the app. */
  changed(): Promise<readonly string[]>;
  /** What it has logged as a warning or an error. */
  warnings(): Promise<readonly string[]>;
  /** Goes on with another context, where it has one of its own. */
  identify?(context: { kind: string; key: string }): Promise<unknown>;
  /** Sends its events. */
  flush(): Promise<unknown>;
  close(): Promise<unknown>;
}

export interface SdkServer {
  url: string;
  keys: Keys;
}

export interface FlagSdk {
  name: string;
  /** Rejects where it gets no flags. */
  open(server: SdkServer, options: { hash?: string }): Promise<SdkClient>;
  /** The names of the operations that it calls. */
  calls: { stream: string; events: string; diagnostics: string; others?: readonly string[] };
  /** It evaluates by itself, and gets all flags. */
  isServer?: true;
  /** It has a mobile key. */
  isMobile?: true;
  /** After a wrong hash it tries again until its start times out. */
  triesAgain?: true;
  /** A database on PostgreSQL; SQLite if absent. */
  database?: () => Promise<string>;
  skip?: string | false;
}

const DEEP = { list: [1, { none: null }], text: 'ü' };
const FLAGS: [key: string, on: unknown, off: unknown, fallback: unknown][] = [
  ['boolean', true, false, false],
  ['string', 'new', 'old', 'none'],
  ['number', 1.5, 0, -1],
  ['json', DEEP, [], null],
];

/** In seconds: on a slow machine a server SDK neither sends events before a test flushes them, nor warns of slow replies. */
export const AT_LEISURE = { flushInterval: 3600, timeout: 60 };

/** A logger for an SDK, which adds warnings and errors to the list. */
export function listening(warnings: string[]) {
  const hear = (...words: unknown[]) => {
    const text = words.join(' ');
    // A slow machine needs a long timeout, of which SDKs warn.
    if (!/timeout (greater|of more) than/.test(text)) warnings.push(text);
  };
  return { debug() {}, info() {}, warn: hear, error: hear };
}

export function testFlagSdk({
  name,
  open,
  calls,
  isServer,
  isMobile,
  triesAgain,
  database,
  skip = false,
}: FlagSdk): void {
  describe(name, { skip, timeout: 5 * PATIENCE_MS }, () => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
    let settings: Partial<Config> = { limits: 'off', data };
    let server: TestServer;
    let home: KeyProject;
    const clients: SdkClient[] = [];

    const start = async (hash?: string): Promise<SdkClient> => {
      const client = await open({ url: server.url, keys: home.keys }, hash === undefined ? {} : { hash });
      clients.push(client);
      return client;
    };
    const statusesOf = (route: string) =>
      server.log
        .filter((line) => line['msg'] === 'call' && line['route'] === route)
        .map((line) => line['status']);
    const becomes = (client: SdkClient, key: string, value: unknown) =>
      eventually(async () => (await client.value(key, 'fallback')) === value, `${key} = ${String(value)}`);

    before(async () => {
      if (database !== undefined) settings = { ...settings, database: await database() };
      server = await startServer({ ...settings, port: await fixedPort() });
    });
    beforeEach(async () => {
      home = await openProject(server);
      await home.makeSegment('beta');
      for (const [key, on, off] of FLAGS) {
        await home.flags.make(key, {
          variations: [{ value: on }, { value: off }],
          defaults: { onVariation: 0, offVariation: 1 },
          ...seenBy(true, true),
        });
        await home.instruct(key, [{ kind: 'turnFlagOn' }]);
      }
      const { variations } = await home.flags.make('gated', seenBy(true, true));
      await home.instruct('gated', [
        { kind: 'turnFlagOn' },
        { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
        {
          kind: 'addRule',
          variationId: variations[0]._id,
          clauses: [{ attribute: 'segmentMatch', op: 'segmentMatch', values: ['beta'] }],
        },
      ]);
      await home.flags.make('hidden', seenBy(false, false));
      server.log.length = 0;
    });
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.close();
      const { sdkStreams } = server.app.kernel.services;
      await eventually(() => sdkStreams.size === 0, 'the end of all streams');
    });
    after(async () => {
      await server?.stop();
      rmSync(data, { recursive: true, force: true });
    });

    test('evaluates every type, and has the default for what it does not know', async () => {
      const client = await start();
      for (const [key, value, , fallback] of FLAGS)
        assert.deepEqual(await client.value(key, fallback), value, key);
      assert.deepEqual(await client.warnings(), []);
      assert.equal(await client.value('hidden', 'fallback'), isServer ? false : 'fallback');
      assert.equal(await client.value('unknown', 'fallback'), 'fallback');
    });

    test('knows the reason', async () => {
      const client = await start();
      const { value, variationIndex, reason } = await client.detail('string', 'none');
      assert.deepEqual([value, variationIndex, reason], ['new', 0, { kind: 'FALLTHROUGH' }]);
      await home.instruct('string', [{ kind: 'turnFlagOff' }]);
      await becomes(client, 'string', 'old');
      assert.deepEqual((await client.detail('string', 'none'))['reason'], { kind: 'OFF' });
      const unknown = await client.detail('unknown', 'none');
      assert.deepEqual(unknown['reason'], { kind: 'ERROR', errorKind: 'FLAG_NOT_FOUND' });
    });

    test('hears of a change', async () => {
      const client = await start();
      await eventually(() => statusesOf(calls.stream).length > 0, 'the stream');
      await home.instruct('string', [{ kind: 'turnFlagOff' }]);
      await becomes(client, 'string', 'old');
      await home.instruct('string', [{ kind: 'turnFlagOn' }]);
      await becomes(client, 'string', 'new');
      await eventually(async () => (await client.changed()).length >= 2, 'what the app is told');
      assert.deepEqual(await client.changed(), ['string', 'string']);
      assert.deepEqual(statusesOf(calls.stream), [200], 'by one stream');
    });

    test('hears of a flag that is no longer there for it, and that is there again', async () => {
      const client = await start();
      await eventually(() => statusesOf(calls.stream).length > 0, 'the stream');
      const value = isMobile ? 'usingMobileKey' : 'usingEnvironmentId';
      const gone = isServer ? { kind: 'archiveFlag' } : { kind: 'turnOffClientSideAvailability', value };
      const back = isServer ? { kind: 'restoreFlag' } : { kind: 'turnOnClientSideAvailability', value };
      await home.instruct('number', [gone]);
      await becomes(client, 'number', 'fallback');
      await home.instruct('number', [back]);
      await becomes(client, 'number', 1.5);
      await home.rest(`flags/${home.project}/number`, { method: 'DELETE' });
      await becomes(client, 'number', 'fallback');
    });

    test('hears of a segment that changes the value', async () => {
      const client = await start();
      assert.equal(await client.value('gated', 'none'), false);
      await eventually(() => statusesOf(calls.stream).length > 0, 'the stream');
      for (const [kind, value] of [
        ['addIncludedTargets', true],
        ['removeIncludedTargets', false],
      ] as const) {
        await home.rest(`segments/${home.project}/test/beta`, {
          method: 'PATCH',
          headers: SEMANTIC,
          body: { instructions: [{ kind, contextKind: 'user', values: ['ada'] }] },
        });
        await becomes(client, 'gated', value);
      }
      await eventually(async () => (await client.changed()).length >= 2, 'what the app is told');
      assert.deepEqual(await client.changed(), ['gated', 'gated']);
    });

    test(
      'goes on with another context',
      { skip: (isServer || isMobile) && 'has none of its own' },
      async () => {
        const { variations } = await home.flags.get('string');
        const targets = { contextKind: 'user', values: ['bob'], variationId: variations[1]._id };
        await home.instruct('string', [{ kind: 'addTargets', ...targets }]);
        const client = await start();
        assert.equal(await client.value('string', 'fallback'), 'new');
        await eventually(() => statusesOf(calls.stream).length > 0, 'the stream');
        // A ping makes the SDK ask again, and an answer for the first context would pass for one for the second.
        if (calls.stream === 'streamPings')
          await eventually(
            () => statusesOf('evaluateForContextInBody').length > 1,
            'what follows the first ping',
          );
        await client.identify!({ kind: 'user', key: 'bob' });
        assert.equal(await client.value('string', 'fallback'), 'old');
        await eventually(() => statusesOf(calls.stream).length > 1, 'the stream of the other context');
        const { sdkStreams } = server.app.kernel.services;
        await eventually(() => sdkStreams.size === 1, 'the end of the first stream');
        await home.instruct('string', [{ kind: 'removeTargets', ...targets }]);
        await becomes(client, 'string', 'new');
      },
    );

    test('keeps its values while the server is away, and gets what has changed meanwhile', async () => {
      const client = await start();
      await eventually(() => statusesOf(calls.stream).length > 0, 'the stream');
      const port = Number(new URL(server.url).port);
      await server.stop();
      assert.equal(await client.value('string', 'fallback'), 'new');
      const elsewhere = await startServer(settings);
      const off = await flagCalls(elsewhere, home.project).instruct('string', 'test', [
        { kind: 'turnFlagOff' },
      ]);
      assert.equal(off.status, 200, off.text);
      await elsewhere.stop();
      assert.equal(await client.value('string', 'fallback'), 'new');
      server = await startServer({ ...settings, port });
      await becomes(client, 'string', 'old');
      await home.instruct('number', [{ kind: 'turnFlagOff' }]);
      await becomes(client, 'number', 0);
    });

    test('sends events and diagnostics', async () => {
      const client = await start();
      await client.value('string', 'none');
      await client.flush();
      for (const route of [calls.events, calls.diagnostics, ...(calls.others ?? [])]) {
        await eventually(() => statusesOf(route).length > 0, route);
        assert.deepEqual(
          new Set(statusesOf(route)),
          new Set([calls.others?.includes(route) ? 200 : 202]),
          route,
        );
      }
      assert.deepEqual(await client.warnings(), []);
    });

    test(
      'needs the right hash in secure mode',
      { skip: ((isServer || isMobile) && 'is for browsers') || (triesAgain && 'takes minutes') },
      async () => {
        await home.patchEnvironment('/secureMode', true);
        server.log.length = 0;
        await assert.rejects(start('0'.repeat(64)));
        await assert.rejects(start());
        const refused = server.log.filter((line) => line['status'] === 400 && line['failure'] === 'invalid');
        assert.ok(refused.length >= 2);
        const client = await start(createHmac('sha256', home.keys.sdk).update('ada').digest('hex'));
        assert.equal(await client.value('string', 'none'), 'new');
        await home.instruct('string', [{ kind: 'turnFlagOff' }]);
        await becomes(client, 'string', 'old');
      },
    );
  });
}

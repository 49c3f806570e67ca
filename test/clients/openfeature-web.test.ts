// The OpenFeature SDK for browsers with the OFREP provider, both unmodified, in a real browser on a page of another origin.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SEMANTIC } from '../conformance/flags/feature-flags/feature-flag-calls.ts';
import { openProject, seenBy, type KeyProject } from '../conformance/flags/delivery/keys-calls.ts';
import { AppPages } from '../e2e/app-pages.ts';
import { noBrowser } from '../e2e/browser.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { fixedPort } from '../fixed-port.ts';
import { startServer, type Json, type TestServer } from '../server.ts';

// Functions that run in the page are text, because their globals are not those of this program.

/** What an app does: it sets the provider, and shows the details of a flag. */
const APP = `
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
const events = [];
for (const event of [ProviderEvents.Ready, ProviderEvents.ConfigurationChanged, ProviderEvents.Stale, ProviderEvents.Error])
  OpenFeature.addHandler(event, (details) => events.push({ event, flags: details?.flagsChanged }));
const types = { boolean: false, string: 'none', number: -1, object: { none: true } };
globalThis.app = {
  events,
  async start(options, context) {
    await OpenFeature.setContext(context);
    try {
      await OpenFeature.setProviderAndWait(new OFREPWebProvider(options));
      return 'ready';
    } catch (error) {
      return String(error.code ?? error);
    }
  },
  details(key) {
    const client = OpenFeature.getClient();
    const ask = { boolean: 'getBooleanDetails', string: 'getStringDetails', number: 'getNumberDetails', object: 'getObjectDetails' };
    const type = key in types ? key : 'boolean';
    return client[ask[type]](key, types[type]);
  },
  stop: () => OpenFeature.close(),
};
`;

describe('the web provider', { skip: noBrowser, timeout: 5 * PATIENCE_MS }, () => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  let server: TestServer;
  let pages: AppPages;
  let page: Page;
  let home: KeyProject;

  before(async () => {
    server = await startServer({ limits: 'off', data, port: await fixedPort() });
    pages = await AppPages.start(APP);
  });
  after(async () => {
    await pages?.close();
    await server?.stop();
    rmSync(data, { recursive: true, force: true });
  });
  beforeEach(async () => {
    home = await openProject(server);
    const flags: [key: string, first: unknown, second: unknown][] = [
      ['boolean', true, false],
      ['string', 'new', 'old'],
      ['number', 1.5, 0],
      ['object', { a: [1] }, {}],
    ];
    for (const [key, first, second] of flags) {
      await home.flags.make(key, {
        variations: [{ value: first }, { value: second }],
        defaults: { onVariation: 0, offVariation: 1 },
        ...seenBy(true, true),
      });
      await home.instruct(key, [{ kind: 'turnFlagOn' }]);
    }
    await home.flags.make('hidden', seenBy(true, false));
    page = await pages.open();
  });
  afterEach(() => pages.leave(page));

  const inPage = <T>(expression: string) => page.evaluate<T>(expression);
  const start = (options: Json = {}, context: Json = { targetingKey: 'ada' }) => {
    const all = {
      baseUrl: server.url,
      headers: [['Authorization', `Bearer ${home.keys.client}`]],
      ...options,
    };
    return inPage<string>(`app.start(${JSON.stringify(all)}, ${JSON.stringify(context)})`);
  };
  const detailsOf = (key: string) => inPage<Json>(`app.details(${JSON.stringify(key)})`);
  const valueOf = async (key: string) => (await detailsOf(key))['value'] as unknown;
  const bulkCalls = () =>
    server.log
      .filter((line) => line['msg'] === 'call' && line['route'] === 'evaluateFlagsBulk')
      .map(({ status }) => status);

  test('evaluates every type', async () => {
    assert.equal(await start(), 'ready');
    assert.equal(await valueOf('boolean'), true);
    assert.equal(await valueOf('string'), 'new');
    assert.equal(await valueOf('number'), 1.5);
    assert.deepEqual(await valueOf('object'), { a: [1] });
    const { variant, reason, flagMetadata } = await detailsOf('string');
    assert.deepEqual(
      [variant, reason, flagMetadata],
      ['0', 'STATIC', { flagVersion: 2, reasonKind: 'FALLTHROUGH' }],
    );
    for (const key of ['hidden', 'unknown'])
      assert.equal((await detailsOf(key))['errorCode'], 'FLAG_NOT_FOUND');
  });

  test('polls with the ETag, which a page of another origin can read', async () => {
    // The address of the stream, and with it the ETag, is another one every five minutes.
    server.clock.stop();
    server.log.length = 0;
    assert.equal(await start({ changeDetection: 'polling', pollInterval: 50 }), 'ready');
    await eventually(() => bulkCalls().length > 2);
    assert.deepEqual(bulkCalls().slice(0, 3), [200, 304, 304]);
    await home.instruct('boolean', [{ kind: 'turnFlagOff' }]);
    await eventually(async () => (await valueOf('boolean')) === false);
    await inPage('app.stop()');
  });

  test('fails for good with a key that is not valid, and without the hash in secure mode', async () => {
    const wrong = { headers: [['X-API-Key', 'sdk-wrong']] };
    assert.equal(await start(wrong), 'PROVIDER_FATAL');
    await home.patchEnvironment('/secureMode', true);
    assert.equal(await start(), 'PROVIDER_FATAL');
    const hash = createHmac('sha256', home.keys.sdk).update('ada').digest('hex');
    const headers = [
      ['X-API-Key', home.keys.client],
      ['X-LD-Secure-Mode-Hash', hash],
    ];
    assert.equal(await start({ headers }), 'ready');
    assert.equal(await valueOf('boolean'), true);
  });

  /** All calls and events from here on. */
  const forget = async () => {
    server.log.length = 0;
    await inPage('void app.events.splice(0)');
  };
  const statusesOf = (route: string) =>
    server.log.filter((line) => line['route'] === route).map(({ status }) => status);
  const changesHeard = async () =>
    (await inPage<Json[]>('app.events'))
      .filter(({ event }) => event === 'PROVIDER_CONFIGURATION_CHANGED')
      .map(({ flags }) => flags as string[]);

  test('hears changes by the stream, and which flags they are of', async () => {
    assert.equal(await start(), 'ready');
    await eventually(() => statusesOf('streamFlagChanges').length > 0);
    await forget();
    await home.instruct('boolean', [{ kind: 'turnFlagOff' }]);
    await eventually(async () => (await valueOf('boolean')) === false);
    assert.deepEqual(await changesHeard(), [['boolean']]);
    assert.deepEqual(bulkCalls(), [200]);
    await home.instruct('hidden', [{ kind: 'turnFlagOn' }]);
    await home.instruct('string', [{ kind: 'turnFlagOff' }]);
    await eventually(async () => (await valueOf('string')) === 'old');
    assert.deepEqual(await changesHeard(), [['boolean'], ['string']]);
    assert.deepEqual(bulkCalls(), [200, 200], 'nothing was evaluated for the hidden flag');
  });

  test('goes on after a restart, with what has changed meanwhile', async () => {
    await forget();
    assert.equal(await start(), 'ready');
    await eventually(() => statusesOf('streamFlagChanges').length > 0);
    // A change that it hears shows that the page, too, has its stream open.
    await home.instruct('string', [{ kind: 'turnFlagOff' }]);
    await eventually(async () => (await valueOf('string')) === 'old');
    await forget();
    const { port } = new URL(server.url);
    await server.stop();
    await eventually(async () =>
      (await inPage<Json[]>('app.events')).some(({ event }) => event === 'PROVIDER_STALE'),
    );
    assert.equal(await valueOf('number'), 1.5);
    // With another port, the page hears of the change only after the restart.
    server = await startServer({ limits: 'off', data });
    await server.call(home.flags.at('number'), {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { environmentKey: 'test', instructions: [{ kind: 'turnFlagOff' }] },
    });
    await server.stop();
    server = await startServer({ limits: 'off', data, port: Number(port) });
    await eventually(async () => (await valueOf('number')) === 0);
    assert.deepEqual(await changesHeard(), [['number']]);
  });

  test('gets a new address for the stream when its token has expired', async () => {
    server.clock.ahead = -15 * 60_000;
    assert.equal(await start(), 'ready');
    await eventually(() => server.app.kernel.services.sdkStreams.size === 1);
    const { port } = new URL(server.url);
    await server.stop();
    server = await startServer({ limits: 'off', data, port: Number(port) });
    // The provider comes back with a token that is too old, and evaluates all flags to get another one.
    await eventually(() => server.app.kernel.services.sdkStreams.size === 1);
    assert.deepEqual(statusesOf('streamFlagChanges'), [401, 200]);
    assert.deepEqual(
      bulkCalls(),
      [200],
      'an ETag is not valid for longer than the address that came with it',
    );
  });

  test('leaves no stream open when it is closed', async () => {
    const { sdkStreams } = server.app.kernel.services;
    await eventually(() => sdkStreams.size === 0);
    assert.equal(await start(), 'ready');
    await eventually(() => sdkStreams.size === 1);
    await inPage('app.stop()');
    await eventually(() => sdkStreams.size === 0);
  });
});

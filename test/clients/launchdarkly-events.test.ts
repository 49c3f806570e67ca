// The events that official SDKs send, unmodified: they decide the status of flags, and count evaluations.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { init, type LDClient, type LDOptions } from '@launchdarkly/node-server-sdk';
import { initialize, type LDClient as NodeClient } from 'launchdarkly-node-client-sdk';
import { eventCalls, riseOf, type EventCalls } from '../conformance/flags/events/calls.ts';
import { openProject, seenBy, type KeyProject } from '../conformance/flags/delivery/keys-calls.ts';
import { eventually } from '../eventually.ts';
import { startServer, type TestServer } from '../server.ts';
import { AT_LEISURE } from './flag-sdk-suite.ts';

const DAY = 24 * 60 * 60 * 1000;
const ADA = { kind: 'user', key: 'ada', email: 'ada@example.com', _meta: { privateAttributes: ['email'] } };

let server: TestServer;
let home: KeyProject;
let events: EventCalls;
const clients: { close(): unknown }[] = [];
const folder = mkdtempSync(join(tmpdir(), 'signalbox-sdk-'));
const warnings: string[] = [];
const hear = (...words: unknown[]) => void warnings.push(words.join(' '));
const logger = { debug() {}, info() {}, warn: hear, error: hear };

before(async () => {
  server = await startServer({ limits: 'off' });
});
beforeEach(async () => {
  warnings.length = 0;
  home = await openProject(server);
  for (const key of ['used', 'unused']) {
    await home.flags.make(key, seenBy(true, true));
    await home.instruct(key, [{ kind: 'turnFlagOn' }]);
  }
  events = eventCalls(server, home);
});
after(async () => {
  for (const client of clients) await client.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function openServerSdk(options: LDOptions = {}): Promise<LDClient> {
  const { url } = server;
  const client = init(home.keys.sdk, {
    baseUri: url,
    streamUri: url,
    eventsUri: url,
    stream: false,
    diagnosticOptOut: true,
    logger,
    ...AT_LEISURE,
    ...options,
  });
  clients.push(client);
  await client.waitForInitialization({ timeout: 60 });
  return client;
}

const real = () =>
  warnings.filter((words) => !/polling|Unknown feature flag|greater than 5 seconds/.test(words));

test('flags that the server SDK evaluates become active, then launched, then inactive', async () => {
  assert.equal((await events.statusOf('used'))['name'], 'new');
  const client = await openServerSdk();
  for (let index = 0; index < 3; index += 1) await client.variation('used', ADA, { none: 'yet' });
  await client.variation('not-there', ADA, 0);
  await client.flush();
  const { lastRequested, ...active } = await events.statusOf('used');
  assert.deepEqual(active, { name: 'active', default: { none: 'yet' } });
  assert.ok(Date.parse(lastRequested as string) > server.clock.now() - DAY);
  assert.deepEqual(await events.statusOf('unused'), { name: 'new' });
  assert.deepEqual(await events.counted(), {
    'used 0 2 NodeJSClient/9.13.7': 3,
    '? -1 0 NodeJSClient/9.13.7': 1,
  });

  server.clock.ahead += 8 * DAY;
  assert.equal((await events.statusOf('used'))['name'], 'inactive');
  await client.variation('used', ADA, 'other');
  await client.flush();
  const launched = await events.statusOf('used');
  assert.deepEqual([launched['name'], launched['default']], ['launched', 'other']);
  assert.deepEqual(real(), []);
});

test('the server SDK sends every kind of event that it knows, compressed, and none is dropped', async () => {
  const client = await openServerSdk({ enableEventCompression: true, diagnosticOptOut: false });
  await home.flags.patch('used', [{ op: 'replace', path: '/environments/test/trackEvents', value: true }]);
  const tracking = await openServerSdk({ enableEventCompression: true });
  const kinds = ['index', 'identify', 'feature', 'custom', 'summary'];
  const counters = [
    ...kinds.map((kind) => ['flag_events_total', `kind="${kind}"`] as const),
    ['sdk_diagnostics_total', 'kind="diagnostic-init",sdk="NodeJSClient/9.13.7"'] as const,
    ['flag_event_payloads_total', 'outcome="accepted"'] as const,
    ...['unknown-kind', 'malformed', 'too-large'].map(
      (reason) => ['flag_events_dropped_total', `reason="${reason}"`] as const,
    ),
  ];
  const rise = await riseOf(server, counters, async () => {
    tracking.identify(ADA);
    await tracking.variation('used', { kind: 'multi', user: { key: 'bob' }, org: { key: 'x' } }, false);
    tracking.track('bought', ADA, { shop: 'corner' }, 3);
    await tracking.flush();
  });
  const [index, identify, feature, custom, summary, , accepted, ...dropped] = rise;
  assert.deepEqual([identify, feature, custom, summary, accepted], [1, 1, 1, 1, 1]);
  assert.ok(index! >= 1);
  assert.deepEqual(dropped, [0, 0, 0]);
  await eventually(async () => {
    const { text } = await server.call('/metrics');
    return text.includes('signalbox_sdk_diagnostics_total{kind="diagnostic-init",sdk="NodeJSClient/9.13.7"}');
  });
  await client.flush();
  assert.deepEqual(real(), []);
});

test('the client-side SDK for Node reports what it evaluates', async () => {
  const { url } = server;
  const client: NodeClient = initialize(
    home.keys.client,
    { kind: 'user', key: 'eve' },
    {
      baseUrl: url,
      streamUrl: url,
      eventsUrl: url,
      diagnosticOptOut: true,
      localStoragePath: folder,
      logger,
    },
  );
  clients.push({ close: () => client.close() });
  await client.waitForInitialization(60);
  assert.equal(client.variation('used', false), true);
  await client.flush();
  const { name, default: value } = await events.statusOf('used');
  assert.deepEqual([name, value], ['active', false]);
  const [row = ''] = Object.keys(await events.counted());
  assert.match(row, /^used 0 2 NodeClientSide\/\d/);
  assert.deepEqual(real(), []);
});

// The official SDK for Node servers, unmodified, against a running server, configured by its URLs alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { init, type LDClient, type LDContext, type LDOptions } from '@launchdarkly/node-server-sdk';
import {
  forBrowsers,
  inBase64,
  openProject,
  type KeyProject,
} from '../conformance/flags/delivery/keys-calls.ts';
import { onEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startServer, type Json, type TestServer } from '../server.ts';
import { ADA, AT_LEISURE, listening, testFlagSdk, type FlagSdk } from './flag-sdk-suite.ts';

let server: TestServer;
let home: KeyProject;
let clients: LDClient[] = [];
before(async () => {
  server = await startServer({ limits: 'off' });
  home = await openProject(server);
  const { variations } = await home.flags.make('beta', { variations: [{ value: 'new' }, { value: 'old' }] });
  await home.instruct('beta', [
    { kind: 'turnFlagOn' },
    { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
    {
      kind: 'addRule',
      variationId: variations[0]._id,
      clauses: [{ attribute: 'email', op: 'matches', values: ['@example\\.com$'] }],
    },
  ]);
});
after(async () => {
  for (const client of clients) client.close();
  clients = [];
  await server.stop();
});

/** With the messages that it logs. */
function open(options: LDOptions, key = home.keys.sdk): { client: LDClient; warnings: string[] } {
  const warnings: string[] = [];
  const client = init(key, {
    baseUri: server.url,
    streamUri: server.url,
    eventsUri: server.url,
    logger: listening(warnings),
    ...AT_LEISURE,
    ...options,
  });
  clients.push(client);
  return { client, warnings };
}

const callsOf = (route: string) =>
  server.log.filter((line) => line['msg'] === 'call' && line['route'] === route).map(({ status }) => status);

test('the server SDK polls, evaluates, and sends its events and diagnostics', async () => {
  const { client, warnings } = open({ stream: false });
  await client.waitForInitialization({ timeout: 60 });
  const { value, reason } = await client.variationDetail('beta', ADA, 'none');
  assert.deepEqual([value, reason.kind, reason.ruleIndex], ['new', 'RULE_MATCH', 0]);
  assert.equal(await client.variation('beta', { kind: 'user', key: 'bob' }, 'none'), 'old');
  client.track('bought', ADA, { shop: 'corner' }, 3);
  await client.flush();
  await eventually(() => callsOf('postServerDiagnostics').length > 0);
  assert.deepEqual(callsOf('postServerEvents'), [202]);
  assert.deepEqual(callsOf('postServerDiagnostics'), [202]);
  assert.deepEqual(
    warnings.filter((words) => !words.includes('polling')),
    [],
  );
});

test('the server SDK sends its events compressed, too', async () => {
  const { client, warnings } = open({ stream: false, enableEventCompression: true, diagnosticOptOut: true });
  await client.waitForInitialization({ timeout: 60 });
  server.log.length = 0;
  for (let index = 0; index < 100; index += 1)
    await client.variation('beta', { kind: 'user', key: `u${index}` }, 0);
  await client.flush();
  assert.deepEqual(callsOf('postServerEvents'), [202]);
  assert.deepEqual(
    warnings.filter((words) => !words.includes('polling')),
    [],
  );
});

test('the hash of the server SDK is the one that secure mode needs', async () => {
  const { client } = open({ stream: false, sendEvents: false });
  await home.patchEnvironment('/secureMode', true);
  const both: LDContext = { kind: 'multi', user: { key: 'ada' }, org: { key: 'a:b%' } };
  for (const context of [ADA, both]) {
    const path = `/sdk/evalx/${home.keys.client}/contexts/${inBase64(context)}`;
    assert.equal((await home.ask(path)).status, 400);
    assert.equal((await home.ask(`${path}?h=${client.secureModeHash(context)}`)).status, 200);
  }
  await home.patchEnvironment('/secureMode', false);
});

test('the state of all flags has the version of each', async () => {
  const { client } = open({ sendEvents: false });
  await client.waitForInitialization({ timeout: 60 });
  const versionOf = async () => {
    const { $flagsState: states } = (await client.allFlagsState(ADA)).toJSON() as Json;
    return (states as Json)['beta'].version as number;
  };
  const { version } = await home.flags.get('beta');
  assert.equal(await versionOf(), version);
  const { version: next } = await home.instruct('beta', [{ kind: 'turnFlagOff' }]);
  await eventually(async () => (await versionOf()) === next, 'the next version');
  await home.instruct('beta', [{ kind: 'turnFlagOn' }]);
});

test('the server SDK is told that a segment is big, and says that it does not know its members', async () => {
  await home.makeSegment('big', { unbounded: true, unboundedContextKind: 'user' });
  await home.rest(`segments/${home.project}/test/big/users`, {
    method: 'POST',
    body: { included: { add: ['ada'] } },
  });
  const { variations } = await home.flags.make('for-members', forBrowsers);
  await home.instruct('for-members', [
    { kind: 'turnFlagOn' },
    { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
    {
      kind: 'addRule',
      variationId: variations[0]._id,
      clauses: [{ attribute: 'segmentMatch', op: 'segmentMatch', values: ['big'] }],
    },
  ]);
  const { client } = open({ sendEvents: false });
  await client.waitForInitialization({ timeout: 60 });
  const { value, reason } = await client.variationDetail('for-members', ADA, 'none');
  assert.deepEqual([value, reason.bigSegmentsStatus], [false, 'NOT_CONFIGURED']);
  assert.equal((await home.evaluate(ADA))['for-members'].value, true);
});

test('an SDK with a wrong key is told to stop', async () => {
  const { client } = open({ sendEvents: false }, 'sdk-00000000-0000-4000-8000-000000000000');
  await assert.rejects(client.waitForInitialization({ timeout: 60 }), /Authentication failed/);
});

const sent = { events: 'postServerEvents', diagnostics: 'postServerDiagnostics' };
const WAYS: [name: string, calls: FlagSdk['calls'], options: LDOptions][] = [
  ['the server SDK', { ...sent, stream: 'streamAll' }, {}],
  [
    'the server SDK with the newer protocol',
    { ...sent, stream: 'streamTransfers', others: ['pollTransfer'] },
    { dataSystem: { dataSource: { dataSourceOptionsType: 'standard' } } },
  ],
  [
    'the server SDK with streams of the newer protocol alone',
    { ...sent, stream: 'streamTransfers' },
    { dataSystem: { dataSource: { dataSourceOptionsType: 'streamingOnly' } } },
  ],
];

const sdkOf = ([name, calls, options]: (typeof WAYS)[number]): FlagSdk => ({
  name,
  isServer: true,
  calls,
  async open({ url, keys }) {
    const warnings: string[] = [];
    const changed: string[] = [];
    const client = init(keys.sdk, {
      baseUri: url,
      streamUri: url,
      eventsUri: url,
      logger: listening(warnings),
      ...AT_LEISURE,
      ...options,
    });
    await client.waitForInitialization({ timeout: 60 });
    client.on('update', ({ key }: { key: string }) => void changed.push(key));
    return {
      value: (key, fallback) => client.variation(key, ADA, fallback),
      detail: (key, fallback) => client.variationDetail(key, ADA, fallback),
      changed: async () => changed,
      warnings: async () => warnings,
      flush: () => client.flush(),
      close: async () => client.close(),
    };
  },
});

for (const way of WAYS) testFlagSdk(sdkOf(way));

// It calls the same operations on each engine: one way shows that all of them can be served.
onEngine('postgres', (engine) =>
  testFlagSdk({ ...sdkOf(WAYS[0]!), database: () => engine.migratedDatabase() }),
);

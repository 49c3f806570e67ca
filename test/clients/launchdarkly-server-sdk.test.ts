// The official SDK for Node servers, unmodified, against a running server, configured by its URLs alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { init, type LDClient, type LDOptions } from '@launchdarkly/node-server-sdk';
import { openProject, type KeyProject } from '../conformance/flags-keys-calls.ts';
import { eventually } from '../eventually.ts';
import { startServer, type TestServer } from '../server.ts';

const ADA = { kind: 'user', key: 'ada', email: 'ada@example.com' };

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
  const hear = (...words: unknown[]) => void warnings.push(words.join(' '));
  const client = init(key, {
    baseUri: server.url,
    streamUri: server.url,
    eventsUri: server.url,
    logger: { debug() {}, info() {}, warn: hear, error: hear },
    ...options,
  });
  clients.push(client);
  return { client, warnings };
}

const callsOf = (route: string) =>
  server.log.filter((line) => line['msg'] === 'call' && line['route'] === route).map(({ status }) => status);

test('the server SDK polls, evaluates, and sends its events and diagnostics', async () => {
  const { client, warnings } = open({ stream: false });
  await client.waitForInitialization({ timeout: 20 });
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
  await client.waitForInitialization({ timeout: 20 });
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

test('an SDK that asks for the newer protocol goes on with the older', async () => {
  const { client } = open({
    dataSystem: { dataSource: { dataSourceOptionsType: 'standard' } },
    diagnosticOptOut: true,
  });
  await client.waitForInitialization({ timeout: 20 });
  assert.equal(await client.variation('beta', ADA, 'none'), 'new');
  assert.deepEqual([...new Set([...callsOf('pollChanges'), ...callsOf('streamChanges')])], [503]);
});

test('an SDK that streams is told to come again, and one with a wrong key to stop', async () => {
  const { client } = open({ sendEvents: false });
  await eventually(() => callsOf('streamAll').length > 0);
  assert.deepEqual([...new Set(callsOf('streamAll'))], [503]);
  assert.equal(client.initialized(), false);
  const { client: stranger } = open({ sendEvents: false }, 'sdk-00000000-0000-4000-8000-000000000000');
  await assert.rejects(stranger.waitForInitialization({ timeout: 20 }), /Authentication failed/);
});

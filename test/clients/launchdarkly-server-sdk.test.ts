// The official SDK for Node servers, unmodified, against a running server, configured by its URLs alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { init, type LDClient, type LDOptions } from '@launchdarkly/node-server-sdk';
import { openProject, type KeyProject } from '../conformance/flags-keys-calls.ts';
import { eventually, inTime } from '../eventually.ts';
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

test('the server SDK streams, and hears a change', async () => {
  const { client, warnings } = open({ diagnosticOptOut: true });
  await client.waitForInitialization({ timeout: 20 });
  assert.equal(await client.variation('beta', ADA, 'none'), 'new');
  const changed = Promise.withResolvers<unknown>();
  client.on('update:beta', changed.resolve);
  await home.instruct('beta', [{ kind: 'turnFlagOff' }]);
  await inTime(changed.promise, 'the change');
  assert.equal(await client.variation('beta', ADA, 'none'), 'old');
  assert.deepEqual([...new Set(callsOf('streamAll'))], [200]);
  await home.instruct('beta', [{ kind: 'turnFlagOn' }]);
  assert.deepEqual(warnings, []);
});

test('an SDK with a wrong key is told to stop', async () => {
  const { client } = open({ sendEvents: false }, 'sdk-00000000-0000-4000-8000-000000000000');
  await assert.rejects(client.waitForInitialization({ timeout: 20 }), /Authentication failed/);
});

// The official SDK for Node servers with the newer delivery protocol: what it polls, and where it goes on after a restart.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { init, type LDClient, type LDOptions } from '@launchdarkly/node-server-sdk';
import { flagCalls } from '../conformance/flags/feature-flags/feature-flag-calls.ts';
import { openProject, type KeyProject } from '../conformance/flags/delivery/keys-calls.ts';
import { eventually } from '../eventually.ts';
import { fixedPort } from '../fixed-port.ts';
import { startServer, type TestServer } from '../server.ts';
import { ADA } from './flag-sdk-suite.ts';

let data: string;
let server: TestServer;
let home: KeyProject;
const clients: LDClient[] = [];
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  server = await startServer({ limits: 'off', data, port: await fixedPort() });
  home = await openProject(server);
  for (const key of ['one', 'two', 'three']) await home.flags.make(key);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await server.stop();
  rmSync(data, { recursive: true, force: true });
});

/** With everything that it logs. */
async function open(dataSystem: NonNullable<LDOptions['dataSystem']>) {
  const lines: string[] = [];
  const hear = (...words: unknown[]) => void lines.push(words.join(' '));
  const client = init(home.keys.sdk, {
    baseUri: server.url,
    streamUri: server.url,
    sendEvents: false,
    dataSystem,
    logger: { debug: hear, info: hear, warn: hear, error: hear },
  });
  clients.push(client);
  await client.waitForInitialization({ timeout: 60 });
  return { client, lines };
}

const callsOf = (route: string) =>
  server.log.filter((line) => line['msg'] === 'call' && line['route'] === route).map(({ status }) => status);

/** The keys of the flags that a stream has put, in order. */
const putsIn = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    const [, json] = /^Received put-object event\. +Data is (.*)$/.exec(line) ?? [];
    return json === undefined ? [] : [(JSON.parse(json) as { key: string }).key];
  });

test('it polls first, and its stream goes on from there', async () => {
  const { client, lines } = await open({ dataSource: { dataSourceOptionsType: 'standard' } });
  await eventually(() => callsOf('streamTransfers').length > 0, 'the stream');
  assert.deepEqual(callsOf('pollTransfer'), [200]);
  await home.instruct('two', [{ kind: 'turnFlagOn' }]);
  await eventually(async () => (await client.variation('two', ADA, 'none')) === true);
  assert.deepEqual(putsIn(lines), ['two']);
});

test('after a restart it gets only what has changed', async () => {
  const { client, lines } = await open({ dataSource: { dataSourceOptionsType: 'standard' } });
  await eventually(() => lines.some((line) => line.startsWith('Received server-intent')), 'the stream');
  const port = Number(new URL(server.url).port);
  await server.stop();
  await eventually(() => lines.some((line) => line.startsWith('Goodbye was received')), 'goodbye');
  const elsewhere = await startServer({ limits: 'off', data });
  const on = await flagCalls(elsewhere, home.project).instruct('three', 'test', [{ kind: 'turnFlagOn' }]);
  assert.equal(on.status, 200, on.text);
  await elsewhere.stop();
  server = await startServer({ limits: 'off', data, port });
  await eventually(async () => (await client.variation('three', ADA, 'none')) === true);
  assert.deepEqual(putsIn(lines), ['three']);
  assert.equal(await client.variation('one', ADA, 'none'), false);
});

test('it gets its flags by polls alone', async () => {
  const { client } = await open({ dataSource: { dataSourceOptionsType: 'pollingOnly' } });
  assert.equal(await client.variation('one', ADA, 'none'), false);
  assert.deepEqual([callsOf('pollTransfer'), callsOf('streamTransfers')], [[200], []]);
});

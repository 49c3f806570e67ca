// How many streams may be open, and what they say while nothing changes.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../eventually.ts';
import { EventReader } from '../../../event-stream.ts';
import { startServer, type TestServer } from '../../../server.ts';
import type { Config } from '../../../../src/app/config.ts';
import { inBase64, openProject, seenBy, USER, type KeyProject } from './keys-calls.ts';

let server: TestServer | undefined;
const readers: EventReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await server?.stop();
  server = undefined;
});

async function start(settings: Partial<Config>): Promise<KeyProject> {
  server = await startServer({ limits: 'off', ...settings });
  return await openProject(server);
}

async function stream(path: string, key?: string): Promise<EventReader> {
  const headers = key === undefined ? {} : { authorization: key };
  const reader = await EventReader.open(`${server!.url}${path}`, { headers });
  readers.push(reader);
  return reader;
}

const refusedWith = async (reader: EventReader, status: number, message: RegExp) => {
  assert.equal(reader.status, status);
  assert.equal(reader.headers['retry-after'], '30');
  const { code, message: said } = JSON.parse(await reader.rest()) as Record<string, string>;
  assert.equal(code, status === 429 ? 'rate_limited' : 'service_unavailable');
  assert.match(said!, message);
};

test('one environment cannot have more streams than allowed, and others are not affected', async () => {
  const home = await start({ streamsPerEnvironment: 2 });
  const { sdk, client } = home.keys;
  const first = await stream('/all', sdk);
  await stream(`/eval/${client}/${inBase64(USER)}`);
  await refusedWith(await stream('/all', sdk), 429, /no more than 2 open streams/);
  assert.equal((await stream('/all', (await home.readKeys('production')).sdk)).status, 200);
  // A stream that is closed makes room.
  first.close();
  const { sdkStreams } = server!.app.kernel.services;
  await eventually(() => sdkStreams.size === 2);
  assert.equal((await stream(`/ping/${client}`)).status, 200);
});

test('one address cannot have more streams than allowed', async () => {
  const home = await start({ streamsPerAddress: 2, trustProxy: ['127.0.0.1'] });
  const from = async (address: string) => {
    const headers = { authorization: home.keys.sdk, 'x-forwarded-for': address };
    const reader = await EventReader.open(`${server!.url}/all`, { headers });
    readers.push(reader);
    return reader;
  };
  for (let count = 0; count < 2; count += 1) assert.equal((await from('192.0.2.1')).status, 200);
  await refusedWith(await from('192.0.2.1'), 429, /no more than 2 open streams/);
  assert.equal((await from('192.0.2.2')).status, 200);
});

test('a stream with a large context counts as several', async () => {
  const home = await start({ streamsPerEnvironment: 10 });
  const path = (size: number) => `/eval/${home.keys.client}/${inBase64({ ...USER, text: 'x'.repeat(size) })}`;
  assert.equal((await stream(path(8000))).status, 200);
  assert.equal((await stream(path(100))).status, 200);
  const body = JSON.stringify({ ...USER, text: 'x'.repeat(40_000) });
  const init = { method: 'REPORT', headers: { 'content-type': 'application/json' }, body };
  await refusedWith(
    await EventReader.open(`${server!.url}/eval/${home.keys.client}`, init),
    429,
    /no more than 10/,
  );
});

test('a node cannot have more streams than allowed', async () => {
  const home = await start({ streamsPerNode: 1 });
  await stream('/all', home.keys.sdk);
  await refusedWith(await stream('/mping', home.keys.mobile), 503, /has 1 open streams/);
});

test('metrics say how many streams are open, and how many were refused', async () => {
  const home = await start({ streamsPerEnvironment: 1 });
  await stream('/all', home.keys.sdk);
  await refusedWith(await stream('/all', home.keys.sdk), 429, /./);
  const { text } = await server!.call('/metrics', { token: null });
  assert.match(text, /^# TYPE signalbox_flag_streams gauge\nsignalbox_flag_streams 1$/m);
  assert.match(text, /^signalbox_flag_streams_refused_total\{reason="environment"\} 1$/m);
});

test('metrics count the streams that were cut off because they could not be served', async () => {
  const home = await start({});
  await home.makeSegment('big', { unbounded: true });
  await home.flags.make('shown', seenBy(false, true));
  await sql`alter table segment_members rename to gone`.execute(server!.app.kernel.db);
  const reader = await stream(`/sdk/stream/eval/${inBase64(USER)}?auth=${home.keys.client}`);
  assert.equal((await reader.next()).event, 'error');
  await reader.ended();
  const { text } = await server!.call('/metrics', { token: null });
  assert.match(text, /^signalbox_flag_streams_cut_total\{reason="failed"\} 1$/m);
});

test('a stream that has nothing to say sends a sign of life', async () => {
  const home = await start({ streamHeartbeat: 1 });
  const reader = await stream('/all', home.keys.sdk);
  await reader.next();
  await reader.commented();
});

test('a server that stops ends its streams', async () => {
  const home = await start({});
  const reader = await stream('/all', home.keys.sdk);
  await reader.next();
  await server!.stop();
  server = undefined;
  await reader.ended();
});

test('what is larger than the buffers of a connection is sent whole, and changes follow', async () => {
  const home = await start({});
  const variations = ['a', 'b'].map((letter) => ({ value: letter.repeat(300_000) }));
  await home.flags.make('large', { variations, ...seenBy(true, true) });
  const [server_, browser] = [
    await stream('/all', home.keys.sdk),
    await stream(`/eval/${home.keys.client}/${inBase64(USER)}`),
  ];
  assert.equal((await server_.next()).data.data.flags.large.variations[1].length, 300_000);
  assert.equal((await browser.next()).data.large.value.length, 300_000);
  for (const [kind, on] of [
    ['turnFlagOn', true],
    ['turnFlagOff', false],
  ] as const) {
    await home.instruct('large', [{ kind }]);
    assert.equal((await server_.next()).data.data.on, on);
    assert.equal((await browser.next()).data.value[0], on ? 'a' : 'b');
  }
});

// Streams of flags when a server is killed or the database is out of reach: clients recover alone, and see no past.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { init, type LDClient } from '@launchdarkly/node-server-sdk';
import { inBase64, openProject, seenBy, USER } from '../conformance/flags/delivery/keys-calls.ts';
import { onEngine } from '../engines.ts';
import { EventReader } from '../event-stream.ts';
import { eventually } from '../eventually.ts';
import { fixedPort } from '../fixed-port.ts';
import { startPostgres } from '../postgres.ts';
import { startServer, type Json } from '../server.ts';
import { callerOf, settingsOn, startChild } from './child-server.ts';
import { FollowingReader } from './following-reader.ts';

const STREAMS = 500;
const STREAMS_PER_NODE = 50;
/** Changes that readers have got before a server is killed. */
const CHANGES_BEFORE = 10;
const FLAG = '/flags/shown';

/** The flag `shown` of a project `p`, on the server that is asked for at each call. */
async function createFlag(urlOf: () => string) {
  const { call } = callerOf(urlOf);
  const rest = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await call(`/api/v2/${path}`, { method, ...(body !== undefined && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };
  await rest('POST', 'projects', { key: 'p', name: 'P' });
  await rest('POST', 'flags/p', { key: 'shown', name: 'Shown' });
  const { apiKey } = await rest('GET', 'projects/p/environments/test');
  /** Returns the new version. */
  const turn = async (isOn: boolean): Promise<number> => {
    const patch = [{ op: 'replace', path: '/environments/test/on', value: isOn }];
    await rest('PATCH', 'flags/p/shown', patch);
    const answer = await fetch(`${urlOf()}/sdk/latest-all`, { headers: { authorization: apiKey } });
    const { flags } = (await answer.json()) as Json;
    return flags.shown.version as number;
  };
  return { key: apiKey as string, turn };
}

function openReaders(t: TestContext, count: number, urlOf: (attempt: number) => string, key: string) {
  const readers = Array.from({ length: count }, () => new FollowingReader(urlOf, key));
  t.after(() => Promise.all(readers.map((reader) => reader.close())));
  return readers;
}

const allAt = (readers: readonly FollowingReader[], version: number) => () =>
  readers.every(({ versions }) => (versions.get(FLAG) ?? 0) >= version);

/** Turns the flag on and off until the server no longer answers. */
async function turnUntilDead(turn: (isOn: boolean) => Promise<number>): Promise<void> {
  for (let isOn = true; ; isOn = !isOn) {
    try {
      await turn(isOn);
    } catch {
      return;
    }
  }
}

onEngine('sqlite', (engine) => {
  test(`${STREAMS} streams and two SDKs recover alone from a killed server, and see no past`, async (t) => {
    const { settings } = await settingsOn(engine);
    const port = await fixedPort();
    let server = await startChild(settings, port);
    t.after(() => server.kill());
    const { url } = server;
    const { key, turn } = await createFlag(() => url);
    const readers = openReaders(t, STREAMS, () => url, key);
    const clients = [openSdk(t, url, key), openSdk(t, url, key)];
    await Promise.all(clients.map((client) => client.waitForInitialization({ timeout: 60 })));
    await eventually(() => readers.every(({ isConnected }) => isConnected), 'all streams');

    const turning = turnUntilDead(turn);
    const first = readers[0]!.versions.get(FLAG)!;
    await eventually(allAt(readers.slice(0, 1), first + CHANGES_BEFORE), 'changes');
    await server.kill();
    await turning;
    await eventually(() => readers.every(({ isConnected }) => !isConnected), 'the end of all streams');
    const known = await valuesOf(clients);
    for (const value of known) assert.equal(typeof value, 'boolean', 'the last known value');

    server = await startChild(settings, port);
    await eventually(() => readers.every(({ isConnected }) => isConnected), 'all streams again');
    // It may have been on already.
    await turn(true);
    for (const isOn of [false, true]) {
      const version = await turn(isOn);
      await eventually(allAt(readers, version), 'the change on all streams');
      // On and not configured further, the flag serves its first variation; off, the second.
      await eventually(async () => (await valuesOf(clients)).every((value) => value === isOn));
    }
    assert.deepEqual(
      readers.flatMap(({ stale }) => stale),
      [],
    );
  });
});

function openSdk(t: TestContext, url: string, key: string): LDClient {
  const client = init(key, {
    baseUri: url,
    streamUri: url,
    sendEvents: false,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  t.after(() => client.close());
  return client;
}

const valuesOf = (clients: readonly LDClient[]) =>
  Promise.all(clients.map((client): Promise<unknown> => client.variation('shown', USER, 'unknown')));

onEngine('postgres', (engine) => {
  test('the streams of a killed node go to the other one, and see no past', async (t) => {
    const { settings } = await settingsOn(engine);
    const one = await startChild(settings);
    t.after(() => one.kill());
    const other = await startChild({ ...settings, SIGNALBOX_DATA: await engine.folder() });
    t.after(() => other.kill());
    const urls = [one.url, other.url];
    const { key, turn } = await createFlag(() => other.url);
    const readers = [0, 1].flatMap((first) =>
      openReaders(t, STREAMS_PER_NODE, (attempt) => urls[(first + attempt) % 2]!, key),
    );
    await eventually(() => readers.every(({ isConnected }) => isConnected), 'all streams');
    const first = readers[0]!.versions.get(FLAG)!;
    let isKilled = false;
    const turning = (async () => {
      for (let isOn = true; !isKilled; isOn = !isOn) await turn(isOn);
    })();
    await eventually(allAt(readers, first + CHANGES_BEFORE), 'changes on both nodes');
    await one.kill();
    isKilled = true;
    await turning;
    // It may have been on already.
    await turn(true);
    await eventually(allAt(readers, await turn(false)), 'the change on all streams');
    assert.ok(readers.slice(0, STREAMS_PER_NODE).every(({ starts }) => starts > 1));
    assert.ok(readers.slice(STREAMS_PER_NODE).every(({ starts }) => starts === 1));
    assert.deepEqual(
      readers.flatMap(({ stale }) => stale),
      [],
    );
  });

  test('while the database is out of reach streams stay open, and later changes arrive', async (t) => {
    const database = await openGate(await engine.migratedDatabase());
    const server = await startServer({ database: database.url, limits: 'off' });
    t.after(async () => {
      await server.stop();
      database.close();
    });
    const home = await openProject(server);
    await home.flags.make('shown', seenBy(false, true));
    const reader = await EventReader.open(`${server.url}/all`, { headers: { authorization: home.keys.sdk } });
    t.after(() => reader.close());
    const browser = await EventReader.open(`${server.url}/eval/${home.keys.client}/${inBase64(USER)}`);
    t.after(() => browser.close());
    await reader.next();
    const before = (await browser.next()).data.shown.value as boolean;

    database.cut();
    assert.equal((await home.evaluate()).shown.value, before);
    const refused = await home.flags.instruct('shown', 'test', [{ kind: 'turnFlagOn' }]);
    assert.ok(refused.status >= 500, refused.text);
    assert.equal((await home.evaluate()).shown.value, before);

    database.restore();
    await eventually(
      async () => (await home.flags.instruct('shown', 'test', [{ kind: 'turnFlagOn' }])).status === 200,
    );
    assert.equal((await reader.next()).data.data.on, true);
    assert.equal((await browser.next()).data.value, !before);
    assert.equal(reader.isEnded || browser.isEnded, false);
  });
});

test('a PostgreSQL that crashes and starts again ends no stream, and later changes arrive', async (t) => {
  // The one that all tests share must not crash.
  const postgres = await startPostgres();
  const server = await startServer({ database: postgres.url, limits: 'off' });
  t.after(async () => {
    await server.stop();
    await postgres.stop();
  });
  const home = await openProject(server);
  await home.flags.make('shown', seenBy(false, true));
  const { sdk, client } = home.keys;
  const readers = openReaders(t, STREAMS_PER_NODE, () => server.url, sdk);
  const context = inBase64(USER);
  const browsers = await Promise.all([
    EventReader.open(`${server.url}/eval/${client}/${context}`),
    EventReader.open(`${server.url}/sdk/stream/eval/${context}?auth=${client}`),
  ]);
  t.after(() => browsers.forEach((browser) => browser.close()));
  await eventually(() => readers.every(({ isConnected }) => isConnected), 'all streams');

  const turn = async (isOn: boolean, ...others: Json[]) => {
    const kind = isOn ? 'turnFlagOn' : 'turnFlagOff';
    const { status, json } = await home.flags.instruct('shown', 'test', [{ kind }, ...others]);
    return status === 200 ? (json._version as number) : undefined;
  };
  let acknowledged = 0;
  let isBack = false;
  const turning = (async () => {
    for (let isOn = true; !isBack; isOn = !isOn) acknowledged = (await turn(isOn)) ?? acknowledged;
  })();
  await eventually(() => acknowledged > CHANGES_BEFORE, 'changes');
  await postgres.crash();
  assert.equal(typeof (await home.evaluate()).shown.value, 'boolean');
  isBack = true;
  await turning;

  let last: number | undefined;
  await eventually(async () => (last = await turn(true)) !== undefined, 'a change');
  // A stream that sees only the last of them must notice it as well: versions alone are no change for SDKs.
  const tracking = { kind: 'updateTrackEvents', trackEvents: true };
  await eventually(async () => (last = await turn(false, tracking)) !== undefined, 'another change');
  assert.ok(last! > acknowledged, 'no acknowledged change is lost');
  await eventually(allAt(readers, last!), 'the change on all streams');
  assert.deepEqual(
    readers.map(({ starts, stale }) => [starts, stale]),
    readers.map(() => [1, []]),
  );
  const { shown } = await home.evaluate();
  const versionsOn = (browser: EventReader) =>
    browser.events.flatMap(({ event, data }) => {
      if (event === 'put') return [data.shown.version as number];
      return event === 'patch' || event === 'put-object' ? [data.version as number] : [];
    });
  for (const browser of browsers) {
    await eventually(() => versionsOn(browser).at(-1) === shown.version, 'the change for browsers');
    const versions = versionsOn(browser);
    assert.deepEqual(
      versions,
      [...new Set(versions)].toSorted((one, other) => one - other),
    );
    assert.equal(browser.isEnded, false);
  }
});

/** A way to the database that can be cut: then connections end, and new ones are refused. */
async function openGate(location: string) {
  const target = new URL(location);
  const sockets = new Set<Socket>();
  let isCut = false;
  const gate = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const inner = connect(Number(target.port), target.hostname);
    for (const [end, far] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        sockets.delete(end);
        far.destroy();
      });
      end.pipe(far);
    }
  }).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const url = new URL(location);
  url.port = String((gate.address() as AddressInfo).port);
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut() {
      isCut = true;
      endAll();
    },
    restore() {
      isCut = false;
    },
    close() {
      endAll();
      gate.close();
    },
  };
}

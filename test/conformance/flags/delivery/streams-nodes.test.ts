// Two nodes on one database: a change on one reaches the streams of the other, in the order of commits.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { onEngine } from '../../../engines.ts';
import { EventReader } from '../../../event-stream.ts';
import { eventually } from '../../../eventually.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startNodes, type Nodes } from '../../../suites.ts';
import { flagCalls } from '../feature-flags/feature-flag-calls.ts';
import { inBase64, openProject, seenBy, USER, type KeyProject } from './keys-calls.ts';

onEngine('postgres', (engine) => {
  let nodes: Nodes;
  let one: TestServer;
  let other: TestServer;
  let home: KeyProject;
  const open: EventReader[] = [];
  before(async () => {
    nodes = await startNodes(engine);
    [one, other] = [nodes.server, nodes.other!];
  });
  beforeEach(async () => {
    home = await openProject(one);
  });
  afterEach(() => {
    for (const reader of open.splice(0)) reader.close();
  });
  after(() => nodes.stop());

  async function stream(node: TestServer, path: string, key?: string): Promise<EventReader> {
    const headers = key === undefined ? {} : { authorization: key };
    const reader = await EventReader.open(`${node.url}${path}`, { headers });
    open.push(reader);
    await reader.next();
    return reader;
  }

  test('changes on both nodes reach the streams of both, in versions that rise', async () => {
    const keys = ['a', 'b', 'c', 'd'];
    for (const key of keys) await home.flags.make(key, seenBy(false, true));
    const servers = await Promise.all([one, other].map((node) => stream(node, '/all', home.keys.sdk)));
    const browsers = await Promise.all(
      [one, other].map((node) => stream(node, `/eval/${home.keys.client}/${inBase64(USER)}`)),
    );
    const final = new Map<string, number>();
    await Promise.all(
      keys.map(async (key, index) => {
        const { instruct } = flagCalls(index % 2 === 0 ? one : other, home.project);
        // A node that sees only the last of them must notice it as well: versions alone are no change for SDKs.
        const last = [{ kind: 'turnFlagOn' }, { kind: 'updateTrackEvents', trackEvents: true }];
        for (const instructions of [[{ kind: 'turnFlagOn' }], [{ kind: 'turnFlagOff' }], last]) {
          const { status, text, json } = await instruct(key, 'test', instructions);
          assert.equal(status, 200, text);
          final.set(key, json['_version'] as number);
        }
      }),
    );
    // Changes of the other node come a moment later.
    let flags: Json = {};
    await eventually(async () => {
      ({ flags } = await home.latest());
      return keys.every((key) => flags[key].version === final.get(key));
    });
    for (const { events } of servers) {
      const last = (key: string) => events.findLast(({ data }) => data.path === `/flags/${key}`)?.data.data;
      await eventually(() => keys.every((key) => last(key)?.version === final.get(key)));
      for (const key of keys) {
        const versions = events
          .filter(({ data }) => data.path === `/flags/${key}`)
          .map(({ data }) => data.data.version as number);
        assert.deepEqual(
          versions,
          [...new Set(versions)].toSorted((first, second) => first - second),
        );
        assert.deepEqual(last(key), flags[key]);
      }
    }
    for (const { events } of browsers) {
      const last = (key: string) => events.findLast(({ data }) => data.key === key)?.data;
      await eventually(() => keys.every((key) => last(key)?.value === true));
      for (const key of keys) {
        const [put, ...patches] = events;
        const own = patches.filter(({ data }) => data.key === key);
        const versions = [put!.data[key], ...own.map(({ data }) => data)].map(
          ({ version }) => version as number,
        );
        assert.deepEqual(
          versions,
          [...new Set(versions)].toSorted((first, second) => first - second),
        );
      }
    }
  });

  test('a key that is reset on one node ends the streams of the other', async () => {
    const reader = await stream(other, '/all', home.keys.sdk);
    await home.rest(`projects/${home.project}/environments/test/apiKey`, { method: 'POST' });
    await reader.ended();
    const again = await EventReader.open(`${other.url}/all`, { headers: { authorization: home.keys.sdk } });
    assert.equal(again.status, 401);
  });

  test('an environment that is deleted on one node ends the streams of the other', async () => {
    const reader = await stream(other, `/ping/${home.keys.client}`);
    await home.rest(`projects/${home.project}/environments/test`, { method: 'DELETE' });
    await reader.ended();
  });

  test('a change whose notice is lost arrives nevertheless', async () => {
    await home.flags.make('flag');
    const reader = await stream(other, '/all', home.keys.sdk);
    const { engine: storage } = one.app.kernel;
    const { batchIf } = storage;
    storage.batchIf = (guards, statements) => batchIf(guards, statements);
    try {
      await home.instruct('flag', [{ kind: 'turnFlagOn' }]);
    } finally {
      storage.batchIf = batchIf;
    }
    assert.equal((await reader.next()).data.data.on, true);
  });
});

// The newer delivery protocol over a restart and on several nodes: SDKs go on from what they have.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { startServer, type TestServer } from '../../../server.ts';
import { startNodes, type Nodes } from '../../../suites.ts';
import { forBrowsers, inBase64, openProject, USER, type KeyProject } from './keys-calls.ts';
import {
  basisOf,
  nextButHeartbeats,
  nextTransfer,
  receivedFrom,
  transferCalls,
} from './newer-protocol-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  const { open, stream, closeAll } = transferCalls(() => ({ server, home }));

  describe('a server that stops', () => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
    after(() => rmSync(data, { recursive: true, force: true }));

    test('says goodbye; and after a restart SDKs get only what has changed meanwhile', async () => {
      const settings = {
        limits: 'off',
        data,
        ...(engine.kind === 'postgres' && { database: await engine.migratedDatabase() }),
      } as const;
      const first = await startServer(settings);
      server = first;
      home = await openProject(first);
      await home.flags.make('same', forBrowsers);
      await home.flags.make('changed', forBrowsers);
      await home.flags.make('deleted');
      const results = `/sdk/stream/eval/${inBase64(USER)}?auth=${home.keys.client}`;
      const server1 = await stream(undefined, first);
      const client1 = await open(results, undefined, {}, first);
      const [{ state }, { state: clientState }] = [await nextTransfer(server1), await nextTransfer(client1)];
      await first.stop();
      for (const reader of [server1, client1]) {
        assert.deepEqual(await nextButHeartbeats(reader), {
          event: 'goodbye',
          data: { reason: 'The server is stopping.' },
        });
        await reader.ended();
      }
      const second = await startServer(settings);
      try {
        const keys = home.keys;
        const idle = await stream(state, second);
        assert.equal((await nextTransfer(idle)).intent, 'none');
        const answer = await second.call(`/api/v2/flags/${home.project}/changed`, {
          method: 'PATCH',
          body: [{ op: 'replace', path: '/environments/test/on', value: true }],
        });
        assert.equal(answer.status, 200, answer.text);
        const changes = await nextTransfer(await stream(state, second));
        assert.deepEqual([changes.intent, Object.keys(changes.put)], ['xfer-changes', ['flag/changed']]);
        const own = await nextTransfer(
          await open(`${results}&${basisOf(clientState!)}`, undefined, {}, second),
        );
        assert.deepEqual([own.intent, Object.keys(own.put)], ['xfer-changes', ['flag-eval/changed']]);
        await second.call(`/api/v2/flags/${home.project}/deleted`, { method: 'DELETE' });
        const { json } = await second.call(`/sdk/poll?${basisOf(state!)}`, {
          token: null,
          headers: { authorization: keys.sdk },
        });
        const last = receivedFrom(json.events);
        assert.deepEqual(
          [Object.keys(last.put), Object.keys(last.deleted)],
          [['flag/changed'], ['flag/deleted']],
        );
      } finally {
        closeAll();
        await second.stop();
      }
    });
  });

  describe('several nodes', () => {
    let nodes: Nodes;
    beforeEach(async () => {
      nodes = await startNodes(engine);
    });
    afterEach(() => nodes.stop());

    test('a poll at another node never leads back', async () => {
      const { server: one, other = one } = nodes;
      server = one;
      home = await openProject(one);
      await home.flags.make('flag', forBrowsers);
      const pollOf = async (at: TestServer, path: string, state: string | undefined) => {
        const query = state === undefined ? '' : `&${basisOf(state)}`;
        const { status, json } = await at.call(`${path}${query}`, {
          token: null,
          headers: { authorization: home.keys.sdk },
        });
        assert.equal(status, 200);
        return receivedFrom(json.events);
      };
      for (const path of ['/sdk/poll?', `/sdk/poll/eval/${inBase64(USER)}?auth=${home.keys.client}`]) {
        let { state, target } = await pollOf(other, path, undefined);
        for (let round = 0; round < 10; round += 1) {
          await home.instruct('flag', [{ kind: round % 2 === 0 ? 'turnFlagOn' : 'turnFlagOff' }]);
          for (const at of [one, other]) {
            const next = await pollOf(at, path, state);
            assert.notEqual(next.intent, 'xfer-full');
            assert.ok(next.target >= target);
            ({ target } = next);
            state = next.state ?? state;
          }
        }
      }
    });
  });
});

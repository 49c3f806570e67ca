// The newer delivery protocol for servers: what polls and streams transfer to SDKs that evaluate by themselves.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { assertRefused } from '../feature-flags/feature-flag-calls.ts';
import type { KeyProject } from './keys-calls.ts';
import {
  nextButHeartbeats,
  nextTransfer,
  receivedFrom,
  type TransferCalls,
  type TransferSetup,
} from './newer-protocol-calls.ts';

export function testServerTransfers(
  setup: () => TransferSetup,
  { pollAt, poll, open, stream }: TransferCalls,
): void {
  let home: KeyProject;
  beforeEach(() => ({ home } = setup()));
  const archive = (key: string) =>
    home.flags
      .patch(key, [{ op: 'replace', path: '/archived', value: true }])
      .then(({ status, text }) => assert.equal(status, 200, text));
  const remove = (path: string) => home.rest(path, { method: 'DELETE' });

  describe('polls of servers', () => {
    test('without a basis everything is transferred, as the older protocol has it', async () => {
      await home.flags.make('one');
      await home.flags.make('two');
      await home.makeSegment('some');
      const { flags, segments } = await home.latest();
      const first = await poll();
      assert.deepEqual([first.intent, first.reason], ['xfer-full', 'payload-missing']);
      assert.deepEqual(first.put, {
        'segment/some': segments.some,
        'flag/one': flags.one,
        'flag/two': flags.two,
      });
      assert.deepEqual(first.versions, {
        'segment/some': segments.some.version,
        'flag/one': flags.one.version,
        'flag/two': flags.two.version,
      });
      assert.equal(first.state, `(p:${first.id}:${first.version})`);
      assert.deepEqual((await pollAt('/sdk/poll?basis=', home.keys.sdk)).reason, 'payload-missing');
    });

    test('an environment without flags is transferred, too', async () => {
      const { intent, put, state } = await poll();
      assert.deepEqual([intent, put], ['xfer-full', {}]);
      assert.equal((await poll(state)).intent, 'none');
    });

    test('with the newest state as basis nothing is transferred', async () => {
      await home.flags.make('one');
      const { state, target } = await poll();
      const again = await poll(state);
      assert.deepEqual([again.intent, again.reason, again.target], ['none', 'up-to-date', target]);
    });

    test('with an older basis only what has changed is transferred, and what is gone is deleted', async () => {
      for (const key of ['same', 'changed', 'archived', 'deleted', 'again']) await home.flags.make(key);
      for (const key of ['kept', 'edited', 'removed']) await home.makeSegment(key);
      const before = await poll();
      await home.instruct('changed', [{ kind: 'turnFlagOn' }]);
      await archive('archived');
      await remove(`flags/${home.project}/deleted`);
      await remove(`flags/${home.project}/again`);
      await home.flags.make('again');
      await home.flags.make('new');
      await home.rest(`segments/${home.project}/test/edited`, {
        method: 'PATCH',
        body: [{ op: 'replace', path: '/included', value: ['u'] }],
      });
      await remove(`segments/${home.project}/test/removed`);
      const { flags, segments } = await home.latest();
      const changes = await poll(before.state);
      assert.deepEqual([changes.intent, changes.reason], ['xfer-changes', 'stale']);
      assert.deepEqual(changes.put, {
        'segment/edited': segments.edited,
        'flag/changed': flags.changed,
        'flag/again': flags.again,
        'flag/new': flags.new,
      });
      const gone = ['flag/archived', 'flag/deleted', 'segment/removed'];
      assert.deepEqual(Object.keys(changes.deleted).toSorted(), gone);
      for (const name of ['flag/changed', 'flag/again', ...gone])
        assert.ok(changes.versions[name]! > before.versions[name]!, name);
      assert.ok(changes.version! > before.version!);
      assert.equal((await poll(changes.state)).intent, 'none');
      // A basis of any age will do.
      const much = await poll(before.state);
      assert.deepEqual([much.put, much.deleted], [changes.put, changes.deleted]);
    });

    test('a flag that comes back is put with a higher version than its deletion had', async () => {
      await home.flags.make('flag');
      const before = await poll();
      await archive('flag');
      const gone = await poll(before.state);
      await home.flags.patch('flag', [{ op: 'replace', path: '/archived', value: false }]);
      const back = await poll(gone.state);
      assert.deepEqual(Object.keys(back.put), ['flag/flag']);
      assert.ok(back.versions['flag/flag']! > gone.versions['flag/flag']!);
    });

    test('a change of the environment itself transfers everything', async () => {
      await home.flags.make('flag');
      const { state } = await poll();
      await home.patchEnvironment('/name', 'Renamed');
      const { intent, reason, put } = await poll(state);
      assert.deepEqual([intent, reason, Object.keys(put)], ['xfer-full', 'cant-catchup', ['flag/flag']]);
    });

    test('an unknown basis transfers everything', async () => {
      await home.flags.make('flag');
      const { id, version } = await poll();
      const { sdk } = await home.readKeys('production');
      const elsewhere = await home.ask('/sdk/poll', sdk);
      const other = receivedFrom(elsewhere.json.events);
      assert.notEqual(other.id, id);
      for (const state of [
        other.state!,
        `(p:${id}:${version! + 1})`,
        `(p:${id}:999999999999999)`,
        `(p:${id}:9999999999999999999999999999999999)`,
        `(p:${id}:-1)`,
        `(p:${id}:1.5)`,
        `(p:${id}:)`,
        `(p::${version})`,
        `p:${id}:${version}`,
        `(p:${id}:${version}) `,
        'FDv1Fallback',
        '(',
        'x'.repeat(4000),
      ]) {
        const { intent, reason, put } = await poll(state);
        assert.deepEqual(
          [intent, reason, Object.keys(put)],
          ['xfer-full', 'cant-catchup', ['flag/flag']],
          state,
        );
      }
    });

    test('only an SDK key opens it, and only without a filter', async () => {
      for (const path of ['/sdk/poll', '/sdk/stream']) {
        for (const key of [undefined, '', 'nonsense', home.keys.mobile, home.keys.client])
          assertRefused(await home.ask(path, key), 401, 'unauthorized');
        assertRefused(await home.ask(`${path}?filter=some`, home.keys.sdk), 404, 'not_found');
        assertRefused(
          await home.ask(path, home.keys.sdk, {}, { method: 'PUT', body: {} }),
          405,
          'method_not_allowed',
        );
      }
    });
  });

  describe('streams to servers', () => {
    test('a stream begins with everything, and goes on with each change', async () => {
      await home.flags.make('flag');
      const reader = await stream();
      assert.equal(reader.headers['content-type'], 'text/event-stream; charset=utf-8');
      assert.equal(reader.headers['x-ld-envid'], home.keys.client);
      const first = await nextTransfer(reader);
      assert.deepEqual(
        [first.intent, first.reason, Object.keys(first.put)],
        ['xfer-full', 'payload-missing', ['flag/flag']],
      );
      await home.instruct('flag', [{ kind: 'turnFlagOn' }]);
      const on = await nextTransfer(reader);
      assert.deepEqual([on.intent, on.put['flag/flag']!.on], ['xfer-changes', true]);
      assert.ok(on.version! > first.version!);
      await home.makeSegment('some');
      const segment = await nextTransfer(reader);
      assert.deepEqual(Object.keys(segment.put), ['segment/some']);
      await remove(`flags/${home.project}/flag`);
      const gone = await nextTransfer(reader);
      assert.deepEqual(Object.keys(gone.deleted), ['flag/flag']);
      assert.ok(gone.deleted['flag/flag']! > on.versions['flag/flag']!);
      // What the stream has led to is a basis for polls.
      assert.equal((await poll(gone.state)).intent, 'none');
      assert.deepEqual((await poll(segment.state)).deleted, gone.deleted);
    });

    test('a stream with a basis begins with what has changed, or with nothing', async () => {
      await home.flags.make('same');
      await home.flags.make('changed');
      const { state } = await poll();
      const idle = await stream(state);
      assert.equal((await nextTransfer(idle)).intent, 'none');
      await home.instruct('changed', [{ kind: 'turnFlagOn' }]);
      const live = await nextTransfer(idle);
      const late = await nextTransfer(await stream(state));
      for (const { intent, reason, put } of [live, late])
        assert.deepEqual([intent, reason, Object.keys(put)], ['xfer-changes', 'stale', ['flag/changed']]);
      assert.equal(live.state, late.state);
      assert.equal((await nextTransfer(await stream('nonsense'))).reason, 'cant-catchup');
    });

    test('SDKs send the basis as it is, without encoding it', async () => {
      const { state } = await poll();
      assert.equal(
        (await nextTransfer(await open(`/sdk/stream?basis=${state}`, home.keys.sdk))).intent,
        'none',
      );
    });

    test('an idle stream beats', async () => {
      const reader = await stream((await poll()).state);
      assert.equal((await reader.next()).event, 'server-intent');
      assert.deepEqual(await reader.next(), { event: 'heart-beat', data: {} });
    });

    test('a stream whose key was reset says goodbye and ends', async () => {
      const reader = await stream((await poll()).state);
      assert.equal((await reader.next()).event, 'server-intent');
      await home.rest(`projects/${home.project}/environments/test/apiKey`, { method: 'POST' });
      assert.deepEqual(await nextButHeartbeats(reader), {
        event: 'goodbye',
        data: { reason: 'The key is no longer accepted.' },
      });
      await reader.ended();
      assertRefused(await home.ask('/sdk/stream', home.keys.sdk), 401, 'unauthorized');
    });

    test('a stream whose environment was deleted says so and ends', async () => {
      const reader = await stream((await poll()).state);
      assert.equal((await reader.next()).event, 'server-intent');
      await home.rest(`projects/${home.project}/environments/test`, { method: 'DELETE' });
      assert.deepEqual(await nextButHeartbeats(reader), {
        event: 'goodbye',
        data: { reason: 'The environment was deleted.' },
      });
      await reader.ended();
      assertRefused(await home.ask('/sdk/stream', home.keys.sdk), 401, 'unauthorized');
    });
  });
}

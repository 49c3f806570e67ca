// The newer delivery protocol for browsers and mobile apps: the results that polls and streams transfer.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { assertRefused } from '../feature-flags/feature-flag-calls.ts';
import { forBrowsers, inBase64, seenBy, USER, type KeyProject } from './keys-calls.ts';
import {
  basisOf,
  nextTransfer,
  OTHER_USER,
  type TransferCalls,
  type TransferSetup,
} from './newer-protocol-calls.ts';

export function testClientTransfers(setup: () => TransferSetup, { pollAt, open }: TransferCalls): void {
  let home: KeyProject;
  beforeEach(() => ({ home } = setup()));

  describe('polls and streams of browsers and mobile apps', () => {
    const evalPath = (way: 'poll' | 'stream', context: unknown, query: string) =>
      `/sdk/${way}/eval/${inBase64(context)}?auth=${home.keys.client}${query}`;
    const pollResults = (state?: string, context: unknown = USER, query = '') =>
      pollAt(evalPath('poll', context, `${query}${state === undefined ? '' : `&${basisOf(state)}`}`));
    const streamResults = (state?: string, context: unknown = USER) =>
      open(evalPath('stream', context, state === undefined ? '' : `&${basisOf(state)}`));

    test('a poll transfers the results that this client may see', async () => {
      await home.flags.make('shown', forBrowsers);
      await home.flags.make('mobile', seenBy(true, false));
      await home.flags.make('hidden', seenBy(false, false));
      const first = await pollResults();
      assert.deepEqual([first.intent, first.reason], ['xfer-full', 'payload-missing']);
      const { shown } = await home.evaluate();
      const { version, ...result } = shown;
      assert.deepEqual(first.put, { 'flag-eval/shown': result });
      assert.deepEqual(first.versions, { 'flag-eval/shown': version });
      const withReasons = await pollResults(undefined, USER, '&withReasons=true');
      assert.deepEqual(withReasons.put['flag-eval/shown']!.reason, { kind: 'OFF' });
      const mobile = await pollAt(`/sdk/poll/eval/${inBase64(USER)}`, home.keys.mobile);
      assert.deepEqual(Object.keys(mobile.put), ['flag-eval/mobile']);
    });

    test('the context may be in the body', async () => {
      await home.flags.make('shown', forBrowsers);
      const path = `/eval?auth=${home.keys.client}`;
      const { state, put } = await pollAt(`/sdk/poll${path}`, undefined, { method: 'POST', body: USER });
      assert.deepEqual(Object.keys(put), ['flag-eval/shown']);
      // It is the same payload as with the context in the path.
      assert.equal((await pollResults(state)).intent, 'none');
      const reader = await open(`/sdk/stream${path}&${basisOf(state!)}`, undefined, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(USER),
      });
      assert.equal((await nextTransfer(reader)).intent, 'none');
      await home.instruct('shown', [{ kind: 'turnFlagOn' }]);
      assert.deepEqual(Object.keys((await nextTransfer(reader)).put), ['flag-eval/shown']);
    });

    test('with an older basis only results that may have changed are transferred', async () => {
      await home.flags.make('same', forBrowsers);
      const { variations } = await home.flags.make('base', forBrowsers);
      await home.flags.make('child', forBrowsers);
      await home.makeSegment('some');
      await home.flags.make('member', forBrowsers);
      await home.instruct('child', [
        { kind: 'turnFlagOn' },
        { kind: 'addPrerequisite', key: 'base', variationId: variations[0]._id },
      ]);
      const { variations: own } = await home.flags.get('member');
      await home.instruct('member', [
        { kind: 'turnFlagOn' },
        {
          kind: 'addRule',
          variationId: own[1]._id,
          clauses: [{ attribute: '', op: 'segmentMatch', values: ['some'] }],
        },
      ]);
      const before = await pollResults();
      assert.equal(Object.keys(before.put).length, 4);
      assert.equal((await pollResults(before.state)).intent, 'none');
      await home.instruct('base', [{ kind: 'turnFlagOn' }]);
      const changed = await pollResults(before.state);
      assert.deepEqual([changed.intent, changed.reason], ['xfer-changes', 'stale']);
      assert.deepEqual(Object.keys(changed.put).toSorted(), ['flag-eval/base', 'flag-eval/child']);
      assert.ok(changed.versions['flag-eval/child']! > before.versions['flag-eval/child']!);
      await home.rest(`segments/${home.project}/test/some`, {
        method: 'PATCH',
        body: [{ op: 'replace', path: '/included', value: ['u'] }],
      });
      const { put } = await pollResults(changed.state);
      assert.deepEqual(Object.keys(put), ['flag-eval/member']);
      assert.equal(put['flag-eval/member']!.variation, 1);
    });

    test('a change of a flag that the client may not see leads to all results, without its key', async () => {
      await home.flags.make('shown', forBrowsers);
      await home.flags.make('secret', seenBy(false, false));
      const { state } = await pollResults();
      await home.instruct('secret', [{ kind: 'turnFlagOn' }]);
      const { intent, put, deleted } = await pollResults(state);
      assert.deepEqual([intent, Object.keys(put), deleted], ['xfer-full', ['flag-eval/shown'], {}]);
    });

    test('a state is no basis for another context, another kind of key or other reasons', async () => {
      await home.flags.make('shown', seenBy(true, true));
      const { state } = await pollResults();
      const older = { ...USER, name: 'U' };
      for (const again of [
        await pollResults(state, OTHER_USER),
        await pollResults(state, older),
        await pollResults(state, USER, '&withReasons=true'),
        await pollAt(`/sdk/poll/eval/${inBase64(USER)}?${basisOf(state!)}`, home.keys.mobile),
      ])
        assert.deepEqual([again.intent, again.reason], ['xfer-full', 'cant-catchup']);
    });

    test('a stream goes on with the results that have changed for its context', async () => {
      const { variations } = await home.flags.make('shown', forBrowsers);
      await home.flags.make('secret', seenBy(false, false));
      const reader = await streamResults();
      const other = await streamResults(undefined, OTHER_USER);
      const first = await nextTransfer(reader);
      assert.deepEqual([first.intent, Object.keys(first.put)], ['xfer-full', ['flag-eval/shown']]);
      await nextTransfer(other);
      await home.instruct('shown', [
        { kind: 'turnFlagOn' },
        { kind: 'addTargets', contextKind: 'user', values: ['u'], variationId: variations[0]._id },
        { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
      ]);
      const on = await nextTransfer(reader);
      assert.deepEqual([on.intent, on.put['flag-eval/shown']!.variation], ['xfer-changes', 0]);
      await home.instruct('secret', [{ kind: 'turnFlagOn' }]);
      await home.instruct('shown', [
        { kind: 'updateFallthroughVariationOrRollout', variationId: variations[0]._id },
      ]);
      // Until now the other context had what it has when the flag is off.
      const otherOn = await nextTransfer(other);
      assert.deepEqual(
        [otherOn.put['flag-eval/shown']!.variation, Object.keys(otherOn.put)],
        [0, ['flag-eval/shown']],
      );
      assert.ok(otherOn.version! > on.version!);
      await home.flags.patch('shown', [
        { op: 'replace', path: '/clientSideAvailability/usingEnvironmentId', value: false },
      ]);
      for (const each of [reader, other]) {
        const gone = await nextTransfer(each);
        assert.deepEqual(gone.deleted, { 'flag-eval/shown': gone.version });
      }
    });

    test('in secure mode the hash of the context is needed', async () => {
      await home.patchEnvironment('/secureMode', true);
      const h = createHmac('sha256', home.keys.sdk).update('u').digest('hex');
      for (const way of ['poll', 'stream'] as const) {
        assertRefused(await home.ask(evalPath(way, USER, '')), 400, 'invalid_request', /secure mode/);
        assertRefused(await home.ask(evalPath(way, OTHER_USER, `&h=${h}`)), 400, 'invalid_request');
      }
      assert.equal((await pollResults(undefined, USER, `&h=${h}`)).intent, 'xfer-full');
      await nextTransfer(await open(evalPath('stream', USER, `&h=${h}`)));
    });

    test('a wrong key or context is refused', async () => {
      for (const way of ['poll', 'stream']) {
        const good = `/sdk/${way}/eval/${inBase64(USER)}`;
        assertRefused(await home.ask(good), 401, 'unauthorized');
        assertRefused(await home.ask(good, home.keys.sdk), 401, 'unauthorized');
        assertRefused(await home.ask(`${good}?auth=nonsense`), 404, 'not_found');
        assertRefused(await home.ask(`${good}?auth=${home.keys.mobile}`), 404, 'not_found');
        assertRefused(await home.ask(`${good}?auth=${home.keys.client}&filter=x`), 404, 'not_found');
        const bad = `/sdk/${way}/eval/${inBase64({ kind: 'user' })}?auth=${home.keys.client}`;
        assertRefused(await home.ask(bad), 400, 'invalid_request');
        assertRefused(
          await home.ask(`/sdk/${way}/eval/%7B?auth=${home.keys.client}`),
          400,
          'invalid_request',
        );
        const body = `/sdk/${way}/eval?auth=${home.keys.client}`;
        for (const wrong of [[], {}, { kind: 'user', key: 1 }])
          assertRefused(
            await home.ask(body, undefined, {}, { method: 'POST', body: wrong }),
            400,
            'invalid_request',
          );
        const large = { ...USER, name: 'x'.repeat(100_000) };
        assert.equal((await home.ask(body, undefined, {}, { method: 'POST', body: large })).status, 413);
        const text = { method: 'POST', body: JSON.stringify(USER) };
        assert.equal((await home.ask(body, undefined, { 'content-type': 'text/plain' }, text)).status, 400);
        assertRefused(await home.ask(body), 405, 'method_not_allowed');
      }
    });
  });
}

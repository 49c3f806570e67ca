// Streams of flags: everything at first, then each change in order, to every kind of key, and what ends them.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { EventReader, type StreamInit } from '../../../event-stream.ts';
import type { Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { HOUR, inBase64, openProject, seenBy, USER, type KeyProject } from './keys-calls.ts';
import { SEMANTIC } from '../feature-flags/feature-flag-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  const open: EventReader[] = [];
  onServer(engine, { streamHeartbeat: 1 }, async (started) => {
    server = started;
    home = await openProject(server);
  });
  afterEach(() => {
    for (const reader of open.splice(0)) reader.close();
  });

  async function stream(path: string, key?: string, init: StreamInit = {}): Promise<EventReader> {
    const reader = await EventReader.open(`${server.url}${path}`, {
      ...init,
      headers: { ...(key !== undefined && { authorization: key }), ...init.headers },
    });
    open.push(reader);
    return reader;
  }

  const forServer = () => stream('/all', home.keys.sdk);
  const forBrowser = (context: unknown = USER, query = '') =>
    stream(`/eval/${home.keys.client}/${inBase64(context)}${query}`);
  const forMobile = (context: unknown = USER) => stream(`/meval/${inBase64(context)}`, home.keys.mobile);
  const turnOn = (key: string) => home.instruct(key, [{ kind: 'turnFlagOn' }]);
  const turnOff = (key: string) => home.instruct(key, [{ kind: 'turnFlagOff' }]);
  const reset = (what: string, query = '') =>
    home.rest(`projects/${home.project}/environments/test/${what}${query}`, { method: 'POST' });
  const changeSegment = (key: string, instruction: unknown) =>
    home.rest(`segments/${home.project}/test/${key}`, {
      method: 'PATCH',
      headers: SEMANTIC,
      body: { instructions: [instruction] },
    });

  describe('to servers', () => {
    test('/all begins with everything and goes on with each change, in versions that rise', async () => {
      await home.flags.make('flag');
      const reader = await forServer();
      const { 'content-type': type, 'x-ld-envid': id, 'x-accel-buffering': buffering } = reader.headers;
      assert.deepEqual([type, id, buffering], ['text/event-stream; charset=utf-8', home.keys.client, 'no']);
      const put = await reader.next();
      assert.deepEqual([put.event, put.data], ['put', { path: '/', data: await home.latest() }]);
      const versions = [put.data.data.flags.flag.version as number];
      for (const change of [turnOn, turnOff, turnOn]) {
        await change('flag');
        const { event, data } = await reader.next();
        assert.deepEqual([event, data.path], ['patch', '/flags/flag']);
        assert.deepEqual(data.data, (await home.latest()).flags.flag);
        versions.push(data.data.version as number);
      }
      assert.ok(versions.every((version, index) => index === 0 || version > versions[index - 1]!));
    });

    test('a flag that is archived or deleted is taken away, and comes back with a higher version', async () => {
      await home.flags.make('flag');
      const reader = await forServer();
      await reader.next();
      await home.instruct('flag', [{ kind: 'archiveFlag' }]);
      const archived = await reader.next();
      assert.deepEqual([archived.event, archived.data.path], ['delete', '/flags/flag']);
      await home.instruct('flag', [{ kind: 'restoreFlag' }]);
      const restored = await reader.next();
      assert.equal(restored.event, 'patch');
      assert.ok(restored.data.data.version > archived.data.version);
      await home.rest(`flags/${home.project}/flag`, { method: 'DELETE' });
      const deleted = await reader.next();
      assert.deepEqual([deleted.event, deleted.data.path], ['delete', '/flags/flag']);
      await home.flags.make('flag');
      const made = await reader.next();
      assert.ok(made.data.data.version > deleted.data.version);
      assert.ok(deleted.data.version > restored.data.data.version);
    });

    test('a segment comes, changes and goes', async () => {
      const reader = await forServer();
      await reader.next();
      await home.makeSegment('beta');
      const made = await reader.next();
      assert.deepEqual([made.event, made.data.path], ['patch', '/segments/beta']);
      await changeSegment('beta', { kind: 'addIncludedTargets', contextKind: 'user', values: ['u'] });
      const changed = await reader.next();
      assert.deepEqual(changed.data.data.included, ['u']);
      await home.rest(`segments/${home.project}/test/beta`, { method: 'DELETE' });
      const gone = await reader.next();
      assert.deepEqual([gone.event, gone.data.path], ['delete', '/segments/beta']);
      assert.ok(gone.data.version > changed.data.data.version);
    });

    test('what SDKs cannot see is no change, nor is one of another environment', async () => {
      await home.flags.make('flag');
      const reader = await forServer();
      await reader.next();
      await home.instruct('flag', [{ kind: 'updateName', value: 'Another name' }]);
      await home.instruct('flag', [{ kind: 'turnFlagOn' }], 'production');
      await home.makeSegment('last');
      assert.equal((await reader.next()).data.path, '/segments/last');
    });

    test('/flags has flags only', async () => {
      await home.flags.make('flag');
      const reader = await stream('/flags', home.keys.sdk);
      const put = await reader.next();
      assert.deepEqual(put, { event: 'put', data: (await home.latest()).flags });
      await home.makeSegment('beta');
      await turnOn('flag');
      const patch = await reader.next();
      assert.deepEqual([patch.event, patch.data.path, patch.data.data.on], ['patch', '/flag', true]);
    });
  });

  describe('to browsers and mobile apps', () => {
    test('begin with all results, and go on with each that changes for this context', async () => {
      const { variations } = await home.flags.make('flag', seenBy(true, true));
      await home.flags.make('hidden', seenBy(false, false));
      for (const reader of [await forBrowser(), await forMobile()]) {
        const put = await reader.next();
        assert.deepEqual(put, { event: 'put', data: await home.evaluate() });
        assert.deepEqual(Object.keys(put.data), ['flag']);
      }
      const [ada, bob] = [await forBrowser({ kind: 'user', key: 'ada' }), await forBrowser()];
      for (const reader of [ada, bob]) await reader.next();
      await turnOn('hidden');
      await turnOn('flag');
      for (const reader of [ada, bob]) assert.equal((await reader.next()).data.value, true);
      // Only for Ada.
      const targets = { contextKind: 'user', values: ['ada'], variationId: variations[1]._id };
      await home.instruct('flag', [{ kind: 'addTargets', ...targets }]);
      const patch = await ada.next();
      const { flag } = await home.evaluate({ kind: 'user', key: 'ada' });
      assert.deepEqual(patch, { event: 'patch', data: { key: 'flag', ...flag } });
      await turnOff('flag');
      assert.equal((await bob.next()).data.value, false);
      assert.equal(bob.events.length, 3);
    });

    test('F30: a flag that is no longer available to this kind of key is taken away at once', async () => {
      await home.flags.make('flag', seenBy(true, true));
      const [browser, mobile] = [await forBrowser(), await forMobile()];
      const { version } = (await browser.next()).data.flag;
      await mobile.next();
      await home.instruct('flag', [{ kind: 'turnOffClientSideAvailability', value: 'usingEnvironmentId' }]);
      const gone = await browser.next();
      assert.deepEqual([gone.event, gone.data.key], ['delete', 'flag']);
      assert.ok(gone.data.version > version);
      await home.instruct('flag', [{ kind: 'turnOnClientSideAvailability', value: 'usingEnvironmentId' }]);
      const back = await browser.next();
      assert.deepEqual([back.event, back.data.key], ['patch', 'flag']);
      assert.ok(back.data.version > gone.data.version);
    });

    test('a change of a prerequisite or a segment is one of the flags that depend on it', async () => {
      const needed = await home.flags.make('needed', seenBy(false, false));
      const { variations } = await home.flags.make('flag', seenBy(false, true));
      await home.makeSegment('beta');
      await turnOn('needed');
      await home.instruct('flag', [
        { kind: 'turnFlagOn' },
        { kind: 'addPrerequisite', key: 'needed', variationId: needed.variations[0]._id },
        { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
        {
          kind: 'addRule',
          variationId: variations[0]._id,
          clauses: [{ attribute: '', op: 'segmentMatch', values: ['beta'] }],
        },
      ]);
      const reader = await forBrowser(USER, '?withReasons=true');
      const put = await reader.next();
      assert.equal(put.data.flag.reason.kind, 'FALLTHROUGH');
      await changeSegment('beta', { kind: 'addIncludedTargets', contextKind: 'user', values: ['u'] });
      const inside = await reader.next();
      assert.deepEqual(
        [inside.event, inside.data.value, inside.data.reason.kind],
        ['patch', true, 'RULE_MATCH'],
      );
      await turnOff('needed');
      const failed = await reader.next();
      assert.deepEqual(
        [failed.data.key, failed.data.reason, 'prerequisites' in failed.data],
        ['flag', { kind: 'PREREQUISITE_FAILED' }, false],
      );
      const { key: _, ...result } = failed.data as Json;
      assert.deepEqual((await home.evaluate(USER, '?withReasons=true')).flag, result);
      assert.ok(failed.data.version > inside.data.version && inside.data.version > put.data.flag.version);
    });

    test('members of a big segment get its results', async () => {
      const { variations } = await home.flags.make('flag', seenBy(false, true));
      await home.makeSegment('big', { unbounded: true, unboundedContextKind: 'user' });
      await home.instruct('flag', [
        { kind: 'turnFlagOn' },
        { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
        {
          kind: 'addRule',
          variationId: variations[0]._id,
          clauses: [{ attribute: '', op: 'segmentMatch', values: ['big'] }],
        },
      ]);
      const reader = await forBrowser();
      assert.equal((await reader.next()).data.flag.value, false);
      await changeSegment('big', {
        kind: 'addBigSegmentIncludedTargets',
        values: ['u'],
      });
      const inside = await reader.next();
      assert.deepEqual([inside.event, inside.data.value], ['patch', true]);
      const server_ = await forServer();
      const { segments } = (await server_.next()).data.data;
      assert.deepEqual([segments.big.unbounded, segments.big.included], [true, []]);
    });

    test('a ping says when results may have changed', async () => {
      await home.flags.make('flag', seenBy(true, false));
      await home.flags.make('other', seenBy(false, true));
      const readers = [await stream('/mping', home.keys.mobile), await stream(`/ping/${home.keys.client}`)];
      for (const reader of readers) assert.equal((await reader.next()).event, 'ping');
      await turnOn('flag');
      assert.equal((await readers[0]!.next()).event, 'ping');
      await turnOn('other');
      assert.equal((await readers[1]!.next()).event, 'ping');
      assert.deepEqual(
        readers.map(({ events }) => events.length),
        [2, 2],
      );
    });
  });

  describe('end', () => {
    test('at once when their key is reset', async () => {
      const readers = {
        apiKey: await forServer(),
        mobileKey: await forMobile(),
        clientSideId: await forBrowser(),
      };
      for (const reader of Object.values(readers)) await reader.next();
      for (const [what, reader] of Object.entries(readers)) {
        assert.equal(reader.isEnded, false);
        await reset(what);
        await reader.ended();
      }
    });

    test('when the old key expires that they were opened with', async () => {
      const reader = await forServer();
      await reader.next();
      await reset('apiKey', `?expiry=${server.clock.now() + HOUR}`);
      const another = await forServer();
      await another.next();
      assert.equal(reader.isEnded, false);
      server.clock.ahead += HOUR;
      await reader.ended();
      await another.ended();
    });

    test('when the environment is deleted', async () => {
      const [server_, browser] = [await forServer(), await forBrowser()];
      for (const reader of [server_, browser]) await reader.next();
      await home.rest(`projects/${home.project}/environments/test`, { method: 'DELETE' });
      for (const reader of [server_, browser]) await reader.ended();
    });

    test('when the project is deleted', async () => {
      const reader = await forServer();
      await reader.next();
      await home.rest(`projects/${home.project}`, { method: 'DELETE' });
      await reader.ended();
    });

    test('when secure mode is switched on and a browser has sent no hash', async () => {
      const [server_, browser] = [await forServer(), await forBrowser()];
      for (const reader of [server_, browser]) await reader.next();
      await home.patchEnvironment('/secureMode', true);
      await browser.ended();
      assert.equal((await forBrowser()).status, 400);
      assert.equal(server_.isEnded, false);
    });
  });

  test('a payload filter that there is not is 404', async () => {
    for (const [path, key] of [
      ['/all', home.keys.sdk],
      ['/flags', home.keys.sdk],
      ['/sdk/latest-all', home.keys.sdk],
      [`/eval/${home.keys.client}/${inBase64(USER)}`],
      [`/sdk/evalx/${home.keys.client}/contexts/${inBase64(USER)}`],
      [`/ping/${home.keys.client}`],
      ['/mping', home.keys.mobile],
    ] as [string, string?][]) {
      assert.equal((await home.ask(`${path}?filter=some`, key)).status, 404, path);
    }
  });

  test('a stream with a broken context, or in a wrong way, is refused', async () => {
    const { client, mobile } = home.keys;
    for (const [method, path, status] of [
      ['GET', `/eval/${client}/!`, 400],
      ['GET', `/eval/${client}/${inBase64({ kind: 'user' })}`, 400],
      ['GET', `/eval/${client}/${inBase64(USER)}?withReasons=maybe`, 400],
      ['POST', '/all', 405],
      ['DELETE', `/ping/${client}`, 405],
    ] as const) {
      assert.equal((await home.ask(path, mobile, {}, { method })).status, status, path);
    }
    const report = { method: 'REPORT', body: 'no JSON', headers: { 'content-type': 'application/json' } };
    assert.equal((await stream(`/eval/${client}`, undefined, report)).status, 400);
    assert.equal((await home.ask('/all', home.keys.sdk, {}, { method: 'HEAD' })).status, 200);
  });
});

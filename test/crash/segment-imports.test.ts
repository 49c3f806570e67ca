// SIGKILL during the import of a file into a big segment: after the next start the import finishes exactly once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine, openEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { rounds } from '../long.ts';
import { runUntil, SECRET_KEY, settingsOn, startChild, TOKEN } from './child-server.ts';

const KEYS = rounds(15_000, 60_000);
const KILLS = rounds(2, 8);
/** Keys of one step. */
const BATCH = 5000;

onEachEngine((testEngine) => {
  test('an import ends with exactly the members of its file', async (t) => {
    const { location, settings } = await settingsOn(testEngine);
    const keyed = { ...settings, SIGNALBOX_SECRET_KEY: SECRET_KEY };
    // Without background work the import stays begun.
    let server = await startChild({ ...keyed, SIGNALBOX_ROLE: 'api' });
    t.after(() => server.kill());
    type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };
    const call = async (path: string, init: Init, expected: number) => {
      const headers = { authorization: TOKEN, ...init.headers };
      const response = await fetch(`${server.url}${path}`, { ...init, headers });
      const text = await response.text();
      assert.equal(response.status, expected, text);
      return { location: response.headers.get('location'), text };
    };
    const post = (path: string, body: object, expected: number) =>
      call(
        `/api/v2/${path}`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
        expected,
      );
    await post('projects', { key: 'shop', name: 'Shop' }, 201);
    await post('segments/shop/test', { key: 'big', name: 'Big', unbounded: true }, 201);
    const former = Array.from({ length: 8000 }, (_, index) => `former-${index}`);
    const add = { included: { add: [...former, 'key-7'] }, excluded: { add: ['out', 'key-9'] } };
    await post('segments/shop/test/big/contexts', add, 204);

    const keys = Array.from({ length: KEYS }, (_, index) => `key-${index}`);
    const form = new FormData();
    form.set('file', new Blob([keys.join('\n')]), 'keys.csv');
    form.set('mode', 'replace');
    const engine = await openEngine(location);
    t.after(() => engine.close());
    const { db } = engine;
    const begun = await call('/api/v2/segments/shop/test/big/imports', { method: 'POST', body: form }, 204);
    const shown = async () =>
      JSON.parse((await call(begun.location!, {}, 200)).text) as Record<string, unknown>;
    await server.kill();
    /** Rows that a killed server had claimed become due when their leases expire. */
    const makeDue = () =>
      db
        .updateTable('due')
        .set({ due_at: Date.now() })
        .where('kind', 'like', 'flags.segment-import%')
        .execute();
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await makeDue();
      // The first step checks the file, and each other one takes a batch.
      await runUntil('claimed flags.segment-import', kill === 1 ? 3 : 2, keyed);
      const { status, processed_count: processed } = await db
        .selectFrom('segment_imports')
        .select(['status', 'processed_count'])
        .executeTakeFirstOrThrow();
      assert.deepEqual([status, processed], ['in_progress', kill * BATCH], 'it was killed in the middle');
    }
    await makeDue();
    server = await startChild(keyed);
    await eventually(async () => (await shown())['status'] === 'complete');

    const { processedCount, removedCount, changedCount, keyCount } = await shown();
    assert.deepEqual([keyCount, processedCount, changedCount, removedCount], [KEYS, KEYS, KEYS - 1, 8001]);
    const members = await db
      .selectFrom('segment_members')
      .select('context_key')
      .where('is_included', '=', 1)
      .execute();
    assert.deepEqual(new Set(members.map(({ context_key }) => context_key)), new Set(keys));
    assert.deepEqual(
      await db.selectFrom('segment_members').select('context_key').where('is_included', '=', 0).execute(),
      [],
    );
    const segment = await db.selectFrom('segments').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual(
      [segment.included_count, segment.excluded_count, segment.importing, segment.version],
      [KEYS, 0, null, 3],
    );
    const events = await db.selectFrom('events').select('action').where('kind', '=', 'segment').execute();
    assert.deepEqual(
      events.map(({ action }) => action),
      ['createSegment', 'updateIncluded', 'updateIncluded'],
    );
    await eventually(async () => {
      const left = await db
        .selectFrom('due')
        .select('id')
        .where('kind', 'like', 'flags.segment-import%')
        .execute();
      return left.length === 0;
    });
  });
});

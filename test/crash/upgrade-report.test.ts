// SIGKILL of a node that has counted calls for the upgrade report: what it saved stays, and it loses no more than what came since.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import type { Json } from '../server.ts';
import { callerOf, SECRET_KEY, settingsOn, startChild } from './child-server.ts';
import { insertFirstRepository, insertPerson } from './host-rows.ts';

const SAVED = 20;
const UNSAVED = 5;

onEachEngine((engine) => {
  test('H23 a node that is killed has saved its calls, but for those of the last seconds', async (t) => {
    const { location, settings: own } = await settingsOn(engine);
    const settings = { ...own, SIGNALBOX_SECRET_KEY: SECRET_KEY };
    const storage = await engine.open([], location);
    const { db } = storage;
    const { member, token } = await insertPerson(db, 'eve');
    await insertFirstRepository(db, member, 'demo');
    const children = { killed: await startChild(settings) };
    t.after(() => children.killed.kill());
    // A SQLite folder has one server.
    const isShared = engine.kind === 'postgres';
    const other = isShared
      ? await startChild({ ...settings, SIGNALBOX_DATA: await engine.folder() })
      : undefined;
    t.after(() => other?.kill());
    const killed = callerOf(() => children.killed.url, token);
    const survivor = callerOf(() => (other ?? children.killed).url, token);
    const use = async (node: typeof killed, calls: number) => {
      for (let at = 0; at < calls; at += 1) assert.equal((await node.call('/repos/eve/demo')).status, 200);
    };
    // A server's own view of what other processes write may be a quarter of a second old.
    const savedCalls = async () => {
      const look = await engine.open([], location);
      const rows = await look.db
        .selectFrom('version_usage')
        .select('calls')
        .where('operation', '=', 'repos/get')
        .execute();
      await look.close();
      return rows.reduce((sum, { calls }) => sum + calls, 0);
    };
    const reported = async () => {
      const { status, text, json } = await survivor.call('/versions/2026-03-10/impact');
      assert.equal(status, 200, text);
      const found = (json['calls'] as Json[]).find(({ operation }) => operation === 'repos/get');
      return (found?.['calls'] as number | undefined) ?? 0;
    };

    await Promise.all([use(killed, SAVED), use(survivor, SAVED)]);
    // Nobody asks for a report: both nodes save by themselves.
    await eventually(async () => (await savedCalls()) === SAVED * 2, 'the counters of both nodes');
    await use(killed, UNSAVED);
    await children.killed.kill();
    const kept = await savedCalls();
    assert.ok(kept >= SAVED * 2 && kept <= SAVED * 2 + UNSAVED, String(kept));
    if (isShared) assert.equal(await reported(), kept);

    children.killed = await startChild(settings);
    await use(killed, UNSAVED);
    await eventually(async () => (await reported()) === kept + UNSAVED, 'the calls since the restart');
    assert.equal(await savedCalls(), kept + UNSAVED);
    await children.killed.kill();
    await other?.kill();
    await storage.close();
  });
});

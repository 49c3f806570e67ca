// SIGKILL at random moments under concurrent writes: what was acknowledged is there, nothing is half done, it starts by itself.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { onEachEngine, openEngine, type Location } from '../engines.ts';
import { startChild } from './child-server.ts';
import { Account, writeUntilDead } from './writers.ts';

const KILLS = 20;
const LONGEST_MS = 500;

onEachEngine(({ kind, database }) => {
  test(
    `after ${KILLS} kills every acknowledged write is there and nothing is half done`,
    { timeout: 240_000 },
    async (t) => {
      const location = await database();
      const folder =
        kind === 'sqlite' ? dirname(location) : await mkdtemp(join(tmpdir(), 'signalbox-crash-'));
      const settings = { SIGNALBOX_DATA: folder, ...(kind === 'postgres' && { DATABASE_URL: location }) };
      const account = new Account();
      let server = await startChild(settings);
      t.after(() => server.kill());
      for (let kills = 0; kills < KILLS; kills += 1) {
        const writing = writeUntilDead(server.url, account);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS));
        await server.kill();
        await writing;
        server = await startChild(settings);
        await checkAccount(location, account);
      }
      assert.ok(account.created.size > KILLS, 'the writers got something done between the kills');
      await server.kill();
      if (kind === 'postgres') await rm(folder, { recursive: true });
    },
  );
});

async function checkAccount(location: Location, { created, deleted, doubtful }: Account): Promise<void> {
  const engine = await openEngine(location);
  try {
    const rows = await engine.db.selectFrom('tokens').select('id').execute();
    const present = new Set(rows.map(({ id }) => id));
    const lost = [...created].filter((id) => !present.has(id) && !deleted.has(id) && !doubtful.has(id));
    assert.deepEqual(lost, [], 'acknowledged tokens are there');
    assert.deepEqual(
      [...deleted].filter((id) => present.has(id)),
      [],
      'acknowledged deletions stay',
    );
    // A token and the event that tells of it are one change: there is never one without the other.
    const events = await engine.db
      .selectFrom('events')
      .select(['action', 'resource'])
      .where('action', 'in', ['createAccessToken', 'deleteAccessToken'])
      .execute();
    const told = (action: string) =>
      new Set(
        events.filter((event) => event.action === action).map(({ resource }) => resource.split('/').at(-1)!),
      );
    const [made, removed] = [told('createAccessToken'), told('deleteAccessToken')];
    const halves = [...present.symmetricDifference(made.difference(removed))];
    assert.deepEqual(halves, [], 'no change is half done');
  } finally {
    await engine.close();
  }
}

// SIGKILL at random moments under concurrent writes: what was acknowledged is there, nothing is half done, it starts by itself.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
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
    const { rows: halves } = await sql<{ id: string }>`
      select id from tokens where not exists (
        select 1 from events where action = 'createAccessToken' and resource like '%token/' || tokens.id)
      union all
      select resource from events where action = 'createAccessToken' and not exists (
        select 1 from tokens where events.resource like '%token/' || tokens.id)
      and not exists (
        select 1 from events as later where later.action = 'deleteAccessToken' and later.resource = events.resource)
    `.execute(engine.db);
    assert.deepEqual(halves, [], 'no change is half done');
  } finally {
    await engine.close();
  }
}

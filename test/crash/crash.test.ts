// SIGKILL at random moments under concurrent writes: acknowledged writes survive, none is half done, and the server starts without help.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine, openEngine, type Location } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { rounds } from '../long.ts';
import { settingsOn, startChild } from './child-server.ts';
import { Account, writeUntilDead } from './writers.ts';

const KILLS = rounds(3, 30);
/** The kill comes after a random number of writes up to this. */
const MAX_WRITES = 400;

onEachEngine((engine) => {
  test(`after ${KILLS} kills every acknowledged write is there and nothing is half done`, async (t) => {
    const { location, settings } = await settingsOn(engine);
    const account = new Account();
    let server = await startChild(settings);
    t.after(() => server.kill());
    for (let kills = 0; kills < KILLS; kills += 1) {
      const enough = account.created.size + 1 + Math.floor(Math.random() * MAX_WRITES);
      const writing = writeUntilDead(server.url, account);
      await Promise.race([writing, eventually(() => account.created.size >= enough)]);
      await server.kill();
      await writing;
      server = await startChild(settings);
      await checkAccount(location, account);
    }
  });
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
    // A token and its audit event are one transaction: there is never one without the other.
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

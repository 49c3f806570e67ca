// SIGKILL while clients star repositories: stars, their counts and their events agree afterwards, and none is lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOwner } from '../../src/host/owners/store.ts';
import { DEFAULT_REPOSITORY_SETTINGS } from '../../src/host/repositories/repository.ts';
import { insertRepository } from '../../src/host/repositories/store.ts';
import type { Db } from '../../src/kernel/storage/tables.ts';
import { onEachEngine, openEngine } from '../engines.ts';
import { callerOf, settingsOn, startChild } from './child-server.ts';

const CLIENTS = 8;
/** Acknowledged changes before the kill. */
const KILL_AFTER = 60;

onEachEngine((testEngine) => {
  test('each star that was given or taken is one event', async (t) => {
    const { location, settings } = await settingsOn(testEngine);
    const child = await startChild(settings);
    t.after(() => child.kill());
    const { call } = callerOf(() => child.url);
    const numbers = await withDatabase((db) => insertRepositories(db));

    const acknowledged = Array.from({ length: CLIENTS }, () => 0);
    const sum = () => acknowledged.reduce((one, other) => one + other, 0);
    let killed: Promise<void> | undefined;
    await Promise.all(
      numbers.map(async (_, client) => {
        while (killed === undefined) {
          const method = acknowledged[client]! % 2 === 0 ? 'PUT' : 'DELETE';
          const answer = await call(`/user/starred/admin/repo-${client}`, { method }).catch(() => undefined);
          if (answer === undefined) break;
          assert.equal(answer.status, 204);
          acknowledged[client]! += 1;
          if (sum() >= KILL_AFTER) killed ??= child.kill();
        }
      }),
    );
    await killed;

    await withDatabase(async (db) => {
      for (const [client, number] of numbers.entries()) {
        const events = await db
          .selectFrom('host_events')
          .select(['name', 'action'])
          .where('repository_number', '=', number)
          .orderBy('number')
          .execute();
        const stars = events.filter(({ name }) => name === 'star');
        assert.deepEqual(
          stars.map(({ action }) => action),
          stars.map((_, at) => (at % 2 === 0 ? 'created' : 'deleted')),
        );
        const unanswered = stars.length - acknowledged[client]!;
        assert.ok(unanswered === 0 || unanswered === 1, `${unanswered} more than were acknowledged`);
        const given = stars.filter(({ action }) => action === 'created').length;
        assert.equal(events.filter(({ name }) => name === 'watch').length, given);
        const { star_count: count } = await db
          .selectFrom('repositories')
          .select('star_count')
          .where('number', '=', number)
          .executeTakeFirstOrThrow();
        assert.equal(count, stars.length % 2);
        const shown = await db
          .selectFrom('host_feeds')
          .select('event_number')
          .where('feed', '=', `repository/${number}`)
          .execute();
        assert.equal(shown.length, given);
      }
    });

    async function withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
      const engine = await openEngine(location);
      try {
        return await work(engine.db);
      } finally {
        await engine.close();
      }
    }
  });
});

/** Of the administrator, one for each client. */
async function insertRepositories(db: Db): Promise<number[]> {
  const owner = (await findOwner(db, 'admin'))!;
  const fields = {
    description: null,
    isPrivate: false,
    defaultBranch: 'main',
    settings: DEFAULT_REPOSITORY_SETTINGS,
    license: null,
  };
  const numbers: number[] = [];
  for (let client = 0; client < CLIENTS; client += 1)
    await db.transaction().execute(async (tx) => {
      const { number } = await insertRepository(tx, owner, { ...fields, name: `repo-${client}` }, Date.now());
      numbers.push(number);
    });
  return numbers;
}

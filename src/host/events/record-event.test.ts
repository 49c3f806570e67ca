// Events and the due work that tells webhooks of them are one transaction, in the order of the commits.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { DEFAULT_REPOSITORY_SETTINGS } from '../repositories/repository.ts';
import { insertRepository } from '../repositories/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { recordEvent, DELIVER_EVENTS } from './record-event.ts';
import { listQueuedEvents } from './store.ts';

const NOW = 1_800_000_000_000;
const OWNER: RepositoryOwner = { id: 'ada', number: 1, login: 'ada', type: 'User', isSiteAdmin: false };

onEachEngine((testEngine) => {
  let engine: Engine;
  before(async () => {
    engine = await testEngine.openMigrated();
  });
  after(() => engine.close());

  const give = async (name: string): Promise<FoundRepository> => {
    const fields = { name, description: null, isPrivate: false, defaultBranch: 'main', license: null };
    const settings = DEFAULT_REPOSITORY_SETTINGS;
    const repository = await engine.db
      .transaction()
      .execute((tx) => insertRepository(tx, OWNER, { ...fields, settings }, NOW));
    return { repository, owner: OWNER };
  };
  const record = (db: Db, found: FoundRepository, context: string) =>
    recordEvent({ db, actor: { now: NOW } }, { name: 'status', details: { context } }, { found });
  const listDue = async (number: number) =>
    await engine.db
      .selectFrom('due')
      .select(['kind', 'payload', 'due_at'])
      .where('id', '=', `${DELIVER_EVENTS}:repository/${number}`)
      .execute();

  test('an event that is rolled back leaves neither a row nor work', async () => {
    const found = await give('rolled-back');
    const { number } = found.repository;
    await assert.rejects(
      engine.db.transaction().execute(async (tx) => {
        await record(tx, found, 'never');
        throw new Error('a crash');
      }),
      /a crash/,
    );
    assert.deepEqual(await listQueuedEvents(engine.db, { repository: number }, 0, 10), []);
    assert.deepEqual(await listDue(number), []);
  });

  test('events of one repository are numbered in the order of their commits, and share one due row', async () => {
    const found = await give('in-order');
    const { number } = found.repository;
    const committed: string[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (let at = 0; at < 5; at += 1) {
          // All that a reader sees after the commit is smaller than what is committed later.
          await engine.db.transaction().execute((tx) => record(tx, found, `${client}-${at}`));
          const events = await listQueuedEvents(engine.db, { repository: number }, 0, 100);
          const seen = events.map(({ details }) => details['context'] as string);
          assert.deepEqual(seen.slice(0, committed.length), committed.slice(0, seen.length));
          if (seen.length > committed.length) committed.splice(0, committed.length, ...seen);
        }
      }),
    );
    const all = await listQueuedEvents(engine.db, { repository: number }, 0, 100);
    assert.equal(all.length, 40);
    assert.deepEqual(
      all.map(({ details }) => details['context']),
      committed,
    );
    assert.deepEqual(await listDue(number), [
      { kind: DELIVER_EVENTS, payload: JSON.stringify({ repository: number }), due_at: NOW },
    ]);
    const [first] = all;
    assert.deepEqual(first!.snapshot.sender, OWNER);
    assert.equal(first!.snapshot.repository?.repository.name, 'in-order');
  });

  test('an event of nothing is refused', async () => {
    await assert.rejects(
      recordEvent({ db: engine.db, actor: { now: NOW } }, { name: 'status', details: {} }, {}),
      /neither a repository nor an organization/,
    );
  });
});

// The query plans for events: each feed and queue is read from the end of its index, for any number of rows.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import type { Repository } from '../repositories/repository.ts';
import { listQueuedEvents } from './store.ts';
import {
  deleteEventsBefore,
  insertIntoFeeds,
  listFeed,
  listFeedEvents,
  listWatchedFeed,
  MAX_FEED_EVENTS,
  type EventFeed,
} from './store-feeds.ts';

const NOW = 1_800_000_000_000;
const REPOSITORIES = 2000;
const EVENTS = 4000;
/** Has a third of all events. */
const BUSY = 7;

const FEEDS: EventFeed[] = [
  { of: 'everybody' },
  { of: 'network', number: BUSY },
  { of: 'repository', number: BUSY },
  { of: 'organization', id: 'organization-1' },
  { of: 'actor', id: 'account-1' },
];
const VIEWERS = ['all', 'public', { accountId: 'account-1' }] as const;

/** The index that has the order of every feed; SQLite and PostgreSQL name it by themselves. */
const FEED_INDEX = /\b(?:sqlite_autoindex_host_feeds_1|host_feeds_pkey)\b/;
/** A sequential read of what a subquery has produced is none of a table. */
const WHOLE_TABLE = /(?:SCAN|Seq Scan on) (?:host_events|host_feeds|repositories|watches)\b(?! USING)/;

onEachEngine((testEngine) => {
  let engine: Engine;

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await db.transaction().execute(async (tx) => {
      for (let start = 0; start < REPOSITORIES; start += 500)
        await insertRepositoryRows(tx, range(start, 500), NOW, (at) => ({
          is_private: at % 2 === 0 ? 0 : 1,
        }));
      for (let start = 0; start < EVENTS; start += 500) await insertEventRows(tx, range(start, 500));
      for (let start = 0; start < REPOSITORIES; start += 500)
        await tx
          .insertInto('watches')
          .values(
            range(start, 500).map((at) => ({
              account_id: 'account-1',
              repository_number: at + 1,
              is_ignored: 0,
              created_at: NOW,
            })),
          )
          .execute();
    });
    await sql.raw('analyze').execute(db);
  });

  const range = (start: number, length: number) => Array.from({ length }, (_, at) => start + at);

  async function insertEventRows(tx: Engine['db'], rows: readonly number[]): Promise<void> {
    const events = rows.map((at) => ({ at, number: at % 3 === 0 ? BUSY : (at % REPOSITORIES) + 1 }));
    await tx
      .insertInto('host_events')
      .values(
        events.map(({ at, number }) => ({
          at: NOW + at,
          name: 'watch',
          action: 'started',
          actor_id: `account-${at % 10}`,
          repository_number: number,
          organization_id: `organization-${at % 5}`,
          is_public: number % 2,
          feed: '{"type":"WatchEvent","action":"started"}',
          details: '{}',
          snapshot: '{}',
        })),
      )
      .execute();
    for (const { at, number } of events)
      await insertIntoFeeds(tx, [at + 1], {
        repository: { number, isPrivate: number % 2 === 0, sourceNumber: null } as Repository,
        organizationId: `organization-${at % 5}`,
        actorId: `account-${at % 10}`,
      });
  }

  async function statementsOf(work: () => Promise<unknown>): Promise<CompiledQuery[]> {
    const seen = recordStatements(engine);
    await work();
    const statements = [...seen.values()].filter(({ sql: text }) => /^\s*(select|delete)/i.test(text));
    seen.clear();
    return statements;
  }

  for (const feed of FEEDS)
    test(`the feed of ${feed.of} is read from the end of an index`, async () => {
      for (const viewer of VIEWERS) {
        const statements = await statementsOf(() => listFeed(engine.db, feed, viewer));
        assert.equal(statements.length, 1);
        await assertPlans(engine, statements, {
          atLeast: 1,
          scan: WHOLE_TABLE,
          check: (plan, text) => assert.match(plan, FEED_INDEX, `${text}\n\n${plan}`),
        });
      }
    });

  test('the feed of watched repositories, queues, pages and the sweep go by an index', async () => {
    const statements = await statementsOf(async () => {
      const { db } = engine;
      for (const viewer of VIEWERS) await listWatchedFeed(db, 'account-1', viewer);
      await listFeedEvents(db, [1, 2, 3]);
      await listQueuedEvents(db, { repository: BUSY }, 5, 10);
      await listQueuedEvents(db, { organization: 'organization-1' }, 5, 10);
      await deleteEventsBefore(db, NOW + 5, 10);
    });
    // The sweep reads the oldest events in the order of the table itself.
    const others = statements.filter(
      ({ sql: text }) => !/from "host_events" order by "number" limit/.test(text),
    );
    const scan = /(?:SCAN|Seq Scan on) (?:host_events|host_feeds)\b(?! USING)/;
    await assertPlans(engine, others, { atLeast: 8, scan });
  });

  test('the feed of watched repositories has their newest events in order', async () => {
    const { db } = engine;
    const { rows } = await sql<{ number: number }>`
      select host_events.number from host_events
      join repositories on repositories.number = host_events.repository_number
      where is_public = 1 and is_private = 0 and repository_number > ${REPOSITORIES - 1000}
      order by host_events.number desc limit ${sql.lit(MAX_FEED_EVENTS)}`.execute(db);
    assert.deepEqual(
      await listWatchedFeed(db, 'account-1', 'public'),
      rows.map(({ number }) => number),
    );
  });
});

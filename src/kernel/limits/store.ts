// The windows of rate limits in the database: they survive a restart, and nodes add up their usage there.
import { chunk } from '../collections/chunk.ts';
import { CLOCK_SLACK_MS } from './window.ts';
import { peakMigrations } from './store-peaks.ts';
import type { Migration } from '../storage/migrate.ts';
import type { Db } from '../storage/tables.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    limit_windows: { category: string; who: string; used: number; reset_at: number; saved_at: number };
  }
}

export const limitMigrations: Migration[] = [
  {
    name: 'kernel-limit-windows',
    up: ({ text }) => [
      `create table limit_windows (
         category ${text} not null, who ${text} not null, used bigint not null, reset_at bigint not null,
         saved_at bigint not null, primary key (category, who))`,
      `create index limit_windows_reset on limit_windows (reset_at)`,
      `create index limit_windows_saved on limit_windows (saved_at)`,
    ],
  },
  ...peakMigrations,
];

export interface LoadedWindow {
  category: string;
  who: string;
  /** By all nodes. */
  used: number;
  resetAt: number;
}

export interface SavedWindow {
  category: string;
  who: string;
  seconds: number;
  /** The usage to add. */
  used: number;
  resetAt: number;
}

export async function loadWindows(db: Db, now: number, since: number): Promise<LoadedWindow[]> {
  const rows = await db
    .selectFrom('limit_windows')
    .selectAll()
    .where('saved_at', '>', since)
    .where('reset_at', '>', now)
    .execute();
  return rows.map(({ category, who, used, reset_at }) => ({ category, who, used, resetAt: reset_at }));
}

const BATCH_ROWS = 200;

/**
 * Adds the usage of each window and reports the new total. A window that has ended in the database starts anew; one that
 * ends later than any window can, because a clock was wrong, gets this one's end.
 */
export async function saveWindows(
  db: Db,
  windows: SavedWindow[],
  now: number,
  onSaved: (saved: SavedWindow, sum: { used: number; resetAt: number }) => void,
): Promise<void> {
  for (const [seconds, alike] of Map.groupBy(windows, (window) => window.seconds)) {
    const latest = now + seconds * 1000 + CLOCK_SLACK_MS;
    // Sorted, so that two nodes never deadlock on each other's rows.
    const sorted = alike.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    for (const some of chunk(sorted, BATCH_ROWS)) {
      const batch = new Map(some.map((window) => [keyOf(window), window]));
      for (const row of await addUsage(db, [...batch.values()], { now, latest })) {
        onSaved(batch.get(keyOf(row))!, { used: row.used, resetAt: row.reset_at });
      }
    }
  }
}

function keyOf({ category, who }: { category: string; who: string }): string {
  return `${category} ${who}`;
}

function addUsage(db: Db, windows: SavedWindow[], { now, latest }: { now: number; latest: number }) {
  return db
    .insertInto('limit_windows')
    .values(
      windows.map(({ category, who, used, resetAt }) => ({
        category,
        who,
        used,
        reset_at: resetAt,
        saved_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['category', 'who']).doUpdateSet(({ ref, eb }) => ({
        used: eb
          .case()
          .when('limit_windows.reset_at', '<=', now)
          .then(ref('excluded.used'))
          .else(eb('limit_windows.used', '+', ref('excluded.used')))
          .end(),
        reset_at: eb
          .case()
          .when('limit_windows.reset_at', '<=', now)
          .then(ref('excluded.reset_at'))
          .when('limit_windows.reset_at', '>', latest)
          .then(ref('excluded.reset_at'))
          .else(ref('limit_windows.reset_at'))
          .end(),
        saved_at: ref('excluded.saved_at'),
      })),
    )
    .returning(['category', 'who', 'used', 'reset_at'])
    .execute();
}

export async function deletePastWindows(db: Db, now: number): Promise<void> {
  await db.deleteFrom('limit_windows').where('reset_at', '<=', now).execute();
}

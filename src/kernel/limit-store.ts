// The windows of rate limits in the database: where they survive a restart and nodes add up what each has counted.
import { CLOCK_SLACK_MS } from './limit-window.ts';
import type { Migration } from './storage/migrate.ts';
import type { Db } from './storage/tables.ts';

declare module './storage/tables.ts' {
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
];

export interface LoadedWindow {
  category: string;
  who: string;
  /** By all. */
  used: number;
  resetAt: number;
}

export interface SavedWindow {
  category: string;
  who: string;
  seconds: number;
  /** What to add. */
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

const ROWS_AT_ONCE = 200;

/**
 * Adds each to what is there, and tells the sum. A window that is past in the database starts anew; one that ends later
 * than any can, because a clock was wrong, ends as this one does.
 */
export async function saveWindows(
  db: Db,
  windows: SavedWindow[],
  now: number,
  told: (saved: SavedWindow, sum: { used: number; resetAt: number }) => void,
): Promise<void> {
  for (const [seconds, alike] of Map.groupBy(windows, (window) => window.seconds)) {
    const latest = now + seconds * 1000 + CLOCK_SLACK_MS;
    // Sorted, so that two nodes never wait for each other's rows.
    const sorted = alike.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    for (let start = 0; start < sorted.length; start += ROWS_AT_ONCE) {
      const part = new Map(
        sorted.slice(start, start + ROWS_AT_ONCE).map((window) => [keyOf(window), window]),
      );
      for (const row of await addUp(db, [...part.values()], { now, latest })) {
        told(part.get(keyOf(row))!, { used: row.used, resetAt: row.reset_at });
      }
    }
  }
}

function keyOf({ category, who }: { category: string; who: string }): string {
  return `${category} ${who}`;
}

function addUp(db: Db, windows: SavedWindow[], { now, latest }: { now: number; latest: number }) {
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

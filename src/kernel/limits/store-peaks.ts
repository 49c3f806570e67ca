// The fullest windows of rate limits in the database, by hour, for a day.
import { sql } from 'kysely';
import { chunk } from '../collections/chunk.ts';
import type { Migration } from '../storage/migrate.ts';
import type { Db } from '../storage/tables.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    limit_peaks: LimitPeak;
  }
}

export interface LimitPeak {
  /** The id of a member. */
  who: string;
  category: string;
  /** When it began. */
  hour: number;
  /** What the fullest window that began in it had, refused calls included. */
  most: number;
}

export const peakMigrations: Migration[] = [
  {
    name: 'kernel-limit-peaks',
    up: ({ text }) => [
      `create table limit_peaks (
         who ${text} not null, category ${text} not null, hour bigint not null, most bigint not null,
         primary key (who, category, hour))`,
      `create index limit_peaks_hour on limit_peaks (hour)`,
    ],
  },
];

const ROWS_AT_ONCE = 200;
const HOUR_MS = 60 * 60 * 1000;
const LIMIT_PEAKS_KEPT_HOURS = 24;

/** Every node knows the usage of all, so that the greater one is true. Sorted, so that nodes never deadlock. */
export async function savePeaks(db: Db, peaks: readonly LimitPeak[]): Promise<void> {
  const keyOf = ({ who, category, hour }: LimitPeak) => `${who} ${category} ${hour}`;
  const sorted = peaks.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  for (const some of chunk(sorted, ROWS_AT_ONCE))
    await db
      .insertInto('limit_peaks')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['who', 'category', 'hour']).doUpdateSet({
          most: sql<number>`case when limit_peaks.most > excluded.most then limit_peaks.most else excluded.most end`,
        }),
      )
      .execute();
}

/** Those of hours that began at this time or later, oldest first. */
export async function listPeaks(db: Db, who: readonly string[], since: number): Promise<LimitPeak[]> {
  if (who.length === 0) return [];
  return await db
    .selectFrom('limit_peaks')
    .selectAll()
    .where('who', 'in', who)
    .where('hour', '>=', since)
    .orderBy('hour')
    .orderBy('category')
    .execute();
}

/** So many rows of a member may be among the fullest. */
const ROWS_OF_MEMBER = 24;

/** The members with the fullest windows since then. */
export async function listFullest(db: Db, since: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('limit_peaks')
    .select('who')
    .where('hour', '>=', since)
    .orderBy('most', 'desc')
    .orderBy('who')
    .limit(limit * ROWS_OF_MEMBER)
    .execute();
  return [...new Set(rows.map(({ who }) => who))].slice(0, limit);
}

export async function deleteOldPeaks(db: Db, now: number): Promise<void> {
  const before = now - (LIMIT_PEAKS_KEPT_HOURS + 1) * HOUR_MS;
  await db.deleteFrom('limit_peaks').where('hour', '<', before).execute();
}

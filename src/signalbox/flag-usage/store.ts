// Reads the counted evaluations of one flag in one environment, by day and by SDK.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

const DAY = 24 * 60 * 60 * 1000;
/** Of the newest hours: public keys let anybody count evaluations under many names of SDKs. */
const MAX_ROWS = 20_000;
const MAX_SDKS = 50;

export interface FlagEvaluationsQuery {
  environmentId: string;
  flagKey: string;
  since: number;
}

interface DayCount {
  /** The beginning of the day in UTC. */
  day: number;
  /** -1 where the code got its default, or the variation is unknown. */
  variation: number;
  count: number;
}

interface SdkCount {
  /** Name and version. */
  sdk: string;
  /** The beginning of the last hour in which it has evaluated, or of the day where hours were added up. */
  lastHour: number;
  count: number;
}

export interface FlagEvaluations {
  days: DayCount[];
  /** The last seen first. */
  sdks: SdkCount[];
  /** Whether there are more rows than are read: then the oldest are left out. */
  isCut: boolean;
}

export async function readFlagEvaluations(db: Db, query: FlagEvaluationsQuery): Promise<FlagEvaluations> {
  const recent = db
    .selectFrom('flag_evaluations')
    .select(['hour', 'variation', 'sdk', 'count'])
    .where('environment_id', '=', query.environmentId)
    .where('flag_key', '=', query.flagKey)
    .where('hour', '>=', query.since)
    .orderBy('hour', 'desc')
    .limit(MAX_ROWS);
  const days = await db
    .selectFrom(recent.as('recent'))
    .select(({ fn, ref }) => [
      sql<number | string>`${ref('hour')} - ${ref('hour')} % ${sql.lit(DAY)}`.as('day'),
      'variation',
      fn.sum<number | string>('count').as('total'),
      fn.countAll<number | string>().as('rows'),
    ])
    .groupBy(['day', 'variation'])
    .execute();
  const sdks = await db
    .selectFrom(recent.as('recent'))
    .select(({ fn }) => [
      'sdk',
      fn.max<number | string>('hour').as('last_hour'),
      fn.sum<number | string>('count').as('total'),
    ])
    .groupBy('sdk')
    .orderBy('last_hour', 'desc')
    .orderBy('sdk')
    .limit(MAX_SDKS)
    .execute();
  return {
    days: days
      .map(({ day, variation, total }) => ({ day: Number(day), variation, count: Number(total) }))
      .toSorted((one, other) => one.day - other.day || one.variation - other.variation),
    sdks: sdks.map(({ sdk, last_hour, total }) => ({
      sdk,
      lastHour: Number(last_hour),
      count: Number(total),
    })),
    isCut: days.reduce((sum, { rows }) => sum + Number(rows), 0) >= MAX_ROWS,
  };
}

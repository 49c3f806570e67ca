// SDKs that have connected, in the database.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { SdkActivityRow } from './tables.ts';

/** Of one environment and kind of key: who knows a public key can make up names. */
const MAX_NAMES = 50;
/** For all beyond. */
const OTHER = 'other';

const ACTIVE_MS = 7 * 24 * 60 * 60 * 1000;

/** One after another: they are few, because each is saved once an hour. */
export async function saveActivity(db: Db, rows: readonly SdkActivityRow[]): Promise<void> {
  for (const row of rows)
    await upsert(db, (await hasRoom(db, row)) ? row : { ...row, sdk: OTHER, wrapper: '' });
}

async function hasRoom(db: Db, { environment_id, key_kind, sdk, wrapper }: SdkActivityRow): Promise<boolean> {
  const rows = await db
    .selectFrom('sdk_activity')
    .select(['sdk', 'wrapper'])
    .where('environment_id', '=', environment_id)
    .where('key_kind', '=', key_kind)
    .execute();
  return rows.length < MAX_NAMES || rows.some((row) => row.sdk === sdk && row.wrapper === wrapper);
}

async function upsert(db: Db, row: SdkActivityRow): Promise<void> {
  await db
    .insertInto('sdk_activity')
    .columns(['environment_id', 'key_kind', 'sdk', 'wrapper', 'seen_at'])
    // The environment may have been deleted meanwhile.
    .expression((eb) =>
      eb
        .selectFrom('environments')
        .where('id', '=', row.environment_id)
        .select(({ val }) => [
          'id',
          val(row.key_kind).as('key_kind'),
          val(row.sdk).as('sdk'),
          val(row.wrapper).as('wrapper'),
          // PostgreSQL takes a parameter among columns as text.
          sql<number>`cast(${row.seen_at} as bigint)`.as('seen_at'),
        ]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['environment_id', 'key_kind', 'sdk', 'wrapper'])
        .doUpdateSet({ seen_at: row.seen_at })
        .where('sdk_activity.seen_at', '<', row.seen_at),
    )
    .execute();
}

interface SdkQuery {
  environmentId: string;
  /** One of them. */
  sdks?: readonly string[] | undefined;
  wrapper?: string | undefined;
  now: number;
}

export async function hasActivity(db: Db, { environmentId, sdks, wrapper, now }: SdkQuery): Promise<boolean> {
  const row = await db
    .selectFrom('sdk_activity')
    .select('seen_at')
    .where('environment_id', '=', environmentId)
    .where('seen_at', '>', now - ACTIVE_MS)
    .$if(sdks !== undefined, (query) => query.where('sdk', 'in', sdks!))
    .$if(wrapper !== undefined, (query) => query.where('wrapper', '=', wrapper!))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteOldActivity(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('sdk_activity')
    .where('seen_at', '<=', now - ACTIVE_MS)
    .execute();
}

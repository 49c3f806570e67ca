// The settings and secrets of an account on the platform, and how long its data is kept; the row is inserted when it is first needed.
import { newSecret } from '../../kernel/secrets/secret.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { type LimitsUpdate, DAY } from '../usage/model.ts';

interface AccountRecord {
  secret: string;
  proxyPassword: string;
  maxMonthlyUsageUsd: number | null;
  dataRetentionDays: number | null;
}

/** `lock` locks the row until the transaction ends. */
export async function findAccountRecord(
  db: Db,
  userId: string,
  lock?: 'lock',
): Promise<AccountRecord | undefined> {
  const row = await db
    .selectFrom('actor_accounts')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(lock !== undefined, (query) => query.forUpdate())
    .executeTakeFirst();
  return (
    row && {
      secret: row.secret,
      proxyPassword: row.proxy_password,
      maxMonthlyUsageUsd: row.max_monthly_usage_usd,
      dataRetentionDays: row.data_retention_days,
    }
  );
}

export async function ensureAccountRecord(db: Db, userId: string, lock?: 'lock'): Promise<AccountRecord> {
  const known = await findAccountRecord(db, userId, lock);
  if (known !== undefined) return known;
  await db
    .insertInto('actor_accounts')
    .values({
      user_id: userId,
      secret: newSecret('').value,
      proxy_password: newSecret('').value,
      max_monthly_usage_usd: null,
      data_retention_days: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findAccountRecord(db, userId, lock))!;
}

export async function updateAccountLimits(
  db: Db,
  userId: string,
  { maxMonthlyUsageUsd, dataRetentionDays }: LimitsUpdate,
): Promise<void> {
  const changes = {
    ...(maxMonthlyUsageUsd !== undefined && { max_monthly_usage_usd: maxMonthlyUsageUsd }),
    ...(dataRetentionDays !== undefined && { data_retention_days: dataRetentionDays }),
  };
  if (Object.keys(changes).length === 0) return;
  await db.updateTable('actor_accounts').set(changes).where('user_id', '=', userId).execute();
}

declare module '../../kernel/kernel.ts' {
  interface Settings {
    /** How long unnamed storages are kept after their last use, and runs and builds after their end, unless their account says otherwise. */
    retentionMs: number;
  }
}

export async function retentionOf(
  { db, settings }: Pick<Kernel, 'db' | 'settings'>,
  userId: string,
): Promise<number> {
  const days = (await findAccountRecord(db, userId))?.dataRetentionDays;
  return days == null ? settings.retentionMs : days * DAY;
}

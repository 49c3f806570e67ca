// The uses of tokens in the database: the last one, in the row of the token, and how many calls each hour had, of which operations.
import { sql } from 'kysely';
import { chunk } from '../../collections/chunk.ts';
import { notifyOnCommit } from '../../storage/notify-on-commit.ts';
import type { Db } from '../../storage/tables.ts';
import type { LastTokenUse } from '../store-tokens.ts';
import {
  addOperations,
  addRefusals,
  type TokenOperationHour,
  type TokenRefusal,
} from './store-operations.ts';

/** The channel on which the first use of a token is announced, by the id of the token. */
export const TOKEN_USED = 'token-used';

/** Calls of a token that are to be added to those of other nodes and of earlier times. */
export interface TokenUses extends LastTokenUse {
  tokenId: string;
  /** The last of them. */
  at: number;
  hours: readonly TokenHour[];
  operations: readonly TokenOperationHour[];
  refusals: readonly TokenRefusal[];
}

export interface TokenHour {
  /** When it began. */
  hour: number;
  api: string;
  category: string;
  calls: number;
  /** Of these calls, those over a rate limit. */
  refused: number;
}

const ROWS_AT_ONCE = 200;

/** Tokens that are gone are left out. They are locked in the order of their ids, so that nodes never deadlock. */
export async function saveTokenUses(db: Db, uses: readonly TokenUses[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const known = await tx
      .selectFrom('tokens')
      .select(['id', 'last_used_at'])
      .where(
        'id',
        'in',
        uses.map(({ tokenId }) => tokenId),
      )
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
    const lastUsed = new Map(known.map((row) => [row.id, row.last_used_at]));
    const present = uses.filter(({ tokenId }) => lastUsed.has(tokenId));
    await updateLastUses(
      tx,
      present.filter(({ tokenId, at }) => at > (lastUsed.get(tokenId) ?? -1)),
    );
    await addHours(tx, present);
    await addOperations(tx, present);
    await addRefusals(tx, present);
    for (const { tokenId } of present)
      if (lastUsed.get(tokenId) === null) await notifyOnCommit(tx, TOKEN_USED, tokenId);
  });
}

async function updateLastUses(tx: Db, uses: readonly TokenUses[]): Promise<void> {
  if (uses.length === 0) return;
  const rows = uses.map(
    ({ tokenId, at, address, api, operation = null }) =>
      sql`(${tokenId}, ${at}, ${address}, ${api}, ${operation})`,
  );
  await sql`
    update tokens set last_used_at = cast(used.column2 as bigint), last_used_address = cast(used.column3 as text),
      last_used_api = cast(used.column4 as text), last_used_operation = cast(used.column5 as text)
    from (values ${sql.join(rows)}) as used
    where tokens.id = used.column1`.execute(tx);
}

async function addHours(tx: Db, uses: readonly TokenUses[]): Promise<void> {
  const rows = uses.flatMap(({ tokenId, hours }) => hours.map((hour) => ({ token_id: tokenId, ...hour })));
  for (const some of chunk(rows, ROWS_AT_ONCE)) {
    await tx
      .insertInto('token_hours')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['token_id', 'hour', 'api', 'category']).doUpdateSet(({ ref, eb }) => ({
          calls: eb('token_hours.calls', '+', ref('excluded.calls')),
          refused: eb('token_hours.refused', '+', ref('excluded.refused')),
        })),
      )
      .execute();
  }
}

/** The hours that began at this time or later, oldest first. */
export async function listTokenHours(db: Db, tokenId: string, since: number): Promise<TokenHour[]> {
  return await db
    .selectFrom('token_hours')
    .select(['hour', 'api', 'category', 'calls', 'refused'])
    .where('token_id', '=', tokenId)
    .where('hour', '>=', since)
    .orderBy('hour')
    .orderBy('api')
    .orderBy('category')
    .execute();
}

const HOUR_MS = 60 * 60 * 1000;
export const TOKEN_HOURS_KEPT_DAYS = 30;
/** Tokens whose old hours are deleted at once: each has a few rows for an hour. */
const TOKENS_AT_ONCE = 200;

/** Deletes the hours that are older than those which are kept. */
export async function deleteOldTokenHours(db: Db, now: number, signal: AbortSignal): Promise<void> {
  const before = now - TOKEN_HOURS_KEPT_DAYS * 24 * HOUR_MS;
  while (!signal.aborted) {
    const old = await db
      .selectFrom('token_hours')
      .select('token_id')
      .where('hour', '<', before)
      .orderBy('hour')
      .limit(TOKENS_AT_ONCE)
      .execute();
    if (old.length === 0) return;
    await db
      .deleteFrom('token_hours')
      .where('token_id', 'in', [...new Set(old.map((row) => row.token_id))])
      .where('hour', '<', before)
      .execute();
  }
}

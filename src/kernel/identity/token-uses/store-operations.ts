// Which operations the calls of tokens went to by hour, and which calls were over a rate limit: for a day, and the last ones of each token.
import { chunk } from '../../collections/chunk.ts';
import type { Db } from '../../storage/tables.ts';

export interface TokenOperationHour {
  /** When it began. */
  hour: number;
  api: string;
  category: string;
  /** Empty where there was none at the path, and for those beyond the number that is counted one by one. */
  operation: string;
  calls: number;
  /** Of these calls, those over a rate limit. */
  refused: number;
}

/** A call over a rate limit. */
export interface TokenRefusal {
  at: number;
  callId: string;
  api: string;
  category: string;
  operation: string;
}

const ROWS_AT_ONCE = 200;
const TOKEN_OPERATIONS_KEPT_HOURS = 24;
export const TOKEN_REFUSALS_KEPT_DAYS = 7;
/** Of each token. */
export const MAX_REFUSALS_OF_TOKEN = 50;

/** In the transaction that holds the rows of these tokens. */
export async function addOperations(
  tx: Db,
  uses: readonly { tokenId: string; operations: readonly TokenOperationHour[] }[],
): Promise<void> {
  const rows = uses.flatMap(({ tokenId, operations }) =>
    operations.map((operation) => ({ token_id: tokenId, ...operation })),
  );
  for (const some of chunk(rows, ROWS_AT_ONCE)) {
    await tx
      .insertInto('token_operations')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['token_id', 'hour', 'api', 'category', 'operation']).doUpdateSet(({ ref, eb }) => ({
          calls: eb('token_operations.calls', '+', ref('excluded.calls')),
          refused: eb('token_operations.refused', '+', ref('excluded.refused')),
        })),
      )
      .execute();
  }
}

/** The same for refusals; of each token only the last ones stay. */
export async function addRefusals(
  tx: Db,
  uses: readonly { tokenId: string; refusals: readonly TokenRefusal[] }[],
): Promise<void> {
  const refused = uses.filter(({ refusals }) => refusals.length > 0);
  const rows = refused.flatMap(({ tokenId, refusals }) =>
    refusals.map(({ callId, ...refusal }) => ({ token_id: tokenId, call_id: callId, ...refusal })),
  );
  for (const some of chunk(rows, ROWS_AT_ONCE))
    await tx
      .insertInto('token_refusals')
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  for (const { tokenId } of refused) {
    const oldest = await tx
      .selectFrom('token_refusals')
      .select('at')
      .where('token_id', '=', tokenId)
      .orderBy('at', 'desc')
      .offset(MAX_REFUSALS_OF_TOKEN)
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) continue;
    await tx
      .deleteFrom('token_refusals')
      .where('token_id', '=', tokenId)
      .where('at', '<=', oldest.at)
      .execute();
  }
}

/** Whose tokens: those that count against the budget of a member, or all. */
export interface SpendingScope {
  memberId: string | undefined;
  since: number;
  limit: number;
}

export type SpendingOperation = Omit<TokenOperationHour, 'hour'>;

/** Those with most calls first. */
export async function listSpendingOperations(
  db: Db,
  { memberId, since, limit }: SpendingScope,
): Promise<SpendingOperation[]> {
  const rows = await db
    .selectFrom('token_operations')
    .select(['api', 'category', 'operation'])
    .select(({ fn }) => [
      fn.sum<number | string>('calls').as('calls'),
      fn.sum<number | string>('refused').as('refused'),
    ])
    .where('hour', '>=', since)
    .$if(memberId !== undefined, (query) =>
      query.where('token_id', 'in', (eb) =>
        eb.selectFrom('tokens').select('id').where('member_id', '=', memberId!),
      ),
    )
    .groupBy(['api', 'category', 'operation'])
    .orderBy('calls', 'desc')
    .orderBy('api')
    .orderBy('operation')
    .orderBy('category')
    .limit(limit)
    .execute();
  return rows.map(({ calls, refused, ...row }) => ({
    ...row,
    calls: Number(calls),
    refused: Number(refused),
  }));
}

export interface ListedRefusal extends TokenRefusal {
  token: { id: string; name: string; ending: string };
}

/** The last ones first. */
export async function listTokenRefusals(
  db: Db,
  { memberId, since, limit }: SpendingScope,
): Promise<ListedRefusal[]> {
  const rows = await db
    .selectFrom('token_refusals')
    .innerJoin('tokens', 'tokens.id', 'token_refusals.token_id')
    .select([
      'token_refusals.at',
      'token_refusals.call_id',
      'token_refusals.api',
      'token_refusals.category',
      'token_refusals.operation',
      'tokens.id',
      'tokens.name',
      'tokens.ending',
    ])
    .where('token_refusals.at', '>=', since)
    .$if(memberId !== undefined, (query) => query.where('tokens.member_id', '=', memberId!))
    .orderBy('token_refusals.at', 'desc')
    .orderBy('token_refusals.call_id')
    .limit(limit)
    .execute();
  return rows.map(({ id, name, ending, call_id: callId, ...refusal }) => ({
    ...refusal,
    callId,
    token: { id, name, ending },
  }));
}

const HOUR_MS = 60 * 60 * 1000;
/** Tokens whose old rows are deleted at once. */
const TOKENS_AT_ONCE = 200;

/** Deletes the operations and refusals that are older than those which are kept. */
export async function deleteOldTokenOperations(db: Db, now: number, signal: AbortSignal): Promise<void> {
  const before = now - (TOKEN_OPERATIONS_KEPT_HOURS + 1) * HOUR_MS;
  while (!signal.aborted) {
    const old = await db
      .selectFrom('token_operations')
      .select('token_id')
      .where('hour', '<', before)
      .orderBy('hour')
      .limit(TOKENS_AT_ONCE)
      .execute();
    if (old.length === 0) break;
    await db
      .deleteFrom('token_operations')
      .where('token_id', 'in', [...new Set(old.map((row) => row.token_id))])
      .where('hour', '<', before)
      .execute();
  }
  await db
    .deleteFrom('token_refusals')
    .where('at', '<', now - TOKEN_REFUSALS_KEPT_DAYS * 24 * HOUR_MS)
    .execute();
}

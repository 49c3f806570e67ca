// Usage of old versions in the database: nodes add up their counters here, and reports read them.
import { sql, type RawBuilder } from 'kysely';
import { chunk } from '../../collections/chunk.ts';
import type { Slice } from '../../http/reply/page.ts';
import type { SqlStatement } from '../../storage/statement.ts';
import type { Db } from '../../storage/tables.ts';

export type UsageCallerKind = 'token' | 'session' | 'program' | 'anonymous';

/** What is counted: an operation of an API that a caller uses in an old version. */
export interface UsageKey {
  caller: string;
  api: string;
  version: string;
  variant: string;
  operation: string;
}

export interface UsageRow extends UsageKey {
  kind: UsageCallerKind;
  memberId: string | null;
  changedIn: string;
  calls: number;
  firstAt: number;
  lastAt: number;
}

/** That the calls of a row were mended. */
export interface UsageDone {
  at: number;
  /** The id of a member. */
  by: string;
}

export interface ListedUsage extends UsageRow {
  /** Absent too where calls have come since. */
  done: UsageDone | undefined;
}

export interface UsageEffectRow extends UsageKey {
  effect: string;
  calls: number;
  lastAt: number;
}

const BATCH_ROWS = 100;

/** Statements that add the counts to those of other nodes and of earlier times; sorted, so that nodes never deadlock. */
export function usageStatements(
  db: Db,
  rows: readonly UsageRow[],
  effects: readonly UsageEffectRow[],
): SqlStatement[] {
  return [
    ...[...chunk(rows.toSorted(byKey), BATCH_ROWS)].map((batch) => addRows(db, batch)),
    ...[...chunk(effects.toSorted(byKey), BATCH_ROWS)].map((batch) => addEffects(db, batch)),
  ];
}

function byKey(one: UsageKey & { effect?: string }, other: UsageKey & { effect?: string }): number {
  const [left, right] = [one, other].map((row) => `${usageKeyText(row)}\n${row.effect ?? ''}`);
  return left! < right! ? -1 : 1;
}

/** Ids and names have no line ends. */
export function usageKeyText({ caller, api, version, variant, operation }: UsageKey): string {
  return `${caller}\n${api}\n${version}\n${variant}\n${operation}`;
}

function addRows(db: Db, rows: readonly UsageRow[]): SqlStatement {
  return db
    .insertInto('version_usage')
    .values(
      rows.map(({ memberId, changedIn, firstAt, lastAt, ...row }) => ({
        ...row,
        member_id: memberId,
        changed_in: changedIn,
        first_at: firstAt,
        last_at: lastAt,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['caller', 'api', 'version', 'variant', 'operation']).doUpdateSet(({ ref, eb }) => ({
        calls: eb('version_usage.calls', '+', ref('excluded.calls')),
        changed_in: lesser('version_usage.changed_in', 'excluded.changed_in'),
        first_at: lesser('version_usage.first_at', 'excluded.first_at'),
        last_at: greater('version_usage.last_at', 'excluded.last_at'),
      })),
    )
    .compile();
}

function addEffects(db: Db, rows: readonly UsageEffectRow[]): SqlStatement {
  return db
    .insertInto('version_usage_effects')
    .values(rows.map(({ lastAt, ...row }) => ({ ...row, last_at: lastAt })))
    .onConflict((conflict) =>
      conflict
        .columns(['caller', 'api', 'version', 'variant', 'operation', 'effect'])
        .doUpdateSet(({ ref, eb }) => ({
          calls: eb('version_usage_effects.calls', '+', ref('excluded.calls')),
          last_at: greater('version_usage_effects.last_at', 'excluded.last_at'),
        })),
    )
    .compile();
}

function lesser<Value>(one: string, other: string): RawBuilder<Value> {
  return sql`case when ${sql.ref(one)} < ${sql.ref(other)} then ${sql.ref(one)} else ${sql.ref(other)} end`;
}

function greater<Value>(one: string, other: string): RawBuilder<Value> {
  return sql`case when ${sql.ref(one)} > ${sql.ref(other)} then ${sql.ref(one)} else ${sql.ref(other)} end`;
}

/** Calls of one caller, of one member, or of everybody. */
export type UsageScope = { caller: string } | { memberId: string } | 'everybody';

export interface UsageFilter {
  api: string;
  /** Only calls that this version changes. */
  target: string;
  scope: UsageScope;
  /** Only calls that were last seen at this time or later. */
  since?: number;
}

/** Most calls first. One more than the limit, where another page follows. */
export async function listVersionUsage(
  db: Db,
  { api, target, scope, since }: UsageFilter,
  { offset, limit }: Slice,
): Promise<ListedUsage[]> {
  const { caller, memberId } =
    scope === 'everybody' ? {} : (scope as Partial<Record<'caller' | 'memberId', string>>);
  const rows = await db
    .selectFrom('version_usage')
    .selectAll()
    .where('api', '=', api)
    .where('version', '<', target)
    .where('changed_in', '<=', target)
    .where('operation', '<>', '')
    .$if(caller !== undefined, (query) => query.where('caller', '=', caller!))
    .$if(memberId !== undefined, (query) => query.where('member_id', '=', memberId!))
    .$if(since !== undefined, (query) => query.where('last_at', '>=', since!))
    .orderBy('calls', 'desc')
    .$if(caller === undefined, (query) => query.orderBy('caller'))
    .orderBy('version')
    .orderBy('variant')
    .orderBy('operation')
    .limit(limit + 1)
    .offset(offset)
    .execute();
  return rows.map(({ member_id, changed_in, first_at, last_at, kind, done_at, done_by, ...row }) => ({
    ...row,
    kind: kind as UsageCallerKind,
    memberId: member_id,
    changedIn: changed_in,
    firstAt: first_at,
    lastAt: last_at,
    done: done_at === null || done_at < last_at ? undefined : { at: done_at, by: done_by! },
  }));
}

/** Undefined takes the mark away. Returns whether there is such a row in the scope. */
export async function updateUsageDone(
  tx: Db,
  key: UsageKey,
  scope: UsageScope,
  done: UsageDone | undefined,
): Promise<boolean> {
  const { caller, memberId } =
    scope === 'everybody' ? {} : (scope as Partial<Record<'caller' | 'memberId', string>>);
  const { numUpdatedRows } = await tx
    .updateTable('version_usage')
    .set({ done_at: done?.at ?? null, done_by: done?.by ?? null })
    .where((eb) => eb.and({ ...keyColumns(key) }))
    .$if(caller !== undefined, (query) => query.where('caller', '=', caller!))
    .$if(memberId !== undefined, (query) => query.where('member_id', '=', memberId!))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function keyColumns({ caller, api, version, variant, operation }: UsageKey): UsageKey {
  return { caller, api, version, variant, operation };
}

/** The effects of the calls in these rows. */
export async function listUsageEffects(db: Db, keys: readonly UsageKey[]): Promise<UsageEffectRow[]> {
  if (keys.length === 0) return [];
  const rows = await db
    .selectFrom('version_usage_effects')
    .selectAll()
    .where((eb) =>
      eb.or(
        keys.map(({ caller, api, version, variant, operation }) =>
          eb.and({ caller, api, version, variant, operation }),
        ),
      ),
    )
    .execute();
  return rows.map(({ last_at, ...row }) => ({ ...row, lastAt: last_at }));
}

/** The key of the row that counts the calls which were not recorded. */
export function unrecordedKey(api: string): UsageKey {
  return { caller: '', api, version: '', variant: '', operation: '' };
}

export interface UnrecordedCalls {
  calls: number;
  lastAt: number;
}

/** The calls that no node had memory for. */
export async function findUnrecordedCalls(db: Db, api: string): Promise<UnrecordedCalls | undefined> {
  const row = await db
    .selectFrom('version_usage')
    .select(['calls', 'last_at'])
    .where((eb) => eb.and({ ...unrecordedKey(api) }))
    .executeTakeFirst();
  return row && { calls: row.calls, lastAt: row.last_at };
}

/** Deletes the usage of callers that are gone. In the order in which nodes save, so that neither waits for the other. */
export async function deleteUsageOf(db: Db, callers: readonly string[]): Promise<void> {
  if (callers.length === 0) return;
  if (!db.isTransaction) return await db.transaction().execute((tx) => deleteUsageOf(tx, callers));
  for (const table of ['version_usage', 'version_usage_effects'] as const)
    await db.deleteFrom(table).where('caller', 'in', callers).execute();
}

/** Deletes rows that were last used before the time, at most as many as the limit. Returns how many. */
export async function deleteUsageBefore(db: Db, before: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom('version_usage')
    .select(['caller', 'api', 'version', 'variant', 'operation'])
    .where('last_at', '<', before)
    .limit(limit)
    .execute();
  for (const { caller, api, version, variant, operation } of old) {
    const key = { caller, api, version, variant, operation };
    await db.transaction().execute(async (tx) => {
      // A call may have come meanwhile.
      const { numDeletedRows } = await tx
        .deleteFrom('version_usage')
        .where((eb) => eb.and(key))
        .where('last_at', '<', before)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return;
      await tx
        .deleteFrom('version_usage_effects')
        .where((eb) => eb.and(key))
        .execute();
    });
  }
  return old.length;
}

/** The callers with tokens or sessions after the given one, in order: to look for those that are gone. */
export async function listUsageCallers(
  db: Db,
  after: string,
  limit: number,
): Promise<{ caller: string; kind: UsageCallerKind }[]> {
  const rows = await db
    .selectFrom('version_usage')
    .select(['caller', 'kind'])
    .distinct()
    .where('caller', '>', after)
    .orderBy('caller')
    .limit(limit)
    .execute();
  return rows.map(({ caller, kind }) => ({ caller, kind: kind as UsageCallerKind }));
}

/** Those of the callers that no longer exist. Programs are the concern of their API. */
export async function listGoneCallers(
  db: Db,
  callers: readonly { caller: string; kind: UsageCallerKind }[],
): Promise<string[]> {
  const idsOf = (kind: UsageCallerKind) =>
    callers.filter((one) => one.kind === kind).map(({ caller }) => caller);
  const [tokens, members] = [idsOf('token'), idsOf('session')];
  const known = new Set<string>();
  if (tokens.length > 0)
    for (const { id } of await db.selectFrom('tokens').select('id').where('id', 'in', tokens).execute())
      known.add(id);
  if (members.length > 0)
    for (const { id } of await db
      .selectFrom('members')
      .select('id')
      .where('id', 'in', members)
      .where('removed_at', 'is', null)
      .execute())
      known.add(id);
  return [...tokens, ...members].filter((id) => !known.has(id));
}

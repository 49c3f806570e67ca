// Members for their administration: lists by filter, locks and updates.
import { sql, type Expression, type ExpressionBuilder, type Selectable, type SqlBool } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import { lockRows } from '../../kernel/storage/locks.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { attributesOf, memberOf } from '../../kernel/identity/store-members.ts';
import { escapeLike } from '../../kernel/storage/search.ts';
import { isReservedUsername, listReservedNames } from '../../kernel/identity/store-reserved-names.ts';
import type { BaseRole } from '../../kernel/identity/policy.ts';
import type { MemberRecord } from './model.ts';

export interface MemberFilter {
  /** Part of an e-mail address or name. */
  query?: string;
  /** Base roles and keys of custom roles; `admin` includes owners. */
  roles?: string[];
  baseRole?: BaseRole;
  ids?: string[];
  emails?: string[];
  teamKey?: string;
  hasNoTeam?: boolean;
  /** Members not seen since then, or never. */
  lastSeen?: { before: number } | 'never';
}

export interface MemberOrder {
  by: 'displayName' | 'lastSeen';
  desc: boolean;
}

/** The ids of all members that match every condition. */
export async function listMemberIds(db: Db, filter: MemberFilter, order: MemberOrder[] = []) {
  if (JSON.stringify(filter).includes('\\u0000')) return [];
  let query = db
    .selectFrom('members')
    .select('id')
    .where('removed_at', 'is', null)
    .where((eb) => eb.and(conditionsOf(eb, filter)));
  for (const { by, desc } of order) query = query.orderBy(ORDERS[by], desc ? 'desc' : 'asc');
  const rows = await query.orderBy('number').execute();
  return rows.map(({ id }) => id);
}

/** The ids of all members that match none of the conditions. */
export async function listMemberIdsExcept(db: Db, filter: MemberFilter): Promise<string[]> {
  const all = await listMemberIds(db, {});
  const out = new Set<string>();
  for (const [name, value] of Object.entries(filter)) {
    for (const id of await listMemberIds(db, { [name]: value })) out.add(id);
  }
  return all.filter((id) => !out.has(id));
}

const SHOWN_NAME = sql`trim(coalesce(first_name, '') || ' ' || coalesce(last_name, ''))`;
const ORDERS = {
  displayName: sql.ref('sort_name'),
  lastSeen: sql`coalesce(last_seen_at, 0)`,
};

function conditionsOf(
  eb: ExpressionBuilder<Tables, 'members'>,
  { query, roles, baseRole, ids, emails, teamKey, hasNoTeam, lastSeen }: MemberFilter,
): Expression<SqlBool>[] {
  const inTeam = eb.selectFrom('team_members').select('member_id').whereRef('member_id', '=', 'members.id');
  const conditions: (Expression<SqlBool> | undefined)[] = [
    query === undefined ? undefined : contains(query),
    roles && eb.or(roles.map((role) => holds(eb, role))),
    baseRole && eb('role', '=', baseRole),
    ids && eb('id', 'in', orNone(ids)),
    emails && eb(sql`lower(email)`, 'in', orNone(emails.map((email) => email.toLowerCase()))),
    teamKey === undefined
      ? undefined
      : eb.exists(
          inTeam
            .innerJoin('teams', 'teams.id', 'team_members.team_id')
            .where(sql`lower(teams.key)`, '=', teamKey.toLowerCase()),
        ),
    hasNoTeam === undefined ? undefined : hasNoTeam ? eb.not(eb.exists(inTeam)) : eb.exists(inTeam),
    lastSeen === undefined
      ? undefined
      : lastSeen === 'never'
        ? eb('last_seen_at', 'is', null)
        : eb.or([eb('last_seen_at', 'is', null), eb('last_seen_at', '<', lastSeen.before)]),
  ];
  return conditions.filter((condition) => condition !== undefined);
}

/** SQL has no empty lists; no id or address is the empty text. */
function orNone(values: string[]): string[] {
  return values.length === 0 ? [''] : values;
}

function contains(words: string): Expression<SqlBool> {
  const pattern = `%${escapeLike(words.toLowerCase())}%`;
  return sql<boolean>`(lower(email) like ${pattern} escape '\\' or lower(username) like ${pattern} escape '\\' or lower(${SHOWN_NAME}) like ${pattern} escape '\\')`;
}

function holds(eb: ExpressionBuilder<Tables, 'members'>, role: string): Expression<SqlBool> {
  const named = `%${escapeLike(JSON.stringify(role))}%`;
  return eb.or([
    eb('role', 'in', role === 'admin' ? ['admin', 'owner'] : [role]),
    sql<boolean>`custom_roles like ${named} escape '\\'`,
  ]);
}

/** The limit on ids and addresses in one condition. */
const MAX_VALUES = 10_000;

async function findInBatches<Row>(
  values: readonly string[],
  find: (batch: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (const batch of chunk(values, MAX_VALUES)) {
    for (const row of await find(batch)) found.push(row);
  }
  return found;
}

/** In the order of the ids, without unknown ones. */
export async function listMemberRecords(db: Db, ids: readonly string[]): Promise<MemberRecord[]> {
  const rows = await findInBatches(ids, (batch) =>
    db.selectFrom('members').selectAll().where('id', 'in', batch).where('removed_at', 'is', null).execute(),
  );
  const byId = new Map(rows.map((row) => [row.id, memberRecordOf(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Locks them until the transaction ends. */
export async function lockMemberRecords(tx: Db, ids: readonly string[]): Promise<MemberRecord[]> {
  await lockMembers(tx, ids);
  return listMemberRecords(tx, ids);
}

/** Locks without reading. */
export async function lockMembers(tx: Db, ids: readonly string[]): Promise<void> {
  await findInBatches([...new Set(ids)].sort(), async (batch) => {
    const members = tx.selectFrom('members').select('id').where('id', 'in', batch);
    return (await lockRows(tx, members.orderBy('id').forUpdate())) ?? [];
  });
}

export async function findIdsByEmail(db: Db, emails: readonly string[]): Promise<Map<string, string>> {
  const rows = await findInBatches(
    emails.map((email) => email.toLowerCase()),
    (batch) =>
      db
        .selectFrom('members')
        .select(['id', sql<string>`lower(email)`.as('address')])
        .where(sql`lower(email)`, 'in', batch)
        .where('removed_at', 'is', null)
        .execute(),
  );
  return new Map(rows.map(({ id, address }) => [address, id]));
}

/** Writes role, custom roles and attributes; refuses when someone else changed the member since they were read. */
export async function updateMemberRecord(
  db: Db,
  before: MemberRecord,
  after: MemberRecord,
  now: number,
): Promise<MemberRecord> {
  const row = await db
    .updateTable('members')
    .set({
      role: after.role,
      custom_roles: JSON.stringify(after.customRoles),
      role_attributes: JSON.stringify(after.roleAttributes),
      updated_at: now,
      version: before.version + 1,
    })
    .where('id', '=', before.id)
    .where('version', '=', before.version)
    .where('removed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw contested('member');
  return memberRecordOf(row);
}

export async function countMembersWithRole(db: Db, role: BaseRole): Promise<number> {
  const { total } = await db
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('role', '=', role)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return total;
}

/** The wanted username, or the first free one with a number after it. */
export async function findFreeUsername(db: Db, wanted: string, taken: ReadonlySet<string>): Promise<string> {
  for (let round = 0; ; round += 1) {
    const candidates = Array.from({ length: 50 }, (_, index) => {
      const number = round * 50 + index + 1;
      return number === 1 ? wanted : `${wanted.slice(0, 32)}-${number}`.replace('--', '-');
    });
    const known = await listReservedNames(db, candidates);
    const free = candidates.find(
      (name) => !known.has(name.toLowerCase()) && !taken.has(name) && !isReservedUsername(name),
    );
    if (free !== undefined) return free;
  }
}

function memberRecordOf(row: Selectable<Tables['members']>): MemberRecord {
  return {
    ...memberOf(row),
    roleAttributes: attributesOf(row),
    lastSeenAt: row.last_seen_at ?? undefined,
    lastSeenToken: row.last_seen_token ?? undefined,
    version: row.version,
  };
}

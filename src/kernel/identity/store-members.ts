// Members: the people of the account, with their names, base role and custom roles.
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { Failure } from '../failure.ts';
import { sortKeyOf } from '../text/fold-case.ts';
import { newId } from '../id.ts';
import type { Slice } from '../http/reply/page.ts';
import { contested } from '../storage/retry.ts';
import { escapeLike } from '../storage/search.ts';
import { buildForLists, buildOnce } from '../storage/build-once.ts';
import type { Db, Tables } from '../storage/tables.ts';
import { isEmail } from '../text/email.ts';
import { isPassword } from '../secrets/secret.ts';
import { releaseName, reserveName, isReservedUsername } from './store-reserved-names.ts';
import type { RoleAttributes } from './role-policies.ts';
import type { BaseRole } from './policy.ts';

export interface Member {
  id: string;
  number: number;
  username: string;
  email: string;
  firstName: string | undefined;
  lastName: string | undefined;
  role: BaseRole;
  /** Keys of custom roles. */
  customRoles: string[];
  createdAt: number;
  updatedAt: number;
}

export interface NewMember {
  username: string;
  email: string;
  role: BaseRole;
  password?: string;
  firstName?: string;
  lastName?: string;
  customRoles?: string[];
  roleAttributes?: RoleAttributes;
}

const USERNAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9]|-(?=[a-zA-Z0-9])){0,38}$/;

/** The caller hashes the password before the transaction, because scrypt is slow on purpose. */
export async function insertMember(
  db: Db,
  { username, email, role, firstName, lastName, customRoles = [], roleAttributes }: NewMember,
  passwordHash: string | null,
  now: number,
): Promise<Member> {
  if (!USERNAME.test(username)) {
    throw new Failure(
      'invalid',
      `"${username}" cannot be a username: use 1 to 39 letters, digits and single hyphens inside`,
    );
  }
  if (isReservedUsername(username))
    throw new Failure('invalid', `"${username}" cannot be a username: what comes with this server has it`);
  if (!isEmail(email)) throw new Failure('invalid', `"${email}" is not an e-mail address`);
  if (!(await reserveName(db, username, 'member')))
    throw new Failure('conflict', `"${username}" cannot be a username: it is taken`, { isContested: true });
  const row = await db
    .insertInto('members')
    .values({
      id: newId(now),
      username,
      email,
      password: passwordHash,
      first_name: firstName ?? null,
      last_name: lastName ?? null,
      sort_name: memberSortKey({ firstName, lastName, email }),
      role,
      custom_roles: JSON.stringify(customRoles),
      created_at: now,
      updated_at: now,
      last_seen_at: null,
      ...(roleAttributes && { role_attributes: JSON.stringify(roleAttributes) }),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return memberOf(row);
}

/** Sorted by the displayed name: their own, or the address. */
export function memberSortKey({
  firstName,
  lastName,
  email,
}: Pick<Member, 'firstName' | 'lastName' | 'email'>): string {
  return sortKeyOf(`${firstName ?? ''} ${lastName ?? ''}`.trim() || email);
}

export type MemberName = { id: string } | { username: string } | { number: number };

const ID = /^[0-9a-f]{24}$/;
/** The numbers of members are 32-bit integers in PostgreSQL. */
const MAX_NUMBER = 2 ** 31 - 1;

/** Text that no member can be named by is not queried: PostgreSQL fails on a NUL, for example. */
function isName(by: MemberName): boolean {
  if ('id' in by) return ID.test(by.id);
  return 'username' in by
    ? USERNAME.test(by.username)
    : Number.isInteger(by.number) && by.number <= MAX_NUMBER;
}

export async function findMember(db: Db, by: MemberName): Promise<Member | undefined> {
  if (!isName(by)) return undefined;
  const statement =
    'id' in by
      ? selectMember.byId(db, by.id)
      : 'username' in by
        ? selectMember.byUsername(db, by.username)
        : selectMember.byNumber(db, by.number);
  const [row] = (await db.executeQuery(statement)).rows;
  return row && memberOf(row);
}

const present = (db: Db) => db.selectFrom('members').selectAll().where('removed_at', 'is', null);

const selectMember = {
  byId: buildOnce((db, id: string) => present(db).where('id', '=', id)),
  byUsername: buildOnce((db, username: string) => present(db).where('username', '=', username)),
  byNumber: buildOnce((db, number: number) => present(db).where('number', '=', number)),
};

/** No removed members. */
export async function listMembersById(db: Db, ids: readonly string[]): Promise<Member[]> {
  return (await selectMembersById(db, ids)).map(memberOf);
}

const selectMembersById = buildForLists((db, ids: readonly string[]) =>
  db.selectFrom('members').selectAll().where('id', 'in', ids).where('removed_at', 'is', null),
);

/** Members with larger numbers, by number. */
export async function listMembersAfter(db: Db, number: number, limit: number): Promise<Member[]> {
  const rows = await db
    .selectFrom('members')
    .selectAll()
    .where('number', '>', number)
    .where('removed_at', 'is', null)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map(memberOf);
}

/** The owner who was created first. */
export async function findOldestOwner(db: Db): Promise<Member | undefined> {
  const row = await db
    .selectFrom('members')
    .selectAll()
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  return row && memberOf(row);
}

/** The creator of a token; for service tokens also a removed member, as the tokens remain. */
export async function findTokenOwner(db: Db, { memberId, isService }: TokenMaker) {
  const row = await db
    .selectFrom('members')
    .selectAll()
    .where('id', '=', memberId)
    .$if(!isService, (query) => query.where('removed_at', 'is', null))
    .executeTakeFirst();
  return row && { member: memberOf(row), attributes: attributesOf(row) };
}

interface TokenMaker {
  memberId: string;
  isService: boolean;
}

/** Members whose username or name contains the words, in this order; the default is that of `byMatch`. */
export async function searchMembers(
  db: Db,
  words: string,
  { offset, limit }: Slice,
  joined?: 'asc' | 'desc',
): Promise<{ items: Member[]; total: number }> {
  if (words.includes('\0')) return { items: [], total: 0 };
  const found = db.selectFrom('members').where('removed_at', 'is', null).where(matchesWords(words));
  const rows = await found
    .selectAll()
    .$if(joined === undefined, (query) => query.orderBy(byMatch(words)))
    .orderBy('number', joined ?? 'asc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await found
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items: rows.map(memberOf), total };
}

/** Whether a member's username or name contains the words, which must not contain NUL. */
export function matchesWords(words: string): RawBuilder<boolean> {
  const contains = `%${escapeLike(words.toLowerCase())}%`;
  return sql<boolean>`(lower(username) like ${contains} escape '\\' or lower(coalesce(first_name, '') || ' ' || coalesce(last_name, '')) like ${contains} escape '\\')`;
}

/** Sorts members whose username begins with the words before others. */
export function byMatch(words: string): RawBuilder<number> {
  return sql<number>`case when lower(username) like ${`${escapeLike(words.toLowerCase())}%`} escape '\\' then 0 else 1 end`;
}

/** The member who logs in with this username or address, with the hash of their password. */
export async function findLogin(
  db: Db,
  name: string,
): Promise<{ member: Member; password: string | null } | undefined> {
  if (name.includes('\0')) return undefined;
  const row = await db
    .selectFrom('members')
    .selectAll()
    .where((eb) => eb.or([eb('username', '=', name), eb('email', '=', name)]))
    .executeTakeFirst();
  return row && { member: memberOf(row), password: row.password };
}

/** Undefined for an unknown name and for a wrong password alike. */
export async function checkPassword(db: Db, name: string, password: string): Promise<Member | undefined> {
  const login = await findLogin(db, name);
  return (await isPassword(password, login?.password ?? null)) ? login?.member : undefined;
}

/** Null ends the password: only links let the member in. */
export async function updatePassword(
  db: Db,
  id: string,
  passwordHash: string | null,
  now: number,
): Promise<void> {
  await db
    .updateTable('members')
    .set({ password: passwordHash, updated_at: now })
    .where('id', '=', id)
    .execute();
}

/** False when another member has the address. */
export async function updateEmail(tx: Db, member: Member, email: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('members')
    .set({ email, sort_name: memberSortKey({ ...member, email }), updated_at: now })
    .where('id', '=', member.id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('members as other').select('id').where('other.email', '=', email))),
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Removes all permissions and frees the username and address; the row stays. Personal tokens, sessions and links are
 * deleted; service tokens stay, as they do not act for their creator. Refuses when someone else changed the member since
 * they were read.
 */
export async function deleteMember(
  db: Db,
  { id, version, username }: Pick<Member, 'id' | 'username'> & { version: number },
  now: number,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('members')
    .set({
      username: `removed-${id}`,
      email: `${id}@removed.invalid`,
      password: null,
      role: 'no_access',
      custom_roles: '[]',
      role_attributes: null,
      updated_at: now,
      removed_at: now,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw contested('member');
  await releaseName(db, username, 'member');
  await db.deleteFrom('tokens').where('member_id', '=', id).where('is_service', '=', 0).execute();
  for (const table of ENDED_WITH_MEMBERS) {
    await db.deleteFrom(table).where('member_id', '=', id).execute();
  }
}

const ENDED_WITH_MEMBERS = [
  'sessions',
  'login_links',
  'second_factors',
  'recovery_codes',
  'external_logins',
  'team_members',
  'team_grants',
] as const;

/** When a member was last seen, and with which token, if any. */
export async function updateLastSeen(
  db: Db,
  id: string,
  at: number,
  tokenId: string | undefined,
): Promise<void> {
  await db
    .updateTable('members')
    .set({ last_seen_at: at, last_seen_token: tokenId ?? null })
    .where('id', '=', id)
    .execute();
}

export function attributesOf({ role_attributes }: Selectable<Tables['members']>): RoleAttributes {
  return JSON.parse(role_attributes ?? '{}') as RoleAttributes;
}

export function memberOf(row: Selectable<Tables['members']>): Member {
  return {
    id: row.id,
    number: row.number,
    username: row.username,
    email: row.email,
    firstName: row.first_name ?? undefined,
    lastName: row.last_name ?? undefined,
    role: row.role as BaseRole,
    customRoles: JSON.parse(row.custom_roles) as string[],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

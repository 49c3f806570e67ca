// Access tokens, personal and service: each with its own permissions, and a secret stored as a hash and shown once.
import type { Insertable, Selectable } from 'kysely';
import { Failure } from '../failure.ts';
import { newId } from '../id.ts';
import type { Slice } from '../http/reply/page.ts';
import { buildOnce } from '../storage/build-once.ts';
import { contested } from '../storage/retry.ts';
import type { Db, Tables } from '../storage/tables.ts';
import { deleteUsageOf } from '../versions/usage/store.ts';
import { ensureServiceAccount } from './store-accounts.ts';
import type { BaseRole, PolicyStatement } from './policy.ts';
import type { Secret } from '../secrets/secret.ts';

/** The permissions of a token: a base role, custom roles, or its own statements. */
export interface TokenPermissions {
  role?: BaseRole;
  customRoles: string[];
  inlinePolicy?: PolicyStatement[];
}

export interface Token extends TokenPermissions {
  id: string;
  memberId: string;
  isService: boolean;
  name: string;
  description: string;
  ending: string;
  defaultApiVersion?: number;
  createdAt: number;
  modifiedAt: number;
  lastUsedAt?: number;
  /** Absent where it was last used before this was recorded. */
  lastUse?: LastTokenUse;
  expiresAt?: number;
  version: number;
}

/** Where a token was last used from, and for what. */
export interface LastTokenUse {
  /** Empty where the server itself acted with the token. */
  address: string;
  /** The name of the API's protocol. */
  api: string;
  /** The id of the operation; absent where there was none at the path. */
  operation?: string;
}

export interface NewToken extends TokenPermissions {
  memberId: string;
  isService: boolean;
  name: string;
  description: string;
  defaultApiVersion?: number;
  expiresAt?: number;
}

/** The prefix of every token, by which scanners and people recognise a leaked one. */
export const TOKEN_PREFIX = 'api-';

/** The ending of a token whose secret has not been shown yet. */
export const UNSEEN = '';

export async function insertToken(db: Db, token: NewToken, secret: Secret, now: number): Promise<Token> {
  const row = await db
    .insertInto('tokens')
    .values({
      ...columnsOf(token),
      id: newId(now),
      member_id: token.memberId,
      is_service: token.isService ? 1 : 0,
      hash: secret.hash,
      ending: secret.ending,
      old_hash: null,
      old_until: null,
      default_api_version: token.defaultApiVersion ?? null,
      created_at: now,
      modified_at: now,
      last_used_at: null,
      expires_at: token.expiresAt ?? null,
      version: 1,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const made = tokenOf(row);
  if (made.isService) await ensureServiceAccount(db, made);
  return made;
}

/** With `hold` it is locked until the transaction ends. */
export async function findToken(db: Db, id: string, hold?: 'hold'): Promise<Token | undefined> {
  const row = await db
    .selectFrom('tokens')
    .selectAll()
    .where('id', '=', id)
    .$if(hold !== undefined, (query) => query.forUpdate())
    .executeTakeFirst();
  return row && tokenOf(row);
}

const BY_HASH = buildOnce((db, hash: string) => db.selectFrom('tokens').selectAll().where('hash', '=', hash));

const BY_OLD_HASH = buildOnce((db, hash: string, now: number) =>
  db.selectFrom('tokens').selectAll().where('old_hash', '=', hash).where('old_until', '>', now),
);

/** The token with this secret, or with this old secret during its grace; expired ones are not found. */
export async function findTokenByHash(db: Db, hash: string, now: number): Promise<Token | undefined> {
  const row =
    (await db.executeQuery(BY_HASH(db, hash))).rows[0] ??
    (await db.executeQuery(BY_OLD_HASH(db, hash, now))).rows[0];
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined;
  const token = tokenOf(row);
  // An old secret is valid only until its grace ends: for this caller the token expires then.
  if (row.hash === hash || row.old_until === null) return token;
  return { ...token, expiresAt: Math.min(row.old_until, token.expiresAt ?? Infinity) };
}

/** Whose tokens to list: one member's and all service tokens, or everyone's. */
export interface TokenFilter {
  visibleTo?: string;
}

export async function listTokens(db: Db, filter: TokenFilter, { offset, limit }: Slice) {
  const seen = tokensIn(db, filter);
  const rows = await seen
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await seen
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items: rows.map(tokenOf), total };
}

/** Only the fields that a policy needs, in the order of the list: paging counts the visible tokens only. */
export async function listTokenNames(db: Db, filter: TokenFilter) {
  const rows = await tokensIn(db, filter)
    .select(['id', 'member_id', 'is_service'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ id: row.id, memberId: row.member_id, isService: row.is_service === 1 }));
}

export async function findTokens(db: Db, ids: string[]): Promise<Token[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('tokens')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(tokenOf);
}

function tokensIn(db: Db, { visibleTo }: TokenFilter) {
  const all = db.selectFrom('tokens');
  if (visibleTo === undefined) return all;
  return all.where((eb) => eb.or([eb('member_id', '=', visibleTo), eb('is_service', '=', 1)]));
}

/** Where a list of tokens goes on: after this one, in descending order of creation. */
export interface TokenPosition {
  createdAt: number;
  id: string;
}

/** The newest first, by an index each: those of a member and service tokens are read apart, and merged. */
export async function listTokensBefore(
  db: Db,
  { visibleTo }: TokenFilter,
  { createdAt, id }: TokenPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: '' },
  limit: number,
): Promise<Token[]> {
  const newest = db
    .selectFrom('tokens')
    .selectAll()
    .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(createdAt, id)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (visibleTo === undefined) return (await newest.execute()).map(tokenOf);
  const own = await newest.where('member_id', '=', visibleTo).where('is_service', '=', 0).execute();
  const ofServices = await newest.where('is_service', '=', 1).execute();
  return [...own, ...ofServices]
    .toSorted((one, other) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1))
    .slice(0, limit)
    .map(tokenOf);
}

/** Writes name, description and permissions; refuses if the token changed since it was read. */
export async function updateToken(db: Db, before: Token, after: Token, now: number): Promise<Token> {
  return write(db, before, { ...columnsOf(after), modified_at: now });
}

/** Gives the token a new secret. The old one becomes invalid at once, or at `oldUntil`. */
export async function resetToken(
  db: Db,
  before: Token,
  { secret, oldUntil }: { secret: Secret; oldUntil?: number },
  now: number,
): Promise<Token> {
  const { hash } = await db
    .selectFrom('tokens')
    .select('hash')
    .where('id', '=', before.id)
    .executeTakeFirstOrThrow(() => new Failure('not-found', 'The token is gone'));
  const hasGrace = oldUntil !== undefined && oldUntil > now;
  return write(db, before, {
    hash: secret.hash,
    ending: secret.ending,
    old_hash: hasGrace ? hash : null,
    old_until: hasGrace ? oldUntil : null,
    modified_at: now,
  });
}

async function write(db: Db, before: Token, changes: Partial<Insertable<Tables['tokens']>>): Promise<Token> {
  const row = await db
    .updateTable('tokens')
    .set({ ...changes, version: before.version + 1 })
    .where('id', '=', before.id)
    .where('version', '=', before.version)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw contested('token');
  return tokenOf(row);
}

/** Whether the member had a token whose secret was never shown. Of several nodes that start together, only one gets true. */
export async function updateFirstSecret(
  db: Db,
  memberId: string,
  secret: Secret,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tokens')
    .set({ hash: secret.hash, ending: secret.ending, modified_at: now })
    .where('member_id', '=', memberId)
    .where('ending', '=', UNSEEN)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** With what is known of its calls. */
export async function deleteToken(db: Db, id: string): Promise<boolean> {
  await deleteUsageOf(db, [id]);
  const { numDeletedRows } = await db.deleteFrom('tokens').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

function columnsOf({ name, description, role, customRoles, inlinePolicy }: NewToken | Token) {
  return {
    name,
    description,
    role: role ?? null,
    custom_roles: JSON.stringify(customRoles),
    inline_policy: inlinePolicy === undefined ? null : JSON.stringify(inlinePolicy),
  };
}

function tokenOf(row: Selectable<Tables['tokens']>): Token {
  return {
    id: row.id,
    memberId: row.member_id,
    isService: row.is_service === 1,
    name: row.name,
    description: row.description,
    ending: row.ending,
    customRoles: JSON.parse(row.custom_roles) as string[],
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
    version: row.version,
    ...(row.role !== null && { role: row.role as BaseRole }),
    ...(row.inline_policy !== null && { inlinePolicy: JSON.parse(row.inline_policy) as PolicyStatement[] }),
    ...(row.default_api_version !== null && { defaultApiVersion: row.default_api_version }),
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
    ...(row.last_used_api !== null && { lastUse: lastUseOf(row, row.last_used_api) }),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  };
}

function lastUseOf(
  { last_used_address: address, last_used_operation: operation }: Selectable<Tables['tokens']>,
  api: string,
): LastTokenUse {
  return { address: address ?? '', api, ...(operation !== null && { operation }) };
}

// Browser sessions: two opaque secrets stored as hashes, opened by a one-time link or a password.
import type { Db } from '../../storage/tables.ts';
import { findTokenOwner, type Member } from '../store-members.ts';
import { hashSecret, newSecret } from '../../secrets/secret.ts';
import { deleteExpiredLinks, type LinkPurpose } from './store-login-links.ts';

const SESSION_DAYS = 14;
const DAY = 24 * 60 * 60 * 1000;

export const SESSION_MS = SESSION_DAYS * DAY;

export interface SessionSecrets {
  /** For the cookie. */
  secret: string;
  /** For pages of this server, which send it beside the cookie. */
  pageSecret: string;
}

/** Where a session is opened, and by which program, as it names itself. */
export interface SessionOrigin {
  address: string | null;
  agent: string | null;
}

/** A program may name itself at any length. */
const MAX_AGENT = 300;

/** Opens a session. */
export async function insertSession(
  db: Db,
  member: Member,
  now: number,
  { address, agent }: SessionOrigin = { address: null, agent: null },
  link: LinkPurpose | null = null,
): Promise<SessionSecrets> {
  const [secret, page] = [newSecret(''), newSecret('')];
  await db
    .insertInto('sessions')
    .values({
      hash: secret.hash,
      member_id: member.id,
      created_at: now,
      expires_at: now + SESSION_MS,
      page_hash: page.hash,
      address,
      agent: agent?.slice(0, MAX_AGENT) ?? null,
      seen_at: now,
      link_purpose: link,
    })
    .execute();
  return { secret: secret.value, pageSecret: page.value };
}

export async function findSession(db: Db, hash: string, now: number) {
  const row = await db
    .selectFrom('sessions')
    .select(['member_id', 'expires_at', 'page_hash'])
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  const owner = row && (await findTokenOwner(db, { memberId: row.member_id, isService: false }));
  return owner && { ...owner, expiresAt: row.expires_at, pageHash: row.page_hash };
}

export async function deleteSession(db: Db, secret: string): Promise<void> {
  await db.deleteFrom('sessions').where('hash', '=', hashSecret(secret)).execute();
}

/** A session as its owner sees it. */
export interface SessionRecord extends SessionOrigin {
  /** Names it without opening it. */
  hash: string;
  createdAt: number;
  expiresAt: number;
  seenAt: number | null;
}

/** Of older ones nobody looks at more. */
const MAX_SESSIONS = 100;

/** The newest first. */
export async function listSessions(db: Db, memberId: string, now: number): Promise<SessionRecord[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['hash', 'created_at', 'expires_at', 'address', 'agent', 'seen_at'])
    .where('member_id', '=', memberId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('hash', 'desc')
    .limit(MAX_SESSIONS)
    .execute();
  return rows.map((row) => ({
    hash: row.hash,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    address: row.address,
    agent: row.agent,
    seenAt: row.seen_at,
  }));
}

/** False where the member has no such session. */
export async function deleteSessionOf(db: Db, memberId: string, hash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('hash', '=', hash)
    .where('member_id', '=', memberId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** All but one, which may be none of them. Resolves with how many there were. */
export async function deleteOtherSessions(db: Db, memberId: string, kept: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('member_id', '=', memberId)
    .where('hash', '!=', kept)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** When the session was opened by a link that has not set a password since; undefined where it was not. */
export async function findOpenedByLink(db: Db, hash: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select('created_at')
    .where('hash', '=', hash)
    .where('link_purpose', 'is not', null)
    .executeTakeFirst();
  return row?.created_at;
}

/** From now on the session counts as one that a password has opened. */
export async function forgetOpenedByLink(db: Db, hash: string): Promise<void> {
  await db.updateTable('sessions').set({ link_purpose: null }).where('hash', '=', hash).execute();
}

export async function updateSessionSeen(db: Db, hash: string, at: number): Promise<void> {
  await db.updateTable('sessions').set({ seen_at: at }).where('hash', '=', hash).execute();
}

/** Deletes expired sessions and links, and old secrets of tokens after their grace. Expired tokens stay listed. */
export async function deleteExpired(db: Db, now: number): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', now).execute();
  await deleteExpiredLinks(db, now);
  await db
    .updateTable('tokens')
    .set({ old_hash: null, old_until: null })
    .where('old_until', '<=', now)
    .execute();
}

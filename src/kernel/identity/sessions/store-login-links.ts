// Login links: each lets one member in once, before it expires. Only hashes of their secrets are stored.
import { hashSecret, newSecret } from '../../secrets/secret.ts';
import type { Db } from '../../storage/tables.ts';
import { findMember, type Member } from '../store-members.ts';

/** `login` is for the operator at the terminal; the others let a new member in, or one who has lost their password. */
export const LINK_PURPOSES = ['login', 'invitation', 'reset'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

/** Those that are passed on to somebody else may stay in a mailbox: an invitation over a weekend. */
export const LINK_LIFETIMES: Readonly<Record<LinkPurpose, number>> = {
  login: 15 * MINUTE,
  invitation: 7 * DAY,
  reset: DAY,
};

/** How long an expired invitation stays listed, so that those who invite see that it was not used. */
const LISTED_MS = 30 * DAY;

/** Returns the secret of the link. */
export async function insertLoginLink(
  db: Db,
  { id }: Pick<Member, 'id'>,
  now: number,
  purpose: LinkPurpose = 'login',
): Promise<string> {
  const secret = newSecret('');
  await db
    .insertInto('login_links')
    .values({ hash: secret.hash, member_id: id, expires_at: now + LINK_LIFETIMES[purpose], purpose })
    .execute();
  return secret.value;
}

export interface SpentLink {
  member: Member;
  purpose: LinkPurpose;
}

/** Uses up the link. Undefined if it is used, expired or unknown. */
export async function spendLoginLink(db: Db, secret: string, now: number): Promise<SpentLink | undefined> {
  const row = await db
    .deleteFrom('login_links')
    .where('hash', '=', hashSecret(secret))
    .where('expires_at', '>', now)
    .returning(['member_id', 'purpose'])
    .executeTakeFirst();
  const member = row && (await findMember(db, { id: row.member_id }));
  return member && { member, purpose: row.purpose as LinkPurpose };
}

/** Ends the links of a member. Resolves with how many could still have been used. */
export async function deleteLoginLinks(db: Db, memberId: string, now: number): Promise<number> {
  const rows = await db
    .deleteFrom('login_links')
    .where('member_id', '=', memberId)
    .returning('expires_at')
    .execute();
  return rows.filter(({ expires_at }) => expires_at > now).length;
}

/** When the invitations of these members expire, or expired lately. */
export async function listInvitations(db: Db, memberIds: readonly string[]): Promise<Map<string, number>> {
  if (memberIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('login_links')
    .select(['member_id', 'expires_at'])
    .where('member_id', 'in', memberIds)
    .where('purpose', '=', 'invitation')
    .orderBy('expires_at')
    .execute();
  return new Map(rows.map(({ member_id, expires_at }) => [member_id, expires_at]));
}

export async function deleteExpiredLinks(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('login_links')
    .where('expires_at', '<=', now)
    .where((eb) => eb.or([eb('purpose', '<>', 'invitation'), eb('expires_at', '<=', now - LISTED_MS)]))
    .execute();
}

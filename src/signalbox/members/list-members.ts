// Searches members page by page: a call reads a bounded number of them, and says where the next one goes on.
import type { BaseRole } from '../../kernel/identity/policy.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import { matchesText, memberStateOf, type ListedMember, type MEMBER_STATES } from './model.ts';
import { listMembersByName, type MemberPlace } from './store.ts';

const BASE_ROLES: readonly string[] = [
  'reader',
  'writer',
  'admin',
  'owner',
  'no_access',
] satisfies BaseRole[];

/** Rows of one statement, and of one call. */
const AT_ONCE = 500;
const MAX_READ = 2000;

export interface MemberSearch {
  q?: string | undefined;
  /** A base role, or the key of a custom role that the member has without a team. */
  role?: string | undefined;
  state?: (typeof MEMBER_STATES)[number] | undefined;
  after?: MemberPlace | undefined;
  limit: number;
}

export interface FoundMembers {
  members: ListedMember[];
  /** The id of the last member that was read; absent at the end. */
  next?: string;
  /** Whether the caller may see any of those that were read. */
  hasSeen: boolean;
}

export async function searchByName(
  db: Db,
  { q = '', role, state, after, limit }: MemberSearch,
  isVisible: (member: ListedMember) => boolean,
): Promise<FoundMembers> {
  const baseRole = role !== undefined && BASE_ROLES.includes(role) ? (role as BaseRole) : undefined;
  const matches = (member: ListedMember) =>
    (role === undefined || role === baseRole || member.customRoles.includes(role)) &&
    (state === undefined || memberStateOf(member) === state) &&
    (q === '' || matchesText(member, q));
  const members: ListedMember[] = [];
  let place = after;
  let hasSeen = false;
  for (let read = 0; ;) {
    // Mostly the first page is enough, and nobody is left out.
    const atOnce = read === 0 ? limit + 1 : AT_ONCE;
    const rows = await listMembersByName(db, { role: baseRole, after: place, limit: atOnce });
    const seen = await filterInSlices(rows, (row) => !row.isRemoved && isVisible(row));
    hasSeen ||= seen.length > 0;
    members.push(...seen.filter(matches));
    if (members.length > limit) {
      const page = members.slice(0, limit);
      return { members: page, next: page.at(-1)!.id, hasSeen };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < atOnce) return { members, hasSeen };
    read += rows.length;
    if (read >= MAX_READ) return { members, next: last.id, hasSeen };
    place = last;
  }
}

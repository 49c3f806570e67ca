// Reads members, teams and tokens for the search.
import { listMembersById, type Member } from '../../kernel/identity/store-members.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { SearchRecord } from './terms.ts';

export interface SearchedMember extends SearchRecord {
  member: Member;
}

export async function readMemberRecords(db: Db, ids: readonly string[]): Promise<SearchedMember[]> {
  const members = await listMembersById(db, ids);
  return members.map((member) => {
    const { id, username, email, firstName, lastName } = member;
    const fullName = [firstName, lastName].filter(Boolean).join(' ');
    return {
      kind: 'member',
      id,
      key: username,
      name: fullName || username,
      texts: [email],
      scopes: [],
      member,
    };
  });
}

export interface TeamRecord extends SearchRecord {
  key: string;
  at: number;
}

export async function readTeamRecords(db: Db, ids: readonly string[]): Promise<TeamRecord[]> {
  const rows = await db
    .selectFrom('teams')
    .select(['id', 'key', 'name', 'updated_at'])
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id, key, name, updated_at: at }) => ({ kind: 'team', id, key, name, scopes: [], at }));
}

export interface TokenRecord extends SearchRecord {
  memberId: string;
  isService: boolean;
  ending: string;
  at: number;
}

/** The scope of service tokens, which belong to nobody. */
export const SERVICE_SCOPE = 'service';

export async function readTokenRecords(db: Db, ids: readonly string[]): Promise<TokenRecord[]> {
  const rows = await db
    .selectFrom('tokens')
    .select(['id', 'member_id', 'is_service', 'name', 'ending', 'last_used_at', 'created_at'])
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id, member_id: memberId, is_service, name, ending, last_used_at, created_at }) => {
    const isService = is_service === 1;
    return {
      kind: 'token',
      id,
      name: name || `…${ending}`,
      ...(ending !== '' && { key: ending }),
      scopes: [isService ? SERVICE_SCOPE : memberId],
      memberId,
      isService,
      ending,
      at: last_used_at ?? created_at,
    };
  });
}

// What the pages of roles ask of the server.
import { path, type Call } from '../../api/call.ts';
import { usePages, useRead } from '../../api/read.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import type { AccountMember } from '../../api/types/signalbox.ts';
import type { PolicyStatement } from '../policy/policy.ts';

export const ROLES_PAGE = '/account/roles';

export interface CustomRole {
  _id: string;
  key: string;
  name: string;
  description: string;
  policy: PolicyStatement[];
  basePermissions: string;
  assignedTo?: { membersCount: number; teamsCount: number };
}

const TOPICS = ['role', 'member', 'team'];
const ROWS_AT_ONCE = 100;
const keyOf = ({ key }: CustomRole) => key;

export function useRoles() {
  return useListPages<{ items: CustomRole[]; totalCount: number }, CustomRole>({
    call: { api: 'flags', path: '/roles' },
    topics: TOPICS,
    first: 0,
    pageQuery: (offset) => ({ limit: ROWS_AT_ONCE, offset }),
    toPage: ({ items, totalCount }, offset) => offsetPage(items, totalCount, offset),
    idOf: keyOf,
  });
}

export const roleRead = (key: string) => ({
  call: { api: 'flags', path: path`/roles/${key}` } satisfies Call,
  topics: TOPICS,
});

export function useRole(key: string) {
  return useRead<CustomRole>(roleRead(key));
}

/** `new` is the address of the form, so a role with that key is opened by its id. */
export function roleHref({ key, _id }: Pick<CustomRole, 'key' | '_id'>): string {
  return `${ROLES_PAGE}/${encodeURIComponent(key === 'new' ? _id : key)}`;
}

export function useRoleMembers(key: string) {
  const call: Call = { api: 'signalbox', path: '/members', query: { role: key, limit: 25 } };
  return usePages<AccountMember>({ call, topics: TOPICS });
}

interface TeamWithRoles {
  key: string;
  name: string;
  roles?: { items: { key: string }[] };
}

const LISTED = 100;

/** The API does not list teams by role: the first hundred are looked through. */
export function useRoleTeams(key: string) {
  const call: Call = { api: 'flags', path: '/teams', query: { limit: LISTED, expand: 'roles' } };
  const { data, error } = useRead<{ items: TeamWithRoles[]; totalCount: number }>({ call, topics: TOPICS });
  return {
    teams: data?.items.filter(({ roles }) => roles?.items.some((role) => role.key === key) === true),
    isWhole: data !== undefined && data.items.length >= data.totalCount,
    error,
  };
}

interface TokenWithRoles {
  id: string;
  name: string;
  ending: string;
  customRoles: string[];
}

/** Nor are tokens listed by role: those that were made last are looked through. */
export function useTokensWithRoles() {
  const call: Call = { api: 'signalbox', path: '/tokens', query: { all: true, limit: LISTED } };
  const { data, error } = useRead<{ items: TokenWithRoles[]; next?: string }>({
    call,
    topics: ['token', 'service-token', 'role'],
  });
  return {
    tokensOf: ({ key, _id }: Pick<CustomRole, 'key' | '_id'>) =>
      data?.items.filter(({ customRoles }) => customRoles.includes(key) || customRoles.includes(_id)),
    isWhole: data !== undefined && data.next === undefined,
    error,
  };
}

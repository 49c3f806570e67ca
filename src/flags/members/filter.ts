// Reads member filters: of lists, and of the members that changes to all members skip.
import { isObject } from '../../kernel/json/json-value.ts';
import { misfit, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { readFieldFilter } from '../lists/list-query.ts';
import type { MemberFilter } from './store.ts';

export const MEMBER_FILTERS = ['query', 'role', 'id', 'email', 'team', 'noteam', 'lastSeen'] as const;

export function readMemberFilter(text: string | undefined): MemberFilter {
  const { query, role, id, email, team, noteam, lastSeen } = readFieldFilter(text, MEMBER_FILTERS);
  return {
    ...(query !== undefined && { query }),
    ...(role !== undefined && { roles: readRoles(role) }),
    ...(id !== undefined && { ids: splitWords(id) }),
    ...(email !== undefined && { emails: splitWords(email) }),
    ...(team !== undefined && { teamKey: team }),
    ...(noteam !== undefined && { hasNoTeam: readBoolean(noteam, 'noteam') }),
    ...(lastSeen !== undefined && { lastSeen: readLastSeen(parse(lastSeen), problem) }),
  };
}

const Text = Type.Optional(PlainText({ maxLength: 1000 }));

/** Parameters of instructions about all members. A member that matches any of them is skipped. */
export const EXCEPTIONS = {
  filterLastSeen: Type.Optional(Type.Unknown()),
  filterQuery: Text,
  filterRoles: Text,
  filterTeamKey: Text,
  ignoredMemberIDs: Type.Optional(Type.Array(PlainText(), { maxItems: 10_000 })),
};
const Exceptions = Type.Object(EXCEPTIONS);

export function readExceptions(given: Static<typeof Exceptions>): MemberFilter {
  const { filterLastSeen, filterQuery, filterRoles, filterTeamKey, ignoredMemberIDs } = given;
  return {
    ...(filterLastSeen !== undefined && { lastSeen: readLastSeen(filterLastSeen, misfit) }),
    ...(filterQuery !== undefined && { query: filterQuery }),
    ...(filterRoles !== undefined && { roles: readRoles(filterRoles) }),
    ...(filterTeamKey !== undefined && { teamKey: filterTeamKey }),
    ...(ignoredMemberIDs !== undefined && { ids: ignoredMemberIDs }),
  };
}

const MAX_ROLES = 100;

/** Each role becomes an SQL condition. */
function readRoles(text: string): string[] {
  const roles = [...new Set(splitWords(text))];
  if (roles.length > MAX_ROLES) throw problem('role', `must name at most ${MAX_ROLES} roles`);
  return roles;
}

function splitWords(text: string): string[] {
  return text
    .split('|')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

export function readBoolean(text: string, field: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw problem(`filter.${field}`, 'must be true or false');
}

function readLastSeen(value: unknown, refuse: typeof problem): NonNullable<MemberFilter['lastSeen']> {
  if (isObject(value)) {
    if (value['never'] === true || value['noData'] === true) return 'never';
    const { before } = value;
    if (Number.isSafeInteger(before)) return { before: before as number };
  }
  throw refuse('lastSeen', 'must be {"never":true}, {"noData":true} or {"before":milliseconds}');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

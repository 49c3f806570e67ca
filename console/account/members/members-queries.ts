// What the pages of members ask of the server.
import { useEffect } from 'react';
import { path, type Call } from '../../api/call.ts';
import { usePages, useRead } from '../../api/read.ts';
import type { Abilities, AccountMember } from '../../api/types/signalbox.ts';

export const PAGE = '/account/members';

export type BaseRole = AccountMember['role'];
/** The most powerful first. */
export const BASE_ROLES: readonly BaseRole[] = ['owner', 'admin', 'writer', 'reader', 'no_access'];

interface Named {
  key: string;
  name: string;
}

const ROWS_AT_ONCE = 50;
export const MAX_ROWS = 1000;
/** A search for few among many goes on by itself for so many pages. */
const PATIENT_PAGES = 8;
const TOPICS = ['member', 'team', 'role'];

export interface MemberFilter {
  q?: string | undefined;
  role?: string | undefined;
  state?: string | undefined;
}

export function useMembers({ q, role, state }: MemberFilter, wanted: number) {
  const list = usePages<AccountMember>({
    call: { api: 'signalbox', path: '/members', query: { q, role, state, limit: ROWS_AT_ONCE } },
    topics: TOPICS,
  });
  const { data, hasNextPage, isFetchingNextPage, isError, fetchNextPage } = list;
  const rows = data?.pages.flatMap(({ items }) => items) ?? [];
  const pages = data?.pages.length ?? 0;
  const goal = Math.max(ROWS_AT_ONCE, Math.min(wanted, MAX_ROWS));
  const isShort = hasNextPage && rows.length < goal && pages < goal / ROWS_AT_ONCE + PATIENT_PAGES;
  useEffect(() => {
    if (isShort && pages > 0 && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [isShort, pages, isFetchingNextPage, isError, fetchNextPage]);
  return {
    list,
    rows,
    isSearching: isShort && pages > 0,
    next: Math.min(rows.length + ROWS_AT_ONCE, MAX_ROWS),
  };
}

/** A member as the flags API shows them. */
interface MemberRep {
  _id: string;
  email: string;
}

/** One that is not on the page of the list is looked up: by id for the address, then by the address. */
export function useMember(id: string, rows: readonly AccountMember[]) {
  const listed = rows.find((row) => row.id === id);
  const rep = useRead<MemberRep>(
    { call: { api: 'flags', path: path`/members/${id}` }, topics: ['member'] },
    { isEnabled: listed === undefined },
  );
  const email = rep.data?.email;
  const found = useRead<{ items: AccountMember[] }>(
    { call: { api: 'signalbox', path: '/members', query: { q: email, limit: 100 } }, topics: TOPICS },
    { isEnabled: listed === undefined && email !== undefined },
  );
  const member = listed ?? found.data?.items.find((one) => one.id === id);
  const isGone = member === undefined && found.isSuccess;
  return {
    member,
    isGone,
    error: member === undefined ? (rep.error ?? found.error) : null,
    refetch: rep.refetch,
  };
}

export type Ability = Abilities['sentences'][number];

export function useAbilities(id: string) {
  return useRead<Abilities>({
    call: { api: 'signalbox', path: path`/members/${id}/abilities` },
    topics: TOPICS,
  });
}

/** What can be given: the first hundred of each. */
const LISTED = 100;

export interface Givable {
  items: Named[];
  totalCount?: number;
}

export function useCustomRoles() {
  return useRead<Givable>({
    call: { api: 'flags', path: '/roles', query: { limit: LISTED } },
    topics: ['role'],
  });
}

export function useTeams() {
  return useRead<Givable>({
    call: { api: 'flags', path: '/teams', query: { limit: LISTED } },
    topics: ['team'],
  });
}

export interface InvitedPerson {
  email: string;
  firstName: string;
  lastName: string;
}

export interface Invitation {
  people: readonly InvitedPerson[];
  role: string;
  customRoles: readonly string[];
  teams: readonly string[];
}

export function inviteCall({ people, role, customRoles, teams }: Invitation): Call {
  return {
    api: 'flags',
    method: 'POST',
    path: '/members',
    body: people.map(({ email, firstName, lastName }) => ({
      email,
      ...(firstName.trim() !== '' && { firstName: firstName.trim() }),
      ...(lastName.trim() !== '' && { lastName: lastName.trim() }),
      role,
      ...(customRoles.length > 0 && { customRoles }),
      ...(teams.length > 0 && { teamKeys: teams }),
    })),
  };
}

export interface InvitedReply {
  items: { _id: string; email: string; _links: { login?: { href: string } } }[];
}

export interface PatchOperation {
  op: 'replace' | 'test';
  path: string;
  value: unknown;
}

export function patchMemberCall(id: string, body: readonly PatchOperation[]): Call {
  return { api: 'flags', method: 'PATCH', path: path`/members/${id}`, body };
}

export function removeMemberCall(id: string): Call {
  return { api: 'flags', method: 'DELETE', path: path`/members/${id}` };
}

export function loginLinkCall(id: string, method: 'POST' | 'DELETE'): Call {
  return { api: 'signalbox', method, path: path`/members/${id}/login-link` };
}

export function removeFactorCall(id: string): Call {
  return { api: 'signalbox', method: 'DELETE', path: path`/members/${id}/second-factor` };
}

export function nameOf({ firstName, lastName, username }: AccountMember): string {
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return name === '' ? username : name;
}

const RANKS: readonly string[] = ['no_access', 'reader', 'writer', 'admin', 'owner'];

/** Nobody gives a role above their own. */
export function isAbove(role: string, own: string): boolean {
  return RANKS.indexOf(role) > RANKS.indexOf(own);
}

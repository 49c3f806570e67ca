// What the list reads beside its rows.
import type { Call } from '../../api/call.ts';
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { send } from '../../api/client.ts';
import type { Flag } from '../flag.ts';
import { flagListCall, type FlagListQuery } from './flag-pages.ts';
import type { FilterToken } from './filter.ts';

const MAX_TAGS = 20;
const MAX_OWNERS = 20;
const ID = /^[\da-f]{24}$/;

/** The tags in use that begin so; undefined asks for none. */
export function useTagsWith(start: string | undefined): string[] {
  const query = { kind: ['flag'], pre: start ?? '', limit: MAX_TAGS };
  const { data } = useRead<{ items: string[] }>(
    { call: { api: 'flags', path: '/tags', query }, topics: ['flag'] },
    { isEnabled: start !== undefined, keepsPrevious: true },
  );
  return start === undefined ? [] : (data?.items ?? []);
}

/** The members whom `owner:` names; undefined while they are not known. */
export function useOwnerIds(
  tokens: readonly FilterToken[],
  ownId: string | undefined,
): readonly string[] | undefined {
  const owner = tokens.find(({ name }) => name === 'owner')?.value;
  const isName = owner !== undefined && owner !== 'me' && !ID.test(owner);
  const query = { filter: `query:"${(owner ?? '').replaceAll('"', '')}"`, limit: MAX_OWNERS };
  const { data, error } = useRead<{ items: { _id: string }[] }>(
    { call: { api: 'flags', path: '/members', query }, topics: ['member'] },
    { isEnabled: isName },
  );
  if (owner === undefined) return [];
  if (owner === 'me') return ownId === undefined ? undefined : [ownId];
  if (!isName) return [owner];
  // Who may not see members finds nobody.
  return error === null ? data?.items.map(({ _id }) => _id) : [];
}

/** How many flags fit; undefined while it is not known. */
export function useFlagCount(project: string, filter: string, isEnabled: boolean): number | undefined {
  const call: Call = { api: 'flags', path: path`/flags/${project}`, query: { filter, limit: 1 } };
  const { data } = useRead<{ totalCount: number }>(
    { call, topics: ['flag', 'approval-request'] },
    { isEnabled },
  );
  return data?.totalCount;
}

/** As many as may be changed together. */
export const MAX_MATCHING = 1000;
const MATCHING_PAGE = 100;

/** All that fit the filter, in its order, up to the most that may be changed together. */
export async function readMatching(query: FlagListQuery): Promise<Flag[]> {
  const call = flagListCall(query);
  const found = new Map<string, Flag>();
  for (let offset = 0; offset < MAX_MATCHING; offset += MATCHING_PAGE) {
    const { body } = await send<{ items: Flag[]; totalCount: number }>({
      ...call,
      query: { ...call.query, limit: MATCHING_PAGE, offset },
    });
    for (const flag of body.items) found.set(flag.key, flag);
    if (body.items.length < MATCHING_PAGE) break;
  }
  return [...found.values()].slice(0, MAX_MATCHING);
}

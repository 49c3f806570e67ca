// What waits for the person who is logged in, for the navigation.
import { useRead } from '../api/read.ts';
import { useMe } from './me.ts';

/** Requests that ask for them and have no verdict yet; none while it is not known. */
export function useWaitingApprovals(): number {
  const { data: me } = useMe();
  const id = JSON.stringify(me?.member.id ?? '');
  const filter = `notifyMemberIds anyOf [${id}],status anyOf ["pending"],reviewStatus anyOf ["pending"]`;
  const { data } = useRead<{ totalCount: number }>(
    { call: { api: 'flags', path: '/approval-requests', query: { limit: 1, filter } }, topics: ['flag'] },
    { isEnabled: me !== undefined },
  );
  return data?.totalCount ?? 0;
}

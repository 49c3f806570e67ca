// What the page of settings reads.
import type { Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { AccountMember, Me, Session } from '../../api/types/signalbox.ts';

/** The stream says nothing of sessions: this topic is of the page itself. */
export const SESSION_TOPIC = 'own-sessions';
const PASSWORD_TOPIC = 'member';

export function useSessions() {
  const call: Call = { api: 'signalbox', path: '/sessions' };
  return useRead<{ items: Session[] }>({ call, topics: [SESSION_TOPIC] });
}

/** Undefined while it is not known, or where the person may see no members. */
export function useHasPassword(me: Me | undefined): boolean | undefined {
  const { id, username = '' } = me?.member ?? {};
  const call: Call = { api: 'signalbox', path: '/members', query: { q: username, limit: 100 } };
  const { data } = useRead<{ items: AccountMember[] }>(
    { call, topics: [PASSWORD_TOPIC] },
    { isEnabled: id !== undefined },
  );
  return data?.items.find((member) => member.id === id)?.hasPassword;
}

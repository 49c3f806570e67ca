// Names of members, of whom the flags API has only ids in planned changes and reviews.
import { path } from '../api/call.ts';
import { useRead } from '../api/read.ts';
import { personName } from './flag.ts';

interface Member {
  email: string;
  firstName?: string;
  lastName?: string;
}

const UNKNOWN = 'a member';

/** Each member is read once; who may not see members sees that it was one. */
function useMemberName(id: string | undefined): string {
  const { data } = useRead<Member>(
    { call: { api: 'flags', path: path`/members/${id ?? ''}` }, topics: ['member'] },
    { isEnabled: id !== undefined },
  );
  return data === undefined ? UNKNOWN : personName(data);
}

export function MemberName({ id }: { id: string | undefined }) {
  return <>{useMemberName(id)}</>;
}

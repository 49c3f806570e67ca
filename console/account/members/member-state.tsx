// Whether a member was ever here, in a word.
import type { AccountMember } from '../../api/types/signalbox.ts';
import { Status } from '../../ui/status.tsx';
import { MEMBERS } from './members-words.ts';

export function MemberState({ member: { state, invitation } }: { member: AccountMember }) {
  if (state === 'active') return <Status tone="ok">{MEMBERS.active}</Status>;
  const isExpired = invitation === undefined || invitation.isExpired;
  return (
    <Status tone={isExpired ? 'warn' : 'neutral'} icon="mail">
      {MEMBERS.pending(isExpired)}
    </Status>
  );
}

// The state of a request as a word with its glyph.
import type { IconName } from '../../ui/icon.tsx';
import { Status, type StatusTone } from '../../ui/status.tsx';
import { stateOf, type Approval } from './approval.ts';
import { APPROVALS } from './approvals-words.ts';

const TONES: Record<ReturnType<typeof stateOf>, [StatusTone, IconName?]> = {
  pending: ['warn', 'hour'],
  approved: ['ok'],
  declined: ['bad'],
  scheduled: ['run', 'clock'],
  completed: ['ok'],
  failed: ['bad'],
};

export function ApprovalState({ approval, isPill }: { approval: Approval; isPill?: boolean }) {
  const state = stateOf(approval);
  const [tone, icon] = TONES[state];
  return (
    <Status tone={tone} icon={icon} isPill={isPill}>
      {APPROVALS.states[state]}
    </Status>
  );
}

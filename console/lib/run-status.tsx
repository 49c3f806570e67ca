// How a run or a build stands: its glyph, its word and its colour.
import type { IconName } from '../ui/icon.tsx';
import { Status, type StatusTone } from '../ui/status.tsx';

/** Of runs and of builds. */
export type RunStatus =
  | 'READY'
  | 'RUNNING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'TIMING-OUT'
  | 'TIMED-OUT'
  | 'ABORTING'
  | 'ABORTED';

export const STATUS_LOOK: Readonly<Record<RunStatus, { tone: StatusTone; icon?: IconName }>> = {
  READY: { tone: 'neutral' },
  RUNNING: { tone: 'run' },
  SUCCEEDED: { tone: 'ok' },
  FAILED: { tone: 'bad' },
  'TIMING-OUT': { tone: 'warn', icon: 'hour' },
  'TIMED-OUT': { tone: 'warn', icon: 'hour' },
  ABORTING: { tone: 'neutral', icon: 'square' },
  ABORTED: { tone: 'neutral', icon: 'square' },
};

export const STATUS_WORDS: Readonly<Record<RunStatus, string>> = {
  READY: 'Ready',
  RUNNING: 'Running',
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  'TIMING-OUT': 'Timing out',
  'TIMED-OUT': 'Timed out',
  ABORTING: 'Aborting',
  ABORTED: 'Aborted',
};

export function RunStatusView({ status, isPill }: { status: RunStatus; isPill?: boolean }) {
  const { tone, icon } = STATUS_LOOK[status] ?? { tone: 'neutral' };
  return (
    <Status tone={tone} icon={icon} isPill={isPill}>
      {STATUS_WORDS[status] ?? status}
    </Status>
  );
}

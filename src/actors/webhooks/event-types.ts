// The events of runs and builds that webhooks can be fired by.
import type { JobKind } from '../jobs/job.ts';
import type { JobStatus } from '../jobs/job-status.ts';

export const EVENT_TYPES = [
  'ACTOR.BUILD.ABORTED',
  'ACTOR.BUILD.CREATED',
  'ACTOR.BUILD.FAILED',
  'ACTOR.BUILD.SUCCEEDED',
  'ACTOR.BUILD.TIMED_OUT',
  'ACTOR.RUN.ABORTED',
  'ACTOR.RUN.CREATED',
  'ACTOR.RUN.FAILED',
  'ACTOR.RUN.RESURRECTED',
  'ACTOR.RUN.SUCCEEDED',
  'ACTOR.RUN.TIMED_OUT',
  'TEST',
] as const;
export type WebhookEventType = (typeof EVENT_TYPES)[number];

type Ending = 'ABORTED' | 'FAILED' | 'SUCCEEDED' | 'TIMED_OUT';

const ENDINGS: Partial<Record<JobStatus, Ending>> = {
  ABORTED: 'ABORTED',
  FAILED: 'FAILED',
  SUCCEEDED: 'SUCCEEDED',
  'TIMED-OUT': 'TIMED_OUT',
};

/** The event of a build or run that has got this status; statuses are spelled with a hyphen, events with an underscore. */
export function endingOf(kind: JobKind, status: JobStatus): WebhookEventType {
  const ending = ENDINGS[status];
  if (ending === undefined) throw new Error(`${status} is no end of a ${kind}.`);
  return kind === 'run' ? `ACTOR.RUN.${ending}` : `ACTOR.BUILD.${ending}`;
}

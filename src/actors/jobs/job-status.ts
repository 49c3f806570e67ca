// The states of builds and runs.

/** As clients' closed lists have them; event types are written with underscores. */
export const STATUSES = [
  'READY',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'TIMING-OUT',
  'TIMED-OUT',
  'ABORTING',
  'ABORTED',
] as const;
export type JobStatus = (typeof STATUSES)[number];

const FINAL: readonly JobStatus[] = ['SUCCEEDED', 'FAILED', 'TIMED-OUT', 'ABORTED'];

export function isFinished(status: JobStatus): boolean {
  return FINAL.includes(status);
}

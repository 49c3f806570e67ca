// A job: a build or a run that a node executes under a lease, its status, and what happens after the death of its process.

/** What a caller wants of the node that executes the job. */
export type JobControl = 'abort' | 'abort-gracefully' | 'reboot' | 'metamorph';

export interface Job {
  /** The id of the build or run. */
  id: string;
  kind: JobKind;
  userId: string;
  memoryMbytes: number;
  /** The claim: statements that depend on holding the job compare it. */
  owner: string;
  /** 1 for the first node that claims it. More means that an earlier one was lost or stopped. */
  claims: number;
  /** How often within an hour a process died while it executed the job. */
  deaths: number;
}

export type JobKind = 'build' | 'run';

/** The channels that are notified when the status of a build or run changes. */
export const STATUS_CHANNELS: Record<JobKind, string> = { build: 'builds', run: 'runs' };

export interface JobContext {
  /**
   * Fires when the lease is lost or cannot be extended any more (`reason` is `LeaseLost`): the handler must kill its program and
   * return without writing. Or when the server stops (`ServerStopping`): the handler has some seconds to stop its program in
   * an orderly way, and the job then goes on elsewhere.
   */
  signal: AbortSignal;
  /**
   * Calls the listener with what callers want from now on, and with the last thing that they wanted while nobody listened.
   * Returns a function that ends it.
   */
  onControl(listener: (control: JobControl) => void): () => void;
}

export class LeaseLost extends Error {}
export class ServerStopping extends Error {}

/**
 * Executes a job. It ends the job itself: `deleteJob` in the transaction that saves the result. When it returns while the job
 * still exists, the job waits for the next node; when it throws, the same, after a delay.
 */
export type JobHandler = (job: Job, context: JobContext) => Promise<void>;

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

/**
 * A process that ended while it executed a job: each delays the next start of the job further, and after the last one it is given up.
 * Otherwise a job that ends the server would end it again after every restart (ADR 0120).
 */
interface Death {
  at: number;
  /** The claim of the process that died. */
  owner: string;
}

/** A job is not started again after so many deaths within an hour. */
const MAX_DEATHS = 5;
const DEATH_WINDOW_MS = 60 * 60 * 1000;
const FIRST_DEATH_DELAY_MS = 1_000;
const DEATH_DELAY_GROWTH = 4;

function parseDeaths(deaths: string | null): Death[] {
  return deaths === null ? [] : (JSON.parse(deaths) as Death[]);
}

/** Those within an hour of the last one. */
export function countDeaths(deaths: string | null): number {
  return parseDeaths(deaths).length;
}

/** Adds one to those of the last hour, and says when the job may start again: a job that is given up needs no delay. */
export function addDeath(
  deaths: string | null,
  owner: string,
  now: number,
): { deaths: string; startAt: number } {
  const recent = [...parseDeaths(deaths).filter(({ at }) => now - at < DEATH_WINDOW_MS), { at: now, owner }];
  const isLast = recent.length >= MAX_DEATHS;
  const startAt = isLast ? now : now + FIRST_DEATH_DELAY_MS * DEATH_DELAY_GROWTH ** (recent.length - 1);
  return { deaths: JSON.stringify(recent), startAt };
}

/** Without that of a process that proves to be alive. */
export function removeDeath(deaths: string | null, owner: string): string {
  return JSON.stringify(parseDeaths(deaths).filter((death) => death.owner !== owner));
}

/** Why the job is not started again; undefined where it is. */
export function reasonToGiveUp({ kind, deaths }: { kind: JobKind; deaths: number }): string | undefined {
  if (deaths < MAX_DEATHS) return undefined;
  return `The server ended unexpectedly ${MAX_DEATHS} times within an hour while it executed this ${kind}, so that it is not started again.`;
}

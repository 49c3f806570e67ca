// A job: a build or a run that a node executes under a lease.

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

// The job worker of a node: claims jobs fairly while there is room, extends their leases, and hands each to its handler.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { StopReason } from '../../kernel/jobs/due-worker.ts';
import { newOwner } from '../../kernel/jobs/lease-store.ts';
import type { Engine, Log } from '../../kernel/storage/engine.ts';
import {
  LeaseLost,
  ServerStopping,
  type Job,
  type JobControl,
  type JobHandler,
  type JobKind,
} from './job.ts';
import {
  claimJob,
  findFirstWaiting,
  findNextQueuedAt,
  findNextWaitingUser,
  forgiveDeath,
  JOBS,
  listControls,
  markStopping,
  parseControl,
  releaseDying,
  releaseExpired,
  releaseJob,
  releaseJobsOf,
  renewLeases,
  type WaitingJob,
} from './store.ts';

export interface JobWorkerSettings {
  engine: Engine;
  clock: Clock;
  log: Log;
  handlers: Partial<Record<JobKind, JobHandler>>;
  /** The name of this node: no other has it, and it stays the same after a restart. */
  node: string;
  memoryMbytes: number;
  /** How many jobs it executes at the same time. */
  slots: number;
  /** Asked before each claim; while it says no, jobs wait. */
  hasRoom?: () => boolean;
  leaseMs?: number;
  pollMs?: number;
  /** How long `stop` waits for handlers that stop in an orderly way. */
  graceMs?: number;
}

export interface JobWorker {
  stop(reason?: StopReason): Promise<void>;
}

/** A job that does not fit is overtaken by smaller ones for this long; then it waits first. */
const OVERTAKE_MS = 30_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 5 * 60 * 1_000;

interface Executing {
  job: Job;
  controller: AbortController;
  done: Promise<void>;
  /** By `performance.now`, which no change of the machine's time affects. */
  leaseUntil: number;
  seen: string | null;
  /** What nobody has received yet. */
  wanted: JobControl | undefined;
  listener: ((control: JobControl) => void) | undefined;
}

export async function startJobWorker(settings: JobWorkerSettings): Promise<JobWorker> {
  const { engine, clock, log, handlers, node, memoryMbytes, slots } = settings;
  const { hasRoom = () => true } = settings;
  const { leaseMs = 30_000, pollMs = 5_000, graceMs = 20_000 } = settings;
  const { db } = engine;
  const kinds = Object.keys(handlers) as JobKind[];
  const executing = new Map<string, Executing>();
  let isStopping = false;
  /** After an error that nobody caught: one of the jobs may have caused it. */
  let isDying = false;
  let lastUser = '';
  /** The job that has waited longest because there was too little memory for it. */
  let overtaken: (WaitingJob & { userId: string }) | undefined;
  let wake = (): void => {};
  let isPoked = false;

  const poke = (): void => {
    isPoked = true;
    wake();
  };
  const usedMemory = () => [...executing.values()].reduce((sum, { job }) => sum + job.memoryMbytes, 0);

  async function loop(): Promise<void> {
    while (!isStopping) {
      isPoked = false;
      const sleepMs = await poll().catch((error: unknown) => {
        log.error({ err: error }, 'cannot look for jobs');
        return pollMs;
      });
      if (!isPoked && !isStopping) await sleep(sleepMs);
    }
  }

  /** Starts what fits, and returns how long to sleep. */
  async function poll(): Promise<number> {
    await readControls();
    while (!isStopping && executing.size < slots && hasRoom()) {
      const claimed = await claimNext();
      if (claimed === undefined) break;
      start(claimed.job, claimed.control);
    }
    const next = executing.size < slots ? await findNextQueuedAt(db, clock.now()) : undefined;
    return next === undefined ? pollMs : Math.min(Math.max(next - clock.now(), 10), pollMs);
  }

  /** One job of each account in turn, in the order of their ids. */
  async function claimNext(): Promise<{ job: Job; control: string | null } | undefined> {
    const tried = new Set<string>();
    for (;;) {
      const userId = (await findOvertaken()) ?? (await findNextUser());
      if (userId === undefined || tried.has(userId)) return undefined;
      tried.add(userId);
      lastUser = userId;
      const now = clock.now();
      const waiting = await findFirstWaiting(db, userId, { kinds, memoryMbytes, node }, now);
      if (waiting === undefined) continue;
      if (waiting.memoryMbytes > memoryMbytes - usedMemory()) {
        if (isOverdue(waiting, now)) return undefined;
        if (overtaken === undefined || waiting.queuedAt < overtaken.queuedAt)
          overtaken = { ...waiting, userId };
        continue;
      }
      if (waiting.id === overtaken?.id) overtaken = undefined;
      const owner = newOwner(`${node}/${process.pid}.`);
      const claimed = await claimJob(db, waiting.id, owner, now + leaseMs);
      if (claimed !== undefined) return claimed;
    }
  }

  async function findNextUser(): Promise<string | undefined> {
    return (await findNextWaitingUser(db, lastUser)) ?? (await findNextWaitingUser(db, ''));
  }

  const isOverdue = ({ queuedAt }: WaitingJob, now: number) => now - queuedAt > OVERTAKE_MS;

  /** The account whose job waits for memory and has been overtaken long enough: its turn comes before all others. */
  async function findOvertaken(): Promise<string | undefined> {
    if (overtaken === undefined || !isOverdue(overtaken, clock.now())) return undefined;
    const { id, userId } = overtaken;
    const waiting = await findFirstWaiting(db, userId, { kinds, memoryMbytes, node }, clock.now());
    if (waiting?.id === id) return userId;
    overtaken = undefined;
    return undefined;
  }

  function start(job: Job, control: string | null): void {
    const controller = new AbortController();
    const state: Executing = {
      job,
      controller,
      done: Promise.resolve(),
      leaseUntil: performance.now() + leaseMs,
      seen: null,
      wanted: undefined,
      listener: undefined,
    };
    // After a lost lease this node may get a job back while its own handler of it still cleans up, in the same folders.
    const earlier = [...executing.values()].filter((one) => one.job.id === job.id).map(({ done }) => done);
    executing.set(job.owner, state);
    deliver(state, control);
    state.done = Promise.all(earlier)
      .then(() => execute(state))
      .finally(() => {
        executing.delete(job.owner);
        poke();
      });
  }

  async function execute(state: Executing): Promise<void> {
    const { job, controller } = state;
    const { signal } = controller;
    try {
      await handlers[job.kind]!(job, {
        signal,
        onControl(listener) {
          state.listener = listener;
          const { wanted } = state;
          state.wanted = undefined;
          if (wanted !== undefined) listener(wanted);
          return () => {
            state.listener = undefined;
          };
        },
      });
      // Nothing to release where the handler has ended the job.
      await giveBack(state, clock.now());
    } catch (error) {
      if (signal.reason instanceof LeaseLost) return await giveBack(state, clock.now());
      log.error(
        { err: error, job: job.id, kind: job.kind, claims: job.claims },
        'a job failed, and is tried again',
      );
      const retryAt = clock.now() + Math.min(FIRST_RETRY_MS * 2 ** (job.claims - 1), MAX_RETRY_MS);
      await giveBack(state, retryAt);
    }
  }

  async function giveBack({ job, controller: { signal } }: Executing, startAt: number): Promise<void> {
    try {
      if (signal.reason instanceof LeaseLost) await forgiveDeath(db, job);
      else if (isDying) await releaseDying(db, job, clock.now());
      else await releaseJob(db, job, startAt);
    } catch (error) {
      log.error({ err: error, job: job.id }, 'cannot give a job back; its lease will expire');
    }
  }

  function deliver(state: Executing, control: string | null): void {
    if (control === null || control === state.seen) return;
    state.seen = control;
    if (state.listener === undefined) state.wanted = parseControl(control);
    else state.listener(parseControl(control));
  }

  async function readControls(): Promise<void> {
    const controls = await listControls(db, [...executing.keys()]);
    for (const [owner, control] of controls) {
      const state = executing.get(owner);
      if (state !== undefined) deliver(state, control);
    }
  }

  /** Runs often: it must notice in time that leases cannot be extended. */
  async function renew(): Promise<void> {
    const owners = [...executing.keys()];
    const begun = performance.now();
    try {
      const held = await renewLeases(db, owners, clock.now() + leaseMs);
      for (const owner of owners) {
        const state = executing.get(owner);
        if (state === undefined) continue;
        if (held.has(owner)) state.leaseUntil = begun + leaseMs;
        else state.controller.abort(new LeaseLost('Another node may have the job.'));
      }
      if ((await releaseExpired(db, clock.now())) > 0) await engine.notify(JOBS);
    } catch (error) {
      log.warn({ err: error }, 'cannot extend the leases of jobs');
    }
  }

  /** A program must be dead before its lease ends: by then another node may start it. */
  function killUnrenewed(): void {
    for (const { leaseUntil, controller } of executing.values()) {
      if (performance.now() > leaseUntil - leaseMs / 3) {
        controller.abort(new LeaseLost('The lease could not be extended.'));
      }
    }
  }

  /** While the node stops: a program that gets the event may ask for a reboot, so that it goes on elsewhere at once. */
  async function followControls(signal: AbortSignal): Promise<void> {
    while (executing.size > 0 && !signal.aborted) {
      isPoked = false;
      await readControls().catch((error: unknown) =>
        log.error({ err: error }, 'cannot read controls of jobs'),
      );
      if (!isPoked && !signal.aborted) await sleep(pollMs);
    }
  }

  function sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    wake = resolve;
    return promise.finally(() => clearTimeout(timer));
  }

  await releaseJobsOf(db, node, clock.now());
  const unlisten = await engine.listen(JOBS, poke);
  let renewing: Promise<void> | undefined;
  const ticker = setInterval(() => {
    killUnrenewed();
    renewing ??= renew().finally(() => (renewing = undefined));
  }, leaseMs / 6).unref();
  const looping = loop();

  return {
    async stop(reason = 'orderly') {
      isStopping = true;
      isDying = reason === 'failure';
      poke();
      await looping;
      if (!isDying)
        await markStopping(db, [...executing.keys()]).catch((error: unknown) =>
          log.error({ err: error }, 'cannot mark jobs as stopping'),
        );
      for (const { controller } of executing.values())
        controller.abort(new ServerStopping('The server is stopping.'));
      const ending = Promise.all([...executing.values()].map(({ done }) => done));
      const over = new AbortController();
      const following = followControls(over.signal);
      await Promise.race([ending, delay(graceMs, undefined, { ref: false })]);
      over.abort();
      poke();
      await following;
      unlisten();
      clearInterval(ticker);
      await renewing;
    },
  };
}

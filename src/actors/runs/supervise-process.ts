// Supervises the process of a run: controls of callers, the time-out, samples of what it uses, and its end.
import { setTimeout as delay } from 'node:timers/promises';
import { ServerStopping, type JobControl } from '../jobs/job.ts';
import type { ProgramExit, ProgramUsage, RunningProgram } from '../runner/runner.ts';
import type { RunEventName } from './run-listener.ts';
import type { RunStats } from './model.ts';

/** Why a process has ended, beside its exit. */
export type ProcessEnd =
  | { kind: 'exited'; exit: ProgramExit }
  | {
      kind: 'aborted' | 'rebooted' | 'metamorphosed' | 'timed-out' | 'stopped' | 'lost' | 'retired';
      exit: ProgramExit;
    };

export interface ProcessSupervision {
  program: RunningProgram;
  signal: AbortSignal;
  onControl(listener: (control: JobControl) => void): () => void;
  /** Whether the time is over; asked every second. */
  isTimedOut(): boolean;
  /** Called before the process is killed for it. */
  onTimeout(): Promise<void>;
  /** False where the process listens to no events. */
  send(name: RunEventName, data: unknown): boolean;
  onSample(usage: ProgramUsage): void;
  /** Whether the process is to end because nobody needs it any more; asked every second. */
  isRetired?(): boolean;
  /** How long a process may go on after it was told that it is not needed. */
  retirementGraceMs?: number;
  sampleMs?: number;
  /** How long a process may go on after the event of an abort. */
  abortGraceMs?: number;
  /** How long a process may go on after the event of a migration. */
  migrationGraceMs?: number;
}

export async function superviseProcess(supervision: ProcessSupervision): Promise<ProcessEnd> {
  const { program, signal, send } = supervision;
  const { sampleMs = 1_000, abortGraceMs = 30_000, migrationGraceMs = 10_000 } = supervision;
  const { retirementGraceMs = 15_000 } = supervision;
  let isRetiring = false;
  const { promise: cause, resolve: end } = Promise.withResolvers<ProcessEnd['kind']>();
  const over = new AbortController();

  const killAfter = async (graceMs: number, kind: ProcessEnd['kind']): Promise<void> => {
    await delay(graceMs, undefined, { signal: over.signal }).catch(() => {});
    end(kind);
  };
  const obey = (control: JobControl): void => {
    if (control === 'abort') return end('aborted');
    if (control === 'reboot') return end('rebooted');
    if (control === 'metamorph') return end('metamorphosed');
    send('aborting', {});
    send('persistState', { isMigrating: false });
    void killAfter(abortGraceMs, 'aborted');
  };
  const leave = (): void => {
    if (!(signal.reason instanceof ServerStopping)) return end('lost');
    // There is nothing to wait for where nobody hears it.
    if (!send('migrating', { timeRemainingSecs: migrationGraceMs / 1000 })) return end('stopped');
    send('persistState', { isMigrating: true });
    void killAfter(migrationGraceMs, 'stopped');
  };

  const retire = (): void => {
    isRetiring = true;
    const isHeard = send('aborting', {});
    send('persistState', { isMigrating: false });
    if (!isHeard) program.stop('terminate');
    void killAfter(retirementGraceMs, 'retired');
  };

  const sampler = setInterval(() => void sample(), sampleMs).unref();
  let isSampling = false;
  async function sample(): Promise<void> {
    if (isSampling) return;
    isSampling = true;
    try {
      // First: a process that cannot be measured must not live for ever. What cannot be recorded now is recorded the next time.
      if (supervision.isTimedOut()) {
        await supervision.onTimeout();
        end('timed-out');
      }
      if (!isRetiring && supervision.isRetired?.() === true) retire();
      supervision.onSample(await program.usage());
    } catch {
      // The process ends just now; its exit tells.
    } finally {
      isSampling = false;
    }
  }

  void program.exited.then(() => end('exited'));
  const ignore = supervision.onControl(obey);
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  const kind = await cause;
  clearInterval(sampler);
  ignore();
  over.abort();
  signal.removeEventListener('abort', leave);
  if (kind !== 'exited') program.stop('kill');
  const exit = await program.exited;
  // A process that ends by itself after the event of a migration has come to its end, unless it failed.
  if (kind === 'exited' && signal.reason instanceof ServerStopping && exit.code !== 0)
    return { kind: 'stopped', exit };
  return { kind: isRetiring && kind === 'exited' ? 'retired' : kind, exit };
}

const OVERLOADED = 0.9;

export class UsageSamples {
  /** How many percent of one processor the run may use. */
  readonly #fullCpu: number;
  #count = 0;
  #memSum = 0;
  #memMax: number;
  #memCurrent = 0;
  #cpuMax: number;
  #cpuCurrent = 0;
  #last: { at: number; cpuMs: number } | undefined;
  #cpuMs = 0;
  readonly #startedAt: number;

  constructor(
    memoryMbytes: number,
    startedAt: number,
    before: Pick<RunStats, 'memMaxBytes' | 'cpuMaxUsage'>,
  ) {
    this.#fullCpu = (memoryMbytes / 4096) * 100;
    this.#startedAt = startedAt;
    this.#memMax = before.memMaxBytes;
    this.#cpuMax = before.cpuMaxUsage;
  }

  add({ memoryBytes, cpuMs }: ProgramUsage, now: number): void {
    const last = this.#last ?? { at: this.#startedAt, cpuMs: 0 };
    this.#count += 1;
    this.#memSum += memoryBytes;
    this.#memCurrent = memoryBytes;
    this.#memMax = Math.max(this.#memMax, memoryBytes);
    this.#cpuCurrent = now > last.at ? ((cpuMs - last.cpuMs) / (now - last.at)) * 100 : 0;
    this.#cpuMax = Math.max(this.#cpuMax, this.#cpuCurrent);
    this.#cpuMs = cpuMs;
    this.#last = { at: now, cpuMs };
  }

  stats(now: number) {
    const elapsedMs = Math.max(now - this.#startedAt, 1);
    return {
      memAvgBytes: this.#count === 0 ? 0 : Math.round(this.#memSum / this.#count),
      memMaxBytes: this.#memMax,
      memCurrentBytes: this.#memCurrent,
      cpuAvgUsage: (this.#cpuMs / elapsedMs) * 100,
      cpuMaxUsage: this.#cpuMax,
      cpuCurrentUsage: this.#cpuCurrent,
    };
  }

  /** The data of the event `systemInfo`. */
  systemInfo(now: number) {
    const isCpuOverloaded = this.#cpuCurrent > this.#fullCpu * OVERLOADED;
    return { ...this.stats(now), isCpuOverloaded, createdAt: new Date(now).toISOString() };
  }
}

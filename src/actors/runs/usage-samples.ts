// Statistics of a run from samples of what its process uses.
import type { ProgramUsage } from '../runner/runner.ts';
import type { RunStats } from './model.ts';

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

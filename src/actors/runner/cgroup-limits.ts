// The limits of a program as files of control groups, of version 1 and 2.

export interface GroupLimits {
  memoryMbytes: number;
  processes: number;
}

const MB = 1024 ** 2;
const PERIOD_US = 100_000;
/** As on the platform: a whole processor for 4096 MB. */
const MBYTES_PER_CORE = 4096;
/** In hundredths of what a process gets that is in no such group: the server's own work goes first when processors are scarce. */
const WEIGHT_OF_CORE = 50;
const MIN_WEIGHT = 25;

/** A small program may use a whole processor, because it would take seconds to start on its share; under load the weight counts. */
export function cpuQuotaUs(memoryMbytes: number): number {
  return Math.round(Math.max(1, memoryMbytes / MBYTES_PER_CORE) * PERIOD_US);
}

function cpuWeight(memoryMbytes: number): number {
  return Math.min(
    10_000,
    Math.max(MIN_WEIGHT, Math.round((memoryMbytes / MBYTES_PER_CORE) * WEIGHT_OF_CORE)),
  );
}

/** By controller. Files that a kernel lacks are left out by the caller. */
export type LimitFiles = Readonly<Record<string, readonly (readonly [file: string, value: string])[]>>;

export function unifiedLimits({ memoryMbytes, processes }: GroupLimits): LimitFiles {
  return {
    memory: [
      ['memory.max', String(memoryMbytes * MB)],
      ['memory.swap.max', '0'],
      // All its processes die at once: half a program is of no use.
      ['memory.oom.group', '1'],
    ],
    pids: [['pids.max', String(processes)]],
    cpu: [
      ['cpu.max', `${cpuQuotaUs(memoryMbytes)} ${PERIOD_US}`],
      ['cpu.weight', String(cpuWeight(memoryMbytes))],
    ],
  };
}

export function controllerLimits({ memoryMbytes, processes }: GroupLimits): LimitFiles {
  return {
    memory: [
      ['memory.limit_in_bytes', String(memoryMbytes * MB)],
      ['memory.memsw.limit_in_bytes', String(memoryMbytes * MB)],
      ['memory.swappiness', '0'],
    ],
    pids: [['pids.max', String(processes)]],
    cpu: [
      ['cpu.cfs_period_us', String(PERIOD_US)],
      ['cpu.cfs_quota_us', String(cpuQuotaUs(memoryMbytes))],
      ['cpu.shares', String(Math.round((cpuWeight(memoryMbytes) * 1024) / 100))],
    ],
    cpuacct: [],
  };
}

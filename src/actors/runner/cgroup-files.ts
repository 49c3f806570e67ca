// Control groups as files, of version 1 and 2: where those of this process are, and the limits of a program.
import { posix } from 'node:path';

export interface OwnCgroups {
  /** The folder of this process's group in the unified hierarchy. */
  unified?: string;
  /** The same for each controller of version 1. */
  controllers: Readonly<Record<string, string>>;
}

interface CgroupMount {
  /** The part of the hierarchy that is mounted: in a container, its own. */
  root: string;
  path: string;
  type: string;
  controllers: readonly string[];
}

export function findOwnCgroups(cgroup: string, mountinfo: string): OwnCgroups {
  const mounts = parseMounts(mountinfo);
  const controllers: Record<string, string> = {};
  let unified: string | undefined;
  for (const line of cgroup.split('\n')) {
    const [, names, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (names === undefined || path === undefined) continue;
    if (names === '') {
      const mount = mounts.find(({ type }) => type === 'cgroup2');
      if (mount !== undefined) unified = folderIn(mount, path);
      continue;
    }
    for (const name of names.split(',')) {
      const mount = mounts.find(({ type, controllers: of }) => type === 'cgroup' && of.includes(name));
      if (mount !== undefined) controllers[name] = folderIn(mount, path);
    }
  }
  return { ...(unified !== undefined && { unified }), controllers };
}

/** A container may see the path of the host, although only its own part of the hierarchy is mounted. */
function folderIn({ root, path: mountPoint }: CgroupMount, path: string): string {
  const isBelow = root !== '/' && (path === root || path.startsWith(`${root}/`));
  return posix.resolve(mountPoint, `.${isBelow ? path.slice(root.length) : path}`);
}

function parseMounts(mountinfo: string): CgroupMount[] {
  return mountinfo.split('\n').flatMap((line): CgroupMount[] => {
    const [left = '', right = ''] = line.split(' - ');
    const [, , , root = '', path = ''] = left.split(' ');
    const [type = '', , options = ''] = right.split(' ');
    return type.startsWith('cgroup') ? [{ root, path, type, controllers: options.split(',') }] : [];
  });
}

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

// Finds, measures, freezes and kills all processes of one program, and says whether they alone listen on a port.
import { setTimeout as delay } from 'node:timers/promises';
import { readFile, readdir, readlink } from 'node:fs/promises';
import {
  hasProgramVariable,
  hasUser,
  isRunning,
  listProcesses,
  memoryOf,
  sendSignal,
  type ProcessIdentity,
  type ProcessInfo,
  readProcess,
} from './process-table.ts';
import type { ProgramUsage } from './runner.ts';
import type { Cgroup } from './cgroup.ts';

/** What makes a process one of the program's, beside being a descendant. */
export interface ProgramTraits {
  /** The first process, and further ones that are known. */
  roots: readonly ProcessIdentity[];
  /** The user that this program alone has. */
  uid?: number;
  /** The variable, as `NAME=value`, that all its processes inherit. */
  variable?: string;
}

export async function findProcesses(traits: ProgramTraits): Promise<ProcessInfo[]> {
  return selectProcesses(await listProcesses(), traits);
}

/** Descendants, members of their groups and sessions, and those with the program's user or variable. */
export function selectProcesses(
  all: readonly ProcessInfo[],
  { roots, uid, variable }: ProgramTraits,
): ProcessInfo[] {
  const pids = new Set(roots.filter(isRunning).map(({ pid }) => pid));
  // The number of a group or session is not given to another process while it has members; one that was given is not ours.
  const strangers = new Set(all.map(({ pid }) => pid).filter((pid) => !pids.has(pid)));
  const groups = new Set(roots.map(({ pid }) => pid).filter((pid) => !strangers.has(pid)));
  const found = new Set<ProcessInfo>();
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const one of all) {
      if (found.has(one) || one.pid === process.pid) continue;
      const isRelated =
        pids.has(one.pid) || pids.has(one.parent) || groups.has(one.group) || groups.has(one.session);
      const isMarked =
        (uid !== undefined && hasUser(one, uid)) ||
        (variable !== undefined && hasProgramVariable(one, variable));
      if (!isRelated && !isMarked) continue;
      found.add(one);
      pids.add(one.pid);
    }
  }
  return [...found];
}

function sumUsage(processes: readonly ProcessInfo[]): ProgramUsage {
  return {
    memoryBytes: processes.reduce((sum, one) => sum + memoryOf(one), 0),
    cpuMs: processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
  };
}

export function killProcesses(processes: readonly ProcessIdentity[]): void {
  // All are stopped first, so that none starts another while the rest is killed.
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
    for (const one of processes) if (isRunning(one)) sendSignal(one.pid, signal);
  }
}

/** A process that has not worked since the last search has not started another. */
const SEARCH_CPU_MS = 10;
const SEARCH_MS = 5000;

/** Reads the known processes each time, and searches those of the whole machine only when there may be new ones. */
export function openUsageSampler(
  traits: () => ProgramTraits,
  listShared: () => Promise<ProcessInfo[]>,
): () => Promise<ProgramUsage> {
  let known: ProcessInfo[] = [];
  let searchedAt = -Infinity;
  let searchedCpuMs = 0;
  return async () => {
    const now = performance.now();
    const current = known.flatMap(({ pid, startTime }) => {
      const one = readProcess(pid);
      return one !== undefined && one.startTime === startTime && !one.isZombie ? [one] : [];
    });
    const { cpuMs } = current.length === 0 ? { cpuMs: Infinity } : sumUsage(current);
    if (
      cpuMs - searchedCpuMs < SEARCH_CPU_MS &&
      now - searchedAt < SEARCH_MS &&
      current.length === known.length
    )
      return sumUsage(current);
    known = selectProcesses(await listShared(), traits());
    searchedAt = now;
    const usage = sumUsage(known);
    searchedCpuMs = usage.cpuMs;
    return usage;
  };
}

/** A process may start others until it is stopped itself. */
const FREEZE_ROUNDS = 20;
const FREEZE_PAUSE_MS = 5;

type FindProcesses = () => Promise<ProcessInfo[]>;

export async function freezeProcesses(cgroup: Cgroup | undefined, find: FindProcesses): Promise<void> {
  if (cgroup?.setFrozen(true) === true) return;
  const stopped = new Set<number>();
  for (let round = 0; round < FREEZE_ROUNDS; round++) {
    const fresh = (await find()).filter((one) => !stopped.has(one.pid) && isRunning(one));
    if (fresh.length === 0) return;
    for (const { pid } of fresh) {
      sendSignal(pid, 'SIGSTOP');
      stopped.add(pid);
    }
    await delay(FREEZE_PAUSE_MS);
  }
}

export async function thawProcesses(cgroup: Cgroup | undefined, find: FindProcesses): Promise<void> {
  if (cgroup?.setFrozen(false) === true) return;
  for (const one of await find()) if (isRunning(one)) sendSignal(one.pid, 'SIGCONT');
}

const LISTENING = '0A';

/** The inodes of the sockets that listen on the port, of any address. Undefined where there are no such tables. */
async function listListeners(port: number): Promise<Set<string> | undefined> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => undefined)),
  );
  if (tables[0] === undefined) return undefined;
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const line of tables.flatMap((table) => table?.split('\n').slice(1) ?? [])) {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state === LISTENING && local.endsWith(suffix) && inode !== undefined) inodes.add(inode);
  }
  return inodes;
}

/**
 * Whether one of the processes listens on the port, and nobody else does. False where nobody listens. Undefined where the
 * machine does not tell, such as where this user may not look into the processes.
 */
export async function isHeldBy(port: number, pids: readonly number[]): Promise<boolean | undefined> {
  const inodes = await listListeners(port);
  if (inodes === undefined) return undefined;
  const strange = new Set(inodes);
  let isReadable = false;
  for (const pid of pids) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
    if (names === undefined) continue;
    isReadable = true;
    for (const name of names) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '');
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode !== undefined) strange.delete(inode);
    }
  }
  return isReadable ? inodes.size > 0 && strange.size === 0 : undefined;
}

// Finds, measures and kills all processes of one program.
import {
  hasProgramVariable,
  hasUser,
  isRunning,
  listProcesses,
  memoryOf,
  sendSignal,
  type ProcessIdentity,
  type ProcessInfo,
} from './process-table.ts';
import type { ProgramUsage } from './runner.ts';

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

export function sumUsage(processes: readonly ProcessInfo[]): ProgramUsage {
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

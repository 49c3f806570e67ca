// The processes that a process of git has started, as Linux shows them; elsewhere there are none to be seen.
import { readFileSync } from 'node:fs';

/** Of all Linux systems that Node runs on. */
const TICKS_PER_SECOND = 100;
/** Where the times of a process are, after its name. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

function childrenOf(pid: number): number[] {
  return readProc(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    // The process has ended, or this is not Linux.
    return '';
  }
}

function cpuSecondsOf(pid: number): number {
  const stat = readProc(`${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TIME] ?? 0) + Number(fields[SYSTEM_TIME] ?? 0)) / TICKS_PER_SECOND;
}

export interface Child {
  cpuSeconds: number;
  /** What it was started as, such as `git index-pack`. */
  command: string;
}

/** Ends the children alone: git itself then reports that, and removes what they have left. Returns how many there were. */
export function killChildren(pid: number, isAffected: (child: Child) => boolean = () => true): number {
  const children = childrenOf(pid).filter((child) => {
    const command = readProc(`${child}/cmdline`).replaceAll('\0', ' ');
    return isAffected({ command, cpuSeconds: cpuSecondsOf(child) });
  });
  for (const child of children)
    try {
      process.kill(child, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  return children.length;
}

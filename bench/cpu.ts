// The CPU time of a process with all its threads, as Linux counts it: other processes do not affect it.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every common machine. */
const TICKS_PER_SECOND = 100;

/** User and system time in milliseconds since the process began. */
export function cpuMsOf(pid: number): number {
  const { own } = ticksOf(pid);
  return (own * 1000) / TICKS_PER_SECOND;
}

/** With its children, both those that live and those that have ended. */
export function cpuMsOfFamily(pid: number): number {
  const { own, ended } = ticksOf(pid);
  const children = childrenOf(pid).reduce((sum, child) => sum + cpuMsOfFamily(child), 0);
  return ((own + ended) * 1000) / TICKS_PER_SECOND + children;
}

/** Work that follows calls has ended when the processes use no CPU for so long. */
const QUIET_MS = 600;
const QUIET_CPU_MS = 10;

/** Resolves when what goes on beside the calls, or follows them, has ended. */
export async function untilQuiet(pid: number): Promise<void> {
  for (;;) {
    const before = cpuMsOfFamily(pid);
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    if (cpuMsOfFamily(pid) - before <= QUIET_CPU_MS) return;
  }
}

/** The CPU time of its threads in microseconds, to the nanosecond; without threads that have ended. */
export function cpuUsOfThreads(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000)
    .reduce((sum, us) => sum + us, 0);
}

function ticksOf(pid: number): { own: number; ended: number } {
  try {
    // The name of the program may contain spaces and brackets: fields are counted after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { own: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! };
  } catch {
    // It has ended meanwhile, and its parent counts it.
    return { own: 0, ended: 0 };
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return [];
  }
}

// The CPU time of a process, all its threads, as Linux counts it: it does not grow when others use the machine.
import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every common machine. */
const TICKS_PER_SECOND = 100;

/** User and system time in milliseconds since the process began. */
export function cpuMsOf(pid: number): number {
  // The name of the program may hold spaces and brackets: fields are counted from behind it.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

// The CPU time of a process with all its threads, as Linux counts it: other processes do not affect it.
import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every common machine. */
const TICKS_PER_SECOND = 100;

/** User and system time in milliseconds since the process began. */
export function cpuMsOf(pid: number): number {
  // The name of the program may contain spaces and brackets: fields are counted after it.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

// Measures the processes of a program where no control group does.
import { readProcess, type ProcessInfo } from './process-table.ts';
import { selectProcesses, sumUsage, type ProgramTraits } from './program-processes.ts';
import type { ProgramUsage } from './runner.ts';

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

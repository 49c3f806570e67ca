// Runs test files in a few long-lived processes, each of which loads shared modules once. All end with the run.
import { FileProcess } from './file-process.ts';
import type { FileReport, TestFile } from './messages.ts';

export interface PoolSettings {
  processes: number;
  /** The time limit of one file. */
  limitMs: number;
  /** Flags of Node for the processes. */
  flags: string[];
  /** Ends the run: running files are aborted, and no more are started. */
  signal: AbortSignal;
  tell(path: string, report: FileReport, spent: TimeSpent): void;
}

export interface TimeSpent {
  seconds: number;
  /** Of the process and of its children, but not of PostgreSQL; undefined where it is unknown. */
  cpuSeconds: number | undefined;
}

/** Files that measure memory get a process of their own, without the leftovers of other files. */
const isAlone = (path: string) => path.endsWith('memory.test.ts');

export async function runFiles(files: readonly TestFile[], settings: PoolSettings): Promise<void> {
  const queue = [...files];
  await Promise.all(
    Array.from({ length: Math.min(settings.processes, files.length) }, () => runFrom(queue, settings)),
  );
}

async function runFrom(queue: TestFile[], { limitMs, flags, signal, tell }: PoolSettings): Promise<void> {
  let shared: FileProcess | undefined;
  for (let file = queue.shift(); file !== undefined && !signal.aborted; file = queue.shift()) {
    const host = isAlone(file.path) ? new FileProcess(flags) : (shared ??= new FileProcess(flags));
    const begun = performance.now();
    const cpuBegun = host.cpuSeconds() ?? 0;
    const report = await host.run(file, limitMs, signal);
    const cpu = host.cpuSeconds();
    const cpuSeconds = cpu === undefined ? undefined : cpu - cpuBegun;
    tell(file.path, report, { seconds: (performance.now() - begun) / 1000, cpuSeconds });
    if (host !== shared || host.isSpent) await host.end();
    if (shared?.isSpent) shared = undefined;
  }
  await shared?.end();
}

// The server that runs on a data folder, found by the note it left there.
import { askReadiness } from './probe.ts';
import { isAlive, readRun, type Run } from './run-file.ts';

export type RunningServer = Run & { state: 'ready' | 'not ready' | 'not answering' };

/** Undefined when none runs here: the note of one that was killed does not count. */
export async function findServer(data: string): Promise<RunningServer | undefined> {
  const run = readRun(data);
  if (run === undefined) return undefined;
  const readiness = await askReadiness(run.url);
  if (readiness !== undefined) return { ...run, state: readiness.isReady ? 'ready' : 'not ready' };
  return isAlive(run.pid) ? { ...run, state: 'not answering' } : undefined;
}

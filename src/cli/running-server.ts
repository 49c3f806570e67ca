// Finds the server that runs on a data folder, by its run.json.
import { fetchReadiness } from './readiness.ts';
import { isAlive, readRunFile, type RunFile } from './run-file.ts';

export type RunningServer = RunFile & { state: 'ready' | 'not ready' | 'not answering' };

/** Undefined when none runs here: the file of a killed server is ignored. */
export async function findServer(data: string): Promise<RunningServer | undefined> {
  const run = readRunFile(data);
  if (run === undefined) return undefined;
  const readiness = await fetchReadiness(run.url);
  if (readiness !== undefined) return { ...run, state: readiness.isReady ? 'ready' : 'not ready' };
  return isAlive(run.pid) ? { ...run, state: 'not answering' } : undefined;
}

// Actors that are built and run: how soon a run starts, how many finish, what they cost the server, and their logs and lists.
import type { Effort } from './compare.ts';
import type { Row } from './report.ts';
import { benchBuilds } from './run-builds.ts';
import { benchIdle } from './run-idle.ts';
import { benchLists } from './run-lists.ts';
import { benchLogs } from './run-logs.ts';
import { benchRate } from './run-rate.ts';
import { benchStart } from './run-start.ts';

const PARTS: Record<string, (effort: Effort) => Promise<Row | Row[]>> = {
  start: benchStart,
  rate: benchRate,
  builds: benchBuilds,
  logs: benchLogs,
  idle: benchIdle,
  lists: benchLists,
};

/** One after another: each has the machine for itself. */
export async function benchRuns(effort: Effort): Promise<Row[]> {
  const rows: Row[] = [];
  for (const part of Object.values(PARTS)) rows.push(...[await part(effort)].flat());
  return rows;
}

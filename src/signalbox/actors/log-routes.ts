// The logs of runs and builds by the numbers of their lines, with a search in them.
import { checkBuildLogAccess, maskOf } from '../../actors/logs/access.ts';
import type { LogMask } from '../../actors/logs/log-filters.ts';
import { readLinePage, searchLines } from '../../actors/logs/log-lines.ts';
import { PUBLIC_LOGS } from '../../actors/logs/routes.ts';
import { openNumberedLog } from '../../actors/logs/read-lines.ts';
import { openRun, VIEW_RUN } from '../../actors/runs/access.ts';
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import {
  LogLines,
  LogLinesQuery,
  MAX_LINES,
  MAX_FOUND_LINES,
  parseLevels,
  rangeOfQuery,
  type ShownLogLines,
} from './log-model.ts';

export const ByRunId = Type.Object({ runId: Type.String() });

/** Far more than a log of the largest size takes, which is a fifth of a second of an idle processor. */
const MAX_SEARCH_MS = 15_000;

const ABOUT = `At most ${MAX_LINES} lines, and about two megabytes. Lines keep their numbers: those that were left out of the middle of a long log are counted. To follow a log, send \`next\` as \`after\` until the log is complete.`;

const getRunLogLines = route(
  {
    id: 'getRunLogLines',
    method: 'GET',
    path: '/runs/{runId}/log-lines',
    summary: 'Get lines of the log of a run',
    description: ABOUT,
    access: VIEW_RUN,
    params: ByRunId,
    query: LogLinesQuery,
    reply: { 200: LogLines },
  },
  async (call, kernel) => {
    const { id } = await openRun(kernel, call, call.params.runId, 'viewRun');
    return await readShownLines(kernel, id, call.query);
  },
);

const getBuildLogLines = route(
  {
    id: 'getBuildLogLines',
    method: 'GET',
    path: '/builds/{buildId}/log-lines',
    summary: 'Get lines of the log of a build',
    description: `${ABOUT} ${PUBLIC_LOGS}`,
    access: { action: 'viewBuild', ofOwner: true },
    params: Type.Object({ buildId: Type.String() }),
    query: LogLinesQuery,
    reply: { 200: LogLines },
  },
  async (call, kernel) => {
    const { buildId } = call.params;
    const othersBuild = await checkBuildLogAccess(call, kernel, buildId);
    return await readShownLines(
      kernel,
      buildId,
      call.query,
      othersBuild && (await maskOf(kernel, othersBuild)),
    );
  },
);

async function readShownLines(
  { db, blobs }: Kernel,
  id: string,
  query: Static<typeof LogLinesQuery>,
  mask?: LogMask,
): Promise<ShownLogLines> {
  const levels = parseLevels(query.level);
  const opened = await openNumberedLog({ db, blobs }, id);
  if (opened === undefined) throw new Failure('not-found', 'The log was not found');
  const { total, gap, log } = opened;
  const until = performance.now() + MAX_SEARCH_MS;
  const reading = { db, blobs, mask };
  const range = rangeOfQuery(query, total, levels !== undefined);
  const { lines, through } = await readLinePage(reading, opened, { ...range, levels, until });
  const { q: text } = query;
  const matches =
    text === undefined
      ? undefined
      : await searchLines(reading, opened, { text, levels, most: MAX_FOUND_LINES, until });
  return {
    first: lines[0]?.number ?? Math.min(range.from, total + 1),
    next: through,
    total,
    isComplete: log.isEnded,
    omitted: gap === undefined ? 0 : gap.endLine - gap.line,
    ...(gap && { gap: { first: gap.line + 1, last: gap.endLine, bytes: gap.bytes } }),
    lines,
    ...(matches && { matches }),
  };
}

export const logLineRoutes = [getRunLogLines, getBuildLogLines];

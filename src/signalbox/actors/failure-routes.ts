// Runs that failed, by Actor and cause.
import { STATUSES } from '../../actors/jobs/job.ts';
import { readLinePage, withoutEscapes } from '../../actors/logs/log-lines.ts';
import { normalizeText } from '../../actors/logs/normalize.ts';
import { openNumberedLog } from '../../actors/logs/read-lines.ts';
import { route } from '../../kernel/http/route.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Nullable, OneOf, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { shortHash } from '../attention/model.ts';
import { listActorNames } from '../search/actor-sources.ts';
import { readActorRecords } from '../search/store-actor-records.ts';
import { listRunsThatFailed, MAX_FAILED_RUNS, type RunThatFailed } from './store-runs.ts';

const DAY = 24 * 60 * 60 * 1000;
const MAX_DAYS = 90;
const MAX_GROUPS = 100;
/** Of each group, so many ids. */
const MAX_IDS = 10;
/** Logs are read for so many groups, and of each log the last lines. */
const MAX_LOGS = 20;
const LAST_LINES = 300;
const MAX_TEXT = 500;
const MAX_LOG_MS = 5000;

const FailureGroup = Type.Object(
  {
    id: Type.String({ description: 'The same for the same Actor and cause' }),
    actor: Type.Object({
      id: Type.String(),
      name: Type.Optional(Type.String({ description: '`username~name`; absent where the Actor is gone' })),
      title: Type.Optional(Type.String()),
    }),
    status: OneOf(STATUSES),
    cause: Type.String({ description: 'The message of the runs without numbers, addresses, ids and times' }),
    message: Nullable(Type.String({ description: 'Of the newest run' })),
    error: Type.Optional(
      Type.String({ description: 'The last line of level ERROR in the log of the newest run' }),
    ),
    count: Type.Integer(),
    firstAt: Type.Integer({ description: 'When the oldest of them was started' }),
    lastAt: Type.Integer({ description: 'When the newest of them was started' }),
    runs: Type.Array(Type.String(), { description: `The ids of the newest ${MAX_IDS}` }),
  },
  { $id: 'FailureGroup' },
);

const FailureGroups = Type.Object(
  {
    since: Type.Integer(),
    items: Type.Array(FailureGroup, { description: `The newest first; at most ${MAX_GROUPS}` }),
    isPartial: Type.Boolean({
      description: `There are more than ${MAX_FAILED_RUNS} runs of a status, or more causes`,
    }),
  },
  { $id: 'FailureGroups' },
);

const listRunFailures = route(
  {
    id: 'listRunFailures',
    method: 'GET',
    path: '/runs/failures',
    summary: 'List failed runs by Actor and cause',
    description: 'Your runs that have failed or timed out.',
    access: { action: 'viewRun' },
    query: Type.Object({
      since: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: `Those that were started since then, at most ${MAX_DAYS} days ago; a day ago when not given`,
        }),
      ),
    }),
    reply: { 200: FailureGroups },
  },
  async (call, kernel) => {
    call.requirePermission('actor-run/*');
    const { since = call.now - DAY } = call.query;
    if (since < call.now - MAX_DAYS * DAY)
      throw problem('query.since', `must not be more than ${MAX_DAYS} days ago`);
    const found = await listRunsThatFailed(kernel.db, accountOf(call.caller).id, since);
    const groups = groupRuns(found.runs);
    const items = await showGroups(kernel, groups.slice(0, MAX_GROUPS));
    return { since, items, isPartial: found.isPartial || groups.length > MAX_GROUPS };
  },
);

interface RunGroup {
  key: string;
  cause: string;
  /** The newest first. */
  runs: RunThatFailed[];
}

function groupRuns(runs: readonly RunThatFailed[]): RunGroup[] {
  const groups = new Map<string, RunGroup>();
  for (const run of runs.toSorted((a, b) => b.startedAt - a.startedAt)) {
    const cause = normalizeText(run.message ?? '');
    const key = `${run.actorId}\n${run.status}\n${cause}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { key, cause, runs: [run] });
    else group.runs.push(run);
  }
  return [...groups.values()];
}

async function showGroups(
  kernel: Kernel,
  groups: readonly RunGroup[],
): Promise<Static<typeof FailureGroup>[]> {
  const actorIds = [...new Set(groups.map(({ runs }) => runs[0]!.actorId))];
  const actors = await readActorRecords(kernel.db, actorIds);
  const names = await listActorNames(kernel.db, actors);
  const titles = new Map(actors.map(({ id, name }) => [id, name]));
  const until = performance.now() + MAX_LOG_MS;
  const shown: Static<typeof FailureGroup>[] = [];
  for (const [index, { key, cause, runs }] of groups.entries()) {
    const { id, actorId, status, message, startedAt } = runs[0]!;
    const error =
      index < MAX_LOGS && performance.now() < until ? await findLastError(kernel, id, until) : undefined;
    const [name, title] = [names.get(actorId), titles.get(actorId)];
    shown.push({
      id: shortHash(key),
      actor: { id: actorId, ...(name !== undefined && { name }), ...(title !== undefined && { title }) },
      status,
      cause,
      message: message?.slice(0, MAX_TEXT) ?? null,
      ...(error !== undefined && { error }),
      count: runs.length,
      firstAt: runs.at(-1)!.startedAt,
      lastAt: startedAt,
      runs: runs.slice(0, MAX_IDS).map((run) => run.id),
    });
  }
  return shown;
}

/** Among the last lines, so that a long log is not read whole. */
async function findLastError(kernel: Kernel, id: string, until: number): Promise<string | undefined> {
  const opened = await openNumberedLog(kernel, id);
  if (opened === undefined) return undefined;
  const from = Math.max(1, opened.total - LAST_LINES + 1);
  const levels = new Set(['ERROR' as const]);
  const { lines } = await readLinePage(kernel, opened, {
    from,
    limit: LAST_LINES,
    levels,
    isTail: true,
    until,
  });
  // An indented line continues an error.
  const last = lines.map(({ text }) => withoutEscapes(text)).findLast((text) => !/^[ \t]/.test(text));
  return last?.slice(0, MAX_TEXT);
}

export const failureRoutes = [listRunFailures];

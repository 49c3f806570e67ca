// Runs: list, get, change, abort, and delete.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Nullable, OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { openActor } from '../actors/access.ts';
import { LIST_QUERY, listSliceOf } from '../list-query.ts';
import { LogQuery, serveLog } from '../logs/routes.ts';
import { afterWait, WAIT_QUERY, type WaitCall } from '../jobs/wait-for-finish.ts';
import { GENERAL_ACCESS } from '../storages/model.ts';
import { openRun, openRunOfPath, runNotFound, UPDATE_RUN, VIEW_RUN } from './access.ts';
import { abortRun, removeFinishedRun } from './change-run.ts';
import { STATUSES } from '../jobs/job.ts';
import { parseStatuses, RunDetail, RunSummary, toRunDetail, toRunSummary, type Run } from './model.ts';
import { insertRunStep } from './store-steps.ts';
import { findRun, listRuns, lockRun, updateRun, type RunScope } from './store.ts';

export const ByRun = Type.Object({ runId: Type.String() });

const MAX_MESSAGE = 1000;

export const LIST_RUNS_QUERY = Type.Object({
  ...LIST_QUERY.properties,
  status: Type.Optional(Type.String({ description: `Only these, joined by commas: ${STATUSES.join(', ')}` })),
  startedAfter: Type.Optional(Type.String({ description: 'A date-time; that moment is included' })),
  startedBefore: Type.Optional(Type.String({ description: 'A date-time; that moment is included' })),
});

const listAll = route(
  {
    id: 'actorRuns_get',
    method: 'GET',
    path: '/actor-runs',
    summary: 'List your runs, oldest first',
    access: { action: 'viewRun' },
    query: LIST_RUNS_QUERY,
    list: RunSummary,
  },
  async (call, kernel) => {
    call.requirePermission('actor-run/*');
    return await listRunsPage(kernel, { userId: accountOf(call.caller).id }, call.query);
  },
);

const listOfActor = route(
  {
    id: 'act_runs_get',
    method: 'GET',
    path: '/actors/{actorId}/runs',
    summary: 'List your runs of an Actor, oldest first',
    access: { action: 'viewRun' },
    params: Type.Object({ actorId: Type.String() }),
    query: LIST_RUNS_QUERY,
    list: RunSummary,
  },
  async (call, kernel) => {
    call.requirePermission('actor-run/*');
    const actor = await openActor(kernel, call, call.params.actorId, 'viewActor');
    return await listRunsPage(kernel, { actorId: actor.id, userId: accountOf(call.caller).id }, call.query);
  },
);

/** A page of the runs in a scope. */
export async function listRunsPage(
  { db }: Kernel,
  scope: RunScope,
  query: Static<typeof LIST_RUNS_QUERY>,
): Promise<Page> {
  const slice = listSliceOf(query);
  const filter = {
    statuses: parseStatuses(query.status),
    startedAfter: parseTime('startedAfter', query.startedAfter),
    startedBefore: parseTime('startedBefore', query.startedBefore),
  };
  const { items, total } = await listRuns(db, scope, filter, slice, query.desc);
  return new Page(items.map(toRunSummary), total, slice, query.desc);
}

function parseTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw problem(`query.${name}`, 'must be a date-time, like 2026-11-16T12:00:00Z');
  return time;
}

const getRun = route(
  {
    id: 'actorRun_get',
    method: 'GET',
    path: '/actor-runs/{runId}',
    aliases: [{ id: 'act_run_get', path: '/actors/{actorId}/runs/{runId}' }],
    summary: 'Get a run',
    access: VIEW_RUN,
    params: ByRun,
    query: Type.Object(WAIT_QUERY),
    reply: { 200: RunDetail },
  },
  async (call, kernel) => {
    const run = await openRunOfPath(kernel, call, 'viewRun');
    return toRunDetail(await runAfterWait(kernel, call, run), kernel.clock.now(), kernel.publicUrl);
  },
);

/** The run when it has finished, or as it is when the time is over. */
export async function runAfterWait(kernel: Kernel, call: WaitCall, run: Run): Promise<Run> {
  const later = await afterWait(kernel, call, 'run', run, (id) => findRun(kernel.db, id));
  if (later === undefined) throw runNotFound();
  return later;
}

const getLog = route(
  {
    id: 'actorRun_log_get',
    method: 'GET',
    path: '/actor-runs/{runId}/log',
    isContent: true,
    summary: 'Get the log of a run',
    access: VIEW_RUN,
    params: ByRun,
    query: LogQuery,
    produces: 'text/plain; charset=utf-8',
    reply: { 200: Type.String() },
  },
  async (call, kernel) => {
    const { id } = await openRun(kernel, call, call.params.runId, 'viewRun');
    return await serveLog(call, kernel, id);
  },
);

const RunUpdate = Type.Object(
  {
    statusMessage: Type.Optional(
      PlainText({ maxLength: 10_000, description: `Its first ${MAX_MESSAGE} characters are stored` }),
    ),
    isStatusMessageTerminal: Type.Optional(Nullable(Type.Boolean())),
    generalAccess: Type.Optional(OneOf(GENERAL_ACCESS)),
  },
  { $id: 'UpdateRunRequest' },
);

const putRun = route(
  {
    id: 'actorRun_put',
    method: 'PUT',
    path: '/actor-runs/{runId}',
    summary: "Change a run's status message or general access",
    access: UPDATE_RUN,
    params: ByRun,
    body: RunUpdate,
    reply: { 200: RunDetail },
  },
  async (call, kernel) => {
    const { body, now } = call;
    await openRun(kernel, call, call.params.runId, 'updateRun');
    const { statusMessage, isStatusMessageTerminal, generalAccess } = body;
    const run = await kernel.db.transaction().execute(async (tx) => {
      const before = await lockRun(tx, call.params.runId);
      if (before === undefined) throw runNotFound();
      // A terminal message stays until another terminal one comes.
      const isMessageNew =
        statusMessage !== undefined && (!before.isMessageTerminal || isStatusMessageTerminal === true);
      const changes = {
        ...(isMessageNew && {
          statusMessage: statusMessage.slice(0, MAX_MESSAGE),
          isMessageTerminal: isStatusMessageTerminal === true,
        }),
        ...(generalAccess !== undefined && { generalAccess }),
      };
      if (Object.keys(changes).length > 0) await updateRun(tx, before.id, changes);
      const { statusMessage: message } = changes;
      if (message !== undefined && message !== before.statusMessage)
        await insertRunStep(tx, before.id, 'message', now, { message });
      return { ...before, ...changes };
    });
    return toRunDetail(run, now, kernel.publicUrl);
  },
);

const deleteRunRoute = route(
  {
    id: 'actorRun_delete',
    method: 'DELETE',
    path: '/actor-runs/{runId}',
    summary: 'Delete a finished run with its unnamed storages and its log',
    access: { action: 'deleteRun', ofOwner: true },
    params: ByRun,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const { id } = await openRun(kernel, call, call.params.runId, 'deleteRun');
    await removeFinishedRun(kernel, id, call.now);
    return reply(204);
  },
);

const abort = route(
  {
    id: 'actorRun_abort_post',
    worksOnFullDisk: true,
    method: 'POST',
    path: '/actor-runs/{runId}/abort',
    aliases: [{ id: 'act_run_abort_post', path: '/actors/{actorId}/runs/{runId}/abort' }],
    summary: 'Abort a run, at once or after its process got time to end',
    access: UPDATE_RUN,
    params: ByRun,
    query: Type.Object({
      gracefully: Type.Optional(
        Type.Boolean({ description: 'Whether the process gets 30 seconds to end by itself' }),
      ),
    }),
    reply: { 200: RunDetail },
  },
  async (call, kernel) => {
    const run = await openRunOfPath(kernel, call, 'updateRun');
    return toRunDetail(
      await abortRun(kernel, run.id, call.query.gracefully === true, call.now),
      call.now,
      kernel.publicUrl,
    );
  },
);

export const runRoutes = [listAll, listOfActor, getRun, getLog, putRun, deleteRunRoute, abort];

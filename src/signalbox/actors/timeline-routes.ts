// The timeline of a run: what is recorded of it, from its creation to its end, with the runs and the webhooks that it set off.
import { ACTORS_API, DISPATCH_STATUS, type DispatchDetails } from '../../actors/webhooks/dispatch-model.ts';
import { EVENT_TYPES } from '../../actors/webhooks/event-types.ts';
import { ORIGINS } from '../../actors/jobs/job-meta.ts';
import { STATUSES } from '../../actors/jobs/job.ts';
import { openRun } from '../../actors/runs/access.ts';
import type { Run } from '../../actors/runs/model.ts';
import { findRun } from '../../actors/runs/store.ts';
import { listRunSteps, MAX_STEPS, STEP_KINDS, type RunStep } from '../../actors/runs/store-steps.ts';
import { route, type Call } from '../../kernel/http/route.ts';
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listDeliveriesById, type WebhookDelivery } from '../../kernel/webhooks/store-deliveries.ts';
import { ByRunId } from './log-routes.ts';
import { listRunStates, type RunState } from './store-runs.ts';

const KINDS = ['created', 'waiting', ...STEP_KINDS.filter((kind) => kind !== 'webhooks'), 'webhook'] as const;

const TimelineItem = Type.Object(
  {
    at: Type.Integer(),
    kind: OneOf(KINDS, {
      description: '`waiting` only while it waits; `child` is a run that it has started',
    }),
    origin: Type.Optional(OneOf(ORIGINS, { description: 'Of `created`' })),
    parent: Type.Optional(Type.String({ description: 'Of `created`: the id of the run that started it' })),
    scheduleId: Type.Optional(Type.String({ description: 'Of `created`' })),
    message: Type.Optional(Nullable(Type.String({ description: 'Of `message` and `finished`' }))),
    status: Type.Optional(OneOf(STATUSES, { description: 'Of `finished`' })),
    exitCode: Type.Optional(Nullable(Type.Integer({ description: 'Of `finished`' }))),
    isGraceful: Type.Optional(
      Type.Boolean({ description: 'Of `aborting`: whether the process gets time to end' }),
    ),
    actorId: Type.Optional(Type.String({ description: 'Of `metamorphosed`: the Actor that goes on' })),
    run: Type.Optional(
      Type.Object(
        {
          id: Type.String(),
          actorId: Type.Optional(Type.String()),
          status: Type.Optional(
            OneOf(STATUSES, { description: 'As it is now; absent where the run is gone' }),
          ),
        },
        { description: 'Of `child`' },
      ),
    ),
    dispatch: Type.Optional(
      Type.Object(
        {
          id: Type.String(),
          webhookId: Type.Optional(Type.String()),
          eventType: OneOf(EVENT_TYPES),
          requestUrl: Type.Optional(Type.String()),
          status: Type.Optional(
            OneOf(['ACTIVE', 'SUCCEEDED', 'FAILED'], {
              description: 'As it is now; absent where the dispatch is gone',
            }),
          ),
        },
        { description: 'Of `webhook`' },
      ),
    ),
  },
  { $id: 'TimelineItem' },
);

const RunTimeline = Type.Object(
  {
    items: Type.Array(TimelineItem, { description: 'In the order in which they happened' }),
    isPartial: Type.Boolean({ description: 'The run is older than what the server records of runs' }),
  },
  { $id: 'RunTimeline' },
);

type ShownItem = Static<typeof TimelineItem>;

const getRunTimeline = route(
  {
    id: 'getRunTimeline',
    method: 'GET',
    path: '/runs/{runId}/timeline',
    summary: 'Get the timeline of a run',
    description: `Of each kind, the last ${MAX_STEPS} are kept. Webhooks are there for those who may view webhooks.`,
    access: { action: 'viewRun', others: ['viewWebhook'], ofOwner: true },
    params: ByRunId,
    reply: { 200: RunTimeline },
  },
  async (call, kernel) => {
    const { db } = kernel;
    const run = await openRun(kernel, call, call.params.runId, 'viewRun');
    const steps = await listRunSteps(db, run.id);
    // As it was when the steps were read, or later.
    const present = (await findRun(db, run.id)) ?? run;
    const isPartial = present.status !== 'READY' && !isRecorded(present, steps);
    return { items: await showSteps(call, db, present, steps), isPartial };
  },
);

/** A run that was aborted before a process started has no start. */
function isRecorded({ timeoutAt }: Run, steps: readonly RunStep[]): boolean {
  const kinds = new Set(steps.map(({ kind }) => kind));
  return kinds.has('started') || (timeoutAt === null && kinds.has('finished'));
}

async function showSteps(
  call: Pick<Call, 'can'>,
  db: Db,
  run: Run,
  steps: readonly RunStep[],
): Promise<ShownItem[]> {
  const mayViewWebhooks = call.can('actor-webhook/*', 'viewWebhook');
  const visible = mayViewWebhooks ? steps : steps.filter(({ kind }) => kind !== 'webhooks');
  const [children, dispatches] = await Promise.all([
    listRunStates(
      db,
      run.userId,
      visible.flatMap(({ runId }) => runId ?? []),
    ),
    listDispatches(db, run, visible),
  ]);
  const metamorphs = run.metamorphs.values();
  const shown = visible.flatMap((step): ShownItem[] => {
    const { at, kind, runId, dispatchIds = [], eventType, status, ...rest } = step;
    switch (kind) {
      case 'webhooks':
        return dispatchIds.map((id) => ({
          at,
          kind: 'webhook',
          dispatch: showDispatch(id, eventType!, dispatches.get(id)),
        }));
      case 'child':
        return [{ at, kind, run: showChild(runId!, children.get(runId!)) }];
      case 'metamorphosed': {
        const next = metamorphs.next().value;
        return [{ at, kind, ...(next && { actorId: next.actorId }) }];
      }
      default:
        return [{ at, kind, ...rest, ...(status !== undefined && { status: status as Run['status'] }) }];
    }
  });
  return [...begin(run, steps), ...shown, ...end(run, steps)];
}

function begin(run: Run, steps: readonly RunStep[]): ShownItem[] {
  const { origin, startedByRunId, scheduleId } = run.meta;
  const created: ShownItem = {
    at: run.startedAt,
    kind: 'created',
    origin,
    ...(startedByRunId !== undefined && { parent: startedByRunId }),
    ...(scheduleId !== undefined && { scheduleId }),
  };
  if (run.status === 'READY' || steps.some(({ kind }) => kind === 'started')) return [created];
  // An older run: its first process started when its time began.
  const { timeoutAt, options } = run;
  const startedAt = timeoutAt === null ? undefined : timeoutAt - options.timeoutSecs * 1000;
  return startedAt === undefined ? [created] : [created, { at: startedAt, kind: 'started' }];
}

function end(run: Run, steps: readonly RunStep[]): ShownItem[] {
  const { finishedAt, status, exitCode, statusMessage: message } = run;
  if (status === 'READY')
    return [
      { at: steps.findLast(({ kind }) => kind === 'resurrected')?.at ?? run.startedAt, kind: 'waiting' },
    ];
  if (finishedAt === null || steps.some(({ kind, at }) => kind === 'finished' && at === finishedAt))
    return [];
  return [{ at: finishedAt, kind: 'finished', status, exitCode, message }];
}

async function listDispatches(
  db: Db,
  { userId }: Run,
  steps: readonly RunStep[],
): Promise<Map<string, WebhookDelivery>> {
  const ids = steps.flatMap(({ dispatchIds = [] }) => dispatchIds).slice(-MAX_STEPS);
  const found = await listDeliveriesById(db, ids);
  const own = found.filter(({ api, ownerId }) => api === ACTORS_API && ownerId === userId);
  return new Map(own.map((one) => [one.id, one]));
}

function showDispatch(
  id: string,
  eventType: string,
  delivery: WebhookDelivery | undefined,
): NonNullable<ShownItem['dispatch']> {
  const type = eventType as (typeof EVENT_TYPES)[number];
  if (delivery === undefined) return { id, eventType: type };
  const { requestUrl } = JSON.parse(delivery.details) as DispatchDetails;
  return {
    id,
    webhookId: delivery.hookId,
    eventType: type,
    requestUrl,
    status: DISPATCH_STATUS[delivery.state],
  };
}

function showChild(id: string, child: RunState | undefined): NonNullable<ShownItem['run']> {
  return { id, ...(child && { actorId: child.actorId, status: child.status }) };
}

export const runTimelineRoutes = [getRunTimeline];

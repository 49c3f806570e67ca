// Records events for the webhooks that listen: what happens to runs and builds, in the transaction in which it happens, and tests.
import { newId } from '../../kernel/id.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { INDEPENDENT } from '../../kernel/webhooks/policy.ts';
import { findDelivery, type DeliveryWithAttempts } from '../../kernel/webhooks/store-deliveries.ts';
import { enqueueDeliveries, type OutgoingDelivery } from '../../kernel/webhooks/store-enqueue.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { toBuildDetail, type Build } from '../builds/model.ts';
import { toRunDetail, type Run, NEW_STATS } from '../runs/model.ts';
import { insertRunStep } from '../runs/store-steps.ts';
import { ACTORS_API, type DispatchDetails, type EventData } from './dispatch-model.ts';
import type { WebhookEventType } from './event-types.ts';
import type { JobKind, JobStatus } from '../jobs/job.ts';
import {
  parseHeaderTemplate,
  renderHeaders,
  BadTemplate,
  DEFAULT_TEMPLATE,
  parseTemplate,
  Renderer,
  PayloadTooLarge,
} from './template.ts';
import { toCondition, type ActorWebhook, webhookNotFound } from './model.ts';
import { countDispatch, listListening, findActorWebhook } from './store.ts';

/** The longest payload, in characters. */
const MAX_PAYLOAD = 2 * 1024 * 1024;
/** Of all different payloads of one event: each is a row that its transaction writes. */
const MAX_PAYLOADS = 16 * 1024 * 1024;
/** Longer than all retries take. After a longer stop of the server, what is left is not sent. */
const EXPIRES_MS = 7 * 24 * 60 * 60 * 1000;

interface JobEvent {
  type: WebhookEventType;
  userId: string;
  data: EventData | null;
  /** As the API shows it. */
  resource: unknown;
  /** How many runs in a row webhooks have started before. */
  depth: number;
}

/** Webhooks of the account that owns the run: others that run a public Actor do not hear of each other's runs. */
export function listRunWebhooks(tx: Db, run: Pick<Run, 'id' | 'userId' | 'actorId' | 'taskId'>) {
  return listListening(tx, run.userId, { actorId: run.actorId, taskId: run.taskId, runId: run.id });
}

export function listBuildWebhooks(tx: Db, { userId, actorId }: Pick<Build, 'userId' | 'actorId'>) {
  return listListening(tx, userId, { actorId });
}

/** At the end of the transaction. */
export async function recordRunEvent(
  tx: Db,
  webhooks: readonly ActorWebhook[],
  run: Run,
  what: 'CREATED' | 'RESURRECTED' | 'ended',
  now: number,
): Promise<void> {
  const type = what === 'ended' ? endingOf('run', run.status) : (`ACTOR.RUN.${what}` as const);
  const { id: actorRunId, actorId, taskId } = run;
  const data = { actorId, ...(taskId !== null && { actorTaskId: taskId }), actorRunId };
  const dispatchIds = await recordEvent(tx, webhooks, now, type, () => ({
    type,
    userId: run.userId,
    data,
    resource: toRunDetail(run, now),
    depth: run.meta.webhookDepth ?? 0,
  }));
  if (dispatchIds.length > 0)
    await insertRunStep(tx, run.id, 'webhooks', now, {
      eventType: type,
      dispatchIds: dispatchIds.slice(0, SHOWN_DISPATCHES),
    });
}

/** Of one event, so many are in the timeline of its run. */
const SHOWN_DISPATCHES = 20;

/** At the end of the transaction. */
export async function recordBuildEvent(
  tx: Db,
  webhooks: readonly ActorWebhook[],
  build: Build,
  what: 'CREATED' | 'ended',
  now: number,
): Promise<void> {
  const type = what === 'ended' ? endingOf('build', build.status) : 'ACTOR.BUILD.CREATED';
  await recordEvent(tx, webhooks, now, type, () => ({
    type,
    userId: build.userId,
    data: { actorId: build.actorId, actorBuildId: build.id },
    resource: toBuildDetail(build, { now, isOwner: true }),
    depth: 0,
  }));
}

type Ending = 'ABORTED' | 'FAILED' | 'SUCCEEDED' | 'TIMED_OUT';

const ENDINGS: Partial<Record<JobStatus, Ending>> = {
  ABORTED: 'ABORTED',
  FAILED: 'FAILED',
  SUCCEEDED: 'SUCCEEDED',
  'TIMED-OUT': 'TIMED_OUT',
};

/** The event of a build or run that has got this status; statuses are spelled with a hyphen, events with an underscore. */
function endingOf(kind: JobKind, status: JobStatus): WebhookEventType {
  const ending = ENDINGS[status];
  if (ending === undefined) throw new Error(`${status} is no end of a ${kind}.`);
  return kind === 'run' ? `ACTOR.RUN.${ending}` : `ACTOR.BUILD.${ending}`;
}

async function recordEvent(
  tx: Db,
  webhooks: readonly ActorWebhook[],
  now: number,
  type: WebhookEventType,
  describe: () => JobEvent,
): Promise<string[]> {
  const listening = webhooks.filter(({ eventTypes }) => eventTypes.includes(type));
  return listening.length === 0 ? [] : await insertDispatches(tx, listening, describe(), now);
}

/** Returns the ids of the dispatches, in the order of the webhooks. */
export async function insertDispatches(
  tx: Db,
  webhooks: readonly ActorWebhook[],
  event: JobEvent,
  now: number,
): Promise<string[]> {
  const createdAt = new Date(now).toISOString();
  const renderer = new Renderer({
    userId: event.userId,
    createdAt,
    eventType: event.type,
    eventData: event.data,
    resource: event.resource,
    globals: { dateISO: createdAt, dateUnix: Math.floor(now / 1000) },
  });
  const eventId = newId(now);
  const bodies = new Set<string>();
  let left = MAX_PAYLOADS;
  const slice = new TimeSlice();
  const outgoing: (OutgoingDelivery & { id: string })[] = [];
  for (const webhook of webhooks) {
    if (slice.isOver) await slice.yieldToEventLoop();
    const rendered = render(webhook, renderer, Math.min(MAX_PAYLOAD, left));
    if (!bodies.has(rendered.body)) left -= rendered.body.length;
    bodies.add(rendered.body);
    outgoing.push({
      api: ACTORS_API,
      hookId: webhook.id,
      id: newId(now),
      eventId,
      ownerId: webhook.userId,
      body: rendered.body,
      details: JSON.stringify(detailsOf(webhook, event, rendered)),
      expiresAt: now + EXPIRES_MS,
    });
  }
  const counts = outgoing.map(({ hookId, id }) => countDispatch(tx, hookId, id));
  await enqueueDeliveries(tx, INDEPENDENT, outgoing, now, counts);
  return outgoing.map(({ id }) => id);
}

interface RenderedWebhook {
  body: string;
  headers: Record<string, string>;
  refusal?: string;
}

/** What cannot be rendered gets a dispatch all the same, which says why it was not sent. */
function render(webhook: ActorWebhook, renderer: Renderer, maxLength: number): RenderedWebhook {
  const { payloadTemplate, headersTemplate, shouldInterpolateStrings } = webhook;
  try {
    const template = parseTemplate(payloadTemplate ?? DEFAULT_TEMPLATE, shouldInterpolateStrings);
    const headers =
      headersTemplate === null
        ? {}
        : renderHeaders(parseHeaderTemplate(headersTemplate, shouldInterpolateStrings), renderer);
    return { body: renderer.render(template, maxLength), headers };
  } catch (error) {
    if (error instanceof PayloadTooLarge || error instanceof BadTemplate)
      return {
        body: '',
        headers: {},
        refusal: `The payload or its headers were not rendered. ${error.message}`,
      };
    throw error;
  }
}

function detailsOf(
  webhook: ActorWebhook,
  { type, data, depth }: JobEvent,
  { headers, refusal }: RenderedWebhook,
): DispatchDetails {
  const { target, requestUrl, isAdHoc, ignoreSslErrors, doNotRetry, maker } = webhook;
  return {
    eventType: type,
    eventData: data,
    condition: toCondition(target),
    requestUrl,
    isAdHoc,
    headers,
    ignoreSslErrors,
    doNotRetry,
    maker,
    depth,
    ...(refusal !== undefined && { refusal }),
  };
}

const DUMMY_ID = '0'.repeat(24);

/** With a payload about a run that never was. Returns the dispatch before it is sent. */
export async function createTestDispatch(
  kernel: Kernel,
  { id, userId }: ActorWebhook,
  now: number,
): Promise<DeliveryWithAttempts> {
  return await kernel.db.transaction().execute(async (tx) => {
    // Not locked: events lock the queue first and the webhook then.
    const webhook = await findActorWebhook(tx, id);
    if (webhook === undefined || webhook.userId !== userId) throw webhookNotFound();
    const resource = toRunDetail(dummyRun(webhook, now), now);
    const event = { type: 'TEST', userId, data: null, resource, depth: 0 } as const;
    const [dispatchId] = await insertDispatches(tx, [webhook], event, now);
    return (await findDelivery(tx, { id: dispatchId! }))!;
  });
}

function dummyRun({ userId, target, maker }: ActorWebhook, now: number): Run {
  return {
    id: target.kind === 'run' ? target.id : DUMMY_ID,
    actorId: target.kind === 'actor' ? target.id : DUMMY_ID,
    taskId: target.kind === 'task' ? target.id : null,
    userId,
    buildId: DUMMY_ID,
    buildNumber: '0.0.1',
    status: 'SUCCEEDED',
    statusMessage: 'This is a test of a webhook',
    isMessageTerminal: false,
    meta: { origin: 'TEST', initiator: maker.initiator },
    options: {
      build: 'latest',
      timeoutSecs: 3600,
      memoryMbytes: 1024,
      diskMbytes: 2048,
      maxItems: null,
      maxTotalChargeUsd: null,
      restartOnError: false,
    },
    stats: NEW_STATS,
    exitCode: 0,
    startedAt: now,
    finishedAt: now,
    timeoutAt: null,
    datasetId: DUMMY_ID,
    storeId: DUMMY_ID,
    queueId: DUMMY_ID,
    inputKey: 'INPUT',
    generalAccess: 'FOLLOW_USER_SETTING',
    permissionLevel: 'LIMITED_PERMISSIONS',
    chargedEvents: {},
    metamorphs: [],
  };
}

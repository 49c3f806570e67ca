// The dispatch of a test: a payload about a run that never was.
import type { Kernel } from '../../kernel/kernel.ts';
import { NEW_STATS, toRunDetail, type Run } from '../runs/model.ts';
import { webhookNotFound, type ActorWebhook } from './model.ts';
import { insertDispatches } from './record-event.ts';
import { findActorWebhook } from './store.ts';

const DUMMY_ID = '0'.repeat(24);

/** Returns the id of the dispatch. */
export async function createTestDispatch(
  kernel: Kernel,
  { id, userId }: ActorWebhook,
  now: number,
): Promise<string> {
  return await kernel.db.transaction().execute(async (tx) => {
    // Not locked: events lock the queue first and the webhook then.
    const webhook = await findActorWebhook(tx, id);
    if (webhook === undefined || webhook.userId !== userId) throw webhookNotFound();
    const resource = toRunDetail(dummyRun(webhook, now), now);
    const event = { type: 'TEST', userId, data: null, resource, depth: 0 } as const;
    const [dispatchId] = await insertDispatches(tx, [webhook], event, now);
    return dispatchId!;
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

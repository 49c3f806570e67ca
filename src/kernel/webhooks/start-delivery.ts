// Starts webhook delivery, in workers of their own with many slots, so that slow receivers block nothing else; and the background work that deletes deliveries.
import { startWorker, type Worker, type WorkerSettings } from '../jobs/due-worker.ts';
import { DeliveryNotices } from './delivery-notices.ts';
import { deliverHandler, type HookTurnSettings } from './hook-turn.ts';
import { IN_ORDER, INDEPENDENT } from './policy.ts';
import { QueueWatch } from './queue-watch.ts';
import { createWebhookSender, type WebhookSenderSettings } from './send.ts';
import type { BackgroundWork } from '../http/protocol.ts';
import { retentionSweep } from '../jobs/retention.ts';
import type { Kernel } from '../kernel.ts';
import {
  deleteAllDeliveries,
  deleteOldDeliveries,
  deletePendingDeliveries,
  REMOVE_DELIVERIES,
  STOP_DELIVERIES,
} from './store-removal.ts';
import type { HookRef } from './tables.ts';

export type DeliverySettings = Omit<WorkerSettings, 'handlers'> &
  Pick<HookTurnSettings, 'policies' | 'metrics'> &
  Pick<WebhookSenderSettings, 'guard' | 'release' | 'connectMs'> & {
    /** How long `stop` waits for answers. */
    stopWaitMs?: number;
  };

/** A slow receiver costs only a socket and a row, so there can be many slots. */
const SLOTS = 256;
/** After a process is killed, its hooks wait this long at most. */
const LEASE_MS = 10_000;

/** Each order has slots of its own: receivers of independent deliveries have more time to answer. */
export async function startDelivering(settings: DeliverySettings): Promise<Worker> {
  const { engine, log, policies, stopWaitMs = 3_000, concurrency = SLOTS, leaseMs = LEASE_MS } = settings;
  const senders = Object.fromEntries(
    Object.entries(policies).map(([api, { answerMs, keptBytes }]) => [
      api,
      createWebhookSender({ ...settings, answerMs, keptBytes }),
    ]),
  );
  const watch = await new QueueWatch(engine, log).open();
  const notices = new DeliveryNotices(engine);
  const [stopping, cutting] = [new AbortController(), new AbortController()];
  const signals = { stopping: stopping.signal, cutting: cutting.signal };
  const handler = deliverHandler({ ...settings, senders, watch, notices, ...signals });
  const workers = await Promise.all(
    [IN_ORDER, INDEPENDENT].map(({ kind }) =>
      startWorker({ ...settings, concurrency, leaseMs, handlers: { [kind]: handler } }),
    ),
  );
  return {
    poke: () => workers.forEach((worker) => worker.poke()),
    /** The turns end by themselves, so that all results are recorded before the leases are released; `cutting` ends those that wait. */
    async stop() {
      stopping.abort();
      const timer = setTimeout(() => cutting.abort(), stopWaitMs);
      await Promise.all(workers.map((worker) => worker.stop()));
      clearTimeout(timer);
      await watch.close();
      await notices.close();
      for (const sender of Object.values(senders)) sender.close();
    },
  };
}

export function webhookWork(kernel: Pick<Kernel, 'engine' | 'clock' | 'settings'>): BackgroundWork {
  const { engine } = kernel;
  return {
    handlers: {
      [REMOVE_DELIVERIES]: ({ payload }, signal) =>
        deleteAllDeliveries(engine, JSON.parse(payload) as HookRef, signal),
      // Without a time in rows of an earlier release.
      [STOP_DELIVERIES]: ({ payload, created_at: until }, signal) =>
        deletePendingDeliveries(engine, { until, ...(JSON.parse(payload) as HookRef) }, signal),
    },
    recurring: [
      retentionSweep(kernel, {
        kind: 'webhook.sweep',
        retained: 'deliveries',
        deleteBefore: (before, signal) => deleteOldDeliveries(engine, before, signal),
      }),
    ],
  };
}

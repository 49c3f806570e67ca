// Starts webhook delivery: a worker of its own with many slots, so that slow receivers block nothing else.
import { startWorker, type Worker, type WorkerSettings } from '../jobs/due-worker.ts';
import { dispatchHandler, type DispatchWorkerSettings } from './dispatch-worker.ts';
import { deliverHandler, type HookWorkerSettings } from './hook-worker.ts';
import { QueueWatch } from './queue-watch.ts';
import { DELIVER } from './store-queues.ts';
import { DISPATCH } from './store-dispatches.ts';
import { createWebhookSender, type WebhookSenderSettings } from './send.ts';

export type DeliverySettings = Omit<WorkerSettings, 'handlers'> &
  Omit<HookWorkerSettings, 'sender' | 'stopping' | 'cutting'> &
  WebhookSenderSettings & {
    /** How long `stop` waits for answers. */
    stopWaitMs?: number;
  };

/** A slow receiver costs only a socket and a row, so there can be many slots. */
const SLOTS = 256;
/** After a process is killed, its hooks wait this long at most. */
const LEASE_MS = 10_000;

/** Deliveries of hooks that get them in order. */
export async function startDelivering(settings: DeliverySettings): Promise<Worker> {
  const { stopWaitMs = 3_000, concurrency = SLOTS, leaseMs = LEASE_MS } = settings;
  const sender = createWebhookSender(settings);
  const stopping = new AbortController();
  const cutting = new AbortController();
  const workerSettings = { ...settings, sender, stopping: stopping.signal, cutting: cutting.signal };
  const worker = await startWorker({
    ...settings,
    concurrency,
    leaseMs,
    handlers: { [DELIVER]: deliverHandler(workerSettings) },
  });
  return {
    poke: worker.poke,
    async stop() {
      await stopWorker(worker, stopping, cutting, stopWaitMs);
      sender.close();
    },
  };
}

export type DispatchingSettings = Omit<WorkerSettings, 'handlers'> &
  Pick<DispatchWorkerSettings, 'ports' | 'metrics'> &
  Pick<WebhookSenderSettings, 'guard' | 'release'> & { stopWaitMs?: number };

/** Dispatches, which are independent of each other: with slots of their own, as their receivers have more time to answer. */
export async function startDispatching(settings: DispatchingSettings): Promise<Worker> {
  const { engine, log, guard, release, ports, stopWaitMs = 3_000 } = settings;
  const { concurrency = SLOTS, leaseMs = LEASE_MS } = settings;
  const senders = Object.fromEntries(
    Object.entries(ports).map(([api, { answerMs, keptBytes }]) => [
      api,
      createWebhookSender({ guard, release, answerMs, keptBytes }),
    ]),
  );
  const watch = await new QueueWatch(engine, log).open();
  const stopping = new AbortController();
  const cutting = new AbortController();
  const handler = dispatchHandler({
    ...settings,
    senders,
    watch,
    stopping: stopping.signal,
    cutting: cutting.signal,
  });
  const worker = await startWorker({ ...settings, concurrency, leaseMs, handlers: { [DISPATCH]: handler } });
  return {
    poke: worker.poke,
    async stop() {
      await stopWorker(worker, stopping, cutting, stopWaitMs);
      await watch.close();
      for (const sender of Object.values(senders)) sender.close();
    },
  };
}

/** The turns end by themselves, so that all results are recorded before the leases are released; `cutting` ends those that wait. */
async function stopWorker(
  worker: Worker,
  stopping: AbortController,
  cutting: AbortController,
  stopWaitMs: number,
): Promise<void> {
  stopping.abort();
  const timer = setTimeout(() => cutting.abort(), stopWaitMs);
  await worker.stop();
  clearTimeout(timer);
}

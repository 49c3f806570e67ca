// Starts delivering: a worker of its own for the lanes, with many places, so that receivers who hang keep nothing else waiting.
import { startWorker, type Worker, type WorkerSettings } from '../due-worker.ts';
import { DELIVER } from './store-deliveries.ts';
import { deliverHandler, type HookWorkerSettings } from './hook-worker.ts';
import { createWebhookSender, type WebhookSenderSettings } from './send.ts';

export type DeliverySettings = Omit<WorkerSettings, 'handlers'> &
  Omit<HookWorkerSettings, 'sender' | 'stopping' | 'cutting'> &
  WebhookSenderSettings & {
    /** How long `stop` waits for answers. */
    patienceMs?: number;
  };

/** A lane that hangs costs a socket and a row, so that there can be many. */
const PLACES = 256;
/** What a process held that was killed, its receivers wait for no longer than this. */
const LEASE_MS = 10_000;

export async function startDelivering(settings: DeliverySettings): Promise<Worker> {
  const { patienceMs = 3_000, concurrency = PLACES, leaseMs = LEASE_MS } = settings;
  const sender = createWebhookSender(settings);
  const stopping = new AbortController();
  const cutting = new AbortController();
  const lanes = { ...settings, sender, stopping: stopping.signal, cutting: cutting.signal };
  const worker = await startWorker({
    ...settings,
    concurrency,
    leaseMs,
    handlers: { [DELIVER]: deliverHandler(lanes) },
  });
  return {
    poke: worker.poke,
    async stop() {
      // The lanes end by themselves, so that all that was answered is written down before they are given back.
      stopping.abort();
      const timer = setTimeout(() => cutting.abort(), patienceMs);
      await worker.stop();
      clearTimeout(timer);
      sender.close();
    },
  };
}

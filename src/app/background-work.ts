// Starts the background work of the kernel and of all APIs, and saves what is counted in memory.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { heldBlobWork } from '../kernel/backup/hold-blobs.ts';
import type { Api, BackgroundWork, RecurringWork } from '../kernel/http/protocol.ts';
import { deleteEntriesBefore } from '../kernel/change/store.ts';
import { schedule } from '../kernel/jobs/due-store.ts';
import { retentionSweep } from '../kernel/jobs/retention.ts';
import { startWorker, type StopReason, type Worker } from '../kernel/jobs/due-worker.ts';
import { deleteUnusedBoundaries } from '../kernel/identity/store-boundaries.ts';
import { deleteOldTokenHours } from '../kernel/identity/token-uses/store.ts';
import { deleteOldTokenOperations } from '../kernel/identity/token-uses/store-operations.ts';
import { deleteExpired } from '../kernel/identity/sessions/store-sessions.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { joinWork } from '../kernel/http/module.ts';
import { orphanSweep } from '../kernel/storage/blobs/orphan-blobs.ts';
import { versionUsageSweep } from '../kernel/versions/usage/sweep.ts';
import { webhookWork, startDelivering } from '../kernel/webhooks/start-delivery.ts';
import { deleteOldPeaks } from '../kernel/limits/store-peaks.ts';
import { SAVE_MS } from '../kernel/limits/window.ts';

const HOUR = 60 * 60 * 1000;
const ENTRIES_AT_ONCE = 200;

/** `further` is work of the server itself. */
export async function startBackgroundWork(
  kernel: Kernel,
  apis: readonly Api[],
  further: readonly BackgroundWork[] = [],
): Promise<Worker> {
  const { clock, db, metrics, guard, release } = kernel;
  const { handlers, recurring } = joinWork([
    webhookWork(kernel),
    {
      recurring: [
        { kind: 'identity.sweep', everyMs: HOUR, run: () => deleteExpired(db, clock.now()) },
        {
          kind: 'identity.sweep-token-hours',
          everyMs: HOUR,
          run: async (signal) => {
            await deleteOldTokenHours(db, clock.now(), signal);
            await deleteOldTokenOperations(db, clock.now(), signal);
          },
        },
        { kind: 'limits.sweep-peaks', everyMs: HOUR, run: () => deleteOldPeaks(db, clock.now()) },
        boundarySweep(kernel, apis),
        versionUsageSweep(kernel),
        retentionSweep(kernel, {
          kind: 'audit.sweep',
          retained: 'audit',
          deleteBefore: (before) => deleteEntriesBefore(db, before, ENTRIES_AT_ONCE),
        }),
        orphanSweep(
          kernel,
          apis.flatMap((api) => api.blobKinds ?? []),
        ),
      ],
    },
    heldBlobWork(kernel),
    ...further,
    ...apis.map((api) => api.work?.(kernel) ?? {}),
  ]);
  for (const job of recurring) {
    handlers[job.kind] = async (_due, signal) => {
      await job.run(signal);
      await plan(kernel, job, 'move');
    };
    await plan(kernel, job, 'keep');
  }
  const common = commonOf(kernel);
  const policies = Object.fromEntries(
    apis.flatMap((api) =>
      api.deliveryPolicy ? [[api.protocol.name, api.deliveryPolicy(kernel)] as const] : [],
    ),
  );
  const workers = await Promise.all([
    startWorker({ ...common, handlers }),
    startDelivering({ ...common, policies, metrics, guard, release }),
  ]);
  const started: { stop(reason?: StopReason): Promise<void> }[] = [...workers];
  for (const api of apis) {
    const one = await api.start?.(kernel, api);
    if (one !== undefined) started.push(one);
  }
  return {
    poke: () => workers.forEach((worker) => worker.poke()),
    async stop(reason) {
      await Promise.all(started.map((one) => one.stop(reason)));
    },
  };
}

/** For a node that does no other background work. */
export async function startOwnWork(
  kernel: Kernel,
  { handlers }: Required<Pick<BackgroundWork, 'handlers'>>,
): Promise<Worker> {
  return await startWorker({ ...commonOf(kernel), handlers });
}

function commonOf({ engine, clock, log }: Kernel) {
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  return { engine, clock, random: Math.random, log, owner };
}

function boundarySweep({ db, clock }: Kernel, apis: readonly Api[]): RecurringWork {
  const users = apis.flatMap((api) => api.boundaryUsers ?? []);
  return {
    kind: 'identity.sweep-boundaries',
    everyMs: HOUR,
    run: () => deleteUnusedBoundaries(db, users, clock.now()),
  };
}

/** One row per recurring job, for any number of nodes. */
function plan(
  { db, clock }: Kernel,
  { kind, everyMs }: RecurringWork,
  earlier: 'keep' | 'move',
): Promise<void> {
  const now = clock.now();
  return schedule(db, { id: kind, kind, payload: '', dueAt: now + everyMs }, now, earlier);
}

const SEEN_MS = 10_000;
/** What a crash loses of the usage of old versions, at most. */
const VERSION_USAGE_MS = 15_000;

/** Rate limit usage, when members were last seen, and usage of old versions; the use of tokens has a time of its own. */
export function saveRegularly({ limits, identity, tokenUses, versionUsage, log }: Kernel): {
  stop(): Promise<void>;
} {
  let saving: Promise<void> = Promise.resolve();
  const save = (work: () => Promise<void>) => {
    saving = saving
      .then(work)
      .catch((error: unknown) => log.warn({ err: error }, 'could not save counters; will try again'));
    return saving;
  };
  const saveLimits = () => save(() => limits.sync());
  const saveSeen = () => save(() => identity.saveLastSeen());
  const saveVersionUsage = () => save(() => versionUsage.save());
  const timers = [
    setInterval(() => void saveLimits(), SAVE_MS).unref(),
    setInterval(() => void saveSeen(), SEEN_MS).unref(),
    setInterval(() => void saveVersionUsage(), VERSION_USAGE_MS).unref(),
  ];
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await saveLimits();
      await saveSeen();
      await save(() => tokenUses.close());
      await saveVersionUsage();
    },
  };
}

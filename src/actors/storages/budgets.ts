// The budgets of single storages: all callers of one draw on them together, besides each caller's own.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { retrySeconds } from '../../kernel/limit-window.ts';
import type { StorageKind } from './model.ts';

/** What the settings call it, below `actors.` */
export type StoreBudget =
  | 'dataset'
  | 'dataset_push'
  | 'key_value_store'
  | 'key_value_record'
  | 'request_queue'
  | 'queue'
  | 'queue_batch';

/** For calls about a storage as a whole, and all others that have no budget of their own. */
export const USUAL_BUDGET = {
  dataset: 'dataset',
  'key-value-store': 'key_value_store',
  'request-queue': 'request_queue',
} as const satisfies Record<StorageKind, StoreBudget>;

/** Refuses the call when the storage has no budget left for it. */
export async function pay(
  kernel: Kernel,
  budget: StoreBudget,
  storageId: string,
  now: number,
): Promise<void> {
  if (!(await spend(kernel, budget, storageId, now))) throw exceeded(kernel, budget, storageId, now);
}

/** False when there is no budget left; for a call that can tell what it did not do for want of it. */
export async function spend(
  { limits }: Kernel,
  budget: StoreBudget,
  storageId: string,
  now: number,
): Promise<boolean> {
  if (!limits.enabled) return true;
  return (await limits.draw(`actors.${budget}:${storageId}`, 'everyone', now)) !== undefined;
}

export function exceeded({ limits }: Kernel, budget: StoreBudget, storageId: string, now: number): Failure {
  const counter = limits.peek(`actors.${budget}:${storageId}`, 'everyone', now);
  const { limit } = counter;
  const seconds = retrySeconds(counter, now);
  return new Failure(
    'exhausted',
    `You have exceeded this storage's rate limit of ${limit} requests. Retry in ${seconds} seconds.`,
    { headers: { 'retry-after': String(seconds), 'x-ratelimit-limit': String(limit) } },
  );
}

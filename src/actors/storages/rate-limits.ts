// The rate limits of single storages: all callers of a storage share one, besides each caller's own.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { retrySeconds } from '../../kernel/limits/window.ts';
import type { StorageKind } from './model.ts';

/** The name of the limit in the settings, below `actors.` */
export type StorageLimit =
  | 'dataset'
  | 'dataset_push'
  | 'key_value_store'
  | 'key_value_record'
  | 'request_queue'
  | 'queue'
  | 'queue_batch';

/** For calls about a storage as a whole, and all others that have no limit of their own. */
export const DEFAULT_LIMIT = {
  dataset: 'dataset',
  'key-value-store': 'key_value_store',
  'request-queue': 'request_queue',
} as const satisfies Record<StorageKind, StorageLimit>;

/** Counts the call, and throws when it exceeds the limit. */
export async function enforceLimit(
  kernel: Kernel,
  limit: StorageLimit,
  storageId: string,
  now: number,
): Promise<void> {
  if (!(await drawFromLimit(kernel, limit, storageId, now)))
    throw limitExceeded(kernel, limit, storageId, now);
}

/** Counts the call, and returns false when it exceeds the limit. */
export async function drawFromLimit(
  { limits }: Kernel,
  limit: StorageLimit,
  storageId: string,
  now: number,
): Promise<boolean> {
  if (!limits.enabled) return true;
  return (await limits.consume(`actors.${limit}:${storageId}`, 'everyone', now)) !== undefined;
}

export function limitExceeded(
  { limits }: Kernel,
  limit: StorageLimit,
  storageId: string,
  now: number,
): Failure {
  const counter = limits.peek(`actors.${limit}:${storageId}`, 'everyone', now);
  const seconds = retrySeconds(counter, now);
  return new Failure(
    'exhausted',
    `You have exceeded this storage's rate limit of ${counter.limit} requests. Retry in ${seconds} seconds.`,
    { headers: { 'retry-after': String(seconds), 'x-ratelimit-limit': String(counter.limit) } },
  );
}

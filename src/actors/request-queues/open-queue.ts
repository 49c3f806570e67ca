// Opens the queue of a call: checks permission, the client key and the queue's rate limit, and records the client.
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { authorizeReading, openStorage, type StorageCall } from '../storages/access.ts';
import type { Storage } from '../storages/model.ts';
import { ByReference } from '../storages/routes.ts';
import { drawFromLimit, limitExceeded } from '../storages/rate-limits.ts';
import { recordClient } from './store.ts';
import { checkClientKey } from './model.ts';

/** The path of the requests of a queue. */
export const REQUESTS = '/request-queues/{storageId}/requests';

export const ByRequest = Type.Object({ ...ByReference.properties, requestId: Type.String() });

/** `queue` is for calls about one request, `queue_batch` for calls about many. */
type QueueLimit = 'queue' | 'queue_batch';

export const ByClient = {
  clientKey: Type.Optional(
    Type.String({ description: 'Who calls, in 1 to 32 characters; a call without one is a new client' }),
  ),
};

export const Forefront = {
  forefront: Type.Union([Type.String(), Type.Boolean(), Type.Array(Type.String())], {
    default: false,
    description: '`true` in any case, or `1`: at the head of the queue. Anything else: at its end',
  }),
};

/** The specification makes it a text that is never an error: anything but `true` and `1` means false. */
export function isForefront({ forefront }: { forefront: unknown }): boolean {
  return typeof forefront === 'string' && /^(true|1)$/i.test(forefront);
}

interface QueueCall extends StorageCall {
  params: { storageId: string };
  query: { clientKey?: string };
}

interface OpenedQueue {
  queueId: string;
  /** The account that owns the queue. */
  userId: string;
  client: string;
  isWithinLimit: boolean;
}

/** Throws when the call exceeds the queue's rate limit. */
export async function openQueueForCall(
  kernel: Kernel,
  call: QueueCall,
  need: 'read' | 'write',
  limit: QueueLimit,
): Promise<OpenedQueue> {
  const opened = await openQueueForBatch(kernel, call, need, limit);
  if (!opened.isWithinLimit) throw limitExceeded(kernel, limit, opened.queueId, call.now);
  return opened;
}

/** For calls that report what they did not process because of the rate limit, instead of failing. */
export async function openQueueForBatch(
  kernel: Kernel,
  call: QueueCall,
  need: 'read' | 'write',
  limit: QueueLimit,
): Promise<OpenedQueue> {
  const { id: queueId, userId } = await openQueue(kernel, call, need);
  const client = checkClientKey(call.query.clientKey);
  const isWithinLimit = await drawFromLimit(kernel, limit, queueId, call.now);
  const recorded = isWithinLimit ? recordClient(kernel.services.queues, queueId, client) : undefined;
  if (recorded !== undefined) await recorded;
  return { queueId, userId, client, isWithinLimit };
}

export const authorizeQueueReading = authorizeReading('request-queue');

export async function openQueue(
  kernel: Kernel,
  call: Omit<QueueCall, 'query'>,
  need: 'read' | 'write',
): Promise<Storage> {
  return await openStorage(kernel, 'request-queue', need, call, { reference: call.params.storageId });
}

// The way into a queue that all its calls take: may the caller, has the queue budget left, and which client is it.
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema.ts';
import { authorizeReading, openStorage, type Asking } from '../storages/access.ts';
import type { Storage } from '../storages/model.ts';
import { exceeded, spend } from '../storages/budgets.ts';
import { noteClient } from './store-clients.ts';
import { checkClientKey } from './model.ts';

/** `queue` is for calls about one request, `queue_batch` for those about many. */
type Budget = 'queue' | 'queue_batch';

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

/** A text in the specification, and never an error: what does not say yes says no. */
export function isForefront({ forefront }: { forefront: unknown }): boolean {
  return typeof forefront === 'string' && /^(true|1)$/i.test(forefront);
}

interface QueueCall extends Asking {
  params: { storageId: string };
  query: { clientKey?: string };
}

interface Entered {
  queueId: string;
  /** The account that owns the queue. */
  userId: string;
  client: string;
  /** Whether the queue's budget was enough. */
  isPaid: boolean;
}

/** The call is refused when it is over the queue's budget. */
export async function enter(
  kernel: Kernel,
  call: QueueCall,
  need: 'read' | 'write',
  budget: Budget,
): Promise<Entered> {
  const entered = await enterBatch(kernel, call, need, budget);
  if (!entered.isPaid) throw exceeded(kernel, budget, entered.queueId, call.now);
  return entered;
}

/** For a call that can tell what it did not do for want of budget. */
export async function enterBatch(
  kernel: Kernel,
  call: QueueCall,
  need: 'read' | 'write',
  budget: Budget,
): Promise<Entered> {
  const { id: queueId, userId } = await openQueue(kernel, call, need);
  const client = checkClientKey(call.query.clientKey);
  const isPaid = await spend(kernel, budget, queueId, call.now);
  const noted = isPaid ? noteClient(kernel.services.queues, queueId, client) : undefined;
  if (noted !== undefined) await noted;
  return { queueId, userId, client, isPaid };
}

export const authorizeQueueReading = authorizeReading('request-queue');

export async function openQueue(
  kernel: Kernel,
  call: Omit<QueueCall, 'query'>,
  need: 'read' | 'write',
): Promise<Storage> {
  return await openStorage(kernel, 'request-queue', need, call, { reference: call.params.storageId });
}

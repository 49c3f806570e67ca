// The number of a webhook's dispatches and the state of its last one, saved with the dispatches themselves.
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { FinishedDelivery } from '../../kernel/webhooks/policy.ts';

/** For new dispatches. The queue of the webhook is locked, so that no other transaction waits for the row of the webhook as well. */
export function countDispatch(db: Db, webhookId: string, dispatchId: string): SqlStatement {
  return db
    .updateTable('actor_webhooks')
    .set((eb) => ({
      total_dispatches: eb('total_dispatches', '+', 1),
      last_dispatch_id: dispatchId,
      last_dispatch_status: 'ACTIVE',
      last_dispatch_finished_at: null,
    }))
    .where('id', '=', webhookId)
    .compile();
}

/** For one that has ended; a later one may be the last by now. */
export function endLastDispatch(db: Db, finished: FinishedDelivery, now: number): SqlStatement {
  return db
    .updateTable('actor_webhooks')
    .set({
      last_dispatch_status: finished.hasSucceeded ? 'SUCCEEDED' : 'FAILED',
      last_dispatch_finished_at: now,
    })
    .where('id', '=', finished.hookId)
    .where('last_dispatch_id', '=', finished.id)
    .compile();
}

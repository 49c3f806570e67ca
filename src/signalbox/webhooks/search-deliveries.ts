// Deliveries of a webhook by outcome, page by page.
import type { Db } from '../../kernel/storage/tables.ts';
import { listDeliveries, type WebhookDelivery } from '../../kernel/webhooks/store-deliveries.ts';
import type { DeliveryState, HookRef } from '../../kernel/webhooks/tables.ts';

/** Rows that are read at once, and for one page. */
const BATCH = 200;
const MOST_READ = 2000;

export interface DeliverySearch {
  state: DeliveryState | undefined;
  limit: number;
  /** The number of the last one of the page before. */
  before: number | undefined;
}

/** Reads on until the page is full, but only so far: no index has the outcome. */
export async function searchDeliveries(
  db: Db,
  hook: HookRef,
  { state, limit, before }: DeliverySearch,
): Promise<{ found: WebhookDelivery[]; next?: string }> {
  const found: WebhookDelivery[] = [];
  let position = before;
  const batch = state === undefined ? limit + 1 : BATCH;
  for (let read = 0; read < MOST_READ; read += batch) {
    const rows = await listDeliveries(db, hook, { limit: batch, before: position });
    for (const delivery of rows) {
      const isWanted = state === undefined || delivery.state === state;
      // Another one: the page ends before it.
      if (isWanted && found.length === limit) return { found, next: String(position) };
      if (isWanted) found.push(delivery);
      position = delivery.number;
    }
    if (rows.length < batch) return { found };
  }
  return { found, next: String(position) };
}

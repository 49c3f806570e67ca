// Whether more than one client ever used a queue: stored when it changes, and cached, because nearly every call checks it.
import { sql } from 'kysely';
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { Engine } from '../../kernel/storage/engine.ts';

interface SeenClient {
  client: string;
  hadMultiple: boolean;
}

export interface SeenClients {
  engine: Engine;
  /** By the id of the queue. */
  seenClients: BoundedCache<string, SeenClient>;
}

export function openSeenClients(engine: Engine): SeenClients {
  return { engine, seenClients: new BoundedCache({ max: 10_000 }) };
}

/** A client without a key counts as a new one in each call. Returns a promise only when there is something to write. */
export function recordClient(
  { engine, seenClients }: SeenClients,
  queueId: string,
  client: string,
): Promise<void> | undefined {
  const seen = seenClients.get(queueId);
  if (seen !== undefined && (seen.hadMultiple || (seen.client === client && client !== ''))) return undefined;
  return updateClient(engine, queueId, client).then((stored) => {
    if (stored !== undefined) seenClients.set(queueId, stored);
  });
}

async function updateClient(
  { db }: Engine,
  queueId: string,
  client: string,
): Promise<SeenClient | undefined> {
  const row = await db
    .updateTable('request_queues')
    .set({
      client_key: sql`coalesce(client_key, ${client})`,
      had_multiple_clients: sql`case when client_key <> ${client} or (client_key is not null and ${client} = '')
        then 1 else had_multiple_clients end`,
    })
    .where('id', '=', queueId)
    .returning(['client_key', 'had_multiple_clients'])
    .executeTakeFirst();
  return row && { client: row.client_key!, hadMultiple: row.had_multiple_clients === 1 };
}

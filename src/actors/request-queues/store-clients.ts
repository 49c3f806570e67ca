// Whether more than one client ever used a queue: written once it changes, and remembered, as nearly every call asks.
import { sql } from 'kysely';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Engine } from '../../kernel/storage/engine.ts';

interface Known {
  client: string;
  hadMultiple: boolean;
}

export interface Clients {
  engine: Engine;
  /** By the id of the queue. */
  clients: BoundedCache<string, Known>;
}

export function openClients(engine: Engine): Clients {
  return { engine, clients: new BoundedCache({ max: 10_000 }) };
}

/** A client without a key is a new one in each call. A promise only when there is something to write. */
export function noteClient(
  { engine, clients }: Clients,
  queueId: string,
  client: string,
): Promise<void> | undefined {
  const known = clients.get(queueId);
  if (known !== undefined && (known.hadMultiple || (known.client === client && client !== '')))
    return undefined;
  return writeClient(engine, queueId, client).then((now) => {
    if (now !== undefined) clients.set(queueId, now);
  });
}

async function writeClient({ db }: Engine, queueId: string, client: string): Promise<Known | undefined> {
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

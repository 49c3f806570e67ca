// Whether more than one client ever used a queue: written once it changes, and remembered, as nearly every call asks.
import { sql } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';

interface Known {
  client: string;
  hadMultiple: boolean;
}

const memories = new WeakMap<Engine, Map<string, Known>>();
const MOST_QUEUES = 10_000;

/** A client without a key is a new one in each call. A promise only when there is something to write. */
export function noteClient(engine: Engine, queueId: string, client: string): Promise<void> | undefined {
  let queues = memories.get(engine);
  if (queues === undefined) memories.set(engine, (queues = new Map()));
  const known = queues.get(queueId);
  if (known !== undefined && (known.hadMultiple || (known.client === client && client !== '')))
    return undefined;
  return writeClient(engine, queueId, client).then((now) => {
    if (now === undefined) return;
    if (queues.size >= MOST_QUEUES) queues.clear();
    queues.set(queueId, now);
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

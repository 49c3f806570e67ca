// What the streams of the newer delivery protocol to servers and to clients have in common.
import type { Db } from '../../kernel/storage/tables.ts';
import type { Feed } from './feed.ts';
import type { StreamProtocol } from './live-stream.ts';
import type { DeliveryItem } from './store-revisions.ts';
import { listItemsSince } from './store-revisions.ts';
import { STREAM_EVENTS } from './transfer-events.ts';
import { writeTransfer, type Basis, type Transfer } from './transfer.ts';

export interface TransferReader {
  payloadId: string;
  basis: Basis;
  db: Db;
}

/** What brings a reader from a basis to the present. */
export type ReadTransfer<Reader> = (feed: Feed, reader: Reader, basis: Basis) => Promise<Transfer>;

export function transferProtocol<Reader extends TransferReader>(
  read: ReadTransfer<Reader>,
  step: StreamProtocol<Reader>['step'],
): StreamProtocol<Reader> {
  return {
    async whole(feed, reader, sent) {
      if (sent === feed.revision) return [];
      const basis = sent === undefined ? reader.basis : { revision: sent };
      return await writeTransfer(await read(feed, reader, basis), STREAM_EVENTS);
    },
    step,
    heartbeat: 'event: heart-beat\ndata: {}\n\n',
    goodbye: (reason) => `event: goodbye\ndata: ${JSON.stringify({ reason })}\n\n`,
    error: ({ payloadId }) =>
      `event: error\ndata: ${JSON.stringify({ payload_id: payloadId, reason: 'The flags cannot be read now.' })}\n\n`,
  };
}

/** Undefined where this is not known: then everything is transferred. */
export async function changedSince(
  db: Db,
  { environment: { id } }: Feed,
  revision: number,
): Promise<{ flags: string[]; segments: string[] } | undefined> {
  let items: DeliveryItem[];
  try {
    items = await listItemsSince(db, id, revision);
  } catch {
    // The feed is not older than the basis, and can do without the database.
    return undefined;
  }
  if (items.some(({ kind }) => kind === 'environment')) return undefined;
  const keysOf = (wanted: string) => items.filter(({ kind }) => kind === wanted).map(({ key }) => key);
  return { flags: keysOf('flag'), segments: keysOf('segment') };
}

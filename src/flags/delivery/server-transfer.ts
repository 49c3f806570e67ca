// The newer delivery protocol for servers: flags and segments are the objects.
import type { Db } from '../../kernel/storage/tables.ts';
import type { Feed, FeedItemChange } from './feed.ts';
import { listGoneFlags, listGoneSegments } from './store.ts';
import { deleteObject, putObject, type PutItem, type TransferEvent } from './transfer-events.ts';
import {
  changedSince,
  transferProtocol,
  type ReadTransfer,
  type TransferReader,
} from './transfer-protocol.ts';
import { transferAll, transferChanges, transferNothing, writeLiveChange } from './transfer.ts';

export const readServerTransfer: ReadTransfer<TransferReader> = async (feed, { payloadId, db }, basis) => {
  // Read before the changes, so that none is left out.
  const target = { payloadId, revision: feed.revision };
  const putAll = (reason: 'payload-missing' | 'cant-catchup') =>
    transferAll(target, reason, (format) => feed.payloadBy(format.putAll));
  if ('reason' in basis) return putAll(basis.reason);
  if (basis.revision >= target.revision) return transferNothing(target);
  const events = await eventsSince(db, feed, basis.revision);
  return events === undefined ? putAll('cant-catchup') : transferChanges(target, events);
};

async function eventsSince(db: Db, feed: Feed, revision: number): Promise<TransferEvent[] | undefined> {
  const changed = await changedSince(db, feed, revision);
  if (changed === undefined) return undefined;
  const { environment, flags, segments } = feed;
  const events = [
    ...(await eventsOf('segment', changed.segments, segments, (keys) =>
      listGoneSegments(db, environment, keys),
    )),
    ...(await eventsOf('flag', changed.flags, flags, (keys) => listGoneFlags(db, environment, keys))),
  ];
  return events.includes(undefined) ? undefined : (events as TransferEvent[]);
}

/** Undefined for those that this node does not know yet. */
async function eventsOf(
  kind: 'flag' | 'segment',
  keys: readonly string[],
  items: ReadonlyMap<string, PutItem>,
  listGone: (keys: readonly string[]) => Promise<Map<string, number>>,
): Promise<(TransferEvent | undefined)[]> {
  const gone = await listGone(keys.filter((key) => !items.has(key)));
  return keys.map((key) => {
    const item = items.get(key);
    if (item !== undefined) return putObject(item);
    const version = gone.get(key);
    return version === undefined ? undefined : deleteObject(kind, key, version);
  });
}

export const serverTransferProtocol = transferProtocol(
  readServerTransfer,
  ({ environment: { id } }, { revision, flags, segments }) => {
    // Segments first: the flags that use them follow.
    const events = [
      ...segments.map((change) => changeEvent('segment', change)),
      ...flags.map((change) => changeEvent('flag', change)),
    ];
    const bytes = Buffer.from(writeLiveChange({ payloadId: id, revision }, events));
    return () => bytes;
  },
);

function changeEvent(
  kind: 'flag' | 'segment',
  { key, after, version }: FeedItemChange<PutItem>,
): TransferEvent {
  return after === undefined ? deleteObject(kind, key, version) : putObject(after);
}

// What polls and streams of the newer delivery protocol send: to servers, flags and segments are the objects; to browsers and mobile apps, the results for a context.
import { hash } from 'node:crypto';
import { dependentsOf } from '../../evaluation/environment.ts';
import { beginRun, type EvaluationRun } from '../../evaluation/run.ts';
import { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import { canSee } from '../keys.ts';
import { loadBigSegments } from '../evaluate-all.ts';
import { resultStep } from '../client-protocol.ts';
import type { ClientReader } from '../sdk-request.ts';
import type { Feed, FeedItemChange } from '../feed/feed.ts';
import { renderResult, type RenderedResult } from '../render-results.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { listGoneFlags, listGoneSegments } from '../store.ts';
import type { StreamProtocol } from '../live-stream.ts';
import { type DeliveryItem, listItemsSince } from '../store-revisions.ts';
import {
  deleteObject,
  putObject,
  type TransferEvent,
  type PutItem,
  STREAM_EVENTS,
  transferAll,
  transferChanges,
  transferNothing,
  writeLiveChange,
  writeTransfer,
  type Basis,
  type Transfer,
} from './transfer.ts';

export interface TransferReader {
  payloadId: string;
  basis: Basis;
  db: Db;
}

/** What brings a reader from a basis to the present. */
type ReadTransfer<Reader> = (feed: Feed, reader: Reader, basis: Basis) => Promise<Transfer>;

/** What streams to servers and to clients have in common. */
function transferProtocol<Reader extends TransferReader>(
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
async function changedSince(
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

export type ClientTransferReader = ClientReader & TransferReader;

/** The results for one context, to one kind of key: those for another are another payload, also in the same environment. */
export function clientPayloadId(
  { environment: { id } }: Feed,
  { context: { parts }, audience, withReasons }: ClientReader,
): string {
  return `${id}-${hash('sha256', JSON.stringify([[...parts], audience, withReasons]), 'base64url')}`;
}

export const readClientTransfer: ReadTransfer<ClientTransferReader> = async (feed, reader, basis) => {
  const { payloadId, context, db } = reader;
  // Read before the changes, so that none is left out.
  const { revision } = feed;
  const target = { payloadId, revision };
  if ('revision' in basis && basis.revision >= revision) return transferNothing(target);
  const keys = 'revision' in basis ? await affectedSince(feed, reader, basis.revision) : undefined;
  const run = beginRun(context, await loadBigSegments(db, feed, context));
  const events = await putResults(run, reader, keys ?? feed.compiled.flags.keys());
  if (keys !== undefined) return transferChanges(target, events);
  return transferAll(target, 'reason' in basis ? basis.reason : 'cant-catchup', events);
};

/**
 * The keys of the flags whose results may have changed. Undefined also where one of them is hidden from this client now: it may
 * have been visible before, and then the client must forget it, but otherwise it must not learn of it.
 */
async function affectedSince(
  feed: Feed,
  { db, audience }: ClientTransferReader,
  revision: number,
): Promise<ReadonlySet<string> | undefined> {
  const changed = await changedSince(db, feed, revision);
  if (changed === undefined) return undefined;
  const { compiled } = feed;
  const isVisible = (key: string) => {
    const flag = compiled.flags.get(key);
    return flag !== undefined && canSee(audience, flag.data);
  };
  if (!changed.flags.every(isVisible)) return undefined;
  return new Set([...changed.flags, ...dependentsOf(compiled, changed)]);
}

export const clientTransferProtocol = transferProtocol(
  readClientTransfer,
  resultStep<ClientTransferReader>((changes, { revision }, { payloadId }) => {
    if (changes.length === 0) return '';
    const events = changes.map(({ key, result }) =>
      result === undefined ? deleteObject('flag-eval', key, revision) : putResult(key, result),
    );
    return writeLiveChange({ payloadId, revision }, events);
  }),
);

/** Of those that the client may see. Yields to other calls. */
async function putResults(
  run: EvaluationRun,
  reader: ClientReader,
  keys: Iterable<string>,
): Promise<TransferEvent[]> {
  const slice = new TimeSlice();
  const events: TransferEvent[] = [];
  for (const key of keys) {
    const result = renderResult(run, key, reader);
    if (result !== undefined) events.push(putResult(key, result));
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return events;
}

function putResult(key: string, { object, version }: RenderedResult): TransferEvent {
  return putObject({ kind: 'flag-eval', data: { key, version }, json: object });
}

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

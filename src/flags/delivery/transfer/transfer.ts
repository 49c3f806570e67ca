// Transfers of the newer delivery protocol: an intent, the objects that are put or deleted, and the state then reached, as events in one of two formats.
import { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import type { StreamChunk } from '../live-stream.ts';
import type { FeedItems } from '../feed/feed-items.ts';

export interface TransferEvent {
  name: 'server-intent' | 'put-object' | 'delete-object' | 'payload-transferred';
  /** JSON. */
  data: string;
}

/** One event after the other on a stream, or a list of them in the reply to a poll. */
interface EventFormat {
  first(event: TransferEvent): string;
  next(event: TransferEvent): string;
  readonly end: string;
  /** Puts all flags and segments of an environment, after the first event. */
  putAll(flags: FeedItems, segments: FeedItems): Promise<Uint8Array>;
}

function formatOf({ first, next, end }: Omit<EventFormat, 'putAll'>): EventFormat {
  return {
    first,
    next,
    end,
    async putAll(flags, segments) {
      const slice = new TimeSlice();
      const pieces: Buffer[] = [];
      for (const [, item] of [...segments, ...flags]) {
        pieces.push(Buffer.from(next(putObject(item))));
        if (slice.isOver) await slice.yieldToEventLoop();
      }
      return Buffer.concat(pieces);
    },
  };
}

export const STREAM_EVENTS = formatOf({
  first: toStreamEvent,
  next: toStreamEvent,
  end: '',
});

export const POLL_EVENTS = formatOf({
  first: (event) => `{"events":[${toListItem(event)}`,
  next: (event) => `,${toListItem(event)}`,
  end: ']}',
});

function toStreamEvent({ name, data }: TransferEvent): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

function toListItem({ name, data }: TransferEvent): string {
  return `{"event":"${name}","data":${data}}`;
}

type ObjectKind = 'flag' | 'segment' | 'flag-eval';

export interface PutItem {
  kind: ObjectKind;
  data: { key: string; version: number };
  json: string;
}

export function putObject({ kind, data: { key, version }, json }: PutItem): TransferEvent {
  const head = JSON.stringify({ kind, key, version });
  return { name: 'put-object', data: `${head.slice(0, -1)},"object":${json}}` };
}

export function deleteObject(kind: ObjectKind, key: string, version: number): TransferEvent {
  return { name: 'delete-object', data: JSON.stringify({ kind, key, version }) };
}

interface TransferTarget {
  /** What is transferred: an environment, or the results for one context in it. */
  payloadId: string;
  revision: number;
}

/** The objects are of this revision or of a later one, whose changes follow. */
export interface Transfer extends TransferTarget {
  intentCode: 'xfer-full' | 'xfer-changes' | 'none';
  reason: 'payload-missing' | 'cant-catchup' | 'stale' | 'up-to-date';
  objects(format: EventFormat): Promise<StreamChunk>;
}

/** What a client has: the changes up to a revision; or nothing, or nothing that is of use, and why. */
export type Basis = { revision: number } | { reason: 'payload-missing' | 'cant-catchup' };

const STATE = /^\(p:([^:]+):(\d{1,15})\)$/;

function stateOf({ payloadId, revision }: TransferTarget): string {
  return `(p:${payloadId}:${revision})`;
}

/** Takes the state that the last transfer ended with, as the client sends it back. */
export function readBasis(state: string | undefined, payloadId: string): Basis {
  if (state === undefined || state === '') return { reason: 'payload-missing' };
  const [, id, revision] = STATE.exec(state) ?? [];
  return id === payloadId ? { revision: Number(revision) } : { reason: 'cant-catchup' };
}

/** Everything: the client forgets what is not in it. */
export function transferAll(
  target: TransferTarget,
  reason: 'payload-missing' | 'cant-catchup',
  objects: readonly TransferEvent[] | Transfer['objects'],
): Transfer {
  return {
    ...target,
    intentCode: 'xfer-full',
    reason,
    objects: typeof objects === 'function' ? objects : (format) => join(objects, format),
  };
}

export function transferChanges(target: TransferTarget, events: readonly TransferEvent[]): Transfer {
  return {
    ...target,
    intentCode: 'xfer-changes',
    reason: 'stale',
    objects: (format) => join(events, format),
  };
}

export function transferNothing(target: TransferTarget): Transfer {
  return { ...target, intentCode: 'none', reason: 'up-to-date', objects: async () => '' };
}

export async function writeTransfer(transfer: Transfer, format: EventFormat): Promise<StreamChunk[]> {
  const intent = format.first(intentOf(transfer));
  if (transfer.intentCode === 'none') return [intent, format.end];
  return [intent, await transfer.objects(format), format.next(transferredOf(transfer)), format.end];
}

/** A change while a stream is open. */
export function writeLiveChange(target: TransferTarget, events: readonly TransferEvent[]): string {
  const intent = intentOf({ ...target, intentCode: 'xfer-changes', reason: 'stale' });
  return [intent, ...events, transferredOf(target)].map((event) => STREAM_EVENTS.next(event)).join('');
}

/** Other calls run between the pieces of a large transfer. */
async function join(events: readonly TransferEvent[], format: EventFormat): Promise<string> {
  const slice = new TimeSlice();
  const pieces: string[] = [];
  for (const event of events) {
    pieces.push(format.next(event));
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return pieces.join('');
}

function intentOf({ payloadId, revision, intentCode, reason }: Omit<Transfer, 'objects'>): TransferEvent {
  const payload = { id: payloadId, target: revision, intentCode, reason };
  return { name: 'server-intent', data: JSON.stringify({ payloads: [payload] }) };
}

function transferredOf(target: TransferTarget): TransferEvent {
  const { payloadId, revision } = target;
  return {
    name: 'payload-transferred',
    data: JSON.stringify({ state: stateOf(target), version: revision, id: payloadId }),
  };
}

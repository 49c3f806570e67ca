// The events of the newer delivery protocol, and the two formats they are sent in.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import type { FeedItems } from './feed-payload.ts';

export interface TransferEvent {
  name: 'server-intent' | 'put-object' | 'delete-object' | 'payload-transferred';
  /** JSON. */
  data: string;
}

/** One event after the other on a stream, or a list of them in the reply to a poll. */
export interface EventFormat {
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
        if (slice.isOver) await slice.next();
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

export type ObjectKind = 'flag' | 'segment' | 'flag-eval';

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

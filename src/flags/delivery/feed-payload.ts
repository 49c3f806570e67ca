// All flags and segments of a feed as JSON, which polls and new streams of servers get.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import type { FlagItem, SegmentItem } from './feed-item.ts';

/** Each is an object by keys. */
export interface FeedPayload {
  flags: Uint8Array;
  segments: Uint8Array;
  /** Both in one object. */
  all: Uint8Array;
}

export type FeedItems = readonly [key: string, FlagItem | SegmentItem][];

export type PayloadMaker<Payload> = (flags: FeedItems, segments: FeedItems) => Promise<Payload>;

export async function makePayload(flagItems: FeedItems, segmentItems: FeedItems): Promise<FeedPayload> {
  const flags = await join(flagItems);
  const segments = await join(segmentItems);
  const all = Buffer.concat([
    Buffer.from('{"flags":'),
    flags,
    Buffer.from(',"segments":'),
    segments,
    Buffer.from('}'),
  ]);
  // The other two are parts of the same memory.
  const start = '{"flags":'.length;
  const end = all.length - 1;
  return {
    all,
    flags: all.subarray(start, start + flags.length),
    segments: all.subarray(end - segments.length, end),
  };
}

/** Other calls run between the pieces of a large payload. */
async function join(items: FeedItems): Promise<Buffer> {
  const slice = new TimeSlice();
  const pieces = [Buffer.from('{')];
  for (const [index, [key, { json }]] of items.entries()) {
    pieces.push(Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(key)}:${json}`));
    if (slice.isOver) await slice.next();
  }
  return Buffer.concat([...pieces, Buffer.from('}')]);
}

// The flags and segments of a feed: loaded, all of them or those that have changed, and their JSON, one by one and all together.
import { hash } from 'node:crypto';
import type { FlagData, SegmentData } from '../../evaluation/data.ts';
import type { Segment } from '../../segments/segment.ts';
import { type FlagName, listFlagData, listGoneFlags, listGoneSegments } from '../store.ts';
import { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import type { Environment } from '../../projects/project.ts';
import { listSegments } from '../../segments/store.ts';
import { toSegmentData } from './sdk-data.ts';

abstract class FeedItem<Data extends FlagData | SegmentData> {
  abstract readonly kind: 'flag' | 'segment';
  readonly data: Data;
  #json: string | undefined;

  constructor(data: Data) {
    this.data = data;
  }

  get json(): string {
    return (this.#json ??= JSON.stringify(this.data));
  }

  /** A number that stands for this version of it. */
  get fingerprint(): bigint {
    const { key, version } = this.data;
    return BigInt(`0x${hash('sha1', `${this.kind} ${key} ${version}`)}`);
  }

  /** Whether SDKs would notice the difference: versions alone are none. */
  hasSameContent(other: FeedItem<Data>): boolean {
    return (
      this.data.version === other.data.version ||
      JSON.stringify({ ...this.data, version: 0 }) === JSON.stringify({ ...other.data, version: 0 })
    );
  }
}

export class FlagItem extends FeedItem<FlagData> {
  readonly kind = 'flag';
  /** For people: SDKs do not get it. */
  readonly name: FlagName;

  constructor({ data, name }: { data: FlagData; name: FlagName }) {
    super(data);
    this.name = name;
  }
}

export class SegmentItem extends FeedItem<SegmentData> {
  readonly kind = 'segment';
  readonly id: string;
  /** For people: SDKs do not get it. */
  readonly name: Pick<Segment, 'key' | 'name' | 'description'>;

  constructor({ id, key, name, description }: Segment, data: SegmentData) {
    super(data);
    this.id = id;
    this.name = { key, name, ...(description !== undefined && { description }) };
  }

  /** Members of a big segment are not in its data. */
  override hasSameContent(other: SegmentItem): boolean {
    return this.data.version === other.data.version || (!this.data.unbounded && super.hasSameContent(other));
  }
}

/** All flags and segments, as polls and new streams of servers get them. Each is an object by keys. */
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
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return Buffer.concat([...pieces, Buffer.from('}')]);
}

/** The keys to load. */
export interface ItemKeys {
  flags: readonly string[];
  segments: readonly string[];
}

export interface LoadedItems {
  flags: readonly FlagItem[];
  segments: readonly SegmentItem[];
  /** The versions of those of the asked ones that SDKs do not get, or no longer. */
  gone: { flags: ReadonlyMap<string, number>; segments: ReadonlyMap<string, number> };
}

/** With `changed`, only these; else all, and those of `present`, the keys that the feed has, may be gone. */
export async function loadItems(
  db: Db,
  environment: Environment,
  { present, changed }: { present(): ItemKeys; changed: ItemKeys | undefined },
): Promise<LoadedItems> {
  const flags =
    changed?.flags.length === 0
      ? []
      : (await listFlagData(db, environment, changed?.flags)).map((one) => new FlagItem(one));
  const segments =
    changed?.segments.length === 0
      ? []
      : (await listSegments(db, environment.id, changed?.segments)).map(
          (segment) => new SegmentItem(segment, toSegmentData(segment)),
        );
  const asked = changed ?? present();
  return {
    flags,
    segments,
    gone: {
      flags: await listGoneFlags(db, environment, keysWithout(asked.flags, flags)),
      segments: await listGoneSegments(db, environment, keysWithout(asked.segments, segments)),
    },
  };
}

function keysWithout(keys: readonly string[], found: readonly { data: { key: string } }[]): string[] {
  const there = new Set(found.map(({ data }) => data.key));
  return keys.filter((key) => !there.has(key));
}

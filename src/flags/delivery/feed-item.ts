// One flag or segment of a feed: what SDKs get, and its JSON, which is made once, when it is first sent.
import { hash } from 'node:crypto';
import type { FlagData, SegmentData } from '../evaluation/data.ts';
import type { Segment } from '../segments/segment.ts';
import type { FlagName } from './store.ts';

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

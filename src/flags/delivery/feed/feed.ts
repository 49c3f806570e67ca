// The live copy of one environment on this node: its flags and segments, compiled, and the followers of its changes.
import type { Db } from '../../../kernel/storage/tables.ts';
import { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import { findEnvironmentById } from '../../environments/store.ts';
import { compileEnvironment, withChanges, type CompiledEnvironment } from '../../evaluation/environment.ts';
import type { Environment } from '../../projects/project.ts';
import { listItemsSince } from '../store-revisions.ts';
import {
  type FlagItem,
  type SegmentItem,
  makePayload,
  type FeedPayload,
  type PayloadMaker,
  loadItems,
  type ItemKeys,
  type LoadedItems,
} from './feed-items.ts';
import { withResultVersions } from './result-versions.ts';

/** What a change did to one flag or segment, as far as SDKs notice. */
export interface FeedItemChange<Item> {
  key: string;
  /** Absent where SDKs did not have it before. */
  before: Item | undefined;
  /** Absent where SDKs no longer have it. */
  after: Item | undefined;
  /** Higher than all versions that it had before, also for a deletion. */
  version: number;
}

/** The step from one revision to a later one. */
export interface FeedChange {
  revision: number;
  flags: readonly FeedItemChange<FlagItem>[];
  segments: readonly FeedItemChange<SegmentItem>[];
  before: CompiledEnvironment;
  after: CompiledEnvironment;
}

/** Gets each change in order, and the next one when it has resolved; it never fails. The environment itself may have changed, too. */
export type Follower = (change: FeedChange) => Promise<void>;

export const ENVIRONMENT_DELETED = 'The environment was deleted.';

export class Feed {
  environment: Environment;
  /** Higher than in all earlier states of the environment, on any node. */
  revision: number;
  readonly flags = new Map<string, FlagItem>();
  readonly segments = new Map<string, SegmentItem>();
  /** Those of the segments whose members are in the database only. */
  readonly bigSegments = new Map<string, SegmentItem>();
  compiled!: CompiledEnvironment;
  /** Why it has ended, for the streams that follow it. */
  endReason: string | undefined;
  readonly #followers = new Set<Follower>();
  readonly #onFollow: (feed: Feed) => void;
  /** By what makes them; each of the last state it was asked for. */
  readonly #payloads = new Map<PayloadMaker<unknown>, { etag: string; made: Promise<unknown> }>();
  #named: { flags: CompiledEnvironment['flags']; names: FlagItem['name'][] } | undefined;
  /** Of all items together: each is added and removed by exclusive or. */
  #fingerprint = 0n;
  /** Resolves when all followers have got the last change. */
  #notified: Promise<void> = Promise.resolve();

  private constructor(environment: Environment, revision: number, onFollow: (feed: Feed) => void) {
    this.environment = environment;
    this.revision = revision;
    this.#onFollow = onFollow;
  }

  /**
   * `revision` was read before, so that a change in between is loaded again later. `onFollow` is called when there is a new
   * follower, to whom changes must be brought from now on.
   */
  static async load(
    db: Db,
    environment: Environment,
    revision: number,
    onFollow: (feed: Feed) => void,
  ): Promise<Feed> {
    const feed = new Feed(environment, revision, onFollow);
    const items = await listItemsSince(db, environment.id, 0);
    const loaded = await feed.#load(db);
    const compiled = await compileEnvironment(
      loaded.flags.map(({ data }) => data),
      loaded.segments.map(({ data }) => data),
    );
    feed.compiled = withResultVersions(compiled, { items, revision });
    feed.#replaceItems(loaded);
    return feed;
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** Returns a function that ends it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    this.#onFollow(this);
    return () => void this.#followers.delete(follower);
  }

  /** Brings it to a later revision, and then notifies its followers, before it can advance again. */
  async advance(db: Db, revision: number): Promise<void> {
    await this.#notified;
    if (revision <= this.revision || this.isGone) return;
    const items = await listItemsSince(db, this.environment.id, this.revision);
    const keysOf = (wanted: string) => items.filter(({ kind }) => kind === wanted).map(({ key }) => key);
    const isWhole = items.some(({ kind }) => kind === 'environment');
    const environment = isWhole ? await findEnvironmentById(db, this.environment.id) : this.environment;
    if (environment === undefined) return this.end(ENVIRONMENT_DELETED);
    const loaded = await this.#load(
      db,
      isWhole ? undefined : { flags: keysOf('flag'), segments: keysOf('segment') },
    );
    const { gone } = loaded;
    const flags = await changesOf(this.flags, loaded.flags, gone.flags);
    const segments = await changesOf(this.segments, loaded.segments, gone.segments);
    const before = this.compiled;
    const compiled = await withChanges(before, {
      flags: loaded.flags.map(({ data }) => data),
      removedFlags: [...gone.flags.keys()],
      segments: loaded.segments.map(({ data }) => data),
      removedSegments: [...gone.segments.keys()],
    });
    const after = withResultVersions(compiled, { items, revision, before });
    // From here in one step, so that no reader sees half of it.
    this.environment = environment;
    this.compiled = after;
    this.#replaceItems(loaded);
    this.revision = revision;
    this.#notify({ revision, flags, segments, before, after });
  }

  /** What people know the flags by, sorted by key. */
  get flagNames(): readonly FlagItem['name'][] {
    const { flags } = this.compiled;
    // Another state has another map.
    if (this.#named?.flags !== flags)
      this.#named = { flags, names: Array.from(flags.keys(), (key) => this.flags.get(key)!.name) };
    return this.#named.names;
  }

  /** What people know the segments by, sorted by creation. */
  get segmentNames(): SegmentItem['name'][] {
    return Array.from(this.segments.values(), ({ name }) => name);
  }

  get isGone(): boolean {
    return this.endReason !== undefined;
  }

  /** When the environment was deleted, or another feed has taken its place. */
  end(reason: string): void {
    // A notice and a look at the database may both find it out.
    if (this.isGone) return;
    const { revision, compiled } = this;
    this.endReason = reason;
    this.#notify({ revision, flags: [], segments: [], before: compiled, after: compiled });
  }

  /** Made of the keys and versions of all items, so that it is the same on all nodes, and after a restart. */
  get etag(): string {
    return `"${this.#fingerprint.toString(16).padStart(40, '0')}"`;
  }

  /** Everything as JSON. */
  payload(): Promise<FeedPayload> {
    return this.payloadBy(makePayload);
  }

  /** Everything in another format, made once for each state. */
  async payloadBy<Payload>(make: PayloadMaker<Payload>): Promise<Payload> {
    const { etag } = this;
    let payload = this.#payloads.get(make);
    if (payload?.etag !== etag) {
      payload = { etag, made: make([...this.flags], [...this.segments]) };
      this.#payloads.set(make, payload);
    }
    return (await payload.made) as Payload;
  }

  #notify(change: FeedChange): void {
    const notifyAll = async () => {
      for (const follower of Array.from(this.#followers)) await follower(change);
    };
    this.#notified = this.#notified.then(notifyAll);
  }

  async #load(db: Db, changed?: ItemKeys): Promise<LoadedItems> {
    const present = () => ({ flags: [...this.flags.keys()], segments: [...this.segments.keys()] });
    return await loadItems(db, this.environment, { present, changed });
  }

  #replaceItems({ flags, segments, gone }: LoadedItems): void {
    for (const item of flags) this.#set(this.flags, item.data.key, item);
    for (const key of gone.flags.keys()) this.#set(this.flags, key, undefined);
    for (const item of segments) {
      this.#set(this.segments, item.data.key, item);
      if (item.data.unbounded) this.bigSegments.set(item.data.key, item);
      else this.bigSegments.delete(item.data.key);
    }
    for (const key of gone.segments.keys()) {
      this.#set(this.segments, key, undefined);
      this.bigSegments.delete(key);
    }
  }

  #set<Item extends FlagItem | SegmentItem>(items: Map<string, Item>, key: string, after: Item | undefined) {
    this.#fingerprint ^= (items.get(key)?.fingerprint ?? 0n) ^ (after?.fingerprint ?? 0n);
    if (after === undefined) items.delete(key);
    else items.set(key, after);
  }
}

type Comparable<Item> = { data: { key: string; version: number }; hasSameContent(other: Item): boolean };

/** Without those of which only the version has risen. */
async function changesOf<Item extends Comparable<Item>>(
  known: ReadonlyMap<string, Item>,
  loaded: readonly Item[],
  gone: ReadonlyMap<string, number>,
): Promise<FeedItemChange<Item>[]> {
  const slice = new TimeSlice();
  const changes: FeedItemChange<Item>[] = [];
  for (const after of loaded) {
    const { key, version } = after.data;
    const before = known.get(key);
    if (before === undefined || !after.hasSameContent(before)) changes.push({ key, before, after, version });
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  for (const [key, version] of gone) {
    const before = known.get(key);
    if (before !== undefined) changes.push({ key, before, after: undefined, version });
  }
  return changes;
}

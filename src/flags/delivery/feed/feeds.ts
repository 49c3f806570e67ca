// The feeds of this node: opened by the key of an SDK, kept up to date by notices of changes, and closed when nobody uses them.
import type { Engine, Log } from '../../../kernel/storage/engine.ts';
import { Failure } from '../../../kernel/failure.ts';
import { BoundedCache } from '../../../kernel/collections/bounded-cache.ts';
import {
  findEnvironmentByClientId,
  findEnvironmentById,
  findEnvironmentByMobileKey,
  findEnvironmentBySdkKey,
} from '../../environments/store.ts';
import type { Environment } from '../../projects/project.ts';
import { acceptsKey, type KeyKind } from '../keys.ts';
import { DELIVERY, listRevisions } from '../store-revisions.ts';
import { ENVIRONMENT_DELETED, Feed } from './feed.ts';

declare module '../../../kernel/kernel.ts' {
  interface Services {
    feeds: Feeds;
  }
}

/** Feeds without followers beyond this number are closed, the least recently used first. */
const MAX_IDLE = 100;

/** Between nodes a notice may be lost. */
const POLL_MS = 1000;

const FINDERS = {
  sdk: findEnvironmentBySdkKey,
  mobile: findEnvironmentByMobileKey,
  client: findEnvironmentByClientId,
} as const;

/** A feed, or the attempt to load it. */
interface OpenFeed {
  feed: Promise<Feed>;
  loaded?: Feed;
  /** Set by every notice of a change: the next reader looks for a new revision first. */
  isStale: boolean;
  /** The last search for a new revision. */
  refreshed?: Promise<void>;
}

export class Feeds {
  readonly #engine: Engine;
  readonly #log: Log;
  /** By environment id, in the order of use. */
  readonly #feeds = new Map<string, OpenFeed>();
  /** The environments of keys that were good when they were last used. */
  readonly #byKey = new BoundedCache<string, Environment>({ max: 10_000 });
  #poll: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;

  constructor(engine: Engine, log: Log) {
    this.#engine = engine;
    this.#log = log;
  }

  async listen(): Promise<this> {
    this.#stopListening = await this.#engine.listen(DELIVERY, () => this.#markAll());
    return this;
  }

  /** Undefined for a key that no environment accepts. A known key of a loaded feed needs neither the database nor a promise. */
  openByKey(kind: KeyKind, key: string, now: number): Feed | Promise<Feed | undefined> {
    return this.#findCurrent(kind, key, now) ?? this.#findByKey(kind, key, now);
  }

  #findCurrent(kind: KeyKind, key: string, now: number): Feed | undefined {
    const known = this.#byKey.get(key);
    const open = known && this.#feeds.get(known.id);
    if (open?.loaded === undefined || open.isStale || open.refreshed !== undefined) return undefined;
    const { loaded } = open;
    return !loaded.isGone && acceptsKey(loaded.environment, { kind, key }, now) ? loaded : undefined;
  }

  async #findByKey(kind: KeyKind, key: string, now: number): Promise<Feed | undefined> {
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      const feed = await this.open(known).catch(ignoreDeleted);
      if (feed?.isGone === false && acceptsKey(feed.environment, { kind, key }, now)) return feed;
      this.#byKey.delete(key);
    }
    const environment = await FINDERS[kind](this.#engine.db, key, now);
    if (environment === undefined) return undefined;
    this.#byKey.set(key, environment);
    return await this.open(environment);
  }

  /** With all changes that this node has acknowledged; those of other nodes follow at once, or within a second. */
  async open(environment: Environment): Promise<Feed> {
    const { id } = environment;
    let open = this.#feeds.get(id);
    if (open === undefined) {
      open = { feed: this.#load(environment), isStale: false };
      this.#add(id, open);
    }
    const feed = await open.feed;
    if (open.isStale) this.#refresh([[id, open]]);
    await open.refreshed;
    return feed;
  }

  /**
   * For a client that knows a later revision than the feed: another node may have sent it. Returns whether there is such a
   * revision; there is none where an older database was restored.
   */
  async reach(feed: Feed, revision: number): Promise<boolean> {
    if (revision <= feed.revision) return true;
    const { id } = feed.environment;
    const newest = (await listRevisions(this.#engine.db, [id])).get(id) ?? 0;
    const open = this.#feeds.get(id);
    if (open !== undefined && newest > feed.revision) {
      open.isStale = true;
      await this.open(feed.environment);
    }
    if (feed.revision < Math.min(revision, newest))
      throw new Failure('unavailable', 'Changes of flags cannot be read now. Try again in a moment.', {
        headers: { 'retry-after': '1' },
      });
    return revision <= newest;
  }

  close(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
    this.#stopListening?.();
    this.#feeds.clear();
  }

  #add(id: string, open: OpenFeed): void {
    this.#feeds.set(id, open);
    open.feed.then(
      (feed) => (open.loaded = feed),
      () => this.#feeds.delete(id),
    );
    if (this.#engine.isShared) this.#poll ??= setInterval(() => this.#markAll(), POLL_MS).unref();
    this.#closeIdle();
  }

  #closeIdle(): void {
    if (this.#feeds.size <= MAX_IDLE) return;
    const idle = [...this.#feeds].filter(([, { loaded }]) => loaded?.isFollowed === false);
    for (const [id] of idle.slice(0, Math.max(idle.length - MAX_IDLE, 0))) this.#feeds.delete(id);
  }

  async #load({ id }: Environment): Promise<Feed> {
    const { db } = this.#engine;
    // Read before the flags, so that a change in between makes the next reader load it.
    const revision = (await listRevisions(db, [id])).get(id) ?? 0;
    const environment = await findEnvironmentById(db, id);
    if (environment === undefined) throw new Failure('not-found', ENVIRONMENT_DELETED);
    return await Feed.load(db, environment, revision, (feed) => this.#onFollow(id, feed));
  }

  /** A notice may have come before: then nobody was there to bring the change to. */
  #onFollow(id: string, feed: Feed): void {
    let open = this.#feeds.get(id);
    if (open === undefined) {
      open = { feed: Promise.resolve(feed), loaded: feed, isStale: true };
      this.#feeds.set(id, open);
    }
    // It was closed as idle, and opened again by another: its followers come back to that one.
    if (open.loaded !== feed) feed.end('Changes come on another stream: connect again.');
    else if (open.isStale) this.#refresh([[id, open]]);
  }

  /** Followed feeds look for changes at once, the others when they are next read. */
  #markAll(): void {
    for (const open of this.#feeds.values()) open.isStale = true;
    this.#refresh([...this.#feeds].filter(([, { loaded }]) => loaded?.isFollowed === true));
  }

  /** Those that are marked while this goes on are looked for again. */
  #refresh(some: readonly [id: string, OpenFeed][]): void {
    if (some.length === 0) return;
    for (const [, open] of some) open.isStale = false;
    const revisions = listRevisions(
      this.#engine.db,
      some.map(([id]) => id),
    );
    // Each feed handles a rejection when its turn comes; until then it must not count as one that nobody handles.
    revisions.catch(() => undefined);
    for (const [id, open] of some) {
      const before = open.refreshed;
      const refreshed = this.#advance(id, open, revisions, before).finally(() => {
        if (open.refreshed === refreshed) delete open.refreshed;
      });
      open.refreshed = refreshed;
    }
  }

  /** Where the database does not answer, the feed stays as it is: the last known values are better than none. */
  async #advance(
    id: string,
    open: OpenFeed,
    revisions: Promise<ReadonlyMap<string, number>>,
    before: Promise<void> | undefined,
  ): Promise<void> {
    try {
      await before;
      const revision = (await revisions).get(id);
      const feed = await open.feed;
      if (revision !== undefined) return await feed.advance(this.#engine.db, revision);
      this.#feeds.delete(id);
      feed.end(ENVIRONMENT_DELETED);
    } catch (error) {
      open.isStale = true;
      this.#log.warn({ err: error, environment: id }, 'changes of flags cannot be read now');
    }
  }
}

function ignoreDeleted(error: unknown): undefined {
  if (!(error instanceof Failure) || error.kind !== 'not-found') throw error;
}

// Loads flags and segments of an environment for a feed: all of them, or those that have changed.
import type { Db } from '../../kernel/storage/tables.ts';
import type { Environment } from '../projects/project.ts';
import { listSegments } from '../segments/store.ts';
import { FlagItem, SegmentItem } from './feed-item.ts';
import { toSegmentData } from './sdk-data.ts';
import { listFlagData, listGoneFlags, listGoneSegments } from './store.ts';

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

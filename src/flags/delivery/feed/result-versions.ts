// Versions of results: each flag has the revision at which it, or anything that it depends on, last changed.
import { findDependents } from '../../evaluation/dependents.ts';
import type { CompiledEnvironment } from '../../evaluation/environment.ts';
import { withEntries } from '../../evaluation/layered-map.ts';
import type { CompiledFlag } from '../../evaluation/run.ts';
import type { DeliveryItem } from '../store-revisions.ts';

export interface VersionsOptions {
  /** In the order of their revisions. They were read before the flags and segments. */
  items: readonly DeliveryItem[];
  /**
   * The revision of the environment. Flags and segments may be newer already: no version is higher, so that the next
   * revision, which has all of their change, has higher ones.
   */
  revision: number;
  /** The state that is in use: its flags stay as they are. */
  before?: CompiledEnvironment | undefined;
}

/**
 * Raises the versions of what the items affect. What a flag depends on changes only with one of these: so a version never
 * falls, and is the same on all nodes. Deleted items count for the flags that still refer to them.
 */
export function withResultVersions(
  environment: CompiledEnvironment,
  { items, revision, before }: VersionsOptions,
): CompiledEnvironment {
  const versions = versionsOf(environment, items, revision);
  const changed = new Map<string, CompiledFlag>();
  for (const [key, resultVersion] of versions) {
    const flag = environment.flags.get(key);
    if (flag === undefined) continue;
    if (before?.flags.get(key) === flag) changed.set(key, { ...flag, resultVersion });
    else flag.resultVersion = resultVersion;
  }
  return { ...environment, flags: withEntries(environment.flags, changed, []) };
}

/** By keys of flags. Begins with the latest, so that each flag and segment is visited once. */
function versionsOf(
  { flags, dependents }: CompiledEnvironment,
  items: readonly DeliveryItem[],
  revision: number,
): Map<string, number> {
  const versions = new Map<string, number>();
  const visited = new Set<string>();
  for (const item of items.toReversed()) {
    const { kind, key } = item;
    const version = Math.min(item.revision, revision);
    const add = (flagKey: string) => {
      if (!versions.has(flagKey)) versions.set(flagKey, version);
    };
    if (kind === 'environment') {
      for (const flagKey of flags.keys()) add(flagKey);
      break;
    }
    if (kind === 'flag') add(key);
    const changed = kind === 'flag' ? { flags: [key] } : { segments: [key] };
    for (const flagKey of findDependents(dependents, changed, visited)) add(flagKey);
  }
  return versions;
}

// Targets of segments that expire: which of them are still there.
import type { Db } from '../../kernel/storage/tables.ts';
import type { ExpiringTarget, Owner } from '../expiring-targets/expiring-target.ts';
import { listExpiringTargets, updateExpiringTargets } from '../expiring-targets/store.ts';
import { findTargetTypes } from './store-members.ts';
import type { Segment, TargetType } from './segment.ts';
import { hasTarget } from './targets.ts';

export function expirationOwnerOf({ id, environmentId }: Segment): Owner {
  return { resourceKind: 'segment', resourceId: id, environmentId };
}

/** Tells of contexts whether they are targets; `keys` are all that will be asked for, as those of a big segment are looked up. */
export async function targetLookup(
  db: Db,
  segment: Segment,
  keys: readonly string[],
): Promise<(place: string, kind: string, key: string) => boolean> {
  if (!segment.unbounded) return (place, kind, key) => hasTarget(segment, place as TargetType, kind, key);
  const targetTypes = await findTargetTypes(db, segment.id, [...new Set(keys)]);
  return (place, kind, key) => kind === segment.unboundedContextKind && targetTypes.get(key) === place;
}

/** A target that was removed must not go once more on the old date, should it come back. */
export async function pruneExpirations(tx: Db, segment: Segment, now: number): Promise<void> {
  const expiring = await listExpiringTargets(tx, expirationOwnerOf(segment));
  if (expiring.length === 0) return;
  const isTargeted = await targetLookup(tx, segment, keysOf(expiring));
  const left = expiring.filter(({ place, contextKind, contextKey }) =>
    isTargeted(place, contextKind, contextKey),
  );
  await updateExpiringTargets(tx, expiring, left, now);
}

export async function deleteExpirations(tx: Db, segment: Segment, now: number): Promise<void> {
  await updateExpiringTargets(tx, await listExpiringTargets(tx, expirationOwnerOf(segment)), [], now);
}

function keysOf(expiring: readonly ExpiringTarget[]): string[] {
  return expiring.map(({ contextKey }) => contextKey);
}

// Expiring targets of segments: deletes expiry dates whose target was removed.
import type { Db } from '../../kernel/storage/tables.ts';
import type { ExpiringTarget, Owner } from '../expiring-targets/model.ts';
import { listExpiringTargets, updateExpiringTargets } from '../expiring-targets/store.ts';
import { findTargetTypes } from './store-members.ts';
import { type Segment, type TargetType, hasTarget } from './segment.ts';

export function expirationOwnerOf({ id, environmentId }: Segment): Owner {
  return { resourceKind: 'segment', resourceId: id, environmentId };
}

/**
 * Returns a predicate for targets. `keys` are all keys it will be asked for, because members of a big segment are
 * loaded in advance.
 */
export async function targetLookup(
  db: Db,
  segment: Segment,
  keys: readonly string[],
): Promise<(place: string, kind: string, key: string) => boolean> {
  if (!segment.unbounded) return (place, kind, key) => hasTarget(segment, place as TargetType, kind, key);
  const targetTypes = await findTargetTypes(db, segment.id, [...new Set(keys)]);
  return (place, kind, key) => kind === segment.unboundedContextKind && targetTypes.get(key) === place;
}

/** A removed target that is added again must not expire on the old date. */
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

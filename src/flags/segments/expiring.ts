// Targets of segments that expire: which of them are still there.
import type { Db } from '../../kernel/storage/tables.ts';
import type { ExpiringTarget, Owner } from '../expiring-targets/expiring-target.ts';
import { listExpiringTargets, saveExpiringTargets } from '../expiring-targets/store.ts';
import { findStanding } from './store-members.ts';
import type { Segment, TargetType } from './segment.ts';
import { hasTarget } from './targets.ts';

export function ownerOf({ id, environmentId }: Segment): Owner {
  return { resourceKind: 'segment', resourceId: id, environmentId };
}

/** Tells of contexts whether they are targets; `keys` are all that will be asked for, as those of a big segment are looked up. */
export async function targetsOf(
  db: Db,
  segment: Segment,
  keys: readonly string[],
): Promise<(place: string, kind: string, key: string) => boolean> {
  if (!segment.unbounded) return (place, kind, key) => hasTarget(segment, place as TargetType, kind, key);
  const standing = await findStanding(db, segment.id, [...new Set(keys)]);
  return (place, kind, key) => kind === segment.unboundedContextKind && standing.get(key) === place;
}

/** A target that was removed must not go once more on the old date, should it come back. */
export async function forgetExpiring(tx: Db, segment: Segment, now: number): Promise<void> {
  const expiring = await listExpiringTargets(tx, ownerOf(segment));
  if (expiring.length === 0) return;
  const isTargeted = await targetsOf(tx, segment, keysOf(expiring));
  const left = expiring.filter(({ place, contextKind, contextKey }) =>
    isTargeted(place, contextKind, contextKey),
  );
  await saveExpiringTargets(tx, expiring, left, now);
}

export async function dropExpiring(tx: Db, segment: Segment, now: number): Promise<void> {
  await saveExpiringTargets(tx, await listExpiringTargets(tx, ownerOf(segment)), [], now);
}

function keysOf(expiring: readonly ExpiringTarget[]): string[] {
  return expiring.map(({ contextKey }) => contextKey);
}

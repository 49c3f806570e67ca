// Deletes the expiry of targets that a change removes, so that a target added again later does not expire on the old date.
import { areEqual } from '../../../kernel/json/json-value.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { listExpiringTargets, updateExpiringTargets } from '../../expiring-targets/store.ts';
import type { Flag, FlagConfig } from '../flag.ts';
import { mergeTargets } from './instructions/targets.ts';

export type IsTargeted = (variationId: string, contextKind: string, contextKey: string) => boolean;

export function isTargetedIn({ variations }: Pick<Flag, 'variations'>, config: FlagConfig): IsTargeted {
  const lists = new Map(
    mergeTargets(config).map(({ variation, contextKind, values }) => [
      `${variations[variation]!._id} ${contextKind}`,
      new Set(values),
    ]),
  );
  return (variationId, contextKind, contextKey) =>
    lists.get(`${variationId} ${contextKind}`)?.has(contextKey) === true;
}

/** Belongs in every transaction that changes a flag. */
export async function deleteStaleExpiries(
  tx: Db,
  before: Flag,
  after: Flag,
  environments: readonly { id: string; key: string }[],
  now: number,
): Promise<void> {
  for (const { id: environmentId, key } of environments) {
    const [old, config] = [before.environments[key], after.environments[key]];
    if (old === undefined || config === undefined || haveSameTargets(old, config)) continue;
    const expiring = await listExpiringTargets(tx, { resourceId: after.id, environmentId });
    if (expiring.length === 0) continue;
    const isTargeted = isTargetedIn(after, config);
    const left = expiring.filter((target) => isTargeted(target.place, target.contextKind, target.contextKey));
    await updateExpiringTargets(tx, expiring, left, now);
  }
}

export function haveSameTargets(old: FlagConfig, config: FlagConfig): boolean {
  return areEqual(old.targets, config.targets) && areEqual(old.contextTargets, config.contextTargets);
}

// The targets of a flag as one list in the order of evaluation, and split as they are stored: `targets` and `contextTargets`.
import { shorten } from '../../../../kernel/json/pointer.ts';
import { problem } from '../../../../kernel/schema/schema.ts';
import { USER } from '../../../evaluation/context.ts';
import type { FlagConfig, Target } from '../../flag.ts';

type StoredTargets = Pick<FlagConfig, 'targets' | 'contextTargets'>;

/** The order is that of `contextTargets`, where an empty list of users marks their turn. */
export function mergeTargets({ targets, contextTargets }: StoredTargets): Target[] {
  const users = new Map(targets.map((target) => [target.variation, target]));
  const gathered = contextTargets.map((target) => {
    const user = isOfUsers(target) ? users.get(target.variation) : undefined;
    if (user !== undefined) users.delete(target.variation);
    return user ?? target;
  });
  return [...gathered, ...users.values()].filter(({ values }) => values.length > 0);
}

export function splitTargets(list: readonly Target[]): StoredTargets {
  const filled = list.filter(({ values }) => values.length > 0);
  return {
    targets: filled.filter(isOfUsers),
    contextTargets: filled.map((target) => (isOfUsers(target) ? { ...target, values: [] } : target)),
  };
}

export function isOfUsers({ contextKind }: Target): boolean {
  return contextKind === USER;
}

/** A list of targets: one variation and one context kind. */
type TargetListRef = Omit<Target, 'values'>;

/** Adds the keys. Throws when a key is in the list of another variation. */
export function addKeys(list: readonly Target[], ref: TargetListRef, values: readonly string[]): Target[] {
  const fresh = new Set(values);
  for (const { contextKind, variation, values: known } of list) {
    if (contextKind !== ref.contextKind) continue;
    if (variation === ref.variation) {
      for (const key of known) fresh.delete(key);
      continue;
    }
    const taken = known.find((key) => fresh.has(key));
    if (taken !== undefined)
      throw problem('values', `cannot have the ${contextKind} "${shorten(taken)}": another variation has it`);
  }
  return changeKeys(list, ref, (known) => (fresh.size === 0 ? known : [...known, ...fresh]));
}

export function removeKeys(list: readonly Target[], ref: TargetListRef, values: readonly string[]): Target[] {
  const gone = new Set(values);
  return changeKeys(list, ref, (known) => known.filter((key) => !gone.has(key)));
}

function changeKeys(
  list: readonly Target[],
  ref: TargetListRef,
  change: (known: string[]) => string[],
): Target[] {
  const index = list.findIndex(
    ({ variation, contextKind }) => variation === ref.variation && contextKind === ref.contextKind,
  );
  if (index < 0) return [...list, { values: change([]), ...ref }];
  return list.with(index, { ...ref, values: change(list[index]!.values) });
}

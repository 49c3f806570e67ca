// The targets of a flag as one list in the order they are asked, and apart as they are kept: `targets` and `contextTargets`.
import { shorten } from '../../../../kernel/patch/pointer.ts';
import { problem } from '../../../../kernel/schema.ts';
import type { FlagConfig, Target } from '../../flag.ts';
import { USER } from '../../model.ts';

type Kept = Pick<FlagConfig, 'targets' | 'contextTargets'>;

/** Users stand where `contextTargets` has an empty place for them. */
export function gatherTargets({ targets, contextTargets }: Kept): Target[] {
  const users = new Map(targets.map((target) => [target.variation, target]));
  const gathered = contextTargets.map((target) => {
    const user = isOfUsers(target) ? users.get(target.variation) : undefined;
    if (user !== undefined) users.delete(target.variation);
    return user ?? target;
  });
  return [...gathered, ...users.values()].filter(({ values }) => values.length > 0);
}

export function spreadTargets(list: readonly Target[]): Kept {
  const filled = list.filter(({ values }) => values.length > 0);
  return {
    targets: filled.filter(isOfUsers),
    contextTargets: filled.map((target) => (isOfUsers(target) ? { ...target, values: [] } : target)),
  };
}

export function isOfUsers({ contextKind }: Target): boolean {
  return contextKind === USER;
}

/** The keys that are served one variation, of one kind of contexts. */
type Place = Omit<Target, 'values'>;

/** With these keys as well. A key is served one variation only. */
export function addKeys(list: readonly Target[], place: Place, values: readonly string[]): Target[] {
  const fresh = new Set(values);
  for (const { contextKind, variation, values: known } of list) {
    if (contextKind !== place.contextKind) continue;
    if (variation === place.variation) {
      for (const key of known) fresh.delete(key);
      continue;
    }
    const taken = known.find((key) => fresh.has(key));
    if (taken !== undefined)
      throw problem('values', `cannot have the ${contextKind} "${shorten(taken)}": another variation has it`);
  }
  return changeKeys(list, place, (known) => (fresh.size === 0 ? known : [...known, ...fresh]));
}

export function removeKeys(list: readonly Target[], place: Place, values: readonly string[]): Target[] {
  const gone = new Set(values);
  return changeKeys(list, place, (known) => known.filter((key) => !gone.has(key)));
}

function changeKeys(list: readonly Target[], place: Place, change: (known: string[]) => string[]): Target[] {
  const index = list.findIndex(
    ({ variation, contextKind }) => variation === place.variation && contextKind === place.contextKind,
  );
  if (index < 0) return [...list, { values: change([]), ...place }];
  return list.with(index, { ...place, values: change(list[index]!.values) });
}

// Instructions about individual targets, and the list that they change: the targets in the order of evaluation, which are stored as `targets` and `contextTargets`.
import { OneOf, problem, Type, type TSchema } from '../../../../kernel/schema/schema.ts';
import { USER } from '../../../evaluation/context.ts';
import { ContextKind } from '../../../fields.ts';
import type { FlagConfig, Target } from '../../flag.ts';
import { inEnvironment, type InstructionScope, Keys, VariationId, findVariation } from './kind.ts';
import { shorten } from '../../../../kernel/json/pointer.ts';

interface Keyed {
  variationId: string;
  values: string[];
  contextKind?: string;
}

const OfAny = { contextKind: Type.Optional(ContextKind) };
/** Kinds that are named after users take no other context kind. */
const OfUsers = { contextKind: Type.Optional(OneOf([USER])) };
const Listed = (kind: { contextKind: TSchema }) =>
  Type.Unsafe<Keyed[]>(
    Type.Array(
      Type.Object({ variationId: VariationId, values: Keys, ...kind }, { additionalProperties: false }),
      {
        maxItems: 1000,
      },
    ),
  );

const action = 'updateTargets';

export const targetKinds = {
  addTargets: inEnvironment(
    {
      action,
      summary: 'Serves a variation to these contexts, of kind `user` unless another is given',
      parameters: { variationId: VariationId, values: Keys, ...OfAny },
    },
    addTargets,
  ),
  addUserTargets: inEnvironment(
    {
      action,
      summary: 'Serves a variation to these users',
      parameters: { variationId: VariationId, values: Keys, ...OfUsers },
    },
    addTargets,
  ),
  removeTargets: inEnvironment(
    {
      action,
      summary: 'No longer targets these contexts, of kind `user` unless another is given',
      parameters: { variationId: VariationId, values: Keys, ...OfAny },
    },
    removeTargets,
  ),
  removeUserTargets: inEnvironment(
    {
      action,
      summary: 'No longer targets these users',
      parameters: { variationId: VariationId, values: Keys, ...OfUsers },
    },
    removeTargets,
  ),
  clearTargets: inEnvironment(
    { action, summary: 'Removes all targets of a variation', parameters: { variationId: VariationId } },
    (config, { variationId }, { flag }) => {
      const variation = findVariation(flag, variationId);
      return changeTargets(config, (list) => list.filter((target) => target.variation !== variation));
    },
  ),
  clearUserTargets: inEnvironment(
    { action, summary: 'Removes all users of a variation', parameters: { variationId: VariationId } },
    (config, { variationId }, { flag }) => {
      const variation = findVariation(flag, variationId);
      const isKept = (target: Target) => target.variation !== variation || !isOfUsers(target);
      return changeTargets(config, (list) => list.filter(isKept));
    },
  ),
  replaceTargets: inEnvironment(
    { action, summary: 'Targets these contexts and no others', parameters: { targets: Listed(OfAny) } },
    (config, { targets }, scope) => changeTargets(config, () => addAll([], targets, scope)),
  ),
  replaceUserTargets: inEnvironment(
    {
      action,
      summary: 'Targets these users and no others; every variation has to be listed',
      parameters: { targets: Listed(OfUsers) },
    },
    (config, { targets }, scope) => {
      const listed = new Set(targets.map(({ variationId }) => variationId));
      const missing = scope.flag.variations.find(({ _id }) => !listed.has(_id));
      if (missing !== undefined)
        throw problem('targets', `must list every variation; ${missing._id} is missing`);
      // The list of users is emptied and not removed, so that users keep their turn.
      const empty = (target: Target) => (isOfUsers(target) ? { ...target, values: [] } : target);
      return changeTargets(config, (list) => addAll(list.map(empty), targets, scope));
    },
  ),
};

function addTargets(config: FlagConfig, keyed: Keyed, scope: InstructionScope): FlagConfig {
  return changeTargets(config, (list) => addAll(list, [keyed], scope));
}

function addAll(list: Target[], wanted: readonly Keyed[], { flag }: InstructionScope): Target[] {
  return wanted.reduce(
    (all, { variationId, values, contextKind = USER }) =>
      addKeys(all, { variation: findVariation(flag, variationId), contextKind }, values),
    list,
  );
}

function removeTargets(config: FlagConfig, keyed: Keyed, { flag }: InstructionScope): FlagConfig {
  const { variationId, values, contextKind = USER } = keyed;
  const variation = findVariation(flag, variationId);
  return changeTargets(config, (list) => removeKeys(list, { variation, contextKind }, values));
}

function changeTargets(config: FlagConfig, change: (list: Target[]) => Target[]): FlagConfig {
  return { ...config, ...splitTargets(change(mergeTargets(config))) };
}

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

function isOfUsers({ contextKind }: Target): boolean {
  return contextKind === USER;
}

/** A list of targets: one variation and one context kind. */
type TargetListRef = Omit<Target, 'values'>;

/** Adds the keys. Throws when a key is in the list of another variation. */
function addKeys(list: readonly Target[], ref: TargetListRef, values: readonly string[]): Target[] {
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

function removeKeys(list: readonly Target[], ref: TargetListRef, values: readonly string[]): Target[] {
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

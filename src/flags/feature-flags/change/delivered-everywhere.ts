// What a flag has in common in all environments and SDKs get in each of them: a caller who is denied it in one environment does not change it.
import { areEqual } from '../../../kernel/json/json-value.ts';
import type { Flag } from '../flag.ts';

/**
 * The fields of the flag itself that reach every environment, by the action that changes them. The others (name, description,
 * tags, maintainer, custom properties, temporary, deprecated, the names of variations, the defaults for new environments)
 * reach no SDK: for them the permission in any environment is enough.
 */
const DELIVERED: Record<string, (flag: Flag) => unknown> = {
  updateGlobalArchived: ({ archived }) => archived,
  updateFlagVariations: ({ variations }) => variations.map(({ value }) => value),
  updateClientSideFlagAvailability: ({ clientSideAvailability }) => clientSideAvailability,
};

/** The actions that must not be denied in any environment. */
export function actionsEverywhere(before: Flag, after: Flag): string[] {
  if (before === after) return [];
  return Object.keys(DELIVERED).filter(
    (action) => !areEqual(DELIVERED[action]!(before), DELIVERED[action]!(after)),
  );
}

/** Whether all environments serve something else: the flag came from or went to the archive, or a variation has another value. */
export function servesOtherwise(before: Flag, after: Flag): boolean {
  if (before.archived !== after.archived) return true;
  const values = new Map(after.variations.map(({ _id, value }) => [_id, value]));
  return before.variations.some(({ _id, value }) => values.has(_id) && !areEqual(values.get(_id), value));
}

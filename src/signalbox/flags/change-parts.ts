// The parts of flags and segments that a change may concern, by the permission that each takes, and what JSON shows of a change.
import type { FlagDifference } from '../../flags/feature-flags/change/differences.ts';
import { areEqual, isObject, type JsonObject } from '../../kernel/json/json-value.ts';

export const FLAG_PARTS: Readonly<Record<FlagDifference['action'], string>> = {
  updateName: 'name',
  updateDescription: 'description',
  updateTags: 'tags',
  updateTemporary: 'temporary',
  updateGlobalArchived: 'archived',
  updateDeprecated: 'deprecated',
  updateFlagVariations: 'variations',
  updateFlagDefaultVariations: 'defaults',
  updateClientSideFlagAvailability: 'clientSideAvailability',
  updateFlagCustomProperties: 'customProperties',
  updateMaintainer: 'maintainer',
  updateOn: 'on',
  updateTargets: 'targets',
  updateFlagRuleDescription: 'rules',
  updateRules: 'rules',
  updateFallthrough: 'fallthrough',
  updateOffVariation: 'offVariation',
  updatePrerequisites: 'prerequisites',
  updateTrackEvents: 'trackEvents',
  updateFlagFallthroughTrackEvents: 'trackEvents',
  updateFlagConfigMigrationSettings: 'migrationSettings',
};

export const SEGMENT_PARTS: Readonly<Record<string, string>> = {
  updateName: 'name',
  updateDescription: 'description',
  updateTags: 'tags',
  updateIncluded: 'included',
  updateExcluded: 'excluded',
  updateRules: 'rules',
};

/** These differ after every change, or are derived from the others. */
const UNTOLD: ReadonlySet<string> = new Set([
  'version',
  'lastModified',
  'lastModifiedDate',
  'archivedDate',
  'deprecatedDate',
  'environments',
]);

/** The members that differ between two representations, as they were and as they are; null where there is none. */
export function changedMembers(
  before: JsonObject | null,
  after: JsonObject | null,
): { before: JsonObject | null; after: JsonObject | null } {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => !name.startsWith('_') && !UNTOLD.has(name) && !areEqual(before?.[name], after?.[name]),
  );
  const pick = (shown: JsonObject) =>
    Object.fromEntries(names.filter((name) => Object.hasOwn(shown, name)).map((name) => [name, shown[name]]));
  return { before: before && pick(before), after: after && pick(after) };
}

/** Of a flag in detail: its own members, or those of its configuration in one environment, or both. */
export function changedFlagMembers(before: JsonObject, after: JsonObject | null) {
  const own = changedMembers(before, after);
  if (after === null) return own;
  const [old, now] = [environmentsOf(before), environmentsOf(after)];
  const changed = Object.keys(old)
    .map((key) => ({ key, ...changedMembers(old[key]!, now[key] ?? {}) }))
    .filter((config) => Object.keys({ ...config.before, ...config.after }).length > 0);
  const isOwnChanged = Object.keys({ ...own.before, ...own.after }).length > 0;
  const [first] = changed;
  if (first === undefined) return own;
  if (changed.length === 1 && !isOwnChanged) return { before: first.before, after: first.after };
  const nested = (side: 'before' | 'after') => ({
    ...own[side],
    environments: Object.fromEntries(changed.map((config) => [config.key, config[side]])),
  });
  return { before: nested('before'), after: nested('after') };
}

function environmentsOf({ environments }: JsonObject): Record<string, JsonObject> {
  return isObject(environments) ? (environments as Record<string, JsonObject>) : {};
}

// Applies JSON patches and merge patches to the flag in detail, as the API shows it, and reads the flag back from the result.
import { Failure } from '../../../kernel/failure.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import { areEqual, isObject, propertyOf, type JsonObject } from '../../../kernel/json/json-value.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import { isUnderscored } from '../../../kernel/json/pointer.ts';
import { checker, problem, type Static } from '../../../kernel/schema/schema.ts';
import { USER } from '../../evaluation/context.ts';
import type { DocumentPatch } from '../../patch/patch.ts';
import type { Clause, Flag, FlagConfig, Json, Rule, Serve, Target, Variation } from '../flag.ts';
import { usedBy } from '../model.ts';
import { EditableConfig, EditableFlag, type ShownFlag } from '../schemas.ts';

export interface PatchContext {
  now: number;
  newUuid(): string;
}

const FLAG_NAMES = new Set(Object.keys(EditableFlag.properties));
const CONFIG_NAMES = new Set(Object.keys(EditableConfig.properties));
const checkFlag = checker(EditableFlag, 'body');
const checkConfig = checker(EditableConfig, 'body');

const ENVIRONMENT = '/environments/[^/]+';
const ROLLOUT = '(?:rollout(?:/(?:bucketBy|contextKind|seed))?|variation)';

/** Members that may be absent: a patch may remove an absent one, which does nothing, or replace it, which adds it. */
const OPTIONAL = new RegExp(
  `^(?:/(?:description|tags|defaults|clientSideAvailability|includeInSnippet|maintainerId|maintainerTeamKey|archived|deprecated|releasePipelineKey|customProperties(?:/[^/]+)?)` +
    `|/variations/\\d+/(?:name|description)` +
    `|${ENVIRONMENT}/(?:targets|contextTargets|rules|offVariation|prerequisites|trackEvents|trackEventsFallthrough|migrationSettings(?:/checkRatio)?)` +
    `|${ENVIRONMENT}/fallthrough/${ROLLOUT}` +
    `|${ENVIRONMENT}/rules/\\d+/(?:${ROLLOUT}|description|ref|disabled|trackEvents))$`,
);

const RULES = { optional: (pointer: string) => OPTIONAL.test(pointer), locked: isUnderscored };

type WantedFlag = Static<typeof EditableFlag>;
type WantedConfig = Static<typeof EditableConfig>;

/** `shown` is the flag in detail with all environments. Versions and dates of modification stay as they were. */
export function patchFlag(before: Flag, shown: ShownFlag, patch: DocumentPatch, context: PatchContext): Flag {
  const patched =
    patch.kind === 'json'
      ? applyJsonPatch(shown, patch.operations.map(rightSpelling), RULES)
      : applyMergePatch(shown, patch.fields, RULES);
  if (!isObject(patched)) throw new Failure('bad-patch', 'A flag cannot become what is no object.');
  const wanted = pick(shown, patched, FLAG_NAMES, '', ['environments']);
  checkFlag(wanted);
  const flag = readFlag(before, wanted as WantedFlag, context);
  const environments = readEnvironments(before, shown, patched['environments'], context);
  const after = { ...flag, environments };
  requireUnmovedVariations(before, after);
  return after;
}

/** A widely used client misspells this one member of a configuration, and has done so for years. */
const MISSPELLED = new RegExp(`^(${ENVIRONMENT})/fallthough(?=/|$)`);

function rightSpelling(operation: unknown): unknown {
  if (!isObject(operation) || typeof operation['path'] !== 'string') return operation;
  const path = operation['path'].replace(MISSPELLED, '$1/fallthrough');
  return path === operation['path'] ? operation : { ...operation, path };
}

/** Returns the members of these names. Throws when any other member has changed, except `others`. */
function pick(
  before: JsonObject,
  after: JsonObject,
  names: ReadonlySet<string>,
  at: string,
  others: readonly string[] = [],
): JsonObject {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (names.has(name) || others.includes(name)) continue;
    if (areEqual(propertyOf(before, name), propertyOf(after, name))) continue;
    if (name === 'salt') throw problem(at + name, 'cannot be changed: Flag salt cannot be modified');
    throw problem(at + name, 'cannot be changed');
  }
  return Object.fromEntries(Object.entries(after).filter(([name]) => names.has(name)));
}

function readFlag(before: Flag, wanted: WantedFlag, { now, newUuid }: PatchContext): Flag {
  const { maintainerId: _, maintainerTeamKey: __, archivedAt, deprecatedAt, ...kept } = before;
  const { archived = false, deprecated = false } = wanted;
  const variations = readVariations(before.variations, wanted.variations, newUuid);
  return {
    ...kept,
    name: wanted.name,
    description: wanted.description ?? '',
    tags: wanted.tags ?? [],
    temporary: wanted.temporary,
    variations,
    defaults: wanted.defaults ?? { onVariation: 0, offVariation: variations.length - 1 },
    clientSideAvailability: readAvailability(before, wanted),
    customProperties: wanted.customProperties ?? {},
    ...readMaintainer(before, wanted),
    archived,
    ...(archived && { archivedAt: archivedAt ?? now }),
    deprecated,
    ...(deprecated && { deprecatedAt: deprecatedAt ?? now }),
  };
}

/** `includeInSnippet` is the older field for `usingEnvironmentId`: it counts only where the newer field has not changed. */
function readAvailability(before: Flag, wanted: WantedFlag): Flag['clientSideAvailability'] {
  const none = { usingEnvironmentId: false, usingMobileKey: false };
  const { clientSideAvailability = none, includeInSnippet = false } = wanted;
  const old = before.clientSideAvailability;
  if (!areEqual(clientSideAvailability, old)) return clientSideAvailability;
  return includeInSnippet === old.usingEnvironmentId ? old : { ...old, usingEnvironmentId: includeInSnippet };
}

/** A new member replaces the team as maintainer, and the other way round. */
function readMaintainer(before: Flag, wanted: WantedFlag): Pick<Flag, 'maintainerId' | 'maintainerTeamKey'> {
  const maintainerId = wanted.maintainerId || undefined;
  const maintainerTeamKey = wanted.maintainerTeamKey || undefined;
  const isNewTeam = maintainerTeamKey !== undefined && maintainerTeamKey !== before.maintainerTeamKey;
  const isNewMember = maintainerId !== undefined && maintainerId !== before.maintainerId;
  return {
    ...(maintainerId !== undefined && (isNewMember || !isNewTeam) && { maintainerId }),
    ...(maintainerTeamKey !== undefined && (isNewTeam || !isNewMember) && { maintainerTeamKey }),
  };
}

function readVariations(
  before: readonly Variation[],
  wanted: WantedFlag['variations'],
  newUuid: () => string,
): Variation[] {
  const ids = identify(wanted, before, new Set(before.map(({ _id }) => _id)), 'variations', newUuid);
  return wanted.map(({ value, name, description }, index) => ({
    _id: ids[index]!,
    value: value as Json,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  }));
}

/**
 * The ids of the elements of a patched list. An element without an id takes the id of the old element at its index, unless
 * another element has that id, so that sending the same list again changes nothing.
 */
function identify(
  wanted: readonly { _id?: string }[],
  before: readonly { _id: string }[],
  known: ReadonlySet<string>,
  at: string,
  newUuid: () => string,
): string[] {
  const taken = new Set(wanted.map(({ _id }) => _id));
  const given = new Set<string>();
  return wanted.map(({ _id }, index) => {
    if (_id !== undefined && !known.has(_id))
      throw problem(`${at}.${index}._id`, 'cannot be edited: the server gives it');
    const old = before[index]?._id;
    const inherited = old === undefined || taken.has(old) ? undefined : old;
    const candidate = _id ?? inherited;
    const id = candidate === undefined || given.has(candidate) ? newUuid() : candidate;
    given.add(id);
    return id;
  });
}

function readEnvironments(
  before: Flag,
  shown: ShownFlag,
  patched: unknown,
  context: PatchContext,
): Flag['environments'] {
  const shownConfigs = shown.environments as Record<string, JsonObject>;
  if (!isObject(patched)) throw problem('environments', 'cannot be removed');
  const unknownKey = Object.keys(patched).find((key) => !Object.hasOwn(shownConfigs, key));
  if (unknownKey !== undefined)
    throw problem(`environments.${unknownKey}`, 'is no environment of the project');
  const known = idsOf(before);
  const entries = Object.entries(shownConfigs).map(([key, config]): [string, FlagConfig] => {
    const old = before.environments[key]!;
    const now = propertyOf(patched, key);
    if (now === config) return [key, old];
    const at = `environments.${key}`;
    if (!isObject(now)) throw problem(at, 'cannot be removed');
    const wanted = pick(config, now, CONFIG_NAMES, `${at}.`);
    inField(at, () => checkConfig(wanted));
    return [key, readConfig(old, wanted as WantedConfig, known, at, context)];
  });
  return Object.fromEntries(entries);
}

/** Prefixes the fields of a failure with the path of the part that was checked. */
function inField(at: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Failure) || error.details.fields === undefined) throw error;
    const fields = error.details.fields.map(({ field, message }) => ({ field: `${at}.${field}`, message }));
    const text = fields.map(({ field, message }) => `${field} ${message}`).join('; ');
    throw new Failure(error.kind, text, { ...error.details, fields });
  }
}

/** The ids of rules and clauses in all environments, because a patch may copy rules between environments. */
function idsOf({ environments }: Flag): Set<string> {
  const rules = Object.values(environments).flatMap((config) => config.rules);
  return new Set(rules.flatMap(({ _id, clauses }) => [_id, ...clauses.map((clause) => clause._id)]));
}

function readConfig(
  before: FlagConfig,
  wanted: WantedConfig,
  known: ReadonlySet<string>,
  at: string,
  { newUuid }: PatchContext,
): FlagConfig {
  const { offVariation: _, migrationSettings: __, ...kept } = before;
  const { rules = [], offVariation, migrationSettings } = wanted;
  const ids = identify(rules, before.rules, known, `${at}.rules`, newUuid);
  const clauses = new Map(before.rules.map((rule) => [rule._id, rule.clauses]));
  return {
    ...kept,
    on: wanted.on,
    targets: (wanted.targets ?? []).map(readTarget),
    contextTargets: (wanted.contextTargets ?? []).map(readTarget),
    rules: rules.map((rule, index) => {
      const id = ids[index]!;
      return readRule(rule, id, clauses.get(id) ?? [], known, `${at}.rules.${index}.clauses`, newUuid);
    }),
    fallthrough: readServe(wanted.fallthrough),
    ...(offVariation !== undefined && { offVariation }),
    prerequisites: (wanted.prerequisites ?? []).map(({ key, variation }) => ({ key, variation })),
    trackEvents: wanted.trackEvents ?? false,
    trackEventsFallthrough: wanted.trackEventsFallthrough ?? false,
    ...(migrationSettings !== undefined && { migrationSettings }),
  };
}

type WantedRule = NonNullable<WantedConfig['rules']>[number];

function readRule(
  wanted: WantedRule,
  _id: string,
  before: readonly Clause[],
  known: ReadonlySet<string>,
  at: string,
  newUuid: () => string,
): Rule {
  const { ref, description, disabled, trackEvents = false } = wanted;
  const ids = identify(wanted.clauses, before, known, at, newUuid);
  return {
    _id,
    ...readServe(wanted),
    clauses: wanted.clauses.map(({ attribute, op, values, contextKind = USER, negate = false }, index) => {
      if (attribute === '' && op !== 'segmentMatch')
        throw problem(`${at}.${index}.attribute`, 'must not be empty');
      return { _id: ids[index]!, attribute, op, values, contextKind, negate };
    }),
    trackEvents,
    ...(ref !== undefined && { ref }),
    ...(description !== undefined && { description }),
    ...(disabled !== undefined && { disabled }),
  };
}

function readServe({ variation, rollout }: Pick<WantedRule, 'variation' | 'rollout'>): Serve {
  return {
    ...(variation !== undefined && { variation }),
    ...(rollout !== undefined && { rollout }),
  };
}

function readTarget({
  values,
  variation,
  contextKind = USER,
}: Omit<Target, 'contextKind'> & { contextKind?: string }) {
  return { values, variation, contextKind };
}

/**
 * Configurations refer to variations by index. When a variation moves or goes, a configuration that refers to the old index
 * must change in the same patch, or it would serve another variation.
 */
function requireUnmovedVariations(before: Flag, after: Flag): void {
  const moved = new Set(
    before.variations.flatMap(({ _id }, index) => (after.variations[index]?._id === _id ? [] : [index])),
  );
  if (moved.size === 0) return;
  const { onVariation, offVariation } = before.defaults;
  if (areEqual(before.defaults, after.defaults) && (moved.has(onVariation) || moved.has(offVariation)))
    throw problem('variations', 'cannot be moved or removed while they are defaults for new environments');
  for (const [key, config] of Object.entries(before.environments)) {
    if (!areEqual(config, after.environments[key])) continue;
    const used = [...usedBy(config)].find((index) => moved.has(index));
    if (used === undefined) continue;
    throw problem(
      `variations.${used}`,
      `cannot be moved or removed: it is in use in the environment "${key}"`,
    );
  }
}

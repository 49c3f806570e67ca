// Builds a new flag from the body of a POST and the defaults of the project, or as a clone of another flag. Pure.
import { problem } from '../../../kernel/schema/schema.ts';
import { refuseViews } from '../../fields.ts';
import type { Environment, Project } from '../../projects/project.ts';
import type { Flag, FlagConfig, Json, Prerequisite, Variation } from '../flag.ts';
import { checkValues, newConfig, normalizeFlag, validateFlag } from '../model.ts';
import type { FlagPost } from '../schemas.ts';

export interface NewFlagContext {
  id: string;
  now: number;
  /** The first version: see `firstVersion` of the store. */
  version: number;
  project: Project;
  environments: readonly Environment[];
  /** The member who creates it: the maintainer, unless the body names another. */
  creatorId?: string | undefined;
  newUuid(): string;
  newHex(): string;
}

export function newFlag(
  post: FlagPost,
  prerequisites: ReadonlyMap<string, Flag>,
  context: NewFlagContext,
): Flag {
  const { project, newUuid } = context;
  const { booleanDefaults } = project.flagDefaults;
  const variations = (post.variations ?? defaultVariations(post, project)).map((variation) =>
    toVariation(variation, newUuid()),
  );
  const isMigration = post.purpose === 'migration';
  const hasDefaultVariations = post.variations === undefined && !isMigration;
  const { onVariation = 0, offVariation = isMigration ? firstStage(variations) : variations.length - 1 } =
    post.defaults ?? (hasDefaultVariations ? booleanDefaults : {});
  return assemble(post, context, {
    description: post.description ?? '',
    variations,
    defaults: { onVariation, offVariation },
    clientSideAvailability: readAvailability(post, project.defaultClientSideAvailability),
    temporary: post.temporary ?? project.flagDefaults.temporary,
    tags: post.tags ?? project.flagDefaults.tags,
    customProperties: post.customProperties ?? {},
    ...readMaintainer(post, { maintainerId: context.creatorId }),
    ...(post.purpose !== undefined && { purpose: post.purpose }),
    ...readMigration(post),
    configOf: (flag, { defaultTrackEvents }) => ({
      ...newConfig(
        flag,
        { on: post.isFlagOn ?? false, trackEvents: defaultTrackEvents },
        context.newHex,
        context.now,
      ),
      prerequisites: readPrerequisites(post, prerequisites),
    }),
  });
}

/** A flag with the configurations of another. The other fields come from the body, else from the source. */
export function cloneFlag(post: FlagPost, source: Flag, context: NewFlagContext): Flag {
  for (const name of [
    'variations',
    'defaults',
    'purpose',
    'migrationSettings',
    'initialPrerequisites',
  ] as const)
    if (post[name] !== undefined) throw problem(name, 'comes from the flag that is cloned');
  const { purpose, migrationSettings } = source;
  return assemble(post, context, {
    description: post.description ?? source.description,
    variations: source.variations.map((variation) => ({ ...variation, _id: context.newUuid() })),
    defaults: source.defaults,
    clientSideAvailability: readAvailability(post, source.clientSideAvailability),
    temporary: post.temporary ?? source.temporary,
    tags: post.tags ?? source.tags,
    customProperties: post.customProperties ?? source.customProperties,
    ...readMaintainer(post, source),
    ...(purpose !== undefined && { purpose }),
    ...(migrationSettings !== undefined && { migrationSettings }),
    configOf: (flag, { key }) => cloneConfig(source.environments[key]!, flag, post, context),
  });
}

type FlagParts = Omit<
  Flag,
  | 'id'
  | 'projectId'
  | 'key'
  | 'name'
  | 'version'
  | 'createdAt'
  | 'includeInSnippet'
  | 'archived'
  | 'deprecated'
  | 'environments'
> & { configOf(flag: Flag, environment: Environment): FlagConfig };

function assemble(post: FlagPost, context: NewFlagContext, { configOf, ...parts }: FlagParts): Flag {
  const { id, now, version, project, environments } = context;
  checkNamingConvention(post.key, project);
  refuseViews(post);
  checkValues(parts.variations);
  const flag: Flag = {
    id,
    projectId: project.id,
    key: post.key,
    name: post.name,
    version,
    createdAt: now,
    includeInSnippet: parts.clientSideAvailability.usingEnvironmentId,
    archived: false,
    deprecated: false,
    environments: {},
    ...parts,
  };
  for (const environment of environments) flag.environments[environment.key] = configOf(flag, environment);
  const tidy = normalizeFlag(flag);
  validateFlag(tidy);
  return tidy;
}

function cloneConfig(
  source: FlagConfig,
  flag: Flag,
  post: FlagPost,
  { newHex, newUuid, now }: NewFlagContext,
): FlagConfig {
  return {
    ...source,
    on: post.isFlagOn ?? source.on,
    salt: newHex(),
    sel: newHex(),
    lastModified: now,
    version: flag.version,
    rules: source.rules.map((rule) => ({
      ...rule,
      _id: newUuid(),
      clauses: rule.clauses.map((clause) => ({ ...clause, _id: newUuid() })),
    })),
  };
}

function toVariation(
  { value, name, description }: NonNullable<FlagPost['variations']>[number],
  _id: string,
): Variation {
  return {
    _id,
    value: value as Json,
    ...(name !== undefined && name !== '' && { name }),
    ...(description !== undefined && description !== '' && { description }),
  };
}

/** True and false with the names that the project gives them, or the stages of a migration. */
function defaultVariations(
  { purpose, migrationSettings }: FlagPost,
  { flagDefaults: { booleanDefaults: fallback } }: Project,
): NonNullable<FlagPost['variations']> {
  if (purpose === 'migration') {
    const stages = STAGES[migrationSettings?.stageCount ?? 0];
    if (stages === undefined) throw problem('migrationSettings.stageCount', 'must be 2, 4 or 6');
    return stages.map((stage) => ({ value: stage }));
  }
  return [
    { value: true, name: fallback.trueDisplayName, description: fallback.trueDescription },
    { value: false, name: fallback.falseDisplayName, description: fallback.falseDescription },
  ];
}

const STAGES: Record<number, string[]> = {
  2: ['off', 'complete'],
  4: ['off', 'shadow', 'live', 'complete'],
  6: ['off', 'dualwrite', 'shadow', 'live', 'rampdown', 'complete'],
};

/** A migration that is turned off has not begun. */
function firstStage(variations: readonly Variation[]): number {
  return Math.max(
    0,
    variations.findIndex(({ value }) => value === 'off'),
  );
}

function readMigration({ purpose, migrationSettings }: FlagPost): Pick<Flag, 'migrationSettings'> {
  if (purpose === 'migration') {
    if (migrationSettings === undefined) throw problem('migrationSettings', 'is required for a migration');
    return { migrationSettings };
  }
  if (migrationSettings !== undefined) throw problem('migrationSettings', 'is for migrations only');
  return {};
}

function readAvailability(
  { clientSideAvailability, includeInSnippet }: FlagPost,
  fallback: Flag['clientSideAvailability'],
): Flag['clientSideAvailability'] {
  if (clientSideAvailability !== undefined)
    return { usingEnvironmentId: false, usingMobileKey: false, ...clientSideAvailability };
  return includeInSnippet === undefined ? fallback : { ...fallback, usingEnvironmentId: includeInSnippet };
}

function readMaintainer(
  post: FlagPost,
  fallback: { maintainerId?: string | undefined; maintainerTeamKey?: string | undefined },
): Pick<Flag, 'maintainerId' | 'maintainerTeamKey'> {
  const isGiven = Boolean(post.maintainerId) || Boolean(post.maintainerTeamKey);
  const { maintainerId, maintainerTeamKey } = isGiven ? post : fallback;
  return { ...(maintainerId && { maintainerId }), ...(maintainerTeamKey && { maintainerTeamKey }) };
}

function readPrerequisites(
  { initialPrerequisites = [] }: FlagPost,
  prerequisites: ReadonlyMap<string, Flag>,
): Prerequisite[] {
  return initialPrerequisites.map(({ key, variationId }, index) => {
    const at = `initialPrerequisites.${index}`;
    const flag = prerequisites.get(key);
    if (flag === undefined) throw problem(`${at}.key`, `names no flag of the project: "${key}"`);
    const variation = flag.variations.findIndex(({ _id }) => _id === variationId);
    if (variation < 0) throw problem(`${at}.variationId`, `is no variation of "${key}"`);
    return { key, variation };
  });
}

const CASES: Record<string, RegExp> = {
  camelCase: /^[a-z][a-zA-Z0-9]*$/,
  upperCamelCase: /^[A-Z][a-zA-Z0-9]*$/,
  snakeCase: /^[a-z0-9]+(?:_[a-z0-9]+)*$/,
  kebabCase: /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
  constantCase: /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/,
};

/** The prefix need not follow the case. */
function checkNamingConvention(key: string, { namingConvention }: Project): void {
  const { case: wanted = 'none', prefix = '' } = namingConvention ?? {};
  if (!key.startsWith(prefix)) throw problem('key', `must begin with "${prefix}", as the project wants`);
  if (CASES[wanted]?.test(key.slice(prefix.length)) === false)
    throw problem('key', `must be in ${wanted}, as the project wants`);
}

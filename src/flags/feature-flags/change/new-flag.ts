// How a new flag comes to be: from what was asked for, from the project's defaults, or from another flag.
import { problem } from '../../../kernel/schema.ts';
import type { Environment, Project } from '../../projects/project.ts';
import type { Flag, FlagConfig, Json, Prerequisite, Variation } from '../flag.ts';
import { checkValues, newConfig, tidyFlag, validateFlag } from '../model.ts';
import type { FlagPost } from '../schemas.ts';

export interface Making {
  id: string;
  now: number;
  /** What it begins with. */
  version: number;
  project: Project;
  environments: readonly Environment[];
  /** The member who makes it, and looks after it unless someone else is named. */
  makerId?: string | undefined;
  newUuid(): string;
  newHex(): string;
}

export function makeFlag(post: FlagPost, needed: ReadonlyMap<string, Flag>, making: Making): Flag {
  const { project, newUuid } = making;
  const { booleanDefaults } = project.flagDefaults;
  const variations = (post.variations ?? usualVariations(post, project)).map((variation) =>
    toVariation(variation, newUuid()),
  );
  const last = variations.length - 1;
  const isUsual = post.variations === undefined && post.purpose !== 'migration';
  const { onVariation = 0, offVariation = last } = post.defaults ?? (isUsual ? booleanDefaults : {});
  return finish(post, making, {
    description: post.description ?? '',
    variations,
    defaults: { onVariation, offVariation },
    clientSideAvailability: readAvailability(post, project.defaultClientSideAvailability),
    temporary: post.temporary ?? project.flagDefaults.temporary,
    tags: post.tags ?? project.flagDefaults.tags,
    customProperties: post.customProperties ?? {},
    ...readMaintainer(post, { maintainerId: making.makerId }),
    ...(post.purpose !== undefined && { purpose: post.purpose }),
    ...readMigration(post),
    configOf: (flag, { defaultTrackEvents }) => ({
      ...newConfig(
        flag,
        { on: post.isFlagOn ?? false, trackEvents: defaultTrackEvents },
        making.newHex,
        making.now,
      ),
      prerequisites: readPrerequisites(post, needed),
    }),
  });
}

/** A flag like another one, with the same configurations; what the body says of the rest comes first. */
export function cloneFlag(post: FlagPost, source: Flag, making: Making): Flag {
  for (const name of [
    'variations',
    'defaults',
    'purpose',
    'migrationSettings',
    'initialPrerequisites',
  ] as const)
    if (post[name] !== undefined) throw problem(name, 'comes from the flag that is cloned');
  const { purpose, migrationSettings } = source;
  return finish(post, making, {
    description: post.description ?? source.description,
    variations: source.variations.map((variation) => ({ ...variation, _id: making.newUuid() })),
    defaults: source.defaults,
    clientSideAvailability: readAvailability(post, source.clientSideAvailability),
    temporary: post.temporary ?? source.temporary,
    tags: post.tags ?? source.tags,
    customProperties: post.customProperties ?? source.customProperties,
    ...readMaintainer(post, source),
    ...(purpose !== undefined && { purpose }),
    ...(migrationSettings !== undefined && { migrationSettings }),
    configOf: (flag, { key }) => cloneConfig(source.environments[key]!, flag, post, making),
  });
}

type Parts = Omit<
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

function finish(post: FlagPost, making: Making, { configOf, ...parts }: Parts): Flag {
  const { id, now, version, project, environments } = making;
  checkNaming(post.key, project);
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
  const tidy = tidyFlag(flag);
  validateFlag(tidy);
  return tidy;
}

function cloneConfig(
  source: FlagConfig,
  flag: Flag,
  post: FlagPost,
  { newHex, newUuid, now }: Making,
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

/** True and false, as the project calls them; or the stages of a migration. */
function usualVariations(
  { purpose, migrationSettings }: FlagPost,
  { flagDefaults: { booleanDefaults: usual } }: Project,
): NonNullable<FlagPost['variations']> {
  if (purpose === 'migration') {
    const stages = STAGES[migrationSettings?.stageCount ?? 0];
    if (stages === undefined) throw problem('migrationSettings.stageCount', 'must be 2, 4 or 6');
    return stages.map((stage) => ({ value: stage }));
  }
  return [
    { value: true, name: usual.trueDisplayName, description: usual.trueDescription },
    { value: false, name: usual.falseDisplayName, description: usual.falseDescription },
  ];
}

const STAGES: Record<number, string[]> = {
  2: ['off', 'complete'],
  4: ['off', 'shadow', 'live', 'complete'],
  6: ['off', 'dualwrite', 'shadow', 'live', 'rampdown', 'complete'],
};

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
  usual: Flag['clientSideAvailability'],
): Flag['clientSideAvailability'] {
  if (clientSideAvailability !== undefined)
    return { usingEnvironmentId: false, usingMobileKey: false, ...clientSideAvailability };
  return includeInSnippet === undefined ? usual : { ...usual, usingEnvironmentId: includeInSnippet };
}

function readMaintainer(
  post: FlagPost,
  usual: { maintainerId?: string | undefined; maintainerTeamKey?: string | undefined },
): Pick<Flag, 'maintainerId' | 'maintainerTeamKey'> {
  const isSaid = Boolean(post.maintainerId) || Boolean(post.maintainerTeamKey);
  const { maintainerId, maintainerTeamKey } = isSaid ? post : usual;
  return { ...(maintainerId && { maintainerId }), ...(maintainerTeamKey && { maintainerTeamKey }) };
}

function readPrerequisites(
  { initialPrerequisites = [] }: FlagPost,
  needed: ReadonlyMap<string, Flag>,
): Prerequisite[] {
  return initialPrerequisites.map(({ key, variationId }, index) => {
    const at = `initialPrerequisites.${index}`;
    const flag = needed.get(key);
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

/** The prefix need not be in the case. */
function checkNaming(key: string, { namingConvention }: Project): void {
  const { case: wanted = 'none', prefix = '' } = namingConvention ?? {};
  if (!key.startsWith(prefix)) throw problem('key', `must begin with "${prefix}", as the project wants`);
  if (CASES[wanted]?.test(key.slice(prefix.length)) === false)
    throw problem('key', `must be in ${wanted}, as the project wants`);
}

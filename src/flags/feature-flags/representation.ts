// Flags as replies show them: in detail with whole configurations, or in lists with the heads of configurations.
import { linkTo, siteTo } from '../links.ts';
import type { Project } from '../projects/project.ts';
import { toMemberSummary } from '../members/model.ts';
import type { ShownStatistic } from '../code-references/flag-statistics.ts';
import type { Flag, FlagConfig } from './flag.ts';
import { kindOf, summarize, type ConfigSummary, type VariationSummary } from './model.ts';
import type { ConfigHead } from './store-rows.ts';
import type { ShownConfig, ShownFlag } from './schemas.ts';
import type { EnvironmentRef, FlagRecord, Maintainer } from './store.ts';

export interface DisplayContext {
  projectKey: string;
  /** The environments to show, in this order; absent, no configurations are shown. */
  environments?: readonly Pick<EnvironmentRef, 'key' | 'name'>[];
  maintainer?: Maintainer | undefined;
  /** The name of the team that maintains it. */
  teamName?: string | undefined;
  /** How often repositories name it; absent, this is not shown. */
  codeReferences?: readonly ShownStatistic[] | undefined;
  /** The context kinds it was evaluated for, by the key of the environment; absent, these are not shown. */
  contextKinds?: ReadonlyMap<string, string[]> | undefined;
}

export function displayContextOf(
  { key }: Pick<Project, 'key'>,
  { environments, maintainer, teamName }: Omit<FlagRecord, 'flag' | 'no'>,
): DisplayContext {
  return { projectKey: key, environments, maintainer, teamName };
}

export const FLAG_EXPANDABLE = ['codeReferences', 'evaluation', 'migrationSettings'] as const;
export type Expandable = (typeof FLAG_EXPANDABLE)[number];

export function flagPath(projectKey: string, flagKey: string): string {
  return `/flags/${projectKey}/${flagKey}`;
}

/** Link to the page of the flag in the console. */
export function flagSite(projectKey: string, environmentKey: string, flagKey: string) {
  return siteTo(`/console/flags/${projectKey}/${flagKey}/targeting?env=${environmentKey}`);
}

export function toFlagDetail(flag: Flag, display: DisplayContext): ShownFlag {
  return toShown(flag, display, ({ key, name }) => {
    const config = flag.environments[key];
    if (config === undefined) return undefined;
    const { on, version, lastModified, salt, sel, trackEvents, trackEventsFallthrough, ...rest } = config;
    const { targets, contextTargets, rules, fallthrough, offVariation, prerequisites, migrationSettings } =
      rest;
    return {
      on,
      archived: flag.archived,
      salt,
      sel,
      lastModified,
      version,
      targets,
      contextTargets,
      rules: rules as NonNullable<ShownConfig['rules']>,
      fallthrough,
      ...(offVariation !== undefined && { offVariation }),
      prerequisites,
      ...inEnvironment(flag, display, { key, name }),
      trackEvents,
      trackEventsFallthrough,
      _summary: summaryOfAll(flag, summarize(config)),
      ...(migrationSettings && { migrationSettings }),
    };
  });
}

/** The columns of a configuration that lists read. */
export type ConfigListItem = Pick<FlagConfig, 'on' | 'version' | 'lastModified'> & ConfigHead;

/** In lists. With `summary=0`, lists use `toFlagDetail`. */
export function toFlagSummary(
  flag: Flag,
  configs: Readonly<Record<string, ConfigListItem>>,
  display: DisplayContext,
): ShownFlag {
  return toShown(flag, display, ({ key, name }) => {
    const config = configs[key];
    if (config === undefined) return undefined;
    const { on, salt, sel, version, lastModified, trackEvents, trackEventsFallthrough, summary } = config;
    return {
      on,
      archived: flag.archived,
      salt,
      sel,
      lastModified,
      version,
      ...inEnvironment(flag, display, { key, name }),
      trackEvents,
      trackEventsFallthrough,
      _summary: summaryOfAll(flag, summary),
    };
  });
}

function inEnvironment(
  flag: Flag,
  { projectKey, contextKinds }: DisplayContext,
  { key, name }: Pick<EnvironmentRef, 'key' | 'name'>,
) {
  return {
    _site: flagSite(projectKey, key, flag.key),
    _environmentName: name,
    ...(contextKinds && { evaluation: { contextKinds: contextKinds.get(key) ?? [] } }),
  };
}

const NO_USE: VariationSummary = { rules: 0, nullRules: 0, targets: 0, contextTargets: 0 };

function summaryOfAll({ variations }: Flag, { prerequisites, variations: used }: ConfigSummary) {
  return {
    prerequisites,
    variations: Object.fromEntries(variations.map((_, index) => [index, shareOf(used[index] ?? NO_USE)])),
  };
}

/** Summaries that were saved by older versions of this server also say `isFallthrough` of what is rolled out. */
function shareOf(summary: VariationSummary): VariationSummary {
  if (summary.rollout === undefined || summary.isFallthrough === undefined) return summary;
  const { isFallthrough: _, ...rest } = summary;
  return rest;
}

function toShown(
  flag: Flag,
  display: DisplayContext,
  toConfig: (environment: Pick<EnvironmentRef, 'key' | 'name'>) => ShownConfig | undefined,
): ShownFlag {
  const { projectKey, environments, maintainer, teamName, codeReferences } = display;
  const { maintainerId, maintainerTeamKey, archivedAt, deprecatedAt, purpose, migrationSettings } = flag;
  return {
    name: flag.name,
    kind: kindOf(flag),
    description: flag.description,
    key: flag.key,
    version: flag.version,
    _version: flag.version,
    creationDate: flag.createdAt,
    includeInSnippet: flag.clientSideAvailability.usingEnvironmentId,
    clientSideAvailability: flag.clientSideAvailability,
    variations: flag.variations,
    variationJsonSchema: null,
    temporary: flag.temporary,
    tags: flag.tags,
    _links: { self: linkTo(flagPath(projectKey, flag.key)), parent: linkTo(`/flags/${projectKey}`) },
    ...(maintainerId !== undefined && { maintainerId }),
    ...(maintainer !== undefined && { _maintainer: toMemberSummary(maintainer) }),
    ...(maintainerTeamKey !== undefined && {
      maintainerTeamKey,
      _maintainerTeam: {
        key: maintainerTeamKey,
        name: teamName ?? maintainerTeamKey,
        _links: { self: linkTo(`/teams/${maintainerTeamKey}`), parent: linkTo('/teams') },
      },
    }),
    goalIds: [],
    experiments: { baselineIdx: 0, items: [] },
    customProperties: flag.customProperties,
    archived: flag.archived,
    ...(archivedAt !== undefined && { archivedDate: archivedAt }),
    deprecated: flag.deprecated,
    ...(deprecatedAt !== undefined && { deprecatedDate: deprecatedAt }),
    defaults: flag.defaults,
    ...(purpose !== undefined && { _purpose: purpose }),
    ...(migrationSettings !== undefined && { migrationSettings }),
    ...(codeReferences && { codeReferences: { items: [...codeReferences] } }),
    ...(environments !== undefined && {
      environments: Object.fromEntries(
        environments.flatMap((environment) => {
          const config = toConfig(environment);
          return config === undefined ? [] : [[environment.key, config]];
        }),
      ),
    }),
  };
}

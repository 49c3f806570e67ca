// Converts flags to rows and rows to flags.
import type { Selectable } from 'kysely';
import { sortKeyOf } from '../../kernel/text/fold-case.ts';
import type { Tables } from '../../kernel/storage/tables.ts';
import type { Flag, FlagConfig } from './flag.ts';
import { summarize, type ConfigSummary } from './model.ts';

type Column =
  | 'id'
  | 'projectId'
  | 'key'
  | 'name'
  | 'tags'
  | 'temporary'
  | 'archived'
  | 'deprecated'
  | 'clientSideAvailability'
  | 'includeInSnippet'
  | 'maintainerId'
  | 'maintainerTeamKey'
  | 'version'
  | 'createdAt'
  | 'environments';

type ConfigColumn = 'on' | 'version' | 'lastModified';

/** The part of a configuration that lists show. */
export interface ConfigHead {
  salt: string;
  sel: string;
  trackEvents: boolean;
  trackEventsFallthrough: boolean;
  summary: ConfigSummary;
}

type FlagRow = Omit<Selectable<Tables['flags']>, 'no'>;
type ConfigRow = Selectable<Tables['flag_configs']>;

export function toFlagRow(flag: Flag): FlagRow {
  const {
    id,
    projectId,
    key,
    name,
    tags,
    temporary,
    archived,
    deprecated,
    clientSideAvailability: { usingMobileKey, usingEnvironmentId },
    includeInSnippet: _,
    maintainerId,
    maintainerTeamKey,
    version,
    createdAt,
    environments: __,
    ...rest
  } = flag;
  return {
    id,
    project_id: projectId,
    key,
    name,
    sort_name: sortKeyOf(name),
    words: wordsOf(flag),
    purpose: flag.purpose ?? null,
    tags: JSON.stringify(tags),
    is_temporary: Number(temporary),
    state: archived ? 'archived' : deprecated ? 'deprecated' : 'live',
    availability: Number(usingMobileKey) + 2 * Number(usingEnvironmentId),
    maintainer_id: maintainerId ?? null,
    maintainer_team: maintainerTeamKey ?? null,
    version,
    created_at: createdAt,
    doc: JSON.stringify({ ...rest, deprecated } satisfies FlagDoc),
  };
}

type FlagDoc = Omit<Flag, Column> & { deprecated: boolean };

/** On two lines, so that no search matches across the end of the key and the beginning of the name. */
function wordsOf({ key, name }: Flag): string {
  return `${key}\n${name}`.toLowerCase();
}

/** Columns that only lists sort and filter by are not read. */
type ReadRow = Omit<FlagRow, 'sort_name' | 'purpose'>;

export function fromFlagRow(row: ReadRow, environments: Flag['environments'] = {}): Flag {
  const usingEnvironmentId = row.availability >= 2;
  return {
    id: row.id,
    projectId: row.project_id,
    key: row.key,
    name: row.name,
    version: row.version,
    createdAt: row.created_at,
    clientSideAvailability: { usingEnvironmentId, usingMobileKey: row.availability % 2 === 1 },
    includeInSnippet: usingEnvironmentId,
    temporary: row.is_temporary === 1,
    tags: JSON.parse(row.tags) as string[],
    ...(row.maintainer_id !== null && { maintainerId: row.maintainer_id }),
    ...(row.maintainer_team !== null && { maintainerTeamKey: row.maintainer_team }),
    archived: row.state === 'archived',
    ...(JSON.parse(row.doc) as FlagDoc),
    environments,
  };
}

export function toConfigRow(flagId: string, environmentId: string, config: FlagConfig): ConfigRow {
  const { on, version, lastModified, ...doc } = config;
  const { salt, sel, trackEvents, trackEventsFallthrough } = config;
  const head: ConfigHead = { salt, sel, trackEvents, trackEventsFallthrough, summary: summarize(config) };
  return {
    flag_id: flagId,
    environment_id: environmentId,
    is_on: Number(on),
    version,
    modified_at: lastModified,
    head: JSON.stringify(head),
    doc: JSON.stringify(doc),
  };
}

export function fromConfigRow(row: Pick<ConfigRow, 'is_on' | 'version' | 'modified_at' | 'doc'>): FlagConfig {
  return {
    ...(JSON.parse(row.doc) as Omit<FlagConfig, ConfigColumn>),
    on: row.is_on === 1,
    version: row.version,
    lastModified: row.modified_at,
  };
}

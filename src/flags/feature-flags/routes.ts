// Feature flags: list, create, get, patch, delete, copy between environments.
import { Page, type Slice } from '../../kernel/http/reply/page.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listSeenRepositories, readFlagStatistics } from '../code-references/flag-statistics.ts';
import { VIEW } from '../code-references/open-repository.ts';
import { listEnvironments } from '../environments/store.ts';
import { listContextKindsOf } from '../events/store.ts';
import { ExpandQuery, FilterQuery, PageQuery, readExpand, sliceOf, SortQuery } from '../lists/list-query.ts';
import { ByProject, openProject, unknownThing } from '../find-project.ts';
import { IfMatch, readIfMatch } from '../patch/if-match.ts';
import { readCallPatch } from '../patch/patch.ts';
import type { Environment, Project } from '../projects/project.ts';
import { lockProject } from '../projects/store.ts';
import { isPaged } from '../version.ts';
import { removeFlag, editFlag, runFlagChange } from './change/change-flag.ts';
import { FlagCopy } from './change/copy-config.ts';
import { editByCopy } from './change/flag-edit.ts';
import { addFlag } from './change/add-flag.ts';
import { FLAG_FILTERS, readFlagFilter, readFlagSort, FLAG_SORTS } from './filter.ts';
import type { Flag } from './flag.ts';
import { flagKindsText, flagPatches } from './change/instructions/document.ts';
import { listFlags, listConfigHeads, listWholeConfigs } from './store-lists.ts';
import { findMaintainers, findTeamNames } from './store-references.ts';
import { ByFlag, EnvQuery, readFlag } from './read-flag.ts';
import {
  displayContextOf,
  FLAG_EXPANDABLE,
  toFlagDetail,
  toFlagSummary,
  type DisplayContext,
  type Expandable,
} from './representation.ts';
import { FlagPost, FlagSchema, type ShownFlag } from './schemas.ts';

const USUAL_PAGE = 20;
const MAX_PAGE = 100;

/** In the older version, as many flags come at once as have this many configurations, summaries or whole ones. */
const MAX_SUMMARIES = 20_000;
const MAX_WHOLE = 2000;
const MAX_UNPAGED = 1000;

const getFlags = route(
  {
    id: 'getFeatureFlags',
    method: 'GET',
    path: '/flags/{projectKey}',
    summary: 'List the flags of a project',
    description:
      'Newest first unless asked otherwise; archived ones only where asked for. Configurations are shown for the environments in `env`. ' +
      'Filters of this server alone, which need `filterEnv`: `targeting:on` or `off`, `targetingModifiedDate:{"after":…}`, ' +
      '`hasScheduledChanges:true` and `hasWaitingApprovals:true`. Another is `readyToRemove:true`, brought up to date every hour. ' +
      'In version 20220603, all come at once, and with the configurations in every environment.',
    access: { action: 'viewProject', others: [VIEW] },
    params: ByProject,
    query: Type.Object({
      ...PageQuery,
      ...EnvQuery,
      ...FilterQuery(FLAG_FILTERS),
      ...SortQuery(FLAG_SORTS),
      ...ExpandQuery(FLAG_EXPANDABLE),
      tag: Type.Optional(Type.String()),
      archived: Type.Optional(Type.Boolean({ deprecated: true })),
      summary: Type.Boolean({
        default: true,
        description: 'False adds targets, rules and prerequisites in the environments of `env`',
      }),
    }),
    list: FlagSchema,
    isKept: true,
  },
  async (call, { db }) => {
    const { query, params } = call;
    const filter = readFlagFilter(query);
    const keys = [
      ...new Set([...(query.env ?? []), ...(filter.environmentKey ? [filter.environmentKey] : [])]),
    ];
    const orders = readFlagSort(query.sort, keys.length > 0);
    const expand = readExpand(query.expand, FLAG_EXPANDABLE);
    const project = await openProject(call, db, params.projectKey);
    const showsEnvironments = keys.length > 0 || !isPaged(call);
    const environments = await readEnvironments(db, project, keys, showsEnvironments);
    const slice = isPaged(call)
      ? sliceOf(query, USUAL_PAGE, MAX_PAGE)
      : unpagedSliceOf(query, environments.length);
    const countsReferences = filter.minReferences !== undefined || filter.maxReferences !== undefined;
    const repositories = countsReferences ? await listSeenRepositories(call, db) : [];
    const sortKey = filter.environmentKey ?? keys[0];
    const { flags, total } = await listFlags(db, {
      projectId: project.id,
      filter,
      environmentId: environments.find(({ key }) => key === sortKey)?.id,
      repositoryIds: repositories.map(({ id }) => id),
      orders,
      slice,
      now: call.now,
    });
    const show = await prepareDisplay(db, project, flags, environments, query.summary);
    const page = new Page(flags, total, slice);
    const referencesOf = await prepareReferences(call, db, project, flags, expand);
    const contextKindsOf = await prepareContextKinds(call, db, flags, environments, expand);
    return page.map((flag) =>
      show(flag, {
        ...(showsEnvironments && { environments }),
        codeReferences: referencesOf(flag),
        contextKinds: contextKindsOf(flag),
      }),
    );
  },
);

/** All that fits, unless the query says how many. */
function unpagedSliceOf(
  query: Parameters<typeof sliceOf>[0] & { summary: boolean },
  environments: number,
): Slice {
  const fitting = Math.floor((query.summary ? MAX_SUMMARIES : MAX_WHOLE) / Math.max(environments, 1));
  const most = Math.min(Math.max(fitting, USUAL_PAGE), MAX_UNPAGED);
  return sliceOf(query, most, most);
}

/** Those of these keys; without keys, all where they are shown. */
async function readEnvironments(
  db: Db,
  { id }: Project,
  keys: readonly string[],
  areShown: boolean,
): Promise<Environment[]> {
  if (!areShown) return [];
  const all = await listEnvironments(db, id);
  if (keys.length === 0) return all;
  const missing = keys.find((key) => !all.some((environment) => environment.key === key));
  if (missing !== undefined) throw unknownThing('environment', missing);
  return all.filter(({ key }) => keys.includes(key));
}

/** Reads the code references to all these flags at once, where the query asks for them. */
async function prepareReferences(
  call: Pick<Call, 'can'>,
  db: Db,
  { id }: Project,
  flags: readonly Flag[],
  expand: ReadonlySet<Expandable>,
): Promise<(flag: Flag) => DisplayContext['codeReferences']> {
  if (!expand.has('codeReferences')) return () => undefined;
  const flagKeys = flags.map(({ key }) => key);
  const statistics = await readFlagStatistics(call, db, { projectId: id, flagKeys });
  return ({ key }) => statistics.get(key) ?? [];
}

/** Reads for which context kinds all these flags were evaluated, where the query asks for it. */
async function prepareContextKinds(
  { now }: Pick<Call, 'now'>,
  db: Db,
  flags: readonly Flag[],
  environments: readonly Pick<Environment, 'id' | 'key'>[],
  expand: ReadonlySet<Expandable>,
): Promise<(flag: Flag) => DisplayContext['contextKinds']> {
  if (!expand.has('evaluation')) return () => undefined;
  const flagIds = flags.map(({ id }) => id);
  const environmentIds = environments.map(({ id }) => id);
  const kinds = await listContextKindsOf(db, flagIds, environmentIds, now);
  return (flag) => new Map(environments.map(({ id, key }) => [key, kinds.get(flag.id)?.get(id) ?? []]));
}

/** Reads configurations and maintainers for a page of flags at once. Returns the function that shows one of them. */
async function prepareDisplay(
  db: Db,
  { key: projectKey }: Project,
  flags: readonly Flag[],
  environments: readonly Environment[],
  isSummary: boolean,
): Promise<(flag: Flag, around: Omit<DisplayContext, 'projectKey'>) => ShownFlag> {
  const ids = flags.map(({ id }) => id);
  const environmentIds = environments.map(({ id }) => id);
  const distinct = (names: (string | undefined)[]) =>
    [...new Set(names)].filter((name) => name !== undefined);
  const [heads, wholes, maintainers, teamNames] = await Promise.all([
    isSummary ? listConfigHeads(db, ids, environmentIds) : undefined,
    isSummary ? undefined : listWholeConfigs(db, ids, environmentIds),
    findMaintainers(db, distinct(flags.map(({ maintainerId }) => maintainerId))),
    findTeamNames(db, distinct(flags.map(({ maintainerTeamKey }) => maintainerTeamKey))),
  ]);
  const byKey = <Config>(configs: ReadonlyMap<string, Config> | undefined) =>
    Object.fromEntries(
      environments.flatMap(({ id, key }) => {
        const config = configs?.get(id);
        return config === undefined ? [] : [[key, config] as const];
      }),
    );
  return (flag, around) => {
    const display = {
      ...around,
      projectKey,
      maintainer: maintainers.get(flag.maintainerId ?? ''),
      teamName: teamNames.get(flag.maintainerTeamKey ?? ''),
    };
    return isSummary
      ? toFlagSummary(flag, byKey(heads?.get(flag.id)), display)
      : toFlagDetail({ ...flag, environments: byKey(wholes?.get(flag.id)) }, display);
  };
}

const postFlag = route(
  {
    id: 'postFeatureFlag',
    method: 'POST',
    path: '/flags/{projectKey}',
    summary: 'Create a flag',
    description: 'With `clone` it is like another flag, configured as that is everywhere.',
    access: { action: 'createFlag' },
    params: ByProject,
    query: Type.Object({ clone: Type.Optional(Type.String({ description: 'The key of the other flag' })) }),
    body: FlagPost,
    reply: { 201: FlagSchema },
  },
  async (call, kernel) => {
    const { changes } = kernel;
    const { projectKey } = call.params;
    const shown = await changes.run(call, async (tx) => {
      const { db } = tx;
      await lockProject(db, projectKey);
      const project = await openProject(call, db, projectKey);
      return await addFlag(tx, project, call.body, call.query.clone);
    });
    return reply(201, shown, { location: shown._links['self']!.href });
  },
);

const getFlag = route(
  {
    id: 'getFeatureFlag',
    method: 'GET',
    path: '/flags/{projectKey}/{featureFlagKey}',
    summary: 'Get a flag',
    access: { action: 'viewProject', others: [VIEW] },
    params: ByFlag,
    query: Type.Object({ ...EnvQuery, ...ExpandQuery(FLAG_EXPANDABLE) }),
    reply: { 200: FlagSchema },
    isKept: true,
  },
  async (call, { db }) => {
    const { params, query } = call;
    const expand = readExpand(query.expand, FLAG_EXPANDABLE);
    const project = await openProject(call, db, params.projectKey);
    const found = await readFlag(db, project, params.featureFlagKey, query.env);
    const referencesOf = await prepareReferences(call, db, project, [found.flag], expand);
    const { flag, environments } = found;
    const contextKindsOf = await prepareContextKinds(call, db, [flag], environments, expand);
    return toFlagDetail(flag, {
      ...displayContextOf(project, found),
      codeReferences: referencesOf(flag),
      contextKinds: contextKindsOf(flag),
    });
  },
);

const KINDS = ['json', 'merge', 'semantic'] as const;

const patchFlag = route(
  {
    id: 'patchFeatureFlag',
    method: 'PATCH',
    path: '/flags/{projectKey}/{featureFlagKey}',
    summary: 'Change a flag by JSON patch, merge patch or semantic patch',
    description: `A JSON patch may test \`/version\`, or \`/environments/{key}/version\`, and then changes nothing that was not seen.\n\n${flagKindsText}`,
    access: { action: 'update*', others: ['deleteFlag', 'viewProject'] },
    params: ByFlag,
    query: Type.Object({
      dryRun: Type.Boolean({ default: false, description: 'Answer as if it were done, and keep nothing' }),
      ignoreConflicts: Type.Boolean({
        default: false,
        description: 'Change it even if a pending change can then no longer be applied',
      }),
    }),
    headers: IfMatch,
    ...flagPatches,
    reply: { 200: FlagSchema },
  },
  async (call, kernel) => {
    const { params, query } = call;
    const patch = readCallPatch(call, KINDS);
    const versions = readIfMatch(call);
    const project = await openProject(call, kernel.db, params.projectKey);
    const ref = { project, flagKey: params.featureFlagKey };
    const { shown } = await runFlagChange(kernel.changes, call, ref, { patch, versions, ...query });
    return shown;
  },
);

const deleteFlagRoute = route(
  {
    id: 'deleteFeatureFlag',
    method: 'DELETE',
    path: '/flags/{projectKey}/{featureFlagKey}',
    summary: 'Delete a flag in all environments',
    description: 'Not while it is a prerequisite of another one.',
    access: { action: 'deleteFlag' },
    params: ByFlag,
    reply: { 204: null },
  },
  async (call, { changes, db }) => {
    const project = await openProject(call, db, call.params.projectKey);
    const ref = { project, flagKey: call.params.featureFlagKey };
    await changes.run(call, (tx) => removeFlag(tx, ref));
    return reply(204);
  },
);

const copyFlag = route(
  {
    id: 'copyFeatureFlag',
    method: 'POST',
    path: '/flags/{projectKey}/{featureFlagKey}/copy',
    summary: 'Copy the configuration of a flag from one environment to another',
    access: { action: 'copyFlagConfigTo' },
    params: ByFlag,
    body: FlagCopy,
    reply: { 201: FlagSchema },
  },
  async (call, { changes, db }) => {
    const { params, body } = call;
    const project = await openProject(call, db, params.projectKey);
    const ref = { project, flagKey: params.featureFlagKey };
    const { shown } = await changes.run(call, (tx) =>
      editFlag(tx, ref, editByCopy(body, { comment: body.comment })),
    );
    return reply(201, shown);
  },
);

export const featureFlagRoutes = [getFlags, postFlag, getFlag, patchFlag, deleteFlagRoute, copyFlag];

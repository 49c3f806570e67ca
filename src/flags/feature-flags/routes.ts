// Feature flags: list, create, get, patch, delete, copy between environments.
import { Page } from '../../kernel/page.ts';
import { reply, route } from '../../kernel/route.ts';
import { Type } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listEnvironments } from '../environments/store.ts';
import { ExpandQuery, FilterQuery, PageQuery, readExpand, sliceOf, SortQuery } from '../list-query.ts';
import { ByProject, openProject, unknownThing } from '../find-project.ts';
import { readCallPatch } from '../resource-patch.ts';
import type { Environment, Project } from '../projects/project.ts';
import { lockProject } from '../projects/store.ts';
import { dropFlag, rewriteFlag, updateFlag } from './change/change-flag.ts';
import { copyConfig, FlagCopy } from './change/copy-config.ts';
import { addFlag } from './change/add-flag.ts';
import { FILTERS, readFlagFilter, readFlagSort, SORTS } from './filter.ts';
import type { Flag } from './flag.ts';
import { flagKindsText, flagPatches } from './change/instructions/document.ts';
import { listFlags, listHeads, listWholeConfigs } from './store-lists.ts';
import { findMaintainers, findTeamNames } from './store-maintainers.ts';
import { ByFlag, EnvQuery, readFound } from './read-flag.ts';
import { EXPANDABLE, toDetail, toSummary, type Surroundings } from './representation.ts';
import { surroundingsOf } from './change/change-context.ts';
import { FlagPost, FlagSchema, type ShownFlag } from './schemas.ts';

const MOST = 100;

const getFlags = route(
  {
    id: 'getFeatureFlags',
    method: 'GET',
    path: '/flags/{projectKey}',
    summary: 'List the flags of a project',
    description:
      'Newest first unless asked otherwise; archived ones only where asked for. Configurations are shown for the environments in `env`.',
    access: { action: 'viewProject' },
    params: ByProject,
    query: Type.Object({
      ...PageQuery,
      ...EnvQuery,
      ...FilterQuery(FILTERS),
      ...SortQuery(SORTS),
      ...ExpandQuery(EXPANDABLE),
      tag: Type.Optional(Type.String()),
      archived: Type.Optional(Type.Boolean({ deprecated: true })),
      summary: Type.Boolean({
        default: true,
        description: 'False adds targets, rules and prerequisites in the environments of `env`',
      }),
    }),
    list: FlagSchema,
  },
  async (call, { db }) => {
    const { query, params } = call;
    const filter = readFlagFilter(query);
    const keys = [
      ...new Set([...(query.env ?? []), ...(filter.environmentKey ? [filter.environmentKey] : [])]),
    ];
    const orders = readFlagSort(query.sort, keys.length > 0);
    const expand = readExpand(query.expand, EXPANDABLE);
    const project = await openProject(call, db, params.projectKey);
    const environments = await readEnvironments(db, project, keys);
    const sorting = filter.environmentKey ?? keys[0];
    const { flags, total } = await listFlags(db, {
      projectId: project.id,
      filter,
      environmentId: environments.find(({ key }) => key === sorting)?.id,
      orders,
      slice: sliceOf(query, 20, MOST),
    });
    const show = await shower(db, project, flags, environments, query.summary);
    const page = new Page(flags, total, sliceOf(query, 20, MOST));
    return page.map((flag) => show(flag, { ...(keys.length > 0 && { environments }), expand }));
  },
);

async function readEnvironments(db: Db, { id }: Project, keys: readonly string[]): Promise<Environment[]> {
  if (keys.length === 0) return [];
  const all = await listEnvironments(db, id);
  const missing = keys.find((key) => !all.some((environment) => environment.key === key));
  if (missing !== undefined) throw unknownThing('environment', missing);
  return all.filter(({ key }) => keys.includes(key));
}

/** Reads what a page of flags shows besides them, all at once. */
async function shower(
  db: Db,
  { key: projectKey }: Project,
  flags: readonly Flag[],
  environments: readonly Environment[],
  isSummary: boolean,
): Promise<(flag: Flag, around: Omit<Surroundings, 'projectKey'>) => ShownFlag> {
  const ids = flags.map(({ id }) => id);
  const places = environments.map(({ id }) => id);
  const distinct = (names: (string | undefined)[]) =>
    [...new Set(names)].filter((name) => name !== undefined);
  const [heads, wholes, maintainers, teamNames] = await Promise.all([
    isSummary ? listHeads(db, ids, places) : undefined,
    isSummary ? undefined : listWholeConfigs(db, ids, places),
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
    const surroundings = {
      ...around,
      projectKey,
      maintainer: maintainers.get(flag.maintainerId ?? ''),
      teamName: teamNames.get(flag.maintainerTeamKey ?? ''),
    };
    return isSummary
      ? toSummary(flag, byKey(heads?.get(flag.id)), surroundings)
      : toDetail({ ...flag, environments: byKey(wholes?.get(flag.id)) }, surroundings);
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
    const shown = await changes.run(call, async (on) => {
      const { db: tx } = on;
      await lockProject(tx, projectKey);
      const project = await openProject(call, tx, projectKey);
      return await addFlag(on, project, call.body, call.query.clone);
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
    access: { action: 'viewProject' },
    params: ByFlag,
    query: Type.Object({ ...EnvQuery, ...ExpandQuery(EXPANDABLE) }),
    reply: { 200: FlagSchema },
  },
  async (call, { db }) => {
    const { params, query } = call;
    const expand = readExpand(query.expand, EXPANDABLE);
    const project = await openProject(call, db, params.projectKey);
    const found = await readFound(db, project, params.featureFlagKey, query.env);
    return toDetail(found.flag, { ...surroundingsOf(project, found), expand });
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
    ...flagPatches,
    reply: { 200: FlagSchema },
  },
  async (call, kernel) => {
    const { params, query } = call;
    const patch = readCallPatch(call, KINDS);
    const project = await openProject(call, kernel.db, params.projectKey);
    const at = { project, flagKey: params.featureFlagKey };
    const { shown } = await updateFlag(kernel.changes, call, at, { patch, ...query });
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
    const at = { project, flagKey: call.params.featureFlagKey };
    await changes.run(call, (on) => dropFlag(on, at));
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
    const at = { project, flagKey: params.featureFlagKey };
    const { shown } = await changes.run(call, (on) =>
      rewriteFlag(on, at, {
        comment: body.comment,
        verb: `copied from ${body.source.key} to ${body.target.key} the configuration of`,
        edit: (flag) => copyConfig(flag, body),
      }),
    );
    return reply(201, shown);
  },
);

export const featureFlagRoutes = [getFlags, postFlag, getFlag, patchFlag, deleteFlagRoute, copyFlag];

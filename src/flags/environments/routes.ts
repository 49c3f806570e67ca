// Environments of a project: list, create, get, patch, delete.
import { foldCase } from '../../kernel/text/fold-case.ts';
import { Failure } from '../../kernel/failure.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';

import { insertConfigs } from '../feature-flags/store-new-configs.ts';
import {
  FilterQuery,
  PageQuery,
  readFieldFilter,
  readSort,
  sliceOf,
  SortQuery,
} from '../lists/list-query.ts';
import { ByEnvironment, ByProject, openEnvironment, openProject } from '../find-project.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch } from '../patch/patch.ts';
import { deleteUnlessLast } from '../projects/delete-unless-last.ts';
import { copySegments } from '../segments/store-copies.ts';
import { takenKey } from '../projects/create-project.ts';
import type { Environment } from '../projects/project.ts';
import { searchInMemory, sortBy } from '../projects/search-in-memory.ts';
import { lockProject } from '../projects/store.ts';
import { environmentResource } from '../policy/resources.ts';
import { changeEnvironment } from './change-environment.ts';
import { requireDeletable } from './approval-settings.ts';
import {
  EnvironmentPost,
  EnvironmentRep,
  readEnvironmentPost,
  showEnvironment,
  toEnvironment,
} from './model.ts';
import { insertEnvironment, deleteEnvironment, listEnvironments } from './store.ts';

const FILTERS = ['query', 'tags'] as const;
const SORTS = ['createdOn', 'critical', 'name'] as const;

const getEnvironments = route(
  {
    id: 'getEnvironmentsByProject',
    method: 'GET',
    path: '/projects/{projectKey}/environments',
    summary: 'List the environments of a project',
    access: { action: 'viewProject' },
    params: ByProject,
    query: Type.Object({ ...PageQuery, ...FilterQuery(FILTERS), ...SortQuery(SORTS) }),
    list: EnvironmentRep,
  },
  async (call, { db }) => {
    const { params, query } = call;
    const filter = readFieldFilter(query.filter, FILTERS);
    const orders = readSort(query.sort, SORTS);
    const project = await openProject(call, db, params.projectKey);
    const found = sortBy(searchInMemory(await listEnvironments(db, project.id), filter), orders, {
      createdOn: ({ createdAt }) => createdAt,
      critical: ({ critical }) => Number(critical),
      name: ({ name }) => foldCase(name),
    });
    const slice = sliceOf(query);
    const items = found.slice(slice.offset, slice.offset + slice.limit);
    return new Page(items, found.length, slice).map((environment) =>
      showEnvironment(call, project, environment),
    );
  },
);

const postEnvironment = route(
  {
    id: 'postEnvironment',
    method: 'POST',
    path: '/projects/{projectKey}/environments',
    summary: 'Create an environment',
    description: 'Each flag of the project gets a configuration in it: a new one, or a copy from `source`.',
    access: { action: 'createEnvironment' },
    params: ByProject,
    body: EnvironmentPost,
    reply: { 201: EnvironmentRep },
  },
  async (call, { changes }) => {
    const { params, body, now } = call;
    const shown = await changes.run(call, async (tx) => {
      const { db } = tx;
      // A flag that is created concurrently would otherwise lack a configuration in the new environment.
      await lockProject(db, params.projectKey);
      const project = await openProject(call, db, params.projectKey);
      const wanted = readEnvironmentPost(body, project.id);
      const resource = environmentResource(project, wanted);
      call.requirePermission(resource);
      const source = findSource(await listEnvironments(db, project.id), body.source);
      const environment = await insertEnvironment(db, wanted, now);
      if (environment === undefined) throw takenKey('environment', wanted.key);
      await insertConfigs(db, project, environment, source?.id, now);
      if (source !== undefined) await copySegments(db, source.id, environment.id, now);
      tx.record({
        accesses: [{ action: 'createEnvironment', resource }],
        kind: 'environment',
        name: environment.name,
        verb: 'created the environment',
        after: toEnvironment(project, environment, false),
      });
      return showEnvironment(call, project, environment);
    });
    return reply(201, shown, { location: shown._links.self.href });
  },
);

const getEnvironment = route(
  {
    id: 'getEnvironment',
    method: 'GET',
    path: '/projects/{projectKey}/environments/{environmentKey}',
    summary: 'Get an environment',
    access: { action: 'viewProject' },
    params: ByEnvironment,
    reply: { 200: EnvironmentRep },
  },
  async (call, { db }) => {
    const { projectKey, environmentKey } = call.params;
    const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
    return showEnvironment(call, project, environment);
  },
);

const patchEnvironmentRoute = route(
  {
    id: 'patchEnvironment',
    method: 'PATCH',
    path: '/projects/{projectKey}/environments/{environmentKey}',
    summary: 'Change an environment by JSON patch',
    description: 'Approvals are required for everything or by tags, not both.',
    access: { action: 'update*', others: ['viewProject'] },
    params: ByEnvironment,
    ...takesPatches('Environment', { json: true }),
    reply: { 200: EnvironmentRep },
  },
  async (call, { changes }) => {
    const patch = readDocumentPatch(call, ['json']);
    const { project, environment } = await changes.run(call, (tx) =>
      changeEnvironment(tx, call.params, patch),
    );
    return showEnvironment(call, project, environment);
  },
);

const deleteEnvironmentRoute = route(
  {
    id: 'deleteEnvironment',
    method: 'DELETE',
    path: '/projects/{projectKey}/environments/{environmentKey}',
    summary: 'Delete an environment with all that is in it',
    description:
      'The last environment of a project cannot be deleted. One that requires approval takes `bypassRequiredApproval` or `updateApprovalSettings` on it, too.',
    access: { action: 'deleteEnvironment' },
    params: ByEnvironment,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    const { projectKey, environmentKey } = call.params;
    await changes.run(call, async (tx) => {
      const { db } = tx;
      await lockProject(db, projectKey);
      const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
      await deleteUnlessLast(tx, {
        kind: 'environment',
        access: { action: 'deleteEnvironment', resource: environmentResource(project, environment) },
        name: environment.name,
        before: toEnvironment(project, environment, false),
        check: async () => requireDeletable(call.caller, project, environment),
        isLast: async () => (await listEnvironments(db, project.id)).length < 2,
        remove: () => deleteEnvironment(db, environment.id),
      });
    });
    return reply(204);
  },
);

export const environmentRoutes = [
  getEnvironments,
  postEnvironment,
  getEnvironment,
  patchEnvironmentRoute,
  deleteEnvironmentRoute,
];

/** Only the current version can be copied. */
function findSource(
  environments: readonly Environment[],
  source: { key?: string; version?: number } | undefined,
): Environment | undefined {
  if (source?.key === undefined) return undefined;
  const found = environments.find(({ key }) => key === source.key);
  if (found === undefined) {
    throw problem('source.key', `names no environment of this project: ${source.key}`);
  }
  if (source.version !== undefined && source.version !== found.version) {
    throw new Failure('conflict', `The source has version ${found.version} now, not ${source.version}`);
  }
  return found;
}

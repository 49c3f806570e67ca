// Projects: list, create, get, patch, delete.
import { lockName } from '../../kernel/storage/locks.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route, type Call } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import { requireAllPermissions, requireAnyPermission } from '../../kernel/identity/actor.ts';
import { refuseIfDenied } from '../policy/policy-rules.ts';
import { requireDeletable } from '../environments/approval-settings.ts';
import { showEnvironment } from '../environments/model.ts';
import { listEnvironments, listEnvironmentsOfProjects } from '../environments/store.ts';
import {
  ExpandQuery,
  FilterQuery,
  PageQuery,
  readExpand,
  readFieldFilter,
  readSort,
  sliceOf,
  SortQuery,
} from '../lists/list-query.ts';
import { ByProject, openProject } from '../find-project.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch, updateOf } from '../patch/patch.ts';
import { environmentResource, projectResource } from '../policy/resources.ts';
import { deleteUnlessLast } from './delete-unless-last.ts';
import { fieldAccesses, describeFieldChanges } from './field-changes.ts';
import { createProject } from './create-project.ts';
import {
  PROJECT_ACTIONS,
  patchProject,
  ProjectPost,
  ProjectRep,
  ProjectSchema,
  toEnvironments,
  toProject,
} from './model.ts';
import type { Environment, Project } from './project.ts';
import { searchInMemory, sortBy } from './search-in-memory.ts';
import {
  deleteProject,
  findProjects,
  lockProject,
  isOnlyProject,
  listProjectNames,
  updateProject,
} from './store.ts';

const FILTERS = ['query', 'tags', 'keys'] as const;
const SORTS = ['name', 'createdOn'] as const;
const EXPANDS = ['environments'] as const;

const getProjects = route(
  {
    id: 'getProjects',
    method: 'GET',
    path: '/projects',
    summary: 'List projects',
    access: { action: 'viewProject' },
    query: Type.Object({
      ...PageQuery,
      ...FilterQuery(FILTERS),
      ...SortQuery(SORTS),
      ...ExpandQuery(EXPANDS),
    }),
    list: ProjectSchema,
  },
  async (call, { db }) => {
    const { query } = call;
    const filter = readFieldFilter(query.filter, FILTERS);
    const orders = readSort(query.sort, SORTS);
    const expand = readExpand(query.expand, EXPANDS);
    const names = await listProjectNames(db);
    const visible = await filterInSlices(names, (name) => call.can(projectResource(name)));
    if (visible.length === 0) call.requirePermission(projectResource({ key: '*', tags: [] }));
    const found = sortBy(searchInMemory(visible, filter), orders, {
      name: ({ name }) => foldCase(name),
      createdOn: ({ createdAt }) => createdAt,
    });
    const slice = sliceOf(query);
    const ids = found.slice(slice.offset, slice.offset + slice.limit).map(({ id }) => id);
    const projects = await findProjects(db, ids);
    const environments = expand.has('environments') ? await listEnvironmentsOfProjects(db, ids) : undefined;
    return new Page(projects, found.length, slice).map((project) =>
      show(
        call,
        project,
        environments?.filter(({ projectId }) => projectId === project.id),
      ),
    );
  },
);

const postProject = route(
  {
    id: 'postProject',
    method: 'POST',
    path: '/projects',
    summary: 'Create a project',
    access: { action: 'createProject' },
    body: ProjectPost,
    reply: { 201: ProjectRep },
  },
  async (call, { changes }) => {
    const { key, tags = [] } = call.body;
    call.requirePermission(projectResource({ key, tags }));
    const made = await changes.run(call, (tx) => createProject(tx, call.body));
    const location = `/api/v2/projects/${key}`;
    return reply(201, showWhole(call, made.project, made.environments), { location });
  },
);

const getProject = route(
  {
    id: 'getProject',
    method: 'GET',
    path: '/projects/{projectKey}',
    summary: 'Get a project',
    access: { action: 'viewProject' },
    params: ByProject,
    query: Type.Object({ ...ExpandQuery(EXPANDS) }),
    reply: { 200: ProjectSchema },
  },
  async (call, { db }) => {
    const expand = readExpand(call.query.expand, EXPANDS);
    const project = await openProject(call, db, call.params.projectKey);
    return show(
      call,
      project,
      expand.has('environments') ? await listEnvironments(db, project.id) : undefined,
    );
  },
);

const patchProjectRoute = route(
  {
    id: 'patchProject',
    method: 'PATCH',
    path: '/projects/{projectKey}',
    summary: 'Change a project by JSON patch',
    access: { action: 'update*', others: ['viewProject'] },
    params: ByProject,
    ...takesPatches('Project', { json: true }),
    reply: { 200: ProjectRep },
  },
  async (call, { changes }) => {
    const { projectKey } = call.params;
    const patch = readDocumentPatch(call, ['json']);
    const shown = await changes.run(call, async (tx) => {
      const { db } = tx;
      await lockProject(db, projectKey);
      const before = await openProject(call, db, projectKey);
      const { after, changes: fields } = patchProject(before, patch);
      const environments = await listEnvironments(db, before.id);
      const [access, ...others] = fieldAccesses(fields, projectResource(before));
      if (access === undefined) {
        requireAnyPermission(call, PROJECT_ACTIONS, projectResource(before));
        return showWhole(call, before, environments);
      }
      requireAllPermissions(call, [access, ...others]);
      const project = await updateProject(db, after);
      tx.record({
        accesses: [access, ...others],
        kind: 'project',
        name: project.name,
        ...describeFieldChanges(fields, 'project'),
        before: toProject(before),
        after: toProject(project),
        comment: patch.comment,
        update: updateOf(patch),
      });
      return showWhole(call, project, environments);
    });
    return shown;
  },
);

const deleteProjectRoute = route(
  {
    id: 'deleteProject',
    method: 'DELETE',
    path: '/projects/{projectKey}',
    summary: 'Delete a project with all that is in it',
    description:
      'The last project cannot be deleted. Environments that require approval take `bypassRequiredApproval` or `updateApprovalSettings` on each of them, too.',
    access: { action: 'deleteProject' },
    params: ByProject,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    const { projectKey } = call.params;
    await changes.run(call, async (tx) => {
      const { db } = tx;
      await lockName(db, 'flags-delete-project'); // otherwise two concurrent calls could delete the last two projects
      await lockProject(db, projectKey);
      const project = await openProject(call, db, projectKey);
      await deleteUnlessLast(tx, {
        kind: 'project',
        access: { action: 'deleteProject', resource: projectResource(project) },
        name: project.name,
        before: toProject(project),
        check: async () => {
          for (const environment of await listEnvironments(db, project.id)) {
            refuseIfDenied(
              call.caller,
              'deleteEnvironment',
              environment,
              environmentResource(project, environment),
            );
            requireDeletable(call.caller, project, environment);
          }
        },
        isLast: () => isOnlyProject(db),
        remove: () => deleteProject(db, project.id),
      });
    });
    return reply(204);
  },
);

export const projectRoutes = [getProjects, postProject, getProject, patchProjectRoute, deleteProjectRoute];

type Permissions = Pick<Call, 'can'>;

function show(call: Permissions, project: Project, environments: Environment[] | undefined) {
  return {
    ...toProject(project),
    ...(environments !== undefined && {
      environments: toEnvironments(
        project,
        environments.map((environment) => showEnvironment(call, project, environment)),
      ),
    }),
  };
}

function showWhole(call: Permissions, project: Project, environments: Environment[]) {
  return {
    ...toProject(project),
    environments: environments.map((environment) => showEnvironment(call, project, environment)),
  };
}

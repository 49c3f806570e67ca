// Repositories of code references: list, create, get, patch, delete.
import { requireAllPermissions, requireAnyPermission } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import { newId } from '../../kernel/id.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { isUniqueViolation } from '../../kernel/storage/storage-failure.ts';
import { Links, linkTo } from '../links.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch, updateOf } from '../patch/patch.ts';
import {
  REPOSITORY_ACTIONS,
  EditableRepository,
  newRepository,
  patchRepository,
  REPOSITORIES,
  repositoryAccesses,
  RepositoryPost,
  RepositoryRep,
  codeRepositoryResource,
  toBranchRep,
  toRepositoryRep,
  type CodeRepository,
} from './model.ts';
import {
  listVisibleRepositories,
  openCodeRepository,
  readProjectFilter,
  readProjects,
  VIEW,
  readReferences,
} from './open-repository.ts';
import {
  countRepositories,
  deleteRepository,
  insertCodeRepository,
  lockCodeRepositories,
  updateCodeRepository,
} from './store.ts';
import { countBranches, listBranches } from './store-branches.ts';

const MAX_REPOSITORIES = 200;
/** In one list of repositories with their branches. */
const MAX_LISTED_BRANCHES = 10_000;
const [CREATE, DELETE] = ['createCodeRefsRepository', 'deleteCodeRefsRepository'] as const;
export const ByRepository = Type.Object({ repo: Type.String({ description: 'The name of the repository' }) });

const getRepositories = route(
  {
    id: 'getRepositories',
    method: 'GET',
    path: REPOSITORIES,
    summary: 'List repositories by name',
    description: 'References are shown to those who may view the project of the flag.',
    access: { action: VIEW, others: ['viewProject'] },
    query: Type.Object({
      withBranches: Type.Optional(Type.String({ description: 'Any value adds the branches' })),
      withReferencesForDefaultBranch: Type.Optional(
        Type.String({
          description: 'Any value adds the branches, and to the default branch its references',
        }),
      ),
      projKey: Type.Optional(Type.String({ description: 'Only references to flags of this project' })),
      flagKey: Type.Optional(Type.String({ description: 'Only references to flags of this key' })),
    }),
    reply: {
      200: Type.Object(
        { items: Type.Array(RepositoryRep), totalCount: Type.Integer(), _links: Links },
        { $id: 'RepositoryCollectionRep' },
      ),
    },
  },
  async (call, { db }) => {
    const { projKey, flagKey, withBranches, withReferencesForDefaultBranch } = call.query;
    const repositories = await listVisibleRepositories(call, db);
    const projectId = await readProjectFilter(call, db, projKey);
    const hasReferences = withReferencesForDefaultBranch !== undefined;
    const hasBranches = withBranches !== undefined || hasReferences;
    const ids = repositories.map(({ id }) => id);
    if (hasBranches && (await countBranches(db, ids)) > MAX_LISTED_BRANCHES)
      throw problem('withBranches', 'asks for too many branches: list those of one repository');
    const branches = hasBranches ? await listBranches(db, ids) : [];
    const defaults = new Map(repositories.map(({ id, defaultBranch }) => [id, defaultBranch]));
    const references = hasReferences
      ? await readReferences(
          db,
          branches.filter(({ repositoryId, name }) => defaults.get(repositoryId) === name),
          { projectId, flagKey },
          await readProjects(call, db),
        )
      : undefined;
    const byRepository = Map.groupBy(branches, ({ repositoryId }) => repositoryId);
    const items = repositories.map((repository) =>
      toRepositoryRep(
        repository,
        hasBranches
          ? (byRepository.get(repository.id) ?? []).map((branch) =>
              toBranchRep(repository, branch, references?.get(branch.id)),
            )
          : undefined,
      ),
    );
    return { items, totalCount: items.length, _links: { self: linkTo(REPOSITORIES) } };
  },
);

const postRepository = route(
  {
    id: 'postRepository',
    method: 'POST',
    path: REPOSITORIES,
    summary: 'Create a repository',
    access: { action: CREATE },
    body: RepositoryPost,
    reply: { 200: RepositoryRep },
  },
  async (call, { changes }) => {
    const { body, now } = call;
    const repository: CodeRepository = { ...newRepository(body), id: newId(now), version: 1, createdAt: now };
    call.requirePermission(codeRepositoryResource(repository));
    const shown = toRepositoryRep(repository);
    await changes.run(call, async (tx) => {
      await lockCodeRepositories(tx.db);
      if ((await countRepositories(tx.db)) >= MAX_REPOSITORIES)
        throw problem('body', `would be one more than ${MAX_REPOSITORIES} repositories`);
      if (!(await insertCodeRepository(tx.db, repository))) throw taken(repository);
      tx.record({
        accesses: [{ action: CREATE, resource: codeRepositoryResource(repository) }],
        ...named(repository),
        verb: 'created the repository',
        after: shown,
      });
    });
    return reply(200, shown, { location: shown._links['self']!.href });
  },
);

const getRepository = route(
  {
    id: 'getRepository',
    method: 'GET',
    path: `${REPOSITORIES}/{repo}`,
    summary: 'Get a repository, with its branches',
    access: { action: VIEW },
    params: ByRepository,
    reply: { 200: RepositoryRep },
  },
  async (call, { db }) => {
    const repository = await openCodeRepository(call, db, call.params.repo);
    const branches = await listBranches(db, [repository.id]);
    return toRepositoryRep(
      repository,
      branches.map((branch) => toBranchRep(repository, branch)),
    );
  },
);

const patchRepositoryRoute = route(
  {
    id: 'patchRepository',
    method: 'PATCH',
    path: `${REPOSITORIES}/{repo}`,
    summary: 'Change a repository by JSON patch or merge patch',
    access: { action: 'updateCodeRefsRepository*', others: [VIEW] },
    params: ByRepository,
    ...takesPatches('Repository', { json: true, merge: () => EditableRepository }),
    reply: { 200: RepositoryRep },
  },
  async (call, { changes }) => {
    const patch = readDocumentPatch(call, ['json', 'merge']);
    const repository = await changes.run(call, async (tx) => {
      const before = await openCodeRepository(call, tx.db, call.params.repo, 'hold');
      const wanted = patchRepository(before, patch);
      const [first, ...others] = repositoryAccesses(before, wanted);
      if (first === undefined) {
        requireAnyPermission(call, REPOSITORY_ACTIONS, codeRepositoryResource(before));
        return before;
      }
      requireAllPermissions(call, [first, ...others]);
      const after = { ...wanted, version: before.version + 1 };
      await updateCodeRepository(tx.db, before, after).catch((error: unknown) => {
        throw isUniqueViolation(error) ? taken(after) : error;
      });
      tx.record({
        accesses: [first, ...others],
        ...named(after),
        verb: 'updated the repository',
        before: toRepositoryRep(before),
        after: toRepositoryRep(after),
        comment: patch.comment,
        update: updateOf(patch),
      });
      return after;
    });
    return toRepositoryRep(repository);
  },
);

const deleteRepositoryRoute = route(
  {
    id: 'deleteRepository',
    method: 'DELETE',
    path: `${REPOSITORIES}/{repo}`,
    summary: 'Delete a repository, with its branches, references and extinctions',
    access: { action: DELETE, others: [VIEW] },
    params: ByRepository,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const repository = await openCodeRepository(call, tx.db, call.params.repo, 'hold');
      call.requirePermission(codeRepositoryResource(repository));
      await deleteRepository(tx.db, repository);
      tx.record({
        accesses: [{ action: DELETE, resource: codeRepositoryResource(repository) }],
        ...named(repository),
        verb: 'deleted the repository',
        before: toRepositoryRep(repository),
      });
    });
    return reply(204);
  },
);

export const repositoryRoutes = [
  getRepositories,
  postRepository,
  getRepository,
  patchRepositoryRoute,
  deleteRepositoryRoute,
];

export function named({ name }: CodeRepository) {
  return { kind: 'code-reference-repository', name };
}

function taken({ name }: CodeRepository): Failure {
  return new Failure('conflict', `There is already a repository "${name}"`, { code: 'key_exists' });
}

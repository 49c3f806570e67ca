// Forks of a repository, and repositories that begin with the files of a template.
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import { Nullable, OneOf, PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { READ_REPOSITORY, repositoryRoute, RepositoryParams } from '../repositories/access.ts';
import { checkedName } from '../repositories/changes/change-repository.ts';
import { findCreationOwner } from '../repositories/changes/creation-owner.ts';
import { mayRead, viewerFor } from '../repositories/visibility.ts';
import {
  FullRepository,
  MinimalRepository,
  toFullRepository,
  toMinimalRepository,
} from '../repositories/model.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { includesRole } from '../repositories/repository.ts';
import { showFully, showRepositories } from '../repositories/show-repository.ts';
import { createFork, createFromTemplate, requireMayFork } from './create-fork.ts';
import { listForks as listForkRows } from './store.ts';

/** The repository itself need only be seen; the new one must be allowed. */
const COPY_ACCESS = { action: 'viewRepository', others: ['createRepository'], ofOwner: true } as const;

const Name = PlainText({ minLength: 1, maxLength: 100 });

const listForks = repositoryRoute(
  {
    id: 'repos/list-forks',
    method: 'GET',
    path: '/repos/{owner}/{repo}/forks',
    summary: 'List forks',
    description: 'Those that the caller may see.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      sort: Type.Optional(OneOf(['newest', 'oldest', 'stargazers', 'watchers'])),
      ...HostPageQuery,
    }),
    list: MinimalRepository,
  },
  'read',
  async ({ query, caller, base }, { db }, { repository }) => {
    const slice = pageSliceOf(query);
    const { sort = 'newest' } = query;
    // One more than the page has shows whether another follows.
    const more = { ...slice, limit: slice.limit + 1 };
    // Who administers a private repository also sees its forks that are withheld from their owners.
    const seesWithheld = repository.isPrivate && includesRole(await roleOn(db, caller, repository), 'admin');
    const viewer = viewerFor(caller);
    const forks = await listForkRows(db, repository.number, viewer, sort, more, seesWithheld);
    const { items, total, more: facts } = pageBefore(forks, slice);
    const shown = await showRepositories(db, caller, items);
    const replies = shown.map((one) => toMinimalRepository(one, base));
    return new Page(replies, total, slice, false, facts);
  },
);

const createForkOf = repositoryRoute(
  {
    id: 'repos/create-fork',
    method: 'POST',
    path: '/repos/{owner}/{repo}/forks',
    summary: 'Fork a repository',
    description: 'An owner has one repository of each family: where there is one already, the reply has it.',
    access: COPY_ACCESS,
    params: Type.Object(RepositoryParams),
    body: Type.Object(
      {
        organization: Type.Optional(
          PlainText({ description: 'Who gets the fork; the caller if it is absent' }),
        ),
        name: Type.Optional(Name),
        default_branch_only: Type.Optional(Type.Boolean()),
      },
      { $id: 'fork-creation' },
    ),
    bodyIsOptional: true,
    reply: { 202: FullRepository },
    createsLater: true,
  },
  'read',
  async (call, kernel, found) => {
    const { caller, base } = call;
    const { db } = kernel;
    const { organization, name, default_branch_only: hasDefaultBranchOnly = false } = call.body ?? {};
    const { repository } = found;
    const login = organization || accountOf(caller).username;
    const owner = await findCreationOwner(db, caller, login, repository.isPrivate);
    const checked = name === undefined ? undefined : checkedName(name);
    call.requirePermission(`repo/${owner.login}/${checked ?? repository.name}`, 'createRepository');
    if (owner.id !== repository.ownerId) await requireMayFork(db, found);
    const fork = await createFork(kernel, call, found, { owner, name: checked, hasDefaultBranchOnly });
    if (!(await mayRead(db, caller, fork)))
      throw new Failure('denied', `${owner.login} has a fork already, which you may not see.`);
    const shown = toFullRepository(await showFully(db, caller, fork), base);
    return reply(202, shown, { location: shown.url });
  },
);

const generateRepository = repositoryRoute(
  {
    id: 'repos/create-using-template',
    method: 'POST',
    path: '/repos/{owner}/{repo}/generate',
    summary: 'Create a repository from a template',
    description: 'It has the files of the template in one new commit, without the history.',
    access: COPY_ACCESS,
    params: Type.Object(RepositoryParams),
    body: Type.Object(
      {
        owner: Type.Optional(PlainText({ description: 'The caller if it is absent' })),
        name: Name,
        description: Type.Optional(Nullable(PlainText({ maxLength: 350 }))),
        include_all_branches: Type.Optional(Type.Boolean()),
        private: Type.Optional(Type.Boolean()),
      },
      { $id: 'template-use' },
    ),
    reply: { 201: FullRepository },
  },
  'read',
  async (call, kernel, found) => {
    const { caller, base, body } = call;
    const { db } = kernel;
    if (!found.repository.settings.isTemplate)
      throw problem('template_repo', 'is not a template: its administrators can make it one');
    const isBound =
      found.repository.isPrivate && !includesRole(await roleOn(db, caller, found.repository), 'admin');
    const isPrivate = body.private ?? isBound;
    if (isBound && !isPrivate)
      throw problem(
        'private',
        'must be true: only those who administer a private template may publish its files',
      );
    const owner = await findCreationOwner(db, caller, body.owner || accountOf(caller).username, isPrivate);
    const name = checkedName(body.name);
    call.requirePermission(`repo/${owner.login}/${name}`, 'createRepository');
    const created = await createFromTemplate(kernel, call, found, {
      owner,
      name,
      description: body.description || null,
      isPrivate,
      binding: isBound ? 'template' : null,
      hasAllBranches: body.include_all_branches ?? false,
    });
    const shown = toFullRepository(await showFully(db, caller, created), base);
    return reply(201, shown, { location: shown.url });
  },
);

export const forkRoutes = [listForks, createForkOf, generateRepository];

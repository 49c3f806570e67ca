// References: branches and tags by their full names.
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { routedPath } from '../../kernel/http/prefixes.ts';
import { reply } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { checkOnGit } from '../protection/check-ref-changes.ts';
import { changeRefs } from '../pushes/push.ts';
import {
  PUSH_REPOSITORY,
  READ_REPOSITORY,
  repositoryRoute,
  type FoundRepository,
  RepositoryParams,
} from '../repositories/access.ts';
import { HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { createRef, deleteRef, moveRef, type ChangeableRefs, fullRefName } from './change-ref.ts';
import { checkNotEmpty, missingFrom } from '../commits/find-commit.ts';
import { GitRefReply, toGitRef, gitUrlsOf } from './model.ts';

const MAX_MATCHING = 10_000;

const RefParams = Type.Object({
  ...RepositoryParams,
  ref: Type.String({ description: 'Such as `heads/main` or `tags/v1`' }),
});

const getRef = repositoryRoute(
  {
    id: 'git/get-ref',
    method: 'GET',
    path: '/repos/{owner}/{repo}/git/ref/{ref...}',
    // The address in replies.
    aliases: [{ path: '/repos/{owner}/{repo}/git/refs/{ref...}' }],
    summary: 'Get a reference',
    access: READ_REPOSITORY,
    params: RefParams,
    reply: { 200: GitRefReply },
  },
  'read',
  async ({ params, base }, { services }, found) => {
    const { number } = found.repository;
    const git = services.git.repository(number);
    const name = fullRefName(params.ref);
    const oid = await git.readRef(name);
    const info = oid === undefined ? undefined : await git.readInfo(oid);
    if (info === undefined) throw await missingFrom(git, 'There is no such reference');
    return toGitRef({ name, ...info }, number, gitUrlsOf(found, base));
  },
);

const REFS = '/repos/{owner}/{repo}/git/refs';

const listRefs = repositoryRoute(
  {
    id: 'git/list-refs',
    method: 'GET',
    path: REFS,
    // Of one kind, as older clients ask for them.
    aliases: [{ path: `${REFS}/heads` }, { path: `${REFS}/tags` }],
    summary: 'List all references',
    description: 'By name.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object(HostPageQuery),
    list: GitRefReply,
  },
  'read',
  async ({ query, url, base }, { services }, found) => {
    const { number } = found.repository;
    const git = services.git.repository(number);
    const [, kind] = /\/git\/refs\/(heads|tags)$/.exec(routedPath(url)) ?? [];
    const slice = pageSliceOf(query);
    // One more than the page has shows whether another follows.
    const refs = await git.listRefs({
      prefix: kind === undefined ? 'refs/' : `refs/${kind}/`,
      skip: slice.offset,
      limit: slice.limit + 1,
    });
    if (refs.length === 0) await checkNotEmpty(git);
    const urls = gitUrlsOf(found, base);
    return pageBefore(refs, slice).map((ref) => toGitRef(ref, number, urls));
  },
);

const listMatchingRefs = repositoryRoute(
  {
    id: 'git/list-matching-refs',
    method: 'GET',
    path: '/repos/{owner}/{repo}/git/matching-refs/{ref...}',
    summary: 'List the references whose names begin so',
    description: `Such as \`heads/feature\` or \`tags/v1\`. The first ${MAX_MATCHING} of them, by name.`,
    access: READ_REPOSITORY,
    params: RefParams,
    reply: { 200: Type.Array(GitRefReply) },
  },
  'read',
  async ({ params, base }, { services }, found) => {
    const { number } = found.repository;
    const prefix = fullRefName(params.ref);
    const refs = await services.git.repository(number).listRefs({ prefix, limit: MAX_MATCHING });
    const urls = gitUrlsOf(found, base);
    return refs.map((ref) => toGitRef(ref, number, urls));
  },
);

const postRef = repositoryRoute(
  {
    id: 'git/create-ref',
    method: 'POST',
    path: '/repos/{owner}/{repo}/git/refs',
    summary: 'Create a reference',
    access: PUSH_REPOSITORY,
    params: Type.Object(RepositoryParams),
    body: Type.Object({
      ref: Type.String({ description: 'The full name, such as `refs/heads/main`' }),
      sha: Type.String({ description: 'The id of the object that it refers to' }),
    }),
    reply: { 201: GitRefReply },
  },
  'write',
  async (call, kernel, found) => {
    const { body, base } = call;
    const { repository } = found;
    const created = await createRef(changeableRefs(kernel, call, found), body.ref, body.sha);
    const shown = toGitRef(created, repository.number, gitUrlsOf(found, base));
    return reply(201, shown, { location: shown.url });
  },
);

const patchRef = repositoryRoute(
  {
    id: 'git/update-ref',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/git/refs/{ref...}',
    summary: 'Move a reference',
    access: PUSH_REPOSITORY,
    params: RefParams,
    body: Type.Object({
      sha: Type.String({ description: 'The id of the object that it refers to from now on' }),
      force: Type.Optional(
        Type.Boolean({
          description: 'Whether the new commit may be another than a descendant of the present one',
        }),
      ),
    }),
    reply: { 200: GitRefReply },
  },
  'write',
  async (call, kernel, found) => {
    const { params, body, base } = call;
    const refs = changeableRefs(kernel, call, found);
    const moved = await moveRef(refs, fullRefName(params.ref), body.sha, body.force === true);
    return toGitRef(moved, found.repository.number, gitUrlsOf(found, base));
  },
);

const removeRef = repositoryRoute(
  {
    id: 'git/delete-ref',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/git/refs/{ref...}',
    summary: 'Delete a reference',
    description: 'The default branch cannot be deleted.',
    access: PUSH_REPOSITORY,
    params: RefParams,
    reply: { 204: null },
  },
  'write',
  async (call, kernel, found) => {
    const name = fullRefName(call.params.ref);
    if (name === `refs/heads/${found.repository.defaultBranch}`)
      throw new Failure(
        'invalid',
        'Cannot delete the default branch. Make another branch the default first.',
      );
    await deleteRef(changeableRefs(kernel, call, found), name);
    return reply(204);
  },
);

function changeableRefs(
  kernel: Kernel,
  actor: { caller: KnownCaller; now: number },
  found: FoundRepository,
): ChangeableRefs {
  const git = kernel.services.git.repository(found.repository.number);
  const check = checkOnGit(kernel, found, actor.caller);
  return {
    git,
    async move(updates) {
      for (const update of updates) await check(update);
      await changeRefs(kernel, actor, found, updates);
    },
  };
}

export const gitRefRoutes = [getRef, listRefs, listMatchingRefs, postRef, patchRef, removeRef];

// Branches: list, get and rename them; the branches of a commit; and the list of tags.
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { noCommitFound, showCommit, branchNotFound } from '../commits/find-commit.ts';
import { gitUrlsOf } from '../git-data/model.ts';
import type { ListedRef } from '../git/refs/list-refs.ts';
import { isBranchName } from '../git/refs/revision.ts';
import { pageBefore, HostPageQuery, pageSliceOf } from '../list-query.ts';
import { findProtection, listProtectedNames, listProtectionsOf } from '../protection/store.ts';
import {
  PUSH_REPOSITORY,
  READ_REPOSITORY,
  repositoryRoute,
  type FoundRepository,
  RepositoryParams,
} from '../repositories/access.ts';
import { BranchWithProtection, ShortBranch, TagReply, toBranch, toShortBranch, toTag } from './model.ts';
import { renameBranch } from './rename-branch.ts';

const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';
const MAX_HEADS = 1000;

const BranchParams = Type.Object({ ...RepositoryParams, branch: Type.String() });

const listBranches = repositoryRoute(
  {
    id: 'repos/list-branches',
    method: 'GET',
    path: '/repos/{owner}/{repo}/branches',
    summary: 'List branches',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      protected: Type.Optional(Type.Boolean({ description: 'Only those that are protected, or are not' })),
      ...HostPageQuery,
    }),
    list: ShortBranch,
  },
  'read',
  async ({ query, base, signal }, kernel, found) => {
    const slice = pageSliceOf(query);
    const { number } = found.repository;
    const isWanted = await protectedFilter(kernel, number, query.protected);
    if (isWanted === 'none') return new Page([], 0, slice);
    const git = kernel.services.git.repository(number, signal);
    const listing = { prefix: BRANCHES, skip: slice.offset, limit: slice.limit + 1 };
    const refs = await git.listRefs({ ...listing, ...(isWanted && { isWanted }) });
    const { items, total, more } = pageBefore(refs, slice);
    return new Page(await showShortBranches(kernel, found, items, base), total, slice, false, more);
  },
);

/** Undefined where all branches are wanted. */
async function protectedFilter(
  { db }: Kernel,
  number: number,
  isProtected: boolean | undefined,
): Promise<((ref: string) => boolean) | 'none' | undefined> {
  if (isProtected === undefined) return undefined;
  const names = new Set((await listProtectedNames(db, number)).map((name) => BRANCHES + name));
  if (names.size === 0) return isProtected ? 'none' : undefined;
  return (ref) => names.has(ref) === isProtected;
}

async function showShortBranches(
  { db }: Kernel,
  found: FoundRepository,
  refs: readonly ListedRef[],
  base: string,
): Promise<Static<typeof ShortBranch>[]> {
  const names = refs.map(({ name }) => name.slice(BRANCHES.length));
  const protections = await listProtectionsOf(db, found.repository.number, names);
  const urls = gitUrlsOf(found, base);
  return refs.map(({ oid }, at) => toShortBranch(names[at]!, oid, protections.get(names[at]!)?.rule, urls));
}

const getBranch = repositoryRoute(
  {
    id: 'repos/get-branch',
    method: 'GET',
    path: '/repos/{owner}/{repo}/branches/{branch}',
    summary: 'Get a branch',
    access: READ_REPOSITORY,
    params: BranchParams,
    reply: { 200: BranchWithProtection },
  },
  'read',
  ({ params, base }, kernel, found) => showBranch(kernel, found, params.branch, base),
);

async function showBranch(
  { db, services }: Kernel,
  found: FoundRepository,
  name: string,
  base: string,
): Promise<Static<typeof BranchWithProtection>> {
  const git = services.git.repository(found.repository.number);
  const oid = isBranchName(name) ? await git.readRef(BRANCHES + name) : undefined;
  const commit = oid === undefined ? undefined : await git.readCommit(oid);
  if (commit === undefined) throw branchNotFound();
  const [shown, protection] = await Promise.all([
    showCommit(db, commit, found, base),
    findProtection(db, found.repository.number, name),
  ]);
  return toBranch(name, shown, protection?.rule, gitUrlsOf(found, base));
}

const postRename = repositoryRoute(
  {
    id: 'repos/rename-branch',
    method: 'POST',
    path: '/repos/{owner}/{repo}/branches/{branch}/rename',
    summary: 'Rename a branch',
    description: 'The default branch is renamed by administrators of the repository, and stays the default.',
    access: PUSH_REPOSITORY,
    params: BranchParams,
    body: Type.Object({ new_name: Type.String() }),
    reply: { 201: BranchWithProtection },
  },
  'write',
  async (call, kernel, found) => {
    const { params, body, base } = call;
    await renameBranch(kernel, call, found, params.branch, body.new_name);
    const shown = await showBranch(kernel, found, body.new_name, base);
    return reply(201, shown, { location: shown._links.self });
  },
);

const listBranchesWhereHead = repositoryRoute(
  {
    id: 'repos/list-branches-for-head-commit',
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits/{commit_sha}/branches-where-head',
    summary: 'List the branches whose newest commit it is',
    access: READ_REPOSITORY,
    params: Type.Object({ ...RepositoryParams, commit_sha: Type.String() }),
    reply: { 200: Type.Array(ShortBranch) },
  },
  'read',
  async ({ params, base }, kernel, found) => {
    const git = kernel.services.git.repository(found.repository.number);
    const commit = await git.readCommit(params.commit_sha.toLowerCase());
    if (commit === undefined) throw noCommitFound(params.commit_sha);
    const refs = await git.listRefs({ prefix: BRANCHES, limit: MAX_HEADS, pointsAt: commit.oid });
    return await showShortBranches(kernel, found, refs, base);
  },
);

const listTags = repositoryRoute(
  {
    id: 'repos/list-tags',
    method: 'GET',
    path: '/repos/{owner}/{repo}/tags',
    summary: 'List tags',
    description: 'The largest version first.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object(HostPageQuery),
    list: TagReply,
  },
  'read',
  async ({ query, base }, { services }, found) => {
    const { number } = found.repository;
    const git = services.git.repository(number);
    const slice = pageSliceOf(query);
    const listing = { prefix: TAGS, skip: slice.offset, limit: slice.limit + 1, isByVersion: true };
    const { items, total, more } = pageBefore(await git.listRefs(listing), slice);
    const urls = gitUrlsOf(found, base);
    const tags = items.flatMap((ref) => {
      const oid = commitOf(ref);
      return oid === undefined ? [] : [toTag(ref.name.slice(TAGS.length), oid, number, urls)];
    });
    return new Page(tags, total, slice, false, more);
  },
);

/** Tags of trees and files have none. */
function commitOf({ oid, type, peeled }: ListedRef): string | undefined {
  if (type === 'commit') return oid;
  return peeled?.type === 'commit' ? peeled.oid : undefined;
}

export const hostBranchRoutes = [listBranches, getBranch, postRename, listBranchesWhereHead, listTags];

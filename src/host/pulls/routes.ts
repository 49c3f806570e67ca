// Pull requests: list, open, read and change.
import { Failure } from '../../kernel/failure.ts';
import { reply, type Stream } from '../../kernel/http/route.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { streamText, textFormatOf } from '../commits/routes.ts';
import { BODY_FORMATS } from '../contents/render-bodies.ts';
import { findMergeBase, streamPullDiff, streamPullPatches } from '../git/merge/pull-changes.ts';
import { isAuthor } from '../issues/access.ts';
import { fromBranchIn, intoBranchIn, pullsIn } from '../issues/lists/facets.ts';
import { ISSUE_STATES, type IssueState } from '../issues/issue.ts';
import { checkedBody, checkedTitle } from '../issues/requests.ts';
import { listIssueIds, type IssueFilter, type IssueSort } from '../issues/lists/store-facets.ts';
import { findIssue } from '../issues/store.ts';
import { HostPageQuery, pageOf, pageSliceOf } from '../list-query.ts';
import { findOwner } from '../owners/store.ts';
import { READ_REPOSITORY, type FoundRepository, RepositoryParams } from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { includesRole, repositoryResource } from '../repositories/repository.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { CREATE_PULL, PullParams, pullRoute, pullsRoute, UPDATE_PULL, type OpenedPull } from './access.ts';
import { editPull, type PullEdit } from './change-pull.ts';
import { findHead } from './find-head.ts';
import { PullReply, PullSimpleReply } from './model.ts';
import { openPull, preparePull, type PullDraft } from './open-pull.ts';
import { closedBase, PULL_SORTS, pullRefused, type PullSort } from './pull.ts';
import { endsOf, measureEnds, readBranch, writePullHead } from './pull-git.ts';
import { replySimply, replyWhole, type ReplyCall } from './reply-pulls.ts';
import { PullPatch, PullPost } from './requests.ts';
import { showPulls } from './show-pulls.ts';

const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

const SORTS: Record<PullSort, IssueSort> = {
  created: 'created',
  updated: 'updated',
  popularity: 'comments',
  'long-running': 'created',
};

const listPullRequests = pullsRoute(
  {
    id: 'pulls/list',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls',
    summary: 'List pull requests',
    description: `The newest first, unless \`sort\` says otherwise: by default another order than \`created\` ascends. ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object({
      state: OneOf([...ISSUE_STATES, 'all'], { default: 'open' }),
      head: Type.Optional(
        PlainText({ description: 'From this branch: `owner:branch`; without an owner, of the repository' }),
      ),
      base: Type.Optional(PlainText({ description: 'Into this branch' })),
      sort: OneOf(PULL_SORTS, {
        default: 'created',
        description:
          '`popularity` is the number of comments; `long-running` are those that are older than a month and were changed within the last',
      }),
      direction: Type.Optional(OneOf(['asc', 'desc'])),
      ...HostPageQuery,
    }),
    list: PullSimpleReply,
  },
  'read',
  async (call, kernel, found) => {
    const { query, now } = call;
    const slice = pageSliceOf(query);
    const facets = await facetsOf(kernel, found, query);
    if (facets === undefined) return pageOf([], { total: 0, isTotalExact: true }, slice);
    const states: readonly IssueState[] = query.state === 'all' ? ISSUE_STATES : [query.state];
    const filter: IssueFilter = {
      facets,
      states,
      ...(query.sort === 'long-running' && { createdBefore: now - MONTH_MS, updatedSince: now - MONTH_MS }),
    };
    const direction = query.direction ?? (query.sort === 'created' ? 'desc' : 'asc');
    const order = { sort: SORTS[query.sort], desc: direction === 'desc' };
    const { ids, ...counted } = await listIssueIds(kernel.db, filter, order, slice);
    return pageOf(await replySimply(kernel, call, found, ids), counted, slice);
  },
);

/** Undefined where no pull request can match. */
async function facetsOf(
  { db }: Kernel,
  { repository, owner }: FoundRepository,
  { head, base }: { head?: string; base?: string },
): Promise<string[] | undefined> {
  const { number } = repository;
  const [branch = '', login] = head?.split(':').reverse() ?? [];
  const headOwner = head && login !== undefined ? await findOwner(db, login) : owner;
  if (headOwner === undefined) return undefined;
  const narrower = [
    ...(head ? [fromBranchIn(number, headOwner.id, branch)] : []),
    ...(base ? [intoBranchIn(number, base)] : []),
  ];
  return narrower.length === 0 ? [pullsIn(number)] : narrower;
}

const createPullRequest = pullsRoute(
  {
    id: 'pulls/create',
    method: 'POST',
    path: '/repos/{owner}/{repo}/pulls',
    summary: 'Open a pull request',
    description:
      'For who may read both repositories and write to one of them. From an issue, where `issue` names one that the caller may change.',
    access: CREATE_PULL,
    params: Type.Object(RepositoryParams),
    body: PullPost,
    reply: { 201: PullReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    const { caller, body: sent } = call;
    const issue = await issueIn(kernel, caller, opened, sent);
    const named = { head: sent.head, headRepo: sent.head_repo };
    const head = await findHead(kernel, caller, opened, named);
    const isFork = head.found.repository.number !== opened.repository.number;
    if (isFork && sent.maintainer_can_modify === true && !head.isWritable) throw noForkCollab();
    const draft: PullDraft = {
      base: sent.base,
      head,
      isDraft: sent.draft ?? false,
      mayMaintainerModify: isFork && head.isWritable && sent.maintainer_can_modify !== false,
      issue,
    };
    const prepared = await preparePull(kernel, opened, draft);
    const created = await kernel.changes.run(call, (tx) => openPull(tx, opened, draft, prepared));
    await writePullHead(kernel, created.id);
    const shown = await replyWhole(kernel, call, opened, created);
    return reply(201, shown, { location: shown.url });
  },
);

function noForkCollab(): Failure {
  return pullRefused("Fork collab can't be granted by someone without permission", 'fork_collab');
}

/** The author of an issue, and who may write, make it a pull request. */
async function issueIn(
  { db }: Kernel,
  caller: KnownCaller,
  { repository, role }: { role: OpenedPull['role'] } & FoundRepository,
  { title, body, issue: number }: Static<typeof PullPost>,
): Promise<PullDraft['issue']> {
  if (number === undefined) {
    return {
      title: checkedTitle(title ?? ''),
      body: checkedBody(body ?? null),
      author: { id: accountOf(caller).id, name: null },
    };
  }
  const issue = await findIssue(db, repository.number, number);
  if (issue === undefined || issue.isPull || issue.state !== 'open')
    throw pullRefused('is invalid', 'issue', 'invalid');
  if (!isAuthor(caller, issue.author) && !includesRole(role, 'write'))
    throw new Failure('denied', 'You may not make a pull request of the issue of somebody else.');
  return { number };
}

const getPullRequest = pullRoute(
  {
    id: 'pulls/get',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}',
    summary: 'Get a pull request',
    description: `The media types diff and patch give its changes as text. ${BODY_FORMATS}`,
    access: READ_REPOSITORY,
    params: PullParams,
    reply: { 200: PullReply },
  },
  'read',
  async (call, kernel, opened) => {
    const text = await textOf(kernel, call, opened);
    return text ?? (await replyWhole(kernel, call, opened, opened.issue));
  },
);

/** Undefined where JSON is asked for. */
async function textOf(
  kernel: Kernel,
  call: Parameters<typeof streamText>[1] & Pick<ReplyCall, 'headers'> & { signal: AbortSignal },
  { repository, pull, issue }: OpenedPull,
): Promise<Stream | undefined> {
  const format = textFormatOf(call.headers['accept']);
  if (format !== 'diff' && format !== 'patch') return undefined;
  const git = kernel.services.git.repository(repository.number, call.signal);
  const ends = await endsOf(git, pull, issue.state === 'open');
  if (format === 'patch') return await streamText(kernel, call, format, streamPullPatches(git, ends));
  const mergeBase = await findMergeBase(git, ends);
  return await streamText(kernel, call, format, streamPullDiff(git, { mergeBase, head: ends.head }));
}

const updatePullRequest = pullRoute(
  {
    id: 'pulls/update',
    method: 'PATCH',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}',
    summary: 'Change a pull request',
    description:
      'For its author and those who may write; those who may triage close and reopen it. Whether maintainers may push to the branch of a fork is for those who may push there.',
    access: UPDATE_PULL,
    params: PullParams,
    body: PullPatch,
    bodyIsOptional: true,
    reply: { 200: PullReply },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    const { title, body, state, base, maintainer_can_modify: collab } = call.body ?? {};
    call.requirePermission(repositoryResource(opened));
    requireRights(call.caller, opened, {
      isText: [title, body, base].some((one) => one !== undefined),
      state,
    });
    if (collab !== undefined) await requireForkCollab(kernel, call.caller, opened, collab);
    const edit: PullEdit = {
      ...(title !== undefined && { title: checkedTitle(title) }),
      ...(body !== undefined && { body: checkedBody(body) }),
      ...(state !== undefined && { state }),
      ...(collab !== undefined && isFromFork(opened) && { mayMaintainerModify: collab }),
      ...(base !== undefined &&
        base !== opened.pull.baseRef && { base: await newBase(kernel, opened, base) }),
    };
    if (state === 'open' && opened.issue.state === 'closed') await requireHead(kernel, opened);
    const { id } = opened.issue;
    const issue = await kernel.changes.run(call, (tx) => editPull(tx, opened, id, edit));
    return await replyWhole(kernel, call, opened, issue);
  },
);

function requireRights(
  caller: KnownCaller,
  { issue, role }: OpenedPull,
  { isText, state }: { isText: boolean; state: IssueState | undefined },
): void {
  if (isAuthor(caller, issue.author) || includesRole(role, 'write')) return;
  const isAllowed = !isText && (state === undefined || includesRole(role, 'triage'));
  if (!isAllowed) throw new Failure('denied', 'You may not change a pull request of somebody else.');
}

function isFromFork({ pull, repository }: OpenedPull): boolean {
  return pull.headRepositoryNumber !== null && pull.headRepositoryNumber !== repository.number;
}

async function requireForkCollab(
  { db }: Kernel,
  caller: KnownCaller,
  opened: OpenedPull,
  wanted: boolean,
): Promise<void> {
  const { headRepositoryNumber: number, mayMaintainerModify } = opened.pull;
  if (!isFromFork(opened) || wanted === mayMaintainerModify) return;
  const head = await findRepositoryByNumber(db, number!);
  if (head === undefined || !includesRole(await roleOn(db, caller, head), 'write')) throw noForkCollab();
}

async function newBase(
  kernel: Kernel,
  opened: OpenedPull,
  ref: string,
): Promise<NonNullable<PullEdit['base']>> {
  const { pull, issue, repository } = opened;
  if (issue.state === 'closed') throw closedBase();
  const git = kernel.services.git.repository(repository.number);
  const base = await readBranch(git, ref);
  if (base === undefined) throw pullRefused('is invalid', 'base', 'invalid');
  const { measure, update } = await measureEnds(git, { base, head: pull.headSha });
  if (measure.mergeBase === undefined)
    throw pullRefused(`The ${ref} branch has no history in common with ${pull.headRef}`);
  if (measure.ahead === 0) throw pullRefused(`No commits between ${ref} and ${pull.headRef}`);
  const [shown] = await showPulls(kernel.db, 'receiver', opened, [issue]);
  const owner = shown?.head.owner?.login;
  return { ref, update, headLabel: owner === undefined ? pull.headRef : `${owner}:${pull.headRef}` };
}

/** A pull request without a branch, or into none, stays closed. */
async function requireHead({ services }: Kernel, { pull, repository }: OpenedPull): Promise<void> {
  const { headRepositoryNumber: number, headRef, baseRef } = pull;
  const head = number === null ? undefined : await readBranch(services.git.repository(number), headRef);
  const base = await readBranch(services.git.repository(repository.number), baseRef);
  const missing = head === undefined ? headRef : base === undefined ? baseRef : undefined;
  if (missing !== undefined && pull.mergedAt === null)
    throw pullRefused(`cannot be changed. The ${missing} branch has been deleted.`, 'state', 'invalid');
}

export const pullRoutes = [listPullRequests, createPullRequest, getPullRequest, updatePullRequest];

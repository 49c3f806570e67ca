// Statuses of commits: what checks from outside report about them.
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply } from '../../kernel/http/route.ts';
import { problem, Type } from '../../kernel/schema/schema.ts';
import { findCommit, noCommitFound } from '../commits/find-commit.ts';
import type { EventDetails, HostEvent } from '../events/model.ts';
import { recordEvent } from '../events/record-event.ts';
import type { GitCommit } from '../git/objects/commit-object.ts';
import { pageLinks, HostPageQuery, pageBefore, pageSliceOf } from '../list-query.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import {
  PUSH_REPOSITORY,
  READ_REPOSITORY,
  repositoryRoute,
  type FoundRepository,
  RepositoryParams,
} from '../repositories/access.ts';
import { toMinimalRepository } from '../repositories/model.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { isoSeconds } from '../times.ts';
import {
  CombinedStatus,
  combinedState,
  StatusCreation,
  StatusReply,
  toSimpleStatus,
  toStatus,
  type CommitStatus,
} from './model.ts';
import { insertStatus, listNewestStatuses, listStatuses } from './store.ts';

const createStatus = repositoryRoute(
  {
    id: 'repos/create-commit-status',
    method: 'POST',
    path: '/repos/{owner}/{repo}/statuses/{sha}',
    summary: 'Report the status of a commit',
    description: 'A commit has at most 1000 statuses of each context; the newest counts.',
    access: PUSH_REPOSITORY,
    params: Type.Object({ ...RepositoryParams, sha: Type.String() }),
    body: StatusCreation,
    reply: { 201: StatusReply },
    isData: true,
  },
  'write',
  async (call, { db, services }, found) => {
    const { params, body, caller, base, now } = call;
    const { number } = found.repository;
    const commit = await services.git.repository(number).readCommit(params.sha.toLowerCase());
    if (commit === undefined) throw noCommitFound(params.sha);
    const account = accountOf(caller);
    const fields = {
      context: body.context ?? 'default',
      state: body.state,
      description: body.description || null,
      targetUrl: checkedUrl(body.target_url),
      creatorId: account.id,
    };
    const target = { repository: number, sha: commit.oid };
    const status = await db.transaction().execute(async (tx) => {
      const inserted = await insertStatus(tx, target, fields, now);
      if (inserted !== undefined)
        await recordEvent({ db: tx, actor: call }, statusEvent(inserted, commit), { found });
      return inserted;
    });
    if (status === undefined)
      throw new Failure(
        'invalid',
        `This SHA and context has reached the maximum number of statuses, 1000: ${fields.context}`,
      );
    const url = urlOf(found, commit.oid, base);
    return reply(201, toStatus(status, ownerOfAccount(account), url, base), { location: url });
  },
);

/** A message may be as long as a file can be. */
const MAX_MESSAGE_LENGTH = 65_536;

function statusEvent(status: CommitStatus, commit: GitCommit): HostEvent {
  const { oid, tree, parents, author, committer } = commit;
  const at = isoSeconds(status.createdAt);
  const details = {
    id: status.number,
    sha: status.sha,
    target_url: status.targetUrl,
    context: status.context,
    description: status.description,
    state: status.state,
    created_at: at,
    updated_at: at,
    commit: { oid, tree, parents, author, committer, message: commit.message.slice(0, MAX_MESSAGE_LENGTH) },
  } satisfies EventDetails['status'];
  return { name: 'status', details };
}

/** Another scheme, such as `javascript:`, would run in the browsers of those who follow the link. */
function checkedUrl(url: string | null | undefined): string | null {
  if (!url) return null;
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw problem('target_url', 'must be a URL with http or https');
}

const RefParams = Type.Object({
  ...RepositoryParams,
  ref: Type.String({ description: 'A branch, a tag, or a commit; slashes in it are encoded' }),
});

const listCommitStatuses = repositoryRoute(
  {
    id: 'repos/list-commit-statuses-for-ref',
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits/{ref}/statuses',
    // The address of statuses in replies.
    aliases: [{ path: '/repos/{owner}/{repo}/statuses/{ref}' }],
    summary: 'List the statuses of a commit',
    description: 'The newest first.',
    access: READ_REPOSITORY,
    params: RefParams,
    query: Type.Object(HostPageQuery),
    list: StatusReply,
  },
  'read',
  async ({ params, query, base }, { db, services }, found) => {
    const { number } = found.repository;
    const { oid: sha } = await findCommit(services.git.repository(number), params.ref);
    const slice = pageSliceOf(query);
    // One more than the page has shows whether another follows.
    const more = { ...slice, limit: slice.limit + 1 };
    const statuses = await listStatuses(db, { repository: number, sha }, more);
    const creators = await listOwners(
      db,
      statuses.map(({ creatorId }) => creatorId),
    );
    const url = urlOf(found, sha, base);
    return pageBefore(statuses, slice).map((status) =>
      toStatus(status, creators.get(status.creatorId), url, base),
    );
  },
);

const getCombinedStatus = repositoryRoute(
  {
    id: 'repos/get-combined-status-for-ref',
    method: 'GET',
    path: '/repos/{owner}/{repo}/commits/{ref}/status',
    summary: 'Get the combined status of a commit',
    description:
      'From the newest status of each context: `failure` if one has failed, `pending` if one is pending or there is none.',
    access: READ_REPOSITORY,
    params: RefParams,
    query: Type.Object(HostPageQuery),
    reply: { 200: CombinedStatus },
  },
  'read',
  async ({ params, query, caller, base, url: calledUrl }, { db, services }, found) => {
    const { number } = found.repository;
    const { oid: sha } = await findCommit(services.git.repository(number), params.ref);
    const slice = pageSliceOf(query);
    const { items, counts } = await listNewestStatuses(db, { repository: number, sha }, slice);
    const creators = await listOwners(
      db,
      items.map(({ creatorId }) => creatorId),
    );
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const [shown] = await showRepositories(db, caller, [found.repository]);
    const api = `${base}/repos/${found.owner.login}/${found.repository.name}`;
    const url = urlOf(found, sha, base);
    const combined = {
      state: combinedState(new Set(counts.keys())),
      statuses: items.map((status) => toSimpleStatus(status, creators.get(status.creatorId), url, base)),
      sha,
      total_count: total,
      repository: toMinimalRepository(shown ?? { ...found, role: undefined }, base),
      commit_url: `${api}/commits/${sha}`,
      url: `${api}/commits/${sha}/status`,
    };
    return reply(200, combined, pageLinks(new Page([], total, slice), base, calledUrl));
  },
);

function urlOf({ owner, repository }: FoundRepository, sha: string, base: string): string {
  return `${base}/repos/${owner.login}/${repository.name}/statuses/${sha}`;
}

export const statusRoutes = [createStatus, listCommitStatuses, getCombinedStatus];

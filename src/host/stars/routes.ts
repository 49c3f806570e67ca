// Stars: give and take them, and lists of who starred what.
import type { Static } from '../../kernel/schema/schema.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import type { EventDetails } from '../events/model.ts';
import { recordEvent, recordEvents } from '../events/record-event.ts';
import { mediaParamOf } from '../media-type.ts';
import { SimpleUser } from '../owners/model.ts';
import { findOwner, listOwners } from '../owners/store.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import {
  READ_REPOSITORY,
  REPOSITORY_CHANNEL,
  repositoryNotFound,
  repositoryRoute,
  type FoundRepository,
  RepositoryParams,
} from '../repositories/access.ts';
import { NestedRepository } from '../repositories/model.ts';
import { personalRoute } from '../repositories/personal-route.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { viewerFor } from '../repositories/visibility.ts';
import { listRepositoriesByNumber, lockRepository } from '../repositories/store.ts';
import { isoSeconds } from '../times.ts';
import { userResource, userNotFound } from '../users/access.ts';
import { Stargazer, StarredRepository, toStargazer, toStarred } from './model.ts';
import { deleteStar, hasStar, insertStar, listStargazers, listStarred } from './store.ts';

const StarredQuery = Type.Object({
  sort: Type.Optional(
    OneOf(['created', 'updated'], { description: 'By the time of the star, or of the last push' }),
  ),
  direction: Type.Optional(OneOf(['asc', 'desc'])),
  ...HostPageQuery,
});

const StarredItem = Type.Union([NestedRepository, StarredRepository]);

const StarPath = Type.Object({ owner: Type.String(), repo: Type.String() });

const listOwnStarred = route(
  {
    id: 'activity/list-repos-starred-by-authenticated-user',
    method: 'GET',
    path: '/user/starred',
    summary: 'List the repositories that the caller has starred',
    description: 'The newest star first. The media type `application/vnd.<vendor>.star+json` adds the times.',
    access: { action: 'viewStars' },
    query: StarredQuery,
    list: StarredItem,
  },
  async (call, kernel) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    return await showStarred(call, kernel, account.id);
  },
);

const listStarredByUser = route(
  {
    id: 'activity/list-repos-starred-by-user',
    method: 'GET',
    path: '/users/{username}/starred',
    summary: 'List the repositories that a user has starred',
    description: 'The newest star first. The media type `application/vnd.<vendor>.star+json` adds the times.',
    access: 'anyone',
    params: Type.Object({ username: Type.String() }),
    query: StarredQuery,
    list: StarredItem,
  },
  async (call, kernel) => {
    const owner = await findOwner(kernel.db, call.params.username);
    if (owner === undefined) throw userNotFound(call.params.username);
    return await showStarred(call, kernel, owner.id);
  },
);

interface StarredCall {
  caller: Caller;
  query: Static<typeof StarredQuery>;
  headers: Record<string, string | string[] | undefined>;
  base: string;
}

async function showStarred({ caller, query, headers, base }: StarredCall, { db }: Kernel, accountId: string) {
  const slice = pageSliceOf(query);
  const { sort = 'created', direction = 'desc' } = query;
  const order = { sort, desc: direction === 'desc' };
  const { items, total } = await listStarred(db, accountId, viewerFor(caller), order, slice);
  const found = await listRepositoriesByNumber(
    db,
    items.map(({ number }) => number),
  );
  const repositories = items.flatMap(({ number }) => found.get(number) ?? []);
  const shown = await showRepositories(db, caller, repositories);
  const times = new Map(items.map(({ number, starredAt }) => [number, starredAt]));
  const param = mediaParamOf(acceptOf(headers));
  return new Page(shown, total, slice).map((one) =>
    toStarred({ shown: one, starredAt: times.get(one.repository.number)! }, base, param),
  );
}

const checkStar = personalRoute(
  {
    id: 'activity/check-repo-is-starred-by-authenticated-user',
    method: 'GET',
    path: '/user/starred/{owner}/{repo}',
    summary: 'Check whether the caller has starred a repository',
    description: 'Answered 204 when they have, and 404 when they have not.',
    access: { action: 'viewStars' },
    params: StarPath,
    reply: { 204: null },
  },
  async (call, { db }, { repository }) => {
    if (!(await hasStar(db, accountOf(call.caller).id, repository.number)))
      throw new Failure('not-found', 'You have not starred the repository');
    return reply(204);
  },
);

const addStar = personalRoute(
  {
    id: 'activity/star-repo-for-authenticated-user',
    method: 'PUT',
    path: '/user/starred/{owner}/{repo}',
    summary: 'Star a repository',
    access: { action: 'updateStars' },
    params: StarPath,
    reply: { 204: null },
    isData: true,
  },
  async (call, kernel, found) => {
    const { caller, now } = call;
    const { number } = found.repository;
    await kernel.changes.run(call, async (tx) => {
      await shareLockAccount(tx.db, caller);
      const locked = await lockForStar(tx, found);
      if (!(await insertStar(tx.db, accountOf(caller).id, number, now))) return;
      const details = { starred_at: isoSeconds(now) } satisfies EventDetails['star.created'];
      const star = { name: 'star', action: 'created', details } as const;
      const watch = { name: 'watch', action: 'started', details: {} } as const;
      await recordEvents(tx, [star, watch], { found: withStars(locked, 1) });
    });
    return reply(204);
  },
);

const removeStar = personalRoute(
  {
    id: 'activity/unstar-repo-for-authenticated-user',
    method: 'DELETE',
    path: '/user/starred/{owner}/{repo}',
    summary: 'Take back the star of a repository',
    access: { action: 'updateStars' },
    params: StarPath,
    reply: { 204: null },
    isData: true,
  },
  async (call, kernel, found) => {
    await kernel.changes.run(call, async (tx) => {
      const locked = await lockForStar(tx, found);
      if (!(await deleteStar(tx.db, accountOf(call.caller).id, found.repository.number))) return;
      const details = { starred_at: null } satisfies EventDetails['star.deleted'];
      await recordEvent(tx, { name: 'star', action: 'deleted', details }, { found: withStars(locked, -1) });
    });
    return reply(204);
  },
);

/** The cached repository has the count. */
async function lockForStar(
  tx: ChangeTransaction,
  { repository: { number }, owner }: FoundRepository,
): Promise<FoundRepository> {
  const repository = await lockRepository(tx.db, number);
  if (repository === undefined) throw repositoryNotFound();
  await tx.invalidate(REPOSITORY_CHANNEL);
  return { repository, owner };
}

function withStars({ repository, owner }: FoundRepository, change: 1 | -1): FoundRepository {
  return { repository: { ...repository, starCount: repository.starCount + change }, owner };
}

const listStargazersRoute = repositoryRoute(
  {
    id: 'activity/list-stargazers-for-repo',
    method: 'GET',
    path: '/repos/{owner}/{repo}/stargazers',
    summary: 'List who has starred a repository',
    description: 'The oldest star first. The media type `application/vnd.<vendor>.star+json` adds the times.',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object(HostPageQuery),
    list: Type.Union([SimpleUser, Stargazer]),
  },
  'read',
  async ({ query, headers, base }, { db }, { repository }) => {
    const slice = pageSliceOf(query);
    const { items, total } = await listStargazers(db, repository.number, slice);
    const owners = await listOwners(
      db,
      items.map(({ accountId }) => accountId),
    );
    const param = mediaParamOf(acceptOf(headers));
    const shown = items.flatMap(({ accountId, starredAt }) => {
      const owner = owners.get(accountId);
      return owner === undefined ? [] : toStargazer({ owner, starredAt }, base, param);
    });
    return new Page(shown, total, slice);
  },
);

function acceptOf({ accept }: Record<string, string | string[] | undefined>): string | undefined {
  return typeof accept === 'string' ? accept : undefined;
}

export const starRoutes = [
  listOwnStarred,
  listStarredByUser,
  checkStar,
  addStar,
  removeStar,
  listStargazersRoute,
];

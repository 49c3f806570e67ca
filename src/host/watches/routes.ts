// Watched repositories: the caller's watch of one, and lists of who watches what.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page, type Slice } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { SimpleUser, toSimpleUser } from '../owners/model.ts';
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
import { MinimalRepository, toMinimalRepository, type ShownRepository } from '../repositories/model.ts';
import { personalRoute } from '../repositories/personal-route.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { viewerFor } from '../repositories/visibility.ts';
import { listRepositoriesByNumber, lockRepository } from '../repositories/store.ts';
import { userResource, userNotFound } from '../users/access.ts';
import { RepositorySubscription, SubscriptionRequest, toSubscription, wantedWatch } from './model.ts';
import { deleteWatch, findWatch, listWatched, listWatchers, upsertWatch } from './store.ts';

const getSubscription = personalRoute(
  {
    id: 'activity/get-repo-subscription',
    method: 'GET',
    path: '/repos/{owner}/{repo}/subscription',
    summary: "Get the caller's watch of a repository",
    access: { action: 'viewWatches' },
    params: Type.Object(RepositoryParams),
    reply: { 200: RepositorySubscription },
  },
  async (call, { db }, found) => {
    const watch = await findWatch(db, accountOf(call.caller).id, found.repository.number);
    if (watch === undefined) throw new Failure('not-found', 'You do not watch the repository');
    return toSubscription(watch, fullNameOf(found), call);
  },
);

const setSubscription = personalRoute(
  {
    id: 'activity/set-repo-subscription',
    method: 'PUT',
    path: '/repos/{owner}/{repo}/subscription',
    summary: 'Watch a repository, or ignore it',
    description: 'With `ignored` it is ignored; otherwise it is watched, unless `subscribed` is false.',
    access: { action: 'updateWatches' },
    params: Type.Object(RepositoryParams),
    body: SubscriptionRequest,
    bodyIsOptional: true,
    reply: { 200: RepositorySubscription },
    isData: true,
  },
  async (call, { changes }, found) => {
    const { caller, now } = call;
    const { number } = found.repository;
    const { id } = accountOf(caller);
    const wanted = wantedWatch(call.body ?? {});
    const watch = await changes.run(call, async (tx) => {
      await shareLockAccount(tx.db, caller);
      if ((await lockRepository(tx.db, number)) === undefined) throw repositoryNotFound();
      await tx.invalidate(REPOSITORY_CHANNEL);
      if (wanted !== 'none') return await upsertWatch(tx.db, id, number, wanted === 'ignore', now);
      await deleteWatch(tx.db, id, number);
      return undefined;
    });
    return toSubscription(watch, fullNameOf(found), call);
  },
);

const deleteSubscription = personalRoute(
  {
    id: 'activity/delete-repo-subscription',
    method: 'DELETE',
    path: '/repos/{owner}/{repo}/subscription',
    summary: 'Stop watching a repository',
    access: { action: 'updateWatches' },
    params: Type.Object(RepositoryParams),
    reply: { 204: null },
    isData: true,
  },
  async (call, { changes }, { repository: { number } }) => {
    await changes.run(call, async (tx) => {
      if ((await lockRepository(tx.db, number)) === undefined) throw repositoryNotFound();
      await tx.invalidate(REPOSITORY_CHANNEL);
      await deleteWatch(tx.db, accountOf(call.caller).id, number);
    });
    return reply(204);
  },
);

const listSubscribers = repositoryRoute(
  {
    id: 'activity/list-watchers-for-repo',
    method: 'GET',
    path: '/repos/{owner}/{repo}/subscribers',
    summary: 'List who watches a repository',
    access: READ_REPOSITORY,
    params: Type.Object(RepositoryParams),
    query: Type.Object(HostPageQuery),
    list: SimpleUser,
  },
  'read',
  async ({ query, base }, { db }, { repository }) => {
    const slice = pageSliceOf(query);
    const { accountIds, total } = await listWatchers(db, repository.number, slice);
    const owners = await listOwners(db, accountIds);
    return new Page(
      accountIds.flatMap((id) => owners.get(id) ?? []),
      total,
      slice,
    ).map((owner) => toSimpleUser(owner, base));
  },
);

const listOwnWatched = route(
  {
    id: 'activity/list-watched-repos-for-authenticated-user',
    method: 'GET',
    path: '/user/subscriptions',
    summary: 'List the repositories that the caller watches',
    access: { action: 'viewWatches' },
    query: Type.Object(HostPageQuery),
    list: MinimalRepository,
  },
  async (call, kernel) => {
    const account = accountOf(call.caller);
    call.requirePermission(userResource(account));
    const page = await readWatched(kernel, call.caller, account.id, pageSliceOf(call.query));
    return page.map((shown) => toMinimalRepository(shown, call.base));
  },
);

const listWatchedByUser = route(
  {
    id: 'activity/list-repos-watched-by-user',
    method: 'GET',
    path: '/users/{username}/subscriptions',
    summary: 'List the repositories that a user watches',
    access: 'anyone',
    params: Type.Object({ username: Type.String() }),
    query: Type.Object(HostPageQuery),
    list: MinimalRepository,
  },
  async ({ caller, params, query, base }, kernel) => {
    const owner = await findOwner(kernel.db, params.username);
    if (owner === undefined) throw userNotFound(params.username);
    const page = await readWatched(kernel, caller, owner.id, pageSliceOf(query));
    return page.map((shown) => toMinimalRepository(shown, base));
  },
);

async function readWatched(
  { db }: Kernel,
  caller: Caller,
  accountId: string,
  slice: Slice,
): Promise<Page<ShownRepository>> {
  const { numbers, total } = await listWatched(db, accountId, viewerFor(caller), slice);
  const found = await listRepositoriesByNumber(db, numbers);
  const repositories = numbers.flatMap((number) => found.get(number) ?? []);
  const shown = await showRepositories(db, caller, repositories);
  return new Page(shown, total, slice);
}

function fullNameOf({ owner, repository }: FoundRepository): string {
  return `${owner.login}/${repository.name}`;
}

export const watchRoutes = [
  getSubscription,
  setSubscription,
  deleteSubscription,
  listSubscribers,
  listOwnWatched,
  listWatchedByUser,
];

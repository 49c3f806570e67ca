// The store: lists the public Actors of all accounts.
import { findAccount, listAccounts, type Account } from '../../kernel/identity/store-accounts.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { countRecentUsers } from '../actors/store-users.ts';
import { listSliceOf } from '../list-query.ts';
import { toPublicUser } from '../users/model.ts';
import { StoreListActor, StoreQuery, toStoreListActor, type ActorOwner } from './model.ts';
import { listStore, type StoreFilter } from './store-list.ts';

const list = route(
  {
    id: 'store_get',
    method: 'GET',
    path: '/store',
    summary: 'List the public Actors of all accounts',
    description:
      'Needs no token. With a search or a filter, the list and its `total` have a thousand Actors at most: those that were ' +
      'added or changed last.',
    access: 'anyone',
    query: StoreQuery,
    list: StoreListActor,
  },
  async (call, kernel) => {
    const { search, sortBy, category, username, pricingModel } = call.query;
    const slice = listSliceOf(call.query);
    const empty = new Page([], 0, slice);
    if (pricingModel !== undefined && pricingModel !== 'FREE') return empty;
    const filter: StoreFilter = {};
    // Clients send parameters that they have no value for as empty ones.
    if (search !== undefined && search.trim() !== '') filter.search = search;
    if (category !== undefined && category !== '') filter.category = category;
    if (username !== undefined && username !== '') {
      const owner = await findAccount(kernel.db, { username });
      if (owner === undefined) return empty;
      filter.userId = owner.id;
    }
    const { items, total } = await listStore(kernel.engine, filter, sortBy, slice);
    const accounts = await listAccounts(
      kernel.db,
      items.map(({ userId }) => userId),
    );
    const usersOf = await countRecentUsers(
      kernel.db,
      items.map(({ id }) => id),
      call.now,
    );
    const shown = items.map((item) =>
      toStoreListActor(item, ownerOf(accounts.get(item.userId)), usersOf(item.id), call.base),
    );
    return new Page(shown, total, slice);
  },
);

function ownerOf(account: Account | undefined): ActorOwner {
  if (account === undefined) return { username: '', fullName: null };
  const { username, profile } = toPublicUser(account);
  return { username, fullName: profile.name ?? null };
}

export const storeRoutes = [list];

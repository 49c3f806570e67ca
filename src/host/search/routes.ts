// Search, which consumes a budget of its own.
import { Failure } from '../../kernel/failure.ts';
import { searchMembers } from '../../kernel/identity/store-members.ts';
import { clampLimit, Page, type Slice } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { ownerOfAccount, toSimpleUser } from '../owners/model.ts';
import { pageLinks } from '../list-query.ts';
import { SearchResults, UserSearchResult, MAX_RESULTS, UserSearchQuery } from './model.ts';
import { searchUsersByRepositories, type UserSearch } from './store.ts';

const searchUsers = route(
  {
    id: 'search/users',
    method: 'GET',
    path: '/search/users',
    summary: 'Search users by name',
    description:
      'Where very many match, only the best matches are sorted by repositories, and `incomplete_results` says so.',
    access: 'anyone',
    query: UserSearchQuery,
    reply: { 200: SearchResults(UserSearchResult) },
    limit: 'search',
    cache: 'never',
  },
  async ({ query, base, url }, { db }) => {
    const limit = clampLimit(query.per_page, 30, 100);
    const offset = (query.page - 1) * limit;
    if (offset >= MAX_RESULTS)
      throw new Failure('invalid', 'Only the first 1000 search results are available');
    const { items, total, isComplete } = await findUsers(db, query, { offset, limit });
    const page = new Page(items, Math.min(total, MAX_RESULTS), { offset, limit });
    return reply(
      200,
      {
        total_count: total,
        incomplete_results: !isComplete,
        items: items.map((member) => ({ ...toSimpleUser(ownerOfAccount(member), base), score: 1 })),
      },
      pageLinks(page, base, url),
    );
  },
);

async function findUsers(
  db: Db,
  { q, sort, order = 'desc' }: Static<typeof UserSearchQuery>,
  slice: Slice,
): Promise<UserSearch> {
  if (sort === 'repositories') return await searchUsersByRepositories(db, q, order, slice);
  const found = await searchMembers(db, q, slice, sort === 'joined' ? order : undefined);
  return { ...found, isComplete: true };
}

export const searchRoutes = [searchUsers];

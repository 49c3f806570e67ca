// Search, which draws on a budget of its own.
import { Failure } from '../../kernel/failure.ts';
import { searchMembers } from '../../kernel/identity/store-members.ts';
import { clampLimit, Page } from '../../kernel/page.ts';
import { reply, route } from '../../kernel/route.ts';
import { ownerOfAccount, toSimpleUser } from '../owners/model.ts';
import { pageLinks } from '../page-links.ts';
import { SearchResults, UserSearchResult, MAX_RESULTS, SearchQuery } from './model.ts';

const searchUsers = route(
  {
    id: 'search/users',
    method: 'GET',
    path: '/search/users',
    summary: 'Search users by name',
    access: 'anyone',
    query: SearchQuery,
    reply: { 200: SearchResults(UserSearchResult) },
    limit: 'search',
    cache: 'never',
  },
  async ({ query, base, url }, { db }) => {
    const limit = clampLimit(query.per_page, 30, 100);
    const offset = (query.page - 1) * limit;
    if (offset >= MAX_RESULTS)
      throw new Failure('invalid', 'Only the first 1000 search results are available');
    const { items, total } = await searchMembers(db, query.q, { offset, limit });
    const page = new Page(items, Math.min(total, MAX_RESULTS), { offset, limit });
    return reply(
      200,
      {
        total_count: total,
        incomplete_results: false,
        items: items.map((member) => ({ ...toSimpleUser(ownerOfAccount(member), base), score: 1 })),
      },
      pageLinks(page, base, url),
    );
  },
);

export const searchRoutes = [searchUsers];

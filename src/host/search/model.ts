// Search results: the total count, and a page of items with a score.
import { Type, type TObject } from '../../kernel/schema.ts';
import { SimpleUser } from '../owners/model.ts';

export const SearchQuery = Type.Object({
  q: Type.String({ minLength: 1, maxLength: 256, description: 'What to look for' }),
  page: Type.Integer({ minimum: 1, default: 1 }),
  per_page: Type.Optional(Type.Integer({ minimum: 0, description: 'At most 100; 30 when not given' })),
});

export const UserSearchResult = Type.Object(
  { ...SimpleUser.properties, score: Type.Number() },
  { $id: 'user-search-result-item' },
);

export function SearchResults(item: TObject) {
  return Type.Object({
    total_count: Type.Integer(),
    incomplete_results: Type.Boolean(),
    items: Type.Array(item),
  });
}

/** Only the first thousand results of a search can be fetched. */
export const MAX_RESULTS = 1000;

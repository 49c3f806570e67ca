// Search results: the total count, and a page of items with a score.
import { OneOf, Type, type TObject } from '../../kernel/schema/schema.ts';
import { SimpleUser } from '../owners/model.ts';

export const UserSearchQuery = Type.Object({
  q: Type.String({ minLength: 1, maxLength: 256, description: 'What to look for' }),
  sort: Type.Optional(
    OneOf(['followers', 'repositories', 'joined'], {
      description:
        'By the number of public repositories, or by when users joined. Nobody has followers here: that is the order of the best match, which is the default.',
    }),
  ),
  order: Type.Optional(
    OneOf(['desc', 'asc'], { description: 'Descending when not given; used with `sort` only' }),
  ),
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

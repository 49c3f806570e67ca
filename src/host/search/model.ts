// Search replies: how many there are in all, and a page of them with a score.
import { Type, type TObject } from '../../kernel/schema.ts';
import { SimpleUser } from '../users/model.ts';

export const SearchQuery = Type.Object({
  q: Type.String({ minLength: 1, maxLength: 256, description: 'What to look for' }),
  page: Type.Integer({ minimum: 1, default: 1 }),
  per_page: Type.Optional(Type.Integer({ minimum: 0, description: 'At most 100; 30 when not given' })),
});

export const FoundUser = Type.Object(
  { ...SimpleUser.properties, score: Type.Number() },
  { $id: 'user-search-result-item' },
);

export function Found(item: TObject) {
  return Type.Object({
    total_count: Type.Integer(),
    incomplete_results: Type.Boolean(),
    items: Type.Array(item),
  });
}

/** A search shows its first thousand results, however many there are. */
export const MOST_RESULTS = 1000;

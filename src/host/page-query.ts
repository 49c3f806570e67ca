// The paging parameters of the host's lists.
import { clampLimit, Page, type Slice } from '../kernel/page.ts';
import { Type } from '../kernel/schema.ts';

/** For the `query` of lists. */
export const PAGE_QUERY = {
  per_page: Type.Optional(Type.Integer({ minimum: 0, description: 'At most 100; 30 if absent' })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
};

export function sliceOf({ per_page: size, page = 1 }: { per_page?: number; page?: number }): Slice {
  const limit = clampLimit(size, 30, 100);
  return { offset: (page - 1) * limit, limit };
}

/** Where counting stopped early, the links name no last page. */
export function pageOf<Item>(
  items: Item[],
  { total, isTotalExact }: { total: number; isTotalExact: boolean },
  slice: Slice,
): Page<Item> {
  return new Page(items, total, slice, false, isTotalExact ? {} : { isTotalExact });
}

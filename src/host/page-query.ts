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

/** The page of a list that is not counted: the items are one more than the page has, if another follows. */
export function pageBefore<Item>(items: readonly Item[], slice: Slice): Page<Item> {
  const total = slice.offset + items.length;
  const isTotalExact = items.length <= slice.limit && items.length > 0;
  return pageOf(items.slice(0, slice.limit), { total, isTotalExact }, slice);
}

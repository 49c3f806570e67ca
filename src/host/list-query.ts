// The pages of the host's lists: the query parameters `page` and `per_page`, and the header Link.
import type { Headers } from '../kernel/http/protocol.ts';
import { clampLimit, Page, type Slice, neighbours } from '../kernel/http/reply/page.ts';
import { Type } from '../kernel/schema/schema.ts';
import { siteOf } from './site.ts';

/** Nothing has so many pages, and offsets stay exact. */
const MAX_PAGE = 1_000_000;

/** Parameters of every list that has pages. */
export const HostPageQuery = {
  page: Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 1 }),
  per_page: Type.Optional(Type.Integer({ minimum: 0, description: 'At most 100; 30 when not given' })),
};

export function pageSliceOf({ page, per_page: perPage }: { page: number; per_page?: number }): Slice {
  const limit = perPageOf(perPage);
  return { offset: (page - 1) * limit, limit };
}

export function perPageOf(perPage: number | undefined): number {
  return clampLimit(perPage, 30, 100);
}

/** How many items a list has. Where it is not exact, there are more. */
export interface BoundedTotal {
  /** At most `offset + MAX_COUNTED`. */
  total: number;
  isTotalExact: boolean;
}

/** Counting stops so many after the beginning of the page: what comes after it is only known to exist. */
export const MAX_COUNTED = 1000;

/** `count` counts no further than the number that it gets. */
export async function countBounded(
  { offset }: Pick<Slice, 'offset'>,
  count: (atMost: number) => Promise<number>,
): Promise<BoundedTotal> {
  const max = offset + MAX_COUNTED;
  const total = await count(max + 1);
  return { total: Math.min(total, max), isTotalExact: total <= max };
}

/** Where counting stopped early, the links name no last page. */
export function pageOf<Item>(items: Item[], { total, isTotalExact }: BoundedTotal, slice: Slice): Page<Item> {
  return new Page(items, total, slice, false, isTotalExact ? {} : { isTotalExact });
}

/** The page of a list that is not counted: the items are one more than the page has, if another follows. */
export function pageBefore<Item>(items: readonly Item[], slice: Slice): Page<Item> {
  const total = slice.offset + items.length;
  const isTotalExact = items.length <= slice.limit && items.length > 0;
  return pageOf(items.slice(0, slice.limit), { total, isTotalExact }, slice);
}

/** Returns no header when everything fits on one page. */
export function pageLinks(page: Page, base: string, url: string): Headers {
  const { limit, offset } = page.slice;
  if (offset === 0 && page.total <= limit) return {};
  const site = siteOf(base);
  const { pathname, searchParams } = new URL(url, base);
  const { last, ...others } = neighbours(page);
  const shown = page.more['isTotalExact'] === false ? others : { ...others, last };
  const links = Object.entries(shown).map(([rel, start]) => {
    searchParams.set('page', String(start / limit + 1));
    searchParams.set('per_page', String(limit));
    return `<${site}${pathname}?${searchParams.toString()}>; rel="${rel}"`;
  });
  return { link: links.join(', ') };
}

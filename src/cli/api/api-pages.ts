// Pages of lists, as each API has them: the items of one, and where the next one is.
import { Failure } from '../../kernel/failure.ts';

export interface ListPage {
  items: readonly unknown[];
  /** A path or a URL; undefined behind the last page. */
  next: string | undefined;
}

interface ListBody {
  items?: unknown;
  next?: unknown;
  data?: ListBody;
  total?: number;
  offset?: number;
  count?: number;
  nextExclusiveStartKey?: string | null;
  nextCursor?: string | null;
  _links?: { next?: { href?: string } };
}

export function readListPage(path: string, body: unknown, headers: Headers): ListPage {
  if (Array.isArray(body)) return { items: body, next: linkOf(headers) ?? nextSlice(path, body, headers) };
  const list = body as ListBody;
  const page = list.data ?? list;
  // The host wraps some lists: `{ "total_count": 2, "repositories": […] }`.
  const items = page.items ?? Object.values(list).find((value) => Array.isArray(value));
  if (!Array.isArray(items)) throw new Failure('invalid', 'The reply is no list: leave --paginate out.');
  return { items, next: linkOf(headers) ?? nextInBody(path, page, items) };
}

function linkOf(headers: Headers): string | undefined {
  return /<([^>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
}

/** Items of a dataset: an array, with its place in headers. */
function nextSlice(path: string, items: readonly unknown[], headers: Headers): string | undefined {
  const [offset, total] = ['offset', 'total'].map((name) =>
    Number(headers.get(`x-apify-pagination-${name}`) ?? NaN),
  );
  const end = offset! + items.length;
  return items.length > 0 && end < total! ? withParameter(path, 'offset', String(end)) : undefined;
}

function nextInBody(path: string, page: ListBody, items: readonly unknown[]): string | undefined {
  const href = page._links?.next?.href;
  if (href !== undefined) return href;
  if (typeof page.next === 'string') return withParameter(path, 'cursor', page.next);
  if (page.nextExclusiveStartKey) return withParameter(path, 'exclusiveStartKey', page.nextExclusiveStartKey);
  if (page.nextCursor) return withParameter(path, 'cursor', page.nextCursor);
  const end = (page.offset ?? NaN) + items.length;
  return items.length > 0 && end < (page.total ?? NaN)
    ? withParameter(path, 'offset', String(end))
    : undefined;
}

function withParameter(path: string, name: string, value: string): string {
  const url = new URL(path, 'http://localhost');
  url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}

// Pages of GraphQL connections that are read by ids: the first ones after a cursor, or the last ones before one.
import type { IdSlice } from '../review-comments/store-threads.ts';
import { typedError } from './cost.ts';

/** The cost of the query has checked that one of the sizes is there, from 1 to 100. */
export interface PageArguments {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

/** One more than the page has, which says whether another follows. */
export function idSliceOf({ first, after, last, before }: PageArguments): IdSlice {
  return {
    limit: (first ?? last ?? 1) + 1,
    isBackward: first == null,
    after: after == null ? undefined : idOf(after),
    before: before == null ? undefined : idOf(before),
  };
}

/** `found` was read with `idSliceOf`. */
export function connectionOf<Item extends { id: number }, Node>(
  { first, last, after, before }: PageArguments,
  found: readonly Item[],
  toNode: (item: Item) => Node,
) {
  const size = first ?? last ?? 1;
  const isBackward = first == null;
  const items = isBackward ? found.slice(-size) : found.slice(0, size);
  const hasMore = found.length > size;
  const edges = items.map((item) => ({ cursor: cursorOf(item.id), node: toNode(item) }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasNextPage: isBackward ? before != null : hasMore,
      hasPreviousPage: isBackward ? hasMore : after != null,
    },
  };
}

function cursorOf(id: number): string {
  return Buffer.from(`cursor:id:${id}`).toString('base64');
}

/** Clients may forge a cursor. */
function idOf(cursor: string): number {
  const id = /^cursor:id:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1];
  if (id === undefined)
    throw typedError('INVALID_CURSOR_ARGUMENTS', `"${cursor}" is not a cursor of this list.`);
  return Number(id);
}

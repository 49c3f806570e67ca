// A page of a list as a handler returns it; the protocol renders it.

export interface Slice {
  offset: number;
  limit: number;
}

export class Page<Item = unknown> {
  readonly items: Item[];
  readonly total: number;
  readonly slice: Slice;
  /** Newest first, for lists that can be sorted both ways. */
  readonly desc: boolean;
  /** Further members of the list, for protocols that have them. */
  readonly more: Record<string, unknown>;

  constructor(items: Item[], total: number, slice: Slice, desc = false, more: Record<string, unknown> = {}) {
    this.items = items;
    this.total = total;
    this.slice = slice;
    this.desc = desc;
    this.more = more;
  }

  map<Other>(change: (item: Item) => Other): Page<Other> {
    return new Page(this.items.map(change), this.total, this.slice, this.desc, this.more);
  }
}

/** The offsets of the previous and the next page; absent where there is none. */
export function neighbours({ total, slice: { offset, limit } }: Page) {
  const last = total === 0 ? 0 : Math.floor((total - 1) / limit) * limit;
  return {
    first: 0,
    last,
    ...(offset > 0 && { prev: Math.max(0, Math.min(offset - limit, last)) }),
    ...(offset + limit < total && { next: offset + limit }),
  };
}

/** The requested limit or the default, capped at the maximum: a larger one is not an error. */
export function clampLimit(requested: number | undefined, fallback: number, max: number): number {
  return Math.min(requested === undefined || requested === 0 ? fallback : requested, max);
}

/** What the description of a parameter says of `clampLimit`. */
export function describeLimit(fallback: number, max: number): string {
  return `At most ${max}: a larger one counts as ${max}. ${fallback} where it is absent or 0`;
}

/** The same URL with changed query values; empty ones are left out and all are sorted, so that equal pages have equal links. */
export function withQuery(url: string, changes: Record<string, string | number | undefined>): string {
  const [path = '', ...rest] = url.split('?');
  const query = new URLSearchParams(rest.join('?'));
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, String(value));
  }
  query.sort();
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

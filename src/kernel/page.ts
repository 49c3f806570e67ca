// A page of a list as a handler returns it; the dialect renders it.

export interface Slice {
  offset: number;
  limit: number;
}

export class Page<Item = unknown> {
  readonly items: Item[];
  readonly total: number;
  readonly slice: Slice;
  /** Newest first, where the list can be turned around. */
  readonly desc: boolean;
  /** What else the list says of itself, where its dialect has room for it. */
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

/** Where the neighbours of a page begin; absent where there is none. */
export function neighbours({ total, slice: { offset, limit } }: Page) {
  const last = total === 0 ? 0 : Math.floor((total - 1) / limit) * limit;
  return {
    first: 0,
    last,
    ...(offset > 0 && { prev: Math.max(0, Math.min(offset - limit, last)) }),
    ...(offset + limit < total && { next: offset + limit }),
  };
}

/** The limit asked for, or the usual one, never more than the most: too much is cut, not refused. */
export function clampLimit(asked: number | undefined, usual: number, most: number): number {
  return Math.min(asked === undefined || asked === 0 ? usual : asked, most);
}

/** The same URL with other query values; empty ones are left out and the rest sorted, so that equal pages have equal links. */
export function withQuery(url: string, changes: Record<string, string | number | undefined>): string {
  const [path = '', ...rest] = url.split('?');
  const text = rest.join('?');
  const query = new URLSearchParams(text);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, String(value));
  }
  query.sort();
  const said = query.toString();
  return said === '' ? path : `${path}?${said}`;
}

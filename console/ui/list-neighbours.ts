// The list that a page was opened from, and the neighbours of an item in it.

/** The addresses of its rows below the console, in their order. */
let items: readonly string[] = [];

export function rememberList(hrefs: readonly string[]): void {
  items = hrefs;
}

/** The item before or after the one at this address, on the same tab of it; undefined where there is none. */
export function neighbourOf(href: string, step: 1 | -1): string | undefined {
  const path = pathOf(href);
  const around = items.filter((item) => isWithin(path, pathOf(item)));
  // Those that open beside their list have its path, and differ in the query.
  const item = items.includes(href) ? href : around.length === 1 ? around[0] : undefined;
  const next = item === undefined ? undefined : items[items.indexOf(item) + step];
  if (item === undefined || next === undefined) return undefined;
  return pathOf(next) + path.slice(pathOf(item).length) + next.slice(pathOf(next).length);
}

function pathOf(href: string): string {
  return /^[^?#]*/.exec(href)![0];
}

function isWithin(path: string, item: string): boolean {
  return path === item || path.startsWith(`${item}/`);
}

// Finds what belongs to the path of a request, by the longest prefix of it.

/** The prefix '' stands for all paths. */
export class ByPrefix<T> {
  /** The longest first. */
  readonly #entries: { prefix: string; value: T }[] = [];

  add(prefix: string, value: T): void {
    this.#entries.push({ prefix, value });
    this.#entries.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  find(url: string): T | undefined {
    const path = routedPath(url);
    for (const { prefix, value } of this.#entries) if (isBelow(path, prefix)) return value;
    return undefined;
  }
}

function isBelow(path: string, prefix: string): boolean {
  if (prefix === '') return true;
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

/** The path of a request as it was sent, without origin and query. */
export function requestPath(url: string): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/]*/, '');
  const end = path.search(/[?#]/);
  return end === -1 ? path : path.slice(0, end);
}

/** The same, percent-decoded. */
export function routedPath(url: string): string {
  const path = requestPath(url);
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

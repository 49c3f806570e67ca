// Finds what belongs to the path of a request, by the longest prefix of it.

/** The prefix '' stands for all paths. */
export class ByPrefix<T> {
  /** Prefixes with a slash at the end, the longest first. */
  readonly #entries: { start: string; value: T }[] = [];

  add(prefix: string, value: T): void {
    this.#entries.push({ start: prefix && `${prefix}/`, value });
    this.#entries.sort((a, b) => b.start.length - a.start.length);
  }

  find(url: string): T | undefined {
    const path = `${routedPath(url)}/`;
    return this.#entries.find(({ start }) => path.startsWith(start))?.value;
  }
}

/** The path of a request as it was sent, without origin and query. */
export function requestPath(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/, 1);
  return path;
}

/** The same, percent-decoded. */
export function routedPath(url: string): string {
  const path = requestPath(url);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

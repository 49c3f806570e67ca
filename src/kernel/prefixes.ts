// Finds what belongs to the path of a request, by the longest prefix of it.

/** The prefix '' stands for all paths. */
export class ByPrefix<T> {
  readonly #entries: { prefix: string; value: T }[] = [];

  add(prefix: string, value: T): void {
    this.#entries.push({ prefix, value });
    this.#entries.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  find(url: string): T | undefined {
    const path = `${routedPath(url)}/`;
    return this.#entries.find(({ prefix }) => prefix === '' || path.startsWith(`${prefix}/`))?.value;
  }
}

/** The path as the router sees it: without origin and query, percent-decoded. */
export function routedPath(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

// The literal words that paths of routes begin with, which no account may have as its name.

/** Complete when the server is ready. */
export class ReservedPathSegments {
  readonly #words = new Set<string>();

  /** A path that begins with a parameter has no such word. */
  add(path: string): void {
    const [, word = ''] = path.split('/', 2);
    if (/^[\w.-]+$/.test(word)) this.#words.add(word);
  }

  all(): string[] {
    return [...this.#words];
  }
}

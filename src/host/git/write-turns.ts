// Writes to the same branch on this server follow each other, so that they do not have to be made again.

export class WriteTurns {
  /** The last one of each branch or gist. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `write` after the earlier ones with the same key. */
  async inTurn<T>(key: string, write: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(write, write);
    const ended = turn.catch(() => {});
    this.#last.set(key, ended);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }
}

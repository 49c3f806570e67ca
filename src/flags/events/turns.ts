// Runs work one after another, in the order of arrival.

export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** An error of one does not affect the next. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = this.#last.then(work);
    this.#last = running.catch(() => undefined);
    return running;
  }
}

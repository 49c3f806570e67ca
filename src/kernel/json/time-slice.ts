// Cuts long work into slices: whoever has worked for a while lets everybody else have a turn.

/** A fifth of what anybody may have to wait for: a slice is looked at only between two steps, and steps take time too. */
const SLICE_MS = 10;

export class TimeSlice {
  #end = performance.now() + SLICE_MS;

  isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Lets all that waits run, and begins the next slice. */
  async next(): Promise<void> {
    await new Promise(setImmediate);
    this.#end = performance.now() + SLICE_MS;
  }
}

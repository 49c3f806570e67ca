// Long work in time slices, between which other calls get their turn.

/** A fifth of the longest acceptable delay: a slice only ends between two steps, which take time, too. */
const SLICE_MS = 10;

/** Work tests `isOver` after each small step, and if so awaits `next`. */
export class TimeSlice {
  #end = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  async next(): Promise<void> {
    await new Promise(setImmediate);
    this.#end = performance.now() + SLICE_MS;
  }
}

export async function mapInSlices<Item, Other>(
  items: readonly Item[],
  change: (item: Item) => Other,
): Promise<Other[]> {
  const slice = new TimeSlice();
  const changed: Other[] = [];
  for (const item of items) {
    changed.push(change(item));
    if (slice.isOver) await slice.next();
  }
  return changed;
}

export async function filterInSlices<Item>(
  items: readonly Item[],
  isKept: (item: Item) => boolean,
): Promise<Item[]> {
  const slice = new TimeSlice();
  const kept: Item[] = [];
  for (const item of items) {
    if (isKept(item)) kept.push(item);
    if (slice.isOver) await slice.next();
  }
  return kept;
}

// Long work in slices of time, so that other calls get their turn in between.

/** A fifth of what anybody may have to wait: a slice ends only between two steps, and steps take time too. */
const SLICE_MS = 10;

/** Work asks `isOver` after each small part, and awaits `next` where it is. */
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

// Long work in time slices, between which other calls get their turn.

/** A fifth of the longest acceptable delay: a slice only ends between two steps, which take time, too. */
const SLICE_MS = 10;

/** Work tests `isOver` after each small step, and if so awaits `yieldToEventLoop`. */
export class TimeSlice {
  #end = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  async yieldToEventLoop(): Promise<void> {
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
    if (slice.isOver) await slice.yieldToEventLoop();
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
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return kept;
}

/** How many items are sorted or merged between two looks at the clock. */
const SORT_STEP = 1000;

/** A merge sort: equal items keep their order. */
export async function sortInSlices<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Promise<Item[]> {
  const slice = new TimeSlice();
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += SORT_STEP) {
    runs.push(items.slice(start, start + SORT_STEP).toSorted(compare));
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergeInSlices(runs[at]!, runs[at + 1] ?? [], compare, slice));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergeInSlices<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number,
  slice: TimeSlice,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [left, right] = [0, 0];
  while (left < one.length || right < other.length) {
    const isLeft = right === other.length || (left < one.length && compare(one[left]!, other[right]!) <= 0);
    merged.push(isLeft ? one[left]! : other[right]!);
    if (isLeft) left += 1;
    else right += 1;
    if (merged.length % SORT_STEP === 0 && slice.isOver) await slice.yieldToEventLoop();
  }
  return merged;
}

/** How many numbers are sorted at once, which takes some 5 ms. */
const NUMBERS_AT_ONCE = 50_000;

/** Many times as fast as `sortInSlices`. May sort in place. */
export async function sortNumbersInSlices(numbers: Float64Array): Promise<Float64Array> {
  const slice = new TimeSlice();
  for (let start = 0; start < numbers.length; start += NUMBERS_AT_ONCE) {
    numbers.subarray(start, start + NUMBERS_AT_ONCE).sort();
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  let from: Float64Array = numbers;
  let to: Float64Array = new Float64Array(numbers.length > NUMBERS_AT_ONCE ? numbers.length : 0);
  for (let width = NUMBERS_AT_ONCE; width < numbers.length; width *= 2) {
    for (let start = 0; start < from.length; start += 2 * width) {
      const middle = Math.min(start + width, from.length);
      const end = Math.min(middle + width, from.length);
      let [left, right] = [start, middle];
      for (let at = start; at < end; at += 1) {
        const isLeft = right === end || (left < middle && from[left]! <= from[right]!);
        to[at] = isLeft ? from[left]! : from[right]!;
        if (isLeft) left += 1;
        else right += 1;
        if (at % NUMBERS_AT_ONCE === 0 && slice.isOver) await slice.yieldToEventLoop();
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

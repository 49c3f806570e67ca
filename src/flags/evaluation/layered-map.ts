// A map sorted by key whose changes cost little: a few of them lie over a larger map, which is copied only now and then.

/** More changes than this are merged into the map below. A map that is not much larger is copied at once. */
const MAX_LAYER = 128;

/** The map with these changes; the given one stays as it is. New keys take their place in the order of keys. */
export function withEntries<Item>(
  before: ReadonlyMap<string, Item>,
  changed: ReadonlyMap<string, Item>,
  removed: readonly string[],
): ReadonlyMap<string, Item> {
  if (changed.size === 0 && removed.length === 0) return before;
  const layer = new Map<string, Item | undefined>(changed);
  for (const key of removed) layer.set(key, undefined);
  return before instanceof LayeredMap ? before.withLayer(layer) : addLayer(before, layer);
}

/** New items by key, and undefined for a key that is removed. */
type Layer<Item> = ReadonlyMap<string, Item | undefined>;

function addLayer<Item>(below: ReadonlyMap<string, Item>, layer: Layer<Item>): ReadonlyMap<string, Item> {
  return layer.size > MAX_LAYER || below.size <= 2 * MAX_LAYER
    ? merge(below, layer)
    : new LayeredMap(below, layer);
}

class LayeredMap<Item> implements ReadonlyMap<string, Item> {
  readonly size: number;
  #below: ReadonlyMap<string, Item>;
  #layer: Layer<Item>;

  constructor(below: ReadonlyMap<string, Item>, layer: Layer<Item>) {
    this.#below = below;
    this.#layer = layer;
    let { size } = below;
    for (const [key, item] of layer) size += Number(item !== undefined) - Number(below.has(key));
    this.size = size;
  }

  withLayer(layer: Layer<Item>): ReadonlyMap<string, Item> {
    return addLayer(this.#below, new Map([...this.#layer, ...layer]));
  }

  get(key: string): Item | undefined {
    return this.#layer.has(key) ? this.#layer.get(key) : this.#below.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  entries(): MapIterator<[string, Item]> {
    return this.#merged().entries();
  }

  keys(): MapIterator<string> {
    return this.#merged().keys();
  }

  values(): MapIterator<Item> {
    return this.#merged().values();
  }

  [Symbol.iterator](): MapIterator<[string, Item]> {
    return this.entries();
  }

  forEach(visit: (item: Item, key: string, map: ReadonlyMap<string, Item>) => void): void {
    for (const [key, item] of this) visit(item, key, this);
  }

  /** Reading all entries costs as much as a copy: after it, all reads and the next changes use the copy. */
  #merged(): ReadonlyMap<string, Item> {
    if (this.#layer.size > 0) {
      this.#below = merge(this.#below, this.#layer);
      this.#layer = new Map();
    }
    return this.#below;
  }
}

function merge<Item>(below: ReadonlyMap<string, Item>, layer: Layer<Item>): ReadonlyMap<string, Item> {
  const added = Array.from(layer)
    .filter(([key, item]) => item !== undefined && !below.has(key))
    .sort(([one], [other]) => (one < other ? -1 : 1)) as [string, Item][];
  const merged = new Map<string, Item>();
  let next = 0;
  for (const [key, item] of below) {
    for (; next < added.length && added[next]![0] < key; next += 1) merged.set(...added[next]!);
    const after = layer.has(key) ? layer.get(key) : item;
    if (after !== undefined) merged.set(key, after);
  }
  for (const entry of added.slice(next)) merged.set(...entry);
  return merged;
}

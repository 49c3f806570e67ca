// The outline of a chunk: which columns its items have, told by the few of them that were first to have one.
import type { Item } from '../../kernel/export/input.ts';
import { isContainer, setProperty } from '../../kernel/patch/json-value.ts';
import { SEPARATOR } from '../../kernel/export/item-texts.ts';

/** Items that differ more than this have no outline worth keeping. */
const MOST_ITEMS = 16;

/** A place in the items, by keys and indexes from the top. */
interface Place {
  hasValue: boolean;
  inside: Map<string | number, Place>;
}

const newPlace = (): Place => ({ hasValue: false, inside: new Map() });

/**
 * Gathers those items, in their order, that have a value at a place where none before had one. A table of these alone has
 * the columns of all, in the same order: an export of everything need not read all items to find its columns.
 */
export class Outline {
  readonly #root = newPlace();
  readonly #first: string[] = [];
  #isGivenUp = false;

  add(item: Item): void {
    if (this.#isGivenUp || !addPlaces(this.#root, item)) return;
    this.#first.push(JSON.stringify(blank(item)));
    if (this.#first.length > MOST_ITEMS) this.giveUp();
  }

  /** For an item that would take long to walk: whoever needs the columns reads the items themselves. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** The items joined, with null for every value; or nothing, where that is not much shorter than the items themselves. */
  toText(itemsLength: number): string | null {
    const text = this.#first.join(SEPARATOR);
    return this.#isGivenUp || text.length > itemsLength / 8 ? null : text;
  }
}

/** Whether the value has any place that was not there before. */
function addPlaces(place: Place, value: unknown): boolean {
  if (!isContainer(value)) {
    if (place.hasValue) return false;
    place.hasValue = true;
    return true;
  }
  let isNew = false;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      if (addPlaces(placeIn(place, at), value[at])) isNew = true;
    }
  } else {
    for (const key of Object.keys(value)) if (addPlaces(placeIn(place, key), value[key])) isNew = true;
  }
  return isNew;
}

function placeIn({ inside }: Place, key: string | number): Place {
  let place = inside.get(key);
  if (place === undefined) inside.set(key, (place = newPlace()));
  return place;
}

function blank(value: unknown): unknown {
  if (!isContainer(value)) return null;
  if (Array.isArray(value)) return value.map(blank);
  const copy: Item = {};
  for (const key of Object.keys(value)) setProperty(copy, key, blank(value[key]));
  return copy;
}

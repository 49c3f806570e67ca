// The transformations of items that a reader of a dataset may ask for: unwinding, flattening, selecting fields.
import { Failure } from '../../kernel/failure.ts';
import { isContainer, isObject, MAX_DEPTH, propertyOf, setProperty } from '../../kernel/json/json-value.ts';
import { itemTooDeep, type Item } from './input.ts';

/** A field is a key or a dotted path into nested objects; an existing key that contains the dots takes precedence. */
export interface Projection {
  /** Items of the old crawlers are reduced to their URL and error, merged with the page function's results. */
  simplified?: boolean;
  /** Leaves out items with an error of the old crawlers. */
  skipFailedPages?: boolean;
  /** One after the other: an array becomes one item for each element, an object is merged into its item. */
  unwind?: readonly string[];
  /** Keys whose nested objects become dotted keys. */
  flatten?: readonly string[];
  /** The only fields to keep, in this order. */
  fields?: readonly string[];
  /** New names of the selected fields, in their order. */
  outputFields?: readonly string[];
  omit?: readonly string[];
  /** Both `skipHidden` and `skipEmpty`. */
  clean?: boolean;
  /** Removes keys that begin with `#`. */
  skipHidden?: boolean;
  /** Leaves out items without keys. */
  skipEmpty?: boolean;
}

/** The items that an item becomes, made one by one as the reader asks; undefined stands for one that is left out. */
export type ProjectItem = (item: Item) => Iterable<Item | undefined>;

/** Undefined for an item that is left out. */
type Change = (item: Item) => Item | undefined;

/** Undefined when nothing is asked for: the items then need no parsing. The steps run in the order of the documentation. */
export function projector(asked: Projection): ProjectItem | undefined {
  const { simplified, skipFailedPages, unwind = [], flatten = [], fields = [], omit = [], clean } = asked;
  const { outputFields = [], skipHidden = clean, skipEmpty = clean } = asked;
  if (outputFields.length > 0 && outputFields.length !== fields.length) {
    throw new Failure('invalid', 'outputFields must name as many fields as fields does.');
  }
  const before: Change[] = [];
  if (skipFailedPages === true) {
    before.push((item) => (propertyOf(item, 'errorInfo') == null ? item : undefined));
  }
  if (simplified === true) before.push((item) => pick(item, ['url', 'pageFunctionResult', 'errorInfo']));
  const unwound = simplified === true ? ['pageFunctionResult', ...unwind] : unwind;
  const after: Change[] = [];
  if (flatten.length > 0) after.push((item) => flattenKeys(item, new Set(flatten)));
  if (omit.length > 0) after.push((item) => omitFields(item, omit));
  if (fields.length > 0) after.push((item) => pick(item, fields, outputFields));
  if (skipHidden === true) after.push(withoutHidden);
  if (skipEmpty === true) after.push((item) => (isEmpty(item) ? undefined : item));

  if (unwound.length > 0) return (item) => unwindBetween(item, before, unwound, after);
  const changes = [...before, ...after];
  return changes.length === 0 ? undefined : (item) => [change(item, changes)];
}

function change(item: Item, changes: readonly Change[]): Item | undefined {
  let changed: Item | undefined = item;
  for (const each of changes) {
    changed = each(changed);
    if (changed === undefined) return undefined;
  }
  return changed;
}

function* unwindBetween(
  item: Item,
  before: readonly Change[],
  fields: readonly string[],
  after: readonly Change[],
): Generator<Item | undefined, void> {
  const begun = change(item, before);
  if (begun === undefined) return;
  for (const each of unwindFields(begun, fields)) yield each && change(each, after);
}

/** Items in a batch: one with many keys may take milliseconds to unwind, and every new item as much memory. */
const BATCH_ITEMS = 1000;
const BATCH_MS = 10;

/** Batches of limited size even if one item unwinds to many; other work gets a turn after each. */
export async function* projectBatches(
  batches: AsyncIterable<readonly Item[]>,
  project: ProjectItem,
): AsyncGenerator<Item[], void> {
  for await (const batch of batches) {
    let projected: Item[] = [];
    let pause = performance.now() + BATCH_MS;
    for (const item of batch) {
      for (const each of project(item)) {
        if (each !== undefined) projected.push(each);
        if (projected.length < BATCH_ITEMS && performance.now() < pause) continue;
        yield projected;
        projected = [];
        await new Promise(setImmediate);
        pause = performance.now() + BATCH_MS;
      }
    }
    if (projected.length > 0) yield projected;
  }
}

/** More than the longest list of one item has elements; lists multiply, so a small item could unwind for ever. */
const MAX_STEPS = 5_000_000;

/** Depth first: it holds only one item for each field in memory. */
function* unwindFields(item: Item, fields: readonly string[]): Generator<Item | undefined, void> {
  const levels: Iterator<Item>[] = [unwindField(item, fields[0]!)];
  for (let steps = 0; levels.length > 0; steps += 1) {
    if (steps > MAX_STEPS) throw tooMany();
    const next = levels.at(-1)!.next();
    if (next.done === true) {
      levels.pop();
      yield undefined; // so that the caller can pause in an endless run of empty lists
    } else if (levels.length === fields.length) yield next.value;
    else levels.push(unwindField(next.value, fields[levels.length]!));
  }
}

function* unwindField(item: Item, field: string): Generator<Item, void> {
  const value = valueAt(item, field);
  if (!isContainer(value)) {
    yield item;
    return;
  }
  const rest = without(item, field);
  if (!Array.isArray(value)) yield { ...rest, ...value };
  else
    for (const element of value)
      yield isObject(element) ? { ...rest, ...element } : withMember(rest, field, element);
}

function tooMany(): Failure {
  return new Failure('invalid', 'An item unwinds to more than five million. Unwind fewer of its fields.');
}

function flattenKeys(item: Item, keys: ReadonlySet<string>): Item {
  const flat: Item = {};
  for (const [key, value] of Object.entries(item)) {
    if (keys.has(key)) flattenInto(flat, key, value, 0);
    else setProperty(flat, key, value);
  }
  return flat;
}

/** Keeps objects in arrays as they are, and empty objects, too. */
function flattenInto(flat: Item, path: string, value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw itemTooDeep();
  if (!isObject(value) || isEmpty(value)) return setProperty(flat, path, value);
  for (const [key, member] of Object.entries(value)) flattenInto(flat, `${path}.${key}`, member, depth + 1);
}

function pick(item: Item, fields: readonly string[], names: readonly string[] = []): Item {
  const picked: Item = {};
  for (const [at, field] of fields.entries()) {
    const value = valueAt(item, field);
    if (value !== undefined) setProperty(picked, names[at] ?? field, value);
  }
  return picked;
}

function valueAt(item: Item, field: string): unknown {
  if (Object.hasOwn(item, field) || !field.includes('.')) return propertyOf(item, field);
  let value: unknown = item;
  for (const key of field.split('.')) {
    if (!isObject(value)) return undefined;
    value = propertyOf(value, key);
  }
  return value;
}

/** Removes all keys in one pass: one at a time would copy the item for each. */
function omitFields(item: Item, fields: readonly string[]): Item {
  const keys = new Set(fields.filter((field) => Object.hasOwn(item, field)));
  const kept = keys.size === 0 ? item : keepKeys(item, (key) => !keys.has(key));
  return fields.filter((field) => !keys.has(field)).reduce(without, kept);
}

function keepKeys(item: Item, isKept: (key: string) => boolean): Item {
  const kept: Item = {};
  for (const key of Object.keys(item)) if (isKept(key)) setProperty(kept, key, item[key]);
  return kept;
}

/** Returns the item itself if it has no such field. */
function without(item: Item, field: string): Item {
  if (valueAt(item, field) === undefined) return item;
  return Object.hasOwn(item, field) ? withoutKey(item, field) : withoutPath(item, field.split('.'), 0);
}

function withoutPath(item: Item, path: readonly string[], at: number): Item {
  const key = path[at]!;
  if (at === path.length - 1) return withoutKey(item, key);
  return withMember(item, key, withoutPath(item[key] as Item, path, at + 1));
}

function withoutKey(item: Item, key: string): Item {
  const { [key]: _, ...rest } = item;
  return rest;
}

function withMember(item: Item, key: string, value: unknown): Item {
  const copy = { ...item };
  setProperty(copy, key, value);
  return copy;
}

function withoutHidden(item: Item): Item {
  const keys = Object.keys(item);
  if (!keys.some((key) => key.startsWith('#'))) return item;
  return keepKeys(item, (key) => !key.startsWith('#'));
}

function isEmpty(item: Item): boolean {
  return Object.keys(item).length === 0;
}

// What a reader of a dataset may ask to be done to its items before they are written: unwinding, flattening, picking.
import { Failure } from '../failure.ts';
import { isContainer, isObject, MAX_DEPTH, memberOf, setMember } from '../patch/json-value.ts';
import { tooDeep, type Item } from './input.ts';

/** A field is named by its key, or by a dotted path into nested objects; a key of that very name goes before a path. */
export interface Projection {
  /** Items of the old crawlers: their address, error and, merged with these, what was found on the page. */
  simplified?: boolean;
  /** No items that hold an error of the old crawlers. */
  skipFailedPages?: boolean;
  /** In this order: an array makes an item of each element, an object is merged with its item. */
  unwind?: readonly string[];
  /** Keys whose nested objects become dotted keys. */
  flatten?: readonly string[];
  /** The only fields to keep, in this order. */
  fields?: readonly string[];
  /** What the kept fields are called, in their order. */
  outputFields?: readonly string[];
  omit?: readonly string[];
  /** Both of the following. */
  clean?: boolean;
  /** No keys that begin with `#`. */
  skipHidden?: boolean;
  /** No items without any key. */
  skipEmpty?: boolean;
}

/** Steps of one item share it: unwinding two long arrays multiplies, and a small item must not fill the memory. */
interface Budget {
  members: number;
}
const MAX_UNWOUND_MEMBERS = 1_000_000;

type Step = (item: Item, budget: Budget) => Item[];

/** Undefined when nothing is asked: then items need not even be parsed. The steps are in the order of the documentation. */
export function projector(asked: Projection): ((item: Item) => Item[]) | undefined {
  const { simplified, skipFailedPages, unwind = [], flatten = [], fields = [], omit = [], clean } = asked;
  const { outputFields = [], skipHidden = clean, skipEmpty = clean } = asked;
  if (outputFields.length > 0 && outputFields.length !== fields.length) {
    throw new Failure('invalid', 'outputFields must name as many fields as fields does.');
  }
  const steps: Step[] = [];
  if (skipFailedPages === true) steps.push((item) => (memberOf(item, 'errorInfo') == null ? [item] : []));
  if (simplified === true) {
    steps.push((item) => [pick(item, ['url', 'pageFunctionResult', 'errorInfo'])]);
    steps.push((item, budget) => unwindField(item, 'pageFunctionResult', budget));
  }
  for (const field of unwind) steps.push((item, budget) => unwindField(item, field, budget));
  if (flatten.length > 0) steps.push((item) => [flattenKeys(item, new Set(flatten))]);
  if (omit.length > 0) steps.push((item) => [omit.reduce(without, item)]);
  if (fields.length > 0) steps.push((item) => [pick(item, fields, outputFields)]);
  if (skipHidden === true) steps.push((item) => [withoutHidden(item)]);
  if (skipEmpty === true) steps.push((item) => (isEmpty(item) ? [] : [item]));
  if (steps.length === 0) return undefined;
  return (item) => {
    const budget = { members: MAX_UNWOUND_MEMBERS };
    return steps.reduce((items, step) => items.flatMap((each) => step(each, budget)), [item]);
  };
}

/** Batches of about their old size also where each item unwinds to many. */
export async function* projectBatches(
  batches: AsyncIterable<readonly Item[]>,
  project: (item: Item) => Item[],
): AsyncGenerator<Item[], void> {
  for await (const batch of batches) {
    let projected: Item[] = [];
    for (const item of batch) {
      for (const each of project(item)) projected.push(each);
      if (projected.length >= batch.length) {
        yield projected;
        projected = [];
      }
    }
    if (projected.length > 0) yield projected;
  }
}

function unwindField(item: Item, field: string, budget: Budget): Item[] {
  const value = valueAt(item, field);
  if (!isContainer(value)) return [item];
  const rest = without(item, field);
  if (!Array.isArray(value)) return [{ ...rest, ...value }];
  budget.members -= value.length * (Object.keys(rest).length + 1);
  if (budget.members < 0) {
    throw new Failure(
      'invalid',
      'An item unwinds to more than a million values. Unwind fewer of its fields.',
    );
  }
  return value.map((element: unknown) =>
    isObject(element) ? { ...rest, ...element } : withMember(rest, field, element),
  );
}

function flattenKeys(item: Item, keys: ReadonlySet<string>): Item {
  const flat: Item = {};
  for (const [key, value] of Object.entries(item)) {
    if (keys.has(key)) flattenInto(flat, key, value, 0);
    else setMember(flat, key, value);
  }
  return flat;
}

/** Objects within arrays stay as they are, and so does an object without members: there is nothing to name. */
function flattenInto(flat: Item, path: string, value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (!isObject(value) || isEmpty(value)) return setMember(flat, path, value);
  for (const [key, member] of Object.entries(value)) flattenInto(flat, `${path}.${key}`, member, depth + 1);
}

function pick(item: Item, fields: readonly string[], names: readonly string[] = []): Item {
  const picked: Item = {};
  for (const [at, field] of fields.entries()) {
    const value = valueAt(item, field);
    if (value !== undefined) setMember(picked, names[at] ?? field, value);
  }
  return picked;
}

function valueAt(item: Item, field: string): unknown {
  if (Object.hasOwn(item, field) || !field.includes('.')) return memberOf(item, field);
  let value: unknown = item;
  for (const key of field.split('.')) {
    if (!isObject(value)) return undefined;
    value = memberOf(value, key);
  }
  return value;
}

/** The item itself where it has no such field. */
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
  setMember(copy, key, value);
  return copy;
}

function withoutHidden(item: Item): Item {
  const keys = Object.keys(item);
  if (!keys.some((key) => key.startsWith('#'))) return item;
  return Object.fromEntries(Object.entries(item).filter(([key]) => !key.startsWith('#')));
}

function isEmpty(item: Item): boolean {
  return Object.keys(item).length === 0;
}

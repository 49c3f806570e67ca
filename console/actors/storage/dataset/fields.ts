// The fields of items: which there are, of what type, and what a page of items says about each.

export type Item = Readonly<Record<string, unknown>>;

export const FIELD_TYPES = ['text', 'number', 'boolean', 'date', 'link', 'image', 'object', 'list'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const IMAGE = /\.(?:avif|gif|jpe?g|png|svg|webp)(?:$|[?#])/i;

export function isWebAddress(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/\S+$/i.test(value);
}

/** Undefined for what has no value. */
function typeOf(value: unknown): FieldType | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  const text = value as string;
  if (isWebAddress(text)) return IMAGE.test(text) ? 'image' : 'link';
  return DATE.test(text) ? 'date' : 'text';
}

/** Those of the dataset, then those of these items that it does not name. */
export function fieldsOf(known: readonly string[] | null, items: readonly Item[]): string[] {
  const names = new Set(known ?? []);
  for (const item of items) for (const name of Object.keys(item)) names.add(name);
  return [...names];
}

export interface Field {
  name: string;
  /** The type of most values; undefined where none has one. */
  type: FieldType | undefined;
}

export function describeFields(names: readonly string[], items: readonly Item[]): Field[] {
  return names.map((name) => ({ name, type: commonType(items.map((item) => item[name])) }));
}

function commonType(values: readonly unknown[]): FieldType | undefined {
  const counts = new Map<FieldType, number>();
  for (const value of values) {
    const type = typeOf(value);
    if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

export interface FieldStatistics {
  name: string;
  /** Of all that are there, the most frequent first. */
  types: FieldType[];
  filled: number;
  distinct: number;
  /** Of numbers their values, of texts and lists their lengths. */
  range?: { least: number; most: number; isLength: boolean };
}

export function measureFields(names: readonly string[], items: readonly Item[]): FieldStatistics[] {
  return names.map((name) => measure(name, items));
}

function measure(name: string, items: readonly Item[]): FieldStatistics {
  const values = items
    .map((item) => item[name])
    .filter((value) => value !== undefined && value !== null && value !== '');
  const types = [...new Set(values.map(typeOf).filter((type) => type !== undefined))];
  const sizes = values.map(sizeOf).filter((size) => size !== undefined);
  const isLength = !values.some((value) => typeof value === 'number');
  return {
    name,
    types,
    filled: values.length,
    distinct: new Set(values.map((value) => JSON.stringify(value))).size,
    ...(sizes.length > 0 && { range: { least: Math.min(...sizes), most: Math.max(...sizes), isLength } }),
  };
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' || Array.isArray(value) ? value.length : undefined;
}

/** Columns that are shown where nobody chose some: the first, without hidden ones. */
const MOST_COLUMNS = 12;

export function usualColumns(names: readonly string[]): string[] {
  const open = names.filter((name) => !name.startsWith('#'));
  return (open.length === 0 ? names : open).slice(0, MOST_COLUMNS);
}

/** In an address: names may have commas. */
export function writeColumns(names: readonly string[]): string {
  return names.map(encodeURIComponent).join(',');
}

/** Undefined where nothing was chosen; what is no name of a field is left out. */
export function readColumns(text: string | undefined, names: readonly string[]): string[] | undefined {
  if (text === undefined) return undefined;
  const asked = text.split(',').map(decode);
  const known = asked.filter((name) => names.includes(name));
  return known.length === 0 ? undefined : known;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

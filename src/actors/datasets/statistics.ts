// Statistics of the fields that a dataset's schema names: minimum, maximum, nulls and missing values.
import type { Item } from '../export/input.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { isObject } from '../../kernel/json/json-value.ts';

const MAX_MEASURED = 1000;

export interface FieldMeasure {
  field: string;
  /** Of numbers their value; of strings and arrays their length; of objects the number of their members. */
  min: number | null;
  max: number | null;
  nullCount: number;
  /** Items that do not have the field at all. */
  emptyCount: number;
}

/** Undefined where the schema describes no fields. */
export function measuredFields(schema: Record<string, unknown> | null): string[] | undefined {
  const fields = schema?.['fields'];
  if (!isObject(fields)) return undefined;
  const { properties } = fields;
  return isObject(properties) ? Object.keys(properties).slice(0, MAX_MEASURED) : [];
}

/** Iterates the fields of the items, not of the schema, which may name a thousand fields that few items have. */
export async function measureItems(
  items: readonly Item[],
  fields: readonly string[],
): Promise<FieldMeasure[]> {
  const measures = new Map(
    fields.map((field) => [field, { field, min: null, max: null, nullCount: 0, emptyCount: items.length }]),
  ) as Map<string, FieldMeasure>;
  if (measures.size === 0) return [];
  const slice = new TimeSlice();
  for (const item of items) {
    for (const key of Object.keys(item)) {
      const measure = measures.get(key);
      if (measure !== undefined) add(measure, item[key]);
    }
    if (slice.isOver) await slice.next();
  }
  return [...measures.values()];
}

function add(measure: FieldMeasure, value: unknown): void {
  measure.emptyCount -= 1;
  if (value === null) measure.nullCount += 1;
  const size = sizeOf(value);
  if (size === undefined) return;
  if (measure.min === null || size < measure.min) measure.min = size;
  if (measure.max === null || size > measure.max) measure.max = size;
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}

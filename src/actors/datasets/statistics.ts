// Statistics of the fields that a dataset's schema names: least and greatest value, nulls and missing values.
import type { Item } from '../../kernel/export/input.ts';
import { isObject, memberOf } from '../../kernel/patch/json-value.ts';

const MOST_MEASURED = 1000;

export interface FieldMeasure {
  field: string;
  /** Of numbers their value; of strings and arrays their length; of objects the number of their members. */
  min: number | null;
  max: number | null;
  nullCount: number;
  /** Items that do not have the field at all. */
  emptyCount: number;
}

/** Undefined where the dataset has no schema of its fields. */
export function measuredFields(schema: Record<string, unknown> | null): string[] | undefined {
  const fields = schema?.['fields'];
  if (!isObject(fields)) return undefined;
  const { properties } = fields;
  return isObject(properties) ? Object.keys(properties).slice(0, MOST_MEASURED) : [];
}

export function measureItems(items: readonly Item[], fields: readonly string[]): FieldMeasure[] {
  return fields.map((field) => {
    const measure: FieldMeasure = { field, min: null, max: null, nullCount: 0, emptyCount: 0 };
    for (const item of items) {
      const value = memberOf(item, field);
      if (value === undefined) measure.emptyCount += 1;
      else if (value === null) measure.nullCount += 1;
      else {
        const size = sizeOf(value);
        if (size === undefined) continue;
        if (measure.min === null || size < measure.min) measure.min = size;
        if (measure.max === null || size > measure.max) measure.max = size;
      }
    }
    return measure;
  });
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}

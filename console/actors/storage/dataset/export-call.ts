// What an export asks for, and how large it will be.
import type { Call } from '../../../api/call.ts';
import { itemsCall, type Item } from './items.ts';

export const EXPORT_FORMATS = ['csv', 'json', 'jsonl', 'xlsx', 'html', 'xml', 'rss'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportChoice {
  format: ExportFormat;
  /** All where it is absent. */
  fields?: readonly string[] | undefined;
  /** Rows count from 1. */
  range?: { from: number; limit: number } | undefined;
  isClean: boolean;
}

export function exportCall(id: string, { format, fields, range, isClean }: ExportChoice): Call {
  return itemsCall(id, {
    format,
    attachment: true,
    clean: isClean || undefined,
    fields: fields === undefined ? undefined : [...fields],
    offset: range === undefined ? undefined : range.from - 1,
    limit: range?.limit,
  });
}

export function exportedCount(itemCount: number, { range }: ExportChoice): number {
  if (range === undefined) return itemCount;
  return Math.max(0, Math.min(range.limit, itemCount - (range.from - 1)));
}

/** From how long these items would be; undefined for formats of which only the server knows. */
export function estimateBytes(
  choice: ExportChoice,
  items: readonly Item[],
  { count, fields }: { count: number; fields: readonly string[] },
): number | undefined {
  if (items.length === 0 || !['csv', 'json', 'jsonl'].includes(choice.format)) return undefined;
  const names = choice.fields ?? fields;
  const texts = items.map((item) => (choice.format === 'csv' ? csvRow(item, names) : jsonOf(item, names)));
  const bytes = new TextEncoder().encode(texts.join('\n')).length + 1;
  return Math.round((bytes / items.length) * count);
}

function jsonOf(item: Item, names: readonly string[]): string {
  const kept = names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]);
  return JSON.stringify(Object.fromEntries(kept));
}

/** Nested values become columns of their own: their texts are as long together. */
function csvRow(item: Item, names: readonly string[]): string {
  return names.map((name) => cellOf(item[name])).join(',');
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return Object.values(value).map(cellOf).join(',');
  const text = String(value);
  return /[",\n]/.test(text) ? JSON.stringify(text) : text;
}

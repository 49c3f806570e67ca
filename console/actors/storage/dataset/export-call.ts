// What an export asks for, and how large it will be.
import { path, type Call } from '../../../api/call.ts';
import { itemsCall } from './items.ts';

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

/** How large the same export will be: the server renders a sample of it. */
export function estimateCall(id: string, choice: ExportChoice): Call {
  const { attachment: _, ...query } = exportCall(id, choice).query ?? {};
  return { api: 'signalbox', path: path`/datasets/${id}/export-estimate`, query };
}

export function exportedCount(itemCount: number, { range }: ExportChoice): number {
  if (range === undefined) return itemCount;
  return Math.max(0, Math.min(range.limit, itemCount - (range.from - 1)));
}

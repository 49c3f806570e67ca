// The table of export formats, and the start of an export.
import { exportCsv } from './formats/csv.ts';
import { exportHtml } from './formats/html.ts';
import type { ExportOptions, ExportSource } from './input.ts';
import { exportJson, exportJsonTexts, exportJsonl, exportJsonlTexts } from './formats/json.ts';
import { exportRss, exportXml } from './formats/xml.ts';
import { exportXlsx } from './formats/xlsx.ts';

export type ExportFormat = 'json' | 'jsonl' | 'csv' | 'html' | 'xlsx' | 'xml' | 'rss';
export type Chunks = AsyncGenerator<string | Uint8Array, void>;
export type StartedExport = AsyncIterableIterator<string | Uint8Array, void>;

export interface Exporter {
  contentType: string;
  /** Of file names, without the dot. */
  extension: string;
  /**
   * Tables take their rows from `texts` where they are given, and from the items only the columns: those may then be
   * stand-ins, in the same number and with the same columns.
   */
  write: (source: ExportSource, options?: ExportOptions, texts?: ExportSource<string>) => Chunks;
  /** Writes items that are already JSON texts, in formats that can pass them on unparsed. */
  writeTexts?: (source: ExportSource<string>, options?: ExportOptions) => Chunks;
}

export const exporters: Record<ExportFormat, Exporter> = {
  json: {
    contentType: 'application/json; charset=utf-8',
    extension: 'json',
    write: exportJson,
    writeTexts: exportJsonTexts,
  },
  jsonl: {
    contentType: 'application/jsonl',
    extension: 'jsonl',
    write: exportJsonl,
    writeTexts: exportJsonlTexts,
  },
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv', write: exportCsv },
  html: { contentType: 'text/html', extension: 'html', write: exportHtml },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    write: exportXlsx,
  },
  xml: { contentType: 'application/xml', extension: 'xml', write: exportXml },
  rss: { contentType: 'application/rss+xml', extension: 'rss', write: exportRss },
};

/**
 * Makes the first chunk, so that a table without columns, or with too many, is an error and not a broken reply. The caller
 * must read the result to its end or call `return`: either ends the export.
 */
export async function startExport(chunks: Chunks): Promise<StartedExport> {
  let first: ReturnType<Chunks['next']> | undefined = chunks.next();
  await first;
  const started: StartedExport = {
    next: () => {
      const next = first ?? chunks.next();
      first = undefined;
      return next;
    },
    // Not a generator: if never started, it would not forward its `return` to the chunks.
    return: () => chunks.return(),
    [Symbol.asyncIterator]: () => started,
  };
  return started;
}

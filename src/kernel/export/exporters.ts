// The table of export formats, and how an export is begun.
import { exportCsv } from './csv.ts';
import { exportHtml } from './html.ts';
import type { ExportOptions, ExportSource } from './input.ts';
import { exportJson, exportJsonTexts } from './json.ts';
import { exportJsonl, exportJsonlTexts } from './jsonl.ts';
import { exportRss } from './rss.ts';
import { exportXlsx } from './xlsx.ts';
import { exportXml } from './xml.ts';

export type ExportFormat = 'json' | 'jsonl' | 'csv' | 'html' | 'xlsx' | 'xml' | 'rss';
export type Chunks = AsyncGenerator<string | Uint8Array, void>;
export type StartedExport = AsyncIterableIterator<string | Uint8Array, void>;

export interface Exporter {
  contentType: string;
  /** What the name of a file ends with, without the dot. */
  extension: string;
  /**
   * Tables are written from texts where they are given, and have only their columns from the items: those need not be all
   * items, as long as they are as many and have the same columns between them.
   */
  write: (source: ExportSource, options?: ExportOptions, texts?: ExportSource<string>) => Chunks;
  /** For items that are JSON texts and stay as they are; where the format allows it. */
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
 * Goes as far as the first chunk, so that a table without columns, or with too many, is a failure and not a broken reply.
 * What is returned must be read or given back by `return`; either ends the export.
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
    // Not a generator: one that was never begun would not pass its end on to the chunks.
    return: () => chunks.return(),
    [Symbol.asyncIterator]: () => started,
  };
  return started;
}

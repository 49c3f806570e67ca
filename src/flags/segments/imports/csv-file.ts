// The CSV file of an import or export, read and written in batches. Its first column is the context key.
import { isUtf8 } from 'node:buffer';
import type { TargetType } from '../segment.ts';

/**
 * Further columns are ignored, so that lists from other programs can be imported unchanged. Only with this heading does
 * the second column say whether the context is included or excluded; without it all are included.
 */
export const HEADING = 'key,targetType';

export interface FileRecord {
  key: string;
  type: TargetType;
}

export interface FileBatch {
  records: FileRecord[];
  /** The number of bytes that were read, including skipped lines. */
  bytes: number;
  lines: number;
  /** What is wrong with the next line. */
  problem?: string;
}

export interface ReadOptions {
  /** Whether the file has the heading, which gives the second column its meaning. */
  isTyped: boolean;
  /** Whether the bytes reach the end of the file. Otherwise the last line may continue in the next batch. */
  isEnd: boolean;
  maxLines: number;
}

/** Enough for the longest key, at four bytes per character, and some further columns. */
export const MAX_LINE_BYTES = 16 * 1024;
const MAX_KEY_LENGTH = 512;

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;

/** Where the records begin, and whether there is a heading; `start` is the beginning of the file. */
export function readHeading(start: Buffer): { bytes: number; lines: number; isTyped: boolean } {
  const mark = start.indexOf('\uFEFF') === 0 ? 3 : 0;
  const end = start.indexOf(LINE_FEED, mark);
  const line = start.toString('latin1', mark, end < 0 ? undefined : end).trimEnd();
  if (line !== HEADING) return { bytes: mark, lines: 0, isTyped: false };
  return { bytes: end < 0 ? start.length : end + 1, lines: 1, isTyped: true };
}

/** `bytes` starts at the beginning of a line. Blank lines are skipped. */
export function readBatch(bytes: Buffer, { isTyped, isEnd, maxLines }: ReadOptions): FileBatch {
  const batch: FileBatch = { records: [], bytes: 0, lines: 0 };
  let quote = -1;
  while (batch.bytes < bytes.length && batch.lines < maxLines) {
    const start = batch.bytes;
    // Searched once, not again for every line before it.
    if (quote < start) quote = bytes.indexOf(QUOTE, start);
    if (quote < 0) quote = bytes.length;
    const found = endOf(bytes, start, quote);
    const end = found < 0 ? bytes.length : found;
    if (end - start > MAX_LINE_BYTES)
      return { ...batch, problem: `has more than ${MAX_LINE_BYTES} bytes, or a quote in it is never closed` };
    if (found < 0 && !isEnd) break;
    const line = bytes.subarray(start, end);
    if (!isUtf8(line)) return { ...batch, problem: 'is not UTF-8' };
    const text = line.toString();
    if (text.trim() !== '') {
      const record = readRecord(text, isTyped);
      if (typeof record === 'string') return { ...batch, problem: record };
      batch.records.push(record);
    }
    batch.bytes = Math.min(end + 1, bytes.length);
    batch.lines += text.split('\n').length;
  }
  return batch;
}

/** The index of the line feed that ends the record. A quoted one is part of a cell. */
function endOf(bytes: Buffer, start: number, quote: number): number {
  const end = bytes.indexOf(LINE_FEED, start);
  if (quote >= (end < 0 ? bytes.length : end)) return end;
  let isQuoted = false;
  // A quote opens a cell only at its beginning; a doubled quote inside is a literal quote.
  let canOpen = true;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === LINE_FEED && !isQuoted) return at;
    const opens: boolean = byte === QUOTE && !isQuoted && canOpen;
    const closes: boolean = byte === QUOTE && isQuoted;
    canOpen = closes || (byte === COMMA && !isQuoted);
    isQuoted = opens || (isQuoted && !closes);
  }
  return -1;
}

const CELL = /^(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)/;

/** Returns the problem as a string if the line is invalid. */
function readRecord(line: string, isTyped: boolean): FileRecord | string {
  const cell = CELL.exec(line);
  if (cell === null || cell[2]?.startsWith('"'))
    return 'has a quote that is not closed, or not where its cell ends';
  const key = cell[1]?.replaceAll('""', '"') ?? cell[2]!.trim();
  if (key === '') return 'has no key in its first column';
  if (key.includes('\0')) return 'has a key with a NUL character';
  if (key.length > MAX_KEY_LENGTH && [...key].length > MAX_KEY_LENGTH)
    return `has a key of more than ${MAX_KEY_LENGTH} characters`;
  const type = isTyped ? line.slice(cell[0].length).trim() : 'included';
  if (type !== 'included' && type !== 'excluded')
    return 'must say "included" or "excluded" in its second column';
  return { key, type };
}

/** A line that `readBatch` can read. */
export function formatRecord({ key, type }: FileRecord, isTyped: boolean): string {
  // Unquoted spaces at the ends would be trimmed.
  const cell = /[",\r\n]|^\s|\s$/.test(key) ? `"${key.replaceAll('"', '""')}"` : key;
  return isTyped ? `${cell},${type}\n` : `${cell}\n`;
}

/** `18 B`, `1.5 MB`. */
export function formatSize(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  return `${Number((bytes / 1000 ** unit).toFixed(1))} ${UNITS[unit]}`;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

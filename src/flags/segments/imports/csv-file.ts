// The file of an import or export: CSV whose first column is the key of a context, read and written in pieces.
import { isUtf8 } from 'node:buffer';
import type { TargetType } from '../segment.ts';

/**
 * What stands in further columns is left alone: lists come out of other programs as they are. Only below this heading the
 * second column tells on which side of the segment the context stands; without it all are included.
 */
export const HEADING = 'key,targetType';

export interface FileRecord {
  key: string;
  type: TargetType;
}

export interface FileBatch {
  records: FileRecord[];
  /** How much of the bytes they took, with all that was skipped between them. */
  bytes: number;
  lines: number;
  /** What is wrong with the line after those. */
  problem?: string;
}

export interface ReadOptions {
  /** Whether there is a heading that gives the second column its meaning. */
  isTyped: boolean;
  /** Whether the bytes go up to the end of the file: otherwise the last line may go on in the next piece. */
  isEnd: boolean;
  /** How many lines to read. */
  most: number;
}

/** As many characters as a key can have (each up to four bytes), and some columns beside it. */
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

/** The records from the beginning of a line on. Blank lines are none. */
export function readBatch(bytes: Buffer, { isTyped, isEnd, most }: ReadOptions): FileBatch {
  const batch: FileBatch = { records: [], bytes: 0, lines: 0 };
  let quote = -1;
  while (batch.bytes < bytes.length && batch.lines < most) {
    const start = batch.bytes;
    // Looked for once, and not by every line on the way to it.
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

/** Where the line feed stands that ends the record; one in quotes is part of a cell. */
function endOf(bytes: Buffer, start: number, quote: number): number {
  const end = bytes.indexOf(LINE_FEED, start);
  if (quote >= (end < 0 ? bytes.length : end)) return end;
  let isQuoted = false;
  // Quotes open a cell at its beginning; two of them in an open one are one of its characters.
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

/** Or what is wrong with it. */
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

/** A line as `readPiece` reads it. */
export function formatRecord({ key, type }: FileRecord, isTyped: boolean): string {
  // Spaces at the ends would be taken for those that people leave between a key and a comma.
  const cell = /[",\r\n]|^\s|\s$/.test(key) ? `"${key.replaceAll('"', '""')}"` : key;
  return isTyped ? `${cell},${type}\n` : `${cell}\n`;
}

/** `18 B`, `1.5 MB`. */
export function formatSize(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  return `${Number((bytes / 1000 ** unit).toFixed(1))} ${UNITS[unit]}`;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

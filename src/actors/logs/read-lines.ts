// Reads the lines of a log by their numbers, from the chunk or the part of the blob that has the first one on.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import {
  countLines,
  findMark,
  LineIndexer,
  type LineGap,
  type LineIndex,
  type LineMark,
} from './line-index.ts';
import { findLog, type LogChunk, type StoredLog } from './store.ts';
import { findChunkGap, findChunkMark, saveLineIndex } from './store-lines.ts';
import { readStored, type LogReads } from './stored-log.ts';

const NEWLINE = 0x0a;

/** A log as it was when it was opened: what comes later is not read. */
export interface NumberedLog {
  log: StoredLog;
  /** How many lines it has had, with those that were cut out. */
  total: number;
  gap: LineGap | undefined;
  /** Where reading has to begin to find a line. Lines are counted from zero. */
  markOf(line: number): Promise<LineMark>;
}

export async function openNumberedLog(kernel: LogReads, id: string): Promise<NumberedLog | undefined> {
  const { db } = kernel;
  const log = await findLog(db, id);
  if (log === undefined) return undefined;
  if (log.blob === undefined && log.totalLines !== undefined) {
    const gap = await findChunkGap(db, log);
    return { log, total: log.totalLines, gap, markOf: (line) => findChunkMark(db, id, line) };
  }
  const index = log.lineIndex === undefined ? await countAll(kernel, log) : indexOf(log);
  return { log, total: index.total, gap: index.gap, markOf: async (line) => findMark(index, line) };
}

function indexOf({ lineIndex }: StoredLog): LineIndex {
  return JSON.parse(lineIndex!) as LineIndex;
}

/** For a log of an older release: once, if it has ended. */
async function countAll(kernel: LogReads, log: StoredLog): Promise<LineIndex> {
  const indexer = new LineIndexer();
  const slice = new TimeSlice();
  for await (const piece of readStored(kernel, log, 0)) {
    indexer.add(piece);
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  const index = indexer.end(log);
  await saveLineIndex(kernel.db, log, index);
  return index;
}

/** Whole lines, which follow each other. */
export interface LineBatch {
  /** How many lines were added before them. */
  first: number;
  content: Uint8Array;
}

/** From this line on, or a little before it. Where a batch begins after the end of the one before it, lines were cut out. */
export async function* readLineBatches(
  kernel: LogReads,
  { log, gap, markOf }: NumberedLog,
  from: number,
): AsyncGenerator<LineBatch> {
  const mark = await markOf(from);
  let [position, first] = mark;
  let rest: Uint8Array = new Uint8Array();
  for await (const piece of readStored(kernel, log, position)) {
    if (piece.at > position) {
      first = await lineAfterGap(kernel, log, piece, gap, first);
      rest = new Uint8Array();
    }
    position = piece.at + piece.content.length;
    const end = piece.content.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      rest = Buffer.concat([rest, piece.content]);
      continue;
    }
    const whole = piece.content.subarray(0, end);
    const content = rest.length === 0 ? whole : Buffer.concat([rest, whole]);
    rest = Uint8Array.from(piece.content.subarray(end));
    yield { first, content };
    first += countLines(content);
  }
}

/** The number of the first line of a piece behind a gap, which may be another one than when the log was opened. */
async function lineAfterGap(
  { db }: LogReads,
  { id }: StoredLog,
  { at, firstLine }: LogChunk,
  gap: LineGap | undefined,
  counted: number,
): Promise<number> {
  if (firstLine !== undefined && firstLine !== null) return firstLine;
  if (gap?.endAt === at) return gap.endLine;
  const now = await findLog(db, id);
  const present = now?.lineIndex === undefined ? undefined : indexOf(now).gap;
  return present?.endAt === at ? present.endLine : counted;
}

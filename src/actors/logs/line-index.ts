// Where the lines of a log are: the numbers of some of them, so that a page of lines is found without reading what is before it.
import { CHUNK_BYTES } from './model.ts';

const NEWLINE = 0x0a;

export function countLines(bytes: Uint8Array): number {
  let lines = 0;
  // A loop, because a search by `indexOf` is slow where lines are short.
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === NEWLINE) lines += 1;
  return lines;
}

/** A position where a line begins, and how many lines were added before it. */
export type LineMark = readonly [at: number, line: number];

/** The lines that were cut out of the middle of a log. */
export interface LineGap {
  /** How many lines were added before them. */
  line: number;
  /** Where the lines after them begin. */
  endAt: number;
  endLine: number;
  bytes: number;
}

export interface LineIndex {
  total: number;
  /** In order; the first is the beginning, and one is at the end of the gap. */
  marks: LineMark[];
  gap?: LineGap;
}

interface LogPiece {
  at: number;
  content: Uint8Array;
  firstLine?: number | null;
}

/** Makes the index while the pieces of a log pass, in order. */
export class LineIndexer {
  readonly #marks: LineMark[] = [[0, 0]];
  #gap: LineGap | undefined;
  #position = 0;
  #line = 0;
  #isAtLineStart = true;

  add({ at, content, firstLine }: LogPiece): void {
    if (at > this.#position) this.#addGap(at, firstLine ?? this.#line);
    else if (at - this.#marks.at(-1)![0] >= CHUNK_BYTES) this.#mark(at, content);
    this.#line += countLines(content);
    this.#position = at + content.length;
    this.#isAtLineStart = content.at(-1) === NEWLINE;
  }

  end({ totalBytes, totalLines }: { totalBytes: number; totalLines?: number }): LineIndex {
    const total = totalLines ?? this.#line;
    // The end may have been cut out, too.
    if (totalBytes > this.#position) this.#addGap(totalBytes, Math.max(total, this.#line));
    return { total, marks: this.#marks, ...(this.#gap && { gap: this.#gap }) };
  }

  #addGap(at: number, line: number): void {
    this.#gap = { line: this.#line, endAt: at, endLine: line, bytes: at - this.#position };
    this.#marks.push([at, line]);
    this.#line = line;
  }

  #mark(at: number, content: Uint8Array): void {
    if (this.#isAtLineStart) this.#marks.push([at, this.#line]);
    else {
      const newline = content.indexOf(NEWLINE);
      if (newline !== -1 && newline + 1 < content.length)
        this.#marks.push([at + newline + 1, this.#line + 1]);
    }
  }
}

/** The last mark at or before this line. */
export function findMark({ marks }: LineIndex, line: number): LineMark {
  let [low, high] = [0, marks.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (marks[middle]![1] <= line) low = middle;
    else high = middle - 1;
  }
  return marks[low]!;
}

// One output file of a program: its bytes from the stored position on, and the lines that the platform adds.
import { execFile } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readSync, read as readAt, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { PRIVATE_FILE } from '../../kernel/storage/disk/private-files.ts';
import {
  CHUNK_BYTES,
  HEAD_BYTES,
  LINE_BYTES,
  stampLines,
  stampOf,
  startOfLine,
  TAIL_BYTES,
} from './model.ts';
import { countLines } from './line-index.ts';
import type { LogAppend } from './store.ts';

const read = promisify(readAt);

/** More than a line, and as much as makes a chunk. */
const READ_BYTES = CHUNK_BYTES;
/** So much of a file that is stored or skipped may stay on the disk. */
const STALE_BYTES = 64 * 1024 * 1024;
/** Of bytes that are skipped, so many are read to count their lines. */
const COUNTED_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;
/** Programs and the platform append: the kernel keeps their lines in order. */
const CREATE = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL;

export interface LogFileOptions {
  id: string;
  /** Its path below the work folder, by which the database knows it. */
  name: string;
  path: string;
  /** How much of it is stored. */
  position: number;
  /** The length of the whole log, including what was cut out. */
  totalBytes: number;
  /** The time of a line that is read now. */
  now: () => number;
}

export class LogFile {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly #fd: number;
  readonly #now: () => number;
  #position: number;
  #totalBytes: number;
  /** The size when nothing more could be stored: an incomplete line is not read again until it grows. */
  #sizeAtRest = -1;
  #freed = 0;
  #isClosed = false;
  #closing: 'close' | 'end' | undefined;
  /** Once it is closing: what a process might write later does not belong to the log. */
  #finalSize: number | undefined;

  constructor(options: LogFileOptions, mode: 'create' | 'reopen') {
    this.id = options.id;
    this.name = options.name;
    this.path = options.path;
    this.#position = options.position;
    this.#totalBytes = options.totalBytes;
    this.#now = options.now;
    this.#fd = openSync(this.path, mode === 'create' ? CREATE : constants.O_RDONLY, PRIVATE_FILE);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  get hasGrown(): boolean {
    return this.#size() !== this.#sizeAtRest;
  }

  /** For when the program is dead: the rest is to be stored, with a last line that has no newline. */
  beginClosing(how: 'close' | 'end'): void {
    this.#closing = how;
    this.#finalSize = this.#size();
  }

  write(line: string): void {
    if (this.#isClosed) return;
    const size = this.#size();
    const last = Buffer.alloc(1, NEWLINE);
    if (size > 0) readSync(this.#fd, last, 0, 1, size - 1);
    // The program may have printed a part of a line.
    writeSync(this.#fd, `${last[0] === NEWLINE ? '' : '\n'}${line}\n`);
  }

  /** What is to be stored next; undefined when there is nothing. */
  async next(): Promise<LogAppend | undefined> {
    // As it is with this size: a line that is written and an end that begins while we read are for the next call.
    const closing = this.#closing;
    const size = this.#size();
    const { id, name: file } = this;
    const from = this.#position;
    // The program has truncated the file, which harms only its own log.
    const start = size < from ? 0 : from;
    const begin = await this.#skipAhead(start, size);
    const skipped = begin - start;
    const skippedLines = await this.#countSkipped(start, begin);
    const room = Math.min(
      CHUNK_BYTES,
      this.#totalBytes < HEAD_BYTES ? HEAD_BYTES - this.#totalBytes : CHUNK_BYTES,
    );
    const raw = await this.#read(begin, Math.min(READ_BYTES, size - begin));
    const isEnd = closing !== undefined && begin + raw.length >= size;
    const { content, consumed } = stampLines(raw, { stamp: stampOf(this.#now()), isEnd, room });
    const to = begin + consumed;
    const ending = isEnd && consumed === raw.length ? closing : undefined;
    if (to === from && ending === undefined) {
      this.#sizeAtRest = size;
      return undefined;
    }
    return { id, file, from, to, skipped, skippedLines, content, ending };
  }

  /** After the bytes are stored. */
  advance({ to, skipped, content }: LogAppend): void {
    this.#position = to;
    this.#totalBytes += skipped + content.length;
    this.#freeStored();
  }

  /** After another has stored a part of it. */
  moveTo(position: number, totalBytes: number): void {
    this.#position = position;
    this.#totalBytes = totalBytes;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#fd);
  }

  /**
   * A program that prints faster than we store would otherwise have ever more to store, of which the middle is cut out
   * anyway. The beginning of the log is never skipped.
   */
  async #skipAhead(position: number, size: number): Promise<number> {
    if (this.#totalBytes < HEAD_BYTES || size - position <= TAIL_BYTES) return position;
    const target = size - TAIL_BYTES;
    return target + startOfLine(await this.#read(target, LINE_BYTES));
  }

  /** So that lines keep their numbers. Of very many bytes, only the first ones are counted, and the rest is taken to be alike. */
  async #countSkipped(start: number, end: number): Promise<number> {
    const counted = Math.min(end, start + COUNTED_BYTES);
    let lines = 0;
    for (let at = start; at < counted; at += READ_BYTES)
      lines += countLines(await this.#read(at, Math.min(READ_BYTES, counted - at)));
    return counted === end ? lines : Math.round((lines / (counted - start)) * (end - start));
  }

  async #read(position: number, length: number): Promise<Uint8Array> {
    if (length <= 0) return new Uint8Array();
    const buffer = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await read(this.#fd, buffer, 0, length, position);
    return buffer.subarray(0, bytesRead);
  }

  /** On an open file it takes microseconds and does not wait for the disk. */
  #size(): number {
    return this.#finalSize ?? fstatSync(this.#fd).size;
  }

  /** Gives the disk space of stored bytes back, while positions stay the same. Where that is not possible, it stays used. */
  #freeStored(): void {
    if (this.#position - this.#freed < STALE_BYTES) return;
    this.#freed = this.#position;
    const range = ['--offset', '0', '--length', String(this.#position)];
    execFile('fallocate', ['--punch-hole', ...range, this.path], () => {});
  }
}

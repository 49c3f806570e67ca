// One long-lived `git cat-file --batch-command --buffer` process, and the protocol it speaks.
import { guarded } from '../../../kernel/network/streams.ts';
import type { GitProcess } from '../process/git-process.ts';
import { GitLimitExceeded, hasExceededLimits } from '../process/process-limits.ts';

/** An answer's first line is a name of at most 60 characters, a type and a size. */
const MAX_HEADER_BYTES = 256;
/** Larger contents are never asked for. */
const MAX_CONTENT_BYTES = 64 * 1024 ** 2;
const NEWLINE = 0x0a;

export interface ObjectInfo {
  oid: string;
  type: string;
  size: number;
}

/** `content` only in answers to `contents`. */
export type ObjectAnswer = (ObjectInfo & { content?: Buffer }) | 'missing' | 'ambiguous';

export interface ObjectRequest {
  command: 'info' | 'contents';
  /** An object id, the beginning of one, or one of these with `^{commit}`. */
  name: string;
  resolve(answer: ObjectAnswer): void;
  reject(error: unknown): void;
  /** How many processes have died that may have died of this request. */
  deaths: number;
}

export interface ReaderEvents {
  /** The last waiting request has been answered. */
  onIdle(): void;
  onEnd(end: ReaderEnd): void;
}

export interface ReaderEnd {
  /** The requests without answers, the one that the process was working on first. */
  unanswered: ObjectRequest[];
  reason: unknown;
  /** The first one of `unanswered` took too long. */
  isLate: boolean;
  hasAnswered: boolean;
}

/** Requests that are made together are written together, and answered in the same order. */
export class ObjectReader {
  readonly #events: ReaderEvents;
  readonly #timer: NodeJS.Timeout;
  readonly #timeoutMs: number;
  readonly #answers = new AnswerParser();
  #requests: ObjectRequest[] = [];
  #unwritten: ObjectRequest[] = [];
  #process: GitProcess | undefined;
  /** Why the process is being ended. */
  #reason: unknown;
  #isLate = false;
  #hasAnswered = false;
  #hasEnded = false;

  constructor(start: Promise<GitProcess>, timeoutMs: number, events: ReaderEvents) {
    this.#events = events;
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(() => this.#checkTime(), timeoutMs).unref();
    start.then(
      (process) => this.#attach(process),
      (error: unknown) => this.#finish(error),
    );
  }

  get pending(): number {
    return this.#requests.length;
  }

  send(request: ObjectRequest): void {
    if (this.#requests.length === 0) this.#timer.refresh();
    this.#requests.push(request);
    if (this.#process === undefined) return;
    if (this.#unwritten.length === 0) queueMicrotask(() => this.#write(this.#process!));
    this.#unwritten.push(request);
  }

  /** Ends the process. What waits is handed to `onEnd`. */
  kill(reason: unknown = new Error('The reader is not needed.')): void {
    this.#reason ??= reason;
    this.#process?.kill();
  }

  #attach(process: GitProcess): void {
    this.#process = process;
    const read = (chunk: Buffer): void => this.#read(chunk);
    process.stdout.on(
      'data',
      guarded(read, (error) => this.kill(error)),
    );
    void process.exited.then((exit) => {
      const error = new Error(`git cat-file ended: ${exit.stderr.trim()}`);
      this.#finish(hasExceededLimits(exit) ? new GitLimitExceeded('cat-file', error) : error);
    });
    if (this.#reason !== undefined) process.kill();
    else if (this.#requests.length > 0) {
      this.#unwritten = [...this.#requests];
      this.#write(process);
    }
  }

  /** `flush` makes git answer what it has read: otherwise it would write each answer by itself. */
  #write({ stdin }: GitProcess): void {
    const lines = this.#unwritten.map(lineOf).join('');
    this.#unwritten = [];
    stdin.write(`${lines}flush\n`);
  }

  #read(chunk: Buffer): void {
    if (this.#reason !== undefined) return;
    this.#answers.add(chunk);
    for (;;) {
      const [request] = this.#requests;
      const answer = request && this.#answers.next(request);
      if (answer === undefined) break;
      this.#requests.shift();
      this.#hasAnswered = true;
      this.#timer.refresh();
      request!.resolve(answer);
    }
    if (this.#requests.length > 0) return;
    if (!this.#answers.isEmpty) throw new Error('git cat-file has answered what was not asked.');
    this.#events.onIdle();
  }

  #checkTime(): void {
    if (this.#requests.length === 0) return;
    this.#isLate = true;
    this.kill(new Error(`git cat-file did not answer within ${this.#timeoutMs} ms.`));
  }

  #finish(reason: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    const unanswered = this.#requests;
    this.#requests = [];
    this.#events.onEnd({
      unanswered,
      reason: this.#reason ?? reason,
      isLate: this.#isLate,
      hasAnswered: this.#hasAnswered,
    });
  }
}

/** What is asked again is answered one by one, so that the request that kills the process is known. */
function lineOf({ command, name, deaths }: ObjectRequest): string {
  return `${command} ${name}\n${deaths > 0 ? 'flush\n' : ''}`;
}

interface PartialContent {
  info: ObjectInfo;
  /** With room for the final newline. */
  content: Buffer;
  filled: number;
}

/** Splits the output into answers: a line, and for `contents` of an object that exists its bytes and a newline. */
class AnswerParser {
  #bytes: Buffer = Buffer.alloc(0);
  /** Where the next answer begins. */
  #at = 0;
  /** The content that is being read. */
  #partial: PartialContent | undefined;

  get isEmpty(): boolean {
    return this.#at === this.#bytes.length && this.#partial === undefined;
  }

  add(chunk: Buffer): void {
    const rest = this.#bytes.subarray(this.#at);
    this.#bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#at = 0;
  }

  /** Undefined until the whole answer is there. */
  next({ command, name }: ObjectRequest): ObjectAnswer | undefined {
    if (this.#partial !== undefined) return this.#fill(this.#partial);
    const start = this.#at;
    const end = this.#bytes.indexOf(NEWLINE, start);
    if ((end === -1 ? this.#bytes.length : end) - start > MAX_HEADER_BYTES) throw unreadable();
    if (end === -1) return undefined;
    const line = this.#bytes.toString('latin1', start, end);
    this.#at = end + 1;
    if (line === `${name} missing`) return 'missing';
    if (line === `${name} ambiguous`) return 'ambiguous';
    const [, oid, type, size] = /^([0-9a-f]{40}) ([a-z]+) (\d+)$/.exec(line) ?? [];
    if (oid === undefined || type === undefined) throw unreadable();
    const info = { oid, type, size: Number(size) };
    if (command === 'info') return info;
    if (info.size > MAX_CONTENT_BYTES) throw unreadable();
    // Memory of its own: a part of the chunk would keep the whole chunk alive.
    const content = Buffer.allocUnsafeSlow(info.size + 1);
    this.#partial = { info, content, filled: 0 };
    return this.#fill(this.#partial);
  }

  #fill(partial: PartialContent): ObjectAnswer | undefined {
    const copied = this.#bytes.copy(partial.content, partial.filled, this.#at);
    this.#at += copied;
    partial.filled += copied;
    if (partial.filled < partial.content.length) return undefined;
    this.#partial = undefined;
    if (partial.content.at(-1) !== NEWLINE) throw unreadable();
    return { ...partial.info, content: partial.content.subarray(0, -1) };
  }
}

function unreadable(): Error {
  return new Error('git cat-file has answered in an unknown form.');
}

// Parses a form (multipart/form-data, RFC 7578) as a stream: only the current piece is in memory.
import { piecesOf, tooLarge } from '../kernel/http/body/body.ts';
import { Failure } from '../kernel/failure.ts';
import { parseMediaType } from '../kernel/http/body/media-type.ts';
import type { Call } from '../kernel/http/route.ts';

export interface FormPart {
  name: string;
  /** Present for files only. */
  filename?: string;
  /** Asking for the next part skips the unread rest. */
  body: AsyncGenerator<Uint8Array, void>;
}

/** The form of a call. */
export function formOf(
  { stream, headers }: Pick<Call, 'stream' | 'headers'>,
  limit: number,
): AsyncGenerator<FormPart, void> {
  const encoding = headers['content-encoding']?.toString() ?? 'identity';
  if (encoding !== 'identity')
    throw new Failure('unsupported-encoding', `A form cannot be sent in the content encoding "${encoding}"`);
  if (Number(headers['content-length']) > limit) throw tooLarge(limit);
  return readForm(piecesOf(stream, limit), headers['content-type']?.toString());
}

const BREAK = '\r\n';
const MAX_HEADERS = 16 * 1024;

/** The parts in the order sent. `contentType` is the header of the request, which contains the boundary. */
export async function* readForm(
  source: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
): AsyncGenerator<FormPart, void> {
  const { type, parameters } = parseMediaType(contentType ?? '') ?? {};
  const boundary = parameters?.['boundary'] ?? '';
  if (type !== 'multipart/form-data' || boundary === '' || boundary.length > 70)
    throw new Failure('malformed', 'The body must be a form: multipart/form-data with a boundary');
  const text = new Lookahead(source);
  try {
    const delimiter = Buffer.from(`${BREAK}--${boundary}`, 'latin1');
    // A boundary follows a line break, except the first one at the very beginning.
    text.putBack(Buffer.from(BREAK));
    await text.skip(delimiter);
    while (!(await isLast(text))) {
      const reading = { isOver: false };
      yield toPart(await text.line(BREAK + BREAK), text.until(delimiter, reading));
      if (!reading.isOver) await text.skip(delimiter);
    }
  } finally {
    await text.leave();
  }
}

/** Two hyphens after a boundary end the form; otherwise a line break and the headers of a part follow. */
async function isLast(text: Lookahead): Promise<boolean> {
  const rest = await text.line(BREAK, '--');
  if (rest === undefined) return true;
  if (rest.trim() !== '') throw malformed();
  return false;
}

function toPart(headers: string | undefined, body: FormPart['body']): FormPart {
  const disposition = /(?:^|\r\n)content-disposition:[ \t]*form-data[ \t]*(;[^\r\n]*)/i.exec(
    headers ?? '',
  )?.[1];
  const name = parameterOf(disposition ?? '', 'name');
  if (name === undefined) throw malformed();
  const filename = parameterOf(disposition ?? '', 'filename');
  return { name, ...(filename !== undefined && { filename }), body };
}

/** Browsers percent-encode line breaks and quotes in it; other clients escape quotes by a backslash. */
function parameterOf(disposition: string, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`;[ \\t]*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(disposition) ?? [];
  return (quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain)
    ?.replaceAll(/%22/g, '"')
    .replaceAll(/%0D/gi, '\r')
    .replaceAll(/%0A/gi, '\n');
}

function malformed(): Failure {
  return new Failure('malformed', 'The form cannot be read: a part of it is not as multipart/form-data says');
}

/** A stream of bytes that can be searched for a delimiter that spans two pieces. */
class Lookahead {
  readonly #source: AsyncIterator<Uint8Array>;
  #ahead: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Closes the iterator; the stream itself can still be read to its end. */
  async leave(): Promise<void> {
    await this.#source.return?.();
  }

  putBack(bytes: Buffer): void {
    this.#ahead = Buffer.concat([bytes, this.#ahead]);
  }

  /** Yields the bytes before the delimiter and consumes it; `reading` tells, even if the caller stops early, whether it was found. */
  async *until(mark: Buffer, reading = { isOver: false }): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const at = this.#ahead.indexOf(mark);
      reading.isOver = at >= 0;
      // The last bytes may be the beginning of the delimiter.
      const sure = at >= 0 ? at : Math.max(0, this.#ahead.length - mark.length + 1);
      const piece = this.#ahead.subarray(0, sure);
      this.#ahead = this.#ahead.subarray(at >= 0 ? at + mark.length : sure);
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      await this.#more();
    }
  }

  async skip(mark: Buffer): Promise<void> {
    for await (const _ of this.until(mark));
  }

  /**
   * Returns the short text before the delimiter and consumes both. With `instead`, the delimiter stays ahead, and the answer is
   * undefined if the next bytes are `instead`.
   */
  async line(mark: string, instead?: string): Promise<string | undefined> {
    for (;;) {
      if (instead !== undefined && this.#ahead.indexOf(instead, 0, 'latin1') === 0) return undefined;
      const at = this.#ahead.indexOf(mark, 0, 'latin1');
      const isClear = instead === undefined || this.#ahead.length >= instead.length;
      if (at >= 0 && isClear) {
        const text = this.#ahead.toString('utf8', 0, at);
        this.#ahead = this.#ahead.subarray(instead === undefined ? at + mark.length : at);
        return text;
      }
      if (this.#ahead.length > MAX_HEADERS) throw malformed();
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#source.next();
    if (done === true) throw new Failure('malformed', 'The form ends before its last boundary');
    this.#ahead = Buffer.concat([this.#ahead, value]);
  }
}

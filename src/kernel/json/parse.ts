// Parses JSON without blocking the event loop: a large text is scanned, and then parsed part by part.
import { Failure } from '../failure.ts';
import { setProperty, type JsonObject } from './json-value.ts';
import { findJsonError } from './json-error.ts';
import {
  isBlank,
  MAX_JSON_DEPTH,
  JSON_PART_BYTES,
  scanJson,
  jsonTooDeep,
  type CutJson,
  type JsonPart,
  type ScanOptions,
} from './scan.ts';
import { TimeSlice } from '../yield-to-event-loop.ts';

/** Throws `malformed` for text that is not JSON, and `invalid` if a large text exceeds a limit. */
export async function parseJson(bytes: Buffer, options: ScanOptions = {}): Promise<unknown> {
  if (bytes.length <= (options.partBytes ?? JSON_PART_BYTES)) return parseSmall(bytes);
  const cut = await scanJson(bytes, options);
  try {
    if (cut === 'broken') throw new SyntaxError();
    if (cut === 'scalar') return JSON.parse(bytes.toString());
    const slice = new TimeSlice();
    const value = await parseCut(bytes, cut, slice);
    if (slice.isOver) await slice.yieldToEventLoop();
    return value;
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(bytes) : error;
  }
}

function parseSmall(bytes: Buffer): unknown {
  if (isTooDeep(bytes)) throw jsonTooDeep();
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw notJson(bytes);
  }
}

async function parseCut(bytes: Buffer, cut: CutJson, slice: TimeSlice): Promise<unknown> {
  const { kind, parts } = cut;
  if (kind === 'string') return await parseString(bytes, parts, slice);
  const list: unknown[] = [];
  const object: JsonObject = {};
  const isArray = kind === 'array';
  for (const part of parts) {
    if (slice.isOver) await slice.yieldToEventLoop();
    // A comma needs a value on either side, but empty brackets are valid.
    if (parts.length > 1 && isBlank(bytes, part.start, part.end)) throw new SyntaxError();
    if (part.inside !== undefined) {
      const value = await parseCut(bytes, part.inside, slice);
      if (isArray) list.push(value);
      else setProperty(object, nameOf(bytes, part, part.inside), value);
      checkAround(bytes, part, part.inside, isArray);
    } else if (isArray) {
      for (const element of JSON.parse(`[${textOf(bytes, part)}]`) as unknown[]) list.push(element);
    } else {
      const members = JSON.parse(`{${textOf(bytes, part)}}`) as JsonObject;
      if (parts.length === 1) return members;
      for (const key of Object.keys(members)) setProperty(object, key, members[key]);
    }
  }
  return isArray ? list : object;
}

async function parseString(bytes: Buffer, parts: readonly JsonPart[], slice: TimeSlice): Promise<string> {
  const texts: string[] = [];
  for (const part of parts) {
    texts.push(JSON.parse(`"${textOf(bytes, part)}"`) as string);
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return texts.join('');
}

function textOf(bytes: Buffer, { start, end }: JsonPart): string {
  return bytes.toString('utf8', start, end);
}

/** The name of a member whose value was cut separately. */
function nameOf(bytes: Buffer, { start }: JsonPart, inside: CutJson): string {
  // A string takes the value's place: a digit could merge with a stray one before it.
  const member = `{${bytes.toString('utf8', start, inside.start - 1)}""}`;
  const [name] = Object.keys(JSON.parse(member) as object);
  return name!;
}

function checkAround(bytes: Buffer, { start, end }: JsonPart, inside: CutJson, isArray: boolean): void {
  const isGood = (!isArray || isBlank(bytes, start, inside.start - 1)) && isBlank(bytes, inside.end + 1, end);
  if (!isGood) throw new SyntaxError();
}

const NOT_JSON = 'The request body is not valid JSON';

/** Finding the error takes time, and longer texts are not written by hand. */
const MAX_SEARCHED = 64 * 1024;

function notJson(bytes: Buffer): Failure {
  const error = bytes.length > MAX_SEARCHED ? undefined : findJsonError(bytes.toString());
  if (error === undefined) return new Failure('malformed', NOT_JSON, { part: 'json' });
  const { line, column, problem } = error;
  const where = `line ${line}, column ${column}: ${problem}`;
  const fields = [{ field: 'body', message: `is not valid JSON, ${where}` }];
  return new Failure('malformed', `${NOT_JSON}, ${where}`, { part: 'json', fields });
}

/** Counts brackets outside strings in the bytes: cheaper than walking the parsed value. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (isInString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) isInString = false;
    } else if (byte === 0x22) isInString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}

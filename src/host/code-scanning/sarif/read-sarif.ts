// Reads a whole document, inflated and parsed with limits on its size and depth: every problem that it has, or its runs.
import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { Failure } from '../../../kernel/failure.ts';
import { findJsonError } from '../../../kernel/json/json-error.ts';
import { MAX_PROBLEMS, MAX_RUNS, MAX_INFLATED_BYTES, MAX_SARIF_DEPTH } from './sarif-limits.ts';
import { readRun, type ReadRun } from './sarif-run.ts';
import { objectIn } from './sarif-values.ts';

export interface SarifSource {
  gzip: Uint8Array;
  checkoutUri?: string;
}

type SarifReading = { runs: ReadRun[] } | { problems: string[] };

export function readSarif({ gzip, checkoutUri }: SarifSource): SarifReading {
  const problems: string[] = [];
  const refuse = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(`${problem}.`);
  };
  try {
    const { version, runs } = objectIn(parseUpload(gzip));
    if (version !== '2.1.0') refuse('The version of the document must be "2.1.0"');
    if (!Array.isArray(runs) || runs.length === 0) refuse('The document must have an array of runs');
    else if (runs.length > MAX_RUNS) refuse(`The document has ${runs.length} runs; the limit is ${MAX_RUNS}`);
    if (problems.length > 0) return { problems };
    const read = (runs as unknown[]).map((run, index) =>
      readRun(objectIn(run), checkoutUri, (problem) => refuse(`runs[${index}] ${problem}`)),
    );
    refuseTwice(read, refuse);
    return problems.length > 0 ? { problems } : { runs: read };
  } catch (error) {
    if (error instanceof Failure) return { problems: [error.message] };
    throw error;
  }
}

/** The second would replace the first. */
function refuseTwice(runs: readonly ReadRun[], refuse: (problem: string) => void): void {
  const seen = new Set<string>();
  for (const { toolName, category } of runs) {
    const key = JSON.stringify([toolName, category]);
    if (seen.has(key))
      refuse(
        `Two runs are of the tool ${toolName} and the category "${category}". Give each its own automationDetails.id`,
      );
    seen.add(key);
  }
}

/** Throws `invalid` with what to do about it. */
function parseUpload(gzip: Uint8Array): unknown {
  const bytes = withoutMark(inflate(gzip));
  if (isGzip(bytes)) throw refused('The document is compressed twice. Compress it once with gzip.');
  if (!isUtf8(bytes)) throw refused('The document is not UTF-8 text. Write it as UTF-8.');
  if (depthOf(bytes) > MAX_SARIF_DEPTH)
    throw refused(`The document is nested deeper than ${MAX_SARIF_DEPTH} levels.`);
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    const { line, column, problem } = findJsonError(text) ?? {
      line: 1,
      column: 1,
      problem: 'it cannot be read',
    };
    throw refused(`The document is not JSON: line ${line}, column ${column}: ${problem}.`);
  }
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function inflate(gzip: Uint8Array): Buffer {
  try {
    return gunzipSync(gzip, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw refused(
        `The document has more than ${MAX_INFLATED_BYTES} bytes. Split it into uploads with a category each.`,
      );
    throw refused(`The document cannot be inflated: ${message}. Compress it with gzip again.`);
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** Of brackets outside of strings. Parsing would survive any depth, but not everything after it would. */
function depthOf(bytes: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) deepest = Math.max(deepest, (depth += 1));
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return deepest;
}

function refused(message: string): Failure {
  return new Failure('invalid', message);
}

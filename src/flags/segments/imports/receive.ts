// Takes in the form of an import: the file goes into a blob of its own as it comes.
import type { Readable } from 'node:stream';
import { Failure } from '../../../kernel/failure.ts';
import { newId } from '../../../kernel/id.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { readForm, type FormPart } from '../../../kernel/multipart.ts';
import type { Call } from '../../../kernel/route.ts';
import { problem } from '../../../kernel/schema.ts';
import type { ImportMode } from '../segment.ts';
import { endFile, importFile, scheduleFileEnd } from './store.ts';

export interface Received {
  id: string;
  filename?: string;
  size: number;
  mode: ImportMode;
  waitOnApprovals: boolean;
}

/** Of the whole form: some millions of keys. */
export const MOST_BYTES = 100 * 1024 * 1024;
const MOST_FIELD = 1024;
const MOST_FILENAME = 256;

type Sending = Pick<Call, 'stream' | 'headers' | 'now'>;

interface Receiving {
  /** Before anything is taken in. */
  admit(): Promise<void>;
  /** When this fails, nothing is left of the file. */
  use(received: Received): Promise<void>;
}

/** The id of the import that is to be. */
export async function receiveFile(kernel: Kernel, call: Sending, { admit, use }: Receiving): Promise<string> {
  const { stream, headers, now } = call;
  try {
    await admit();
    const encoding = headers['content-encoding']?.toString() ?? 'identity';
    if (encoding !== 'identity')
      throw new Failure(
        'unsupported-encoding',
        `A file cannot be sent in the content encoding "${encoding}"`,
      );
    if (Number(headers['content-length']) > MOST_BYTES) throw tooLarge();
    const form = readForm(piecesOf(stream), headers['content-type']?.toString());
    return await takeIn(kernel, newId(now), now, form, use);
  } catch (error) {
    // Who is still sending must come to the end before they read what went wrong.
    stream.resume();
    throw error;
  }
}

async function takeIn(
  kernel: Kernel,
  id: string,
  now: number,
  form: AsyncIterable<FormPart>,
  use: Receiving['use'],
): Promise<string> {
  const { db, log } = kernel;
  await scheduleFileEnd(db, id, now);
  try {
    await use({ id, ...(await readParts(kernel, id, form)) });
    return id;
  } catch (error) {
    await endFile(db, id, now).catch((cause: unknown) => {
      log.warn({ err: cause, import: id }, 'cannot delete a file; it goes in a day');
    });
    throw error;
  }
}

async function readParts(
  { blobs }: Kernel,
  id: string,
  form: AsyncIterable<FormPart>,
): Promise<Omit<Received, 'id'>> {
  let file: Pick<Received, 'size' | 'filename'> | undefined;
  const fields = new Map<string, string>();
  for await (const { name, filename, body } of form) {
    if (name === 'mode' || name === 'waitOnApprovals') fields.set(name, await textOf(name, body));
    if (name !== 'file') continue;
    if (file !== undefined) throw new Failure('malformed', 'The form has more than one file');
    const { size } = await blobs.put(importFile(id), body);
    file = { size, ...(filename && { filename: filename.replaceAll('\0', '').slice(0, MOST_FILENAME) }) };
  }
  if (file === undefined) throw new Failure('malformed', 'The form has no "file"');
  if (file.size === 0) throw new Failure('invalid', 'The file is empty');
  return {
    ...file,
    mode: readMode(fields.get('mode')),
    waitOnApprovals: readWait(fields.get('waitOnApprovals')),
  };
}

function readMode(mode = 'merge'): ImportMode {
  if (mode === 'merge' || mode === 'replace') return mode;
  throw problem('mode', 'must be one of merge, replace');
}

function readWait(text = 'false'): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw problem('waitOnApprovals', 'must be true or false');
}

async function textOf(name: string, body: FormPart['body']): Promise<string> {
  let text = Buffer.alloc(0);
  for await (const piece of body) {
    text = Buffer.concat([text, piece]);
    if (text.length > MOST_FIELD) throw problem(name, `can have at most ${MOST_FIELD} bytes`);
  }
  return text.toString();
}

function tooLarge(): Failure {
  return new Failure('too-large', `The form is too large: the limit is ${MOST_BYTES} bytes.`);
}

/** The body as it comes. When it is left early it stays open, so that an answer can still be sent. */
async function* piecesOf(stream: Readable): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  try {
    for await (const piece of stream.iterator({ destroyOnReturn: false })) {
      size += (piece as Uint8Array).byteLength;
      if (size > MOST_BYTES) throw tooLarge();
      yield piece as Uint8Array;
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('malformed', 'The caller went away before the file was there', { cause: error });
  }
}

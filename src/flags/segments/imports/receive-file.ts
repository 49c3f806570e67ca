// Receives the form of an import, and streams the file into a blob.
import { Failure } from '../../../kernel/failure.ts';
import { newId } from '../../../kernel/id.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { formOf, type FormPart } from '../../multipart.ts';
import type { Call } from '../../../kernel/http/route.ts';
import { problem } from '../../../kernel/schema/schema.ts';
import type { ImportMode } from '../segment.ts';
import { endFile, importFile, scheduleFileEnd } from './store.ts';

export interface ReceivedFile {
  id: string;
  filename?: string;
  size: number;
  mode: ImportMode;
  waitOnApprovals: boolean;
}

/** For the whole form: enough for millions of keys. */
export const MAX_FORM_BYTES = 100 * 1024 * 1024;
const MAX_FIELD_BYTES = 1024;
const MAX_FILENAME_LENGTH = 256;

type FormCall = Pick<Call, 'stream' | 'headers' | 'now'>;

/** Returns the id of the new import. If `use` fails, the file is deleted. */
export async function receiveFile(
  kernel: Kernel,
  call: FormCall,
  use: (received: ReceivedFile) => Promise<void>,
): Promise<string> {
  const { db, log } = kernel;
  const { now } = call;
  const id = newId(now);
  const form = formOf(call, MAX_FORM_BYTES);
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
): Promise<Omit<ReceivedFile, 'id'>> {
  let file: Pick<ReceivedFile, 'size' | 'filename'> | undefined;
  const fields = new Map<string, string>();
  for await (const { name, filename, body } of form) {
    if (name === 'mode' || name === 'waitOnApprovals') fields.set(name, await textOf(name, body));
    if (name !== 'file') continue;
    if (file !== undefined) throw new Failure('malformed', 'The form has more than one file');
    const { size } = await blobs.put(importFile(id), body);
    file = {
      size,
      ...(filename && { filename: filename.replaceAll('\0', '').slice(0, MAX_FILENAME_LENGTH) }),
    };
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
  for await (const batch of body) {
    text = Buffer.concat([text, batch]);
    if (text.length > MAX_FIELD_BYTES) throw problem(name, `can have at most ${MAX_FIELD_BYTES} bytes`);
  }
  return text.toString();
}

// Receives the file of an import into a blob, and starts the import then, or when it waits and is approved.
import { Failure } from '../../../kernel/failure.ts';
import { recordedAs } from '../../../kernel/identity/identity.ts';
import type { KnownCaller } from '../../../kernel/identity/caller.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import type { Call } from '../../../kernel/http/route.ts';
import { problem } from '../../../kernel/schema/schema.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { requireAllPermissions } from '../../../kernel/identity/actor.ts';
import { openEnvironment, unknownThing } from '../../find-project.ts';
import { environmentalResource } from '../../policy/resources.ts';
import { requireSegmentApproval, segmentNeedsApproval } from '../approval.ts';
import { requireBig } from '../membership.ts';
import type { Segment, ImportMode } from '../segment.ts';
import { findSegment, lockSegment } from '../store.ts';
import {
  IMPORT_ACTIONS,
  type SegmentImport,
  countWaiting,
  insertImport,
  findImport,
  nextNumber,
  updateImport,
  scheduleImport,
  setImporting,
  endFile,
  importFile,
  scheduleFileEnd,
} from './store.ts';
import { newId } from '../../../kernel/id.ts';
import { formOf, type FormPart } from '../../multipart.ts';

type ImportCall = Pick<Call, 'can' | 'requirePermission' | 'now'> & {
  caller: KnownCaller;
  params: { projectKey: string; environmentKey: string; segmentKey: string };
};

/** Runs all checks that need no file, before the file is received. */
export async function admitImport(call: ImportCall, { db }: Kernel): Promise<void> {
  const { segment } = await open(call, db, findSegment);
  requireIdle(segment);
}

export async function beginImport(call: ImportCall, { db }: Kernel, file: ReceivedFile): Promise<void> {
  const { id, filename, size, mode, waitOnApprovals } = file;
  const { now } = call;
  await db.transaction().execute(async (tx) => {
    const hold: typeof findSegment = (...asked) => lockSegment(...asked);
    const { environment, segment, resource } = await open(call, tx, hold);
    const isWaiting = waitOnApprovals && segmentNeedsApproval(call, environment, segment, resource);
    if (isWaiting) {
      await requireFewWaiting(tx, segment);
    } else {
      requireSegmentApproval(call, environment, segment, resource);
      requireIdle(segment);
      await setImporting(tx, segment.id, mode);
    }
    await insertImport(tx, {
      id,
      segmentId: segment.id,
      number: await nextNumber(tx, segment.id),
      mode,
      status: 'preparing',
      isWaiting,
      ...(filename !== undefined && { filename }),
      size,
      isTyped: false,
      takenBytes: 0,
      keyCount: 0,
      processedCount: 0,
      changedCount: 0,
      removedCount: 0,
      doer: recordedAs(call.caller),
      createdAt: now,
    });
    await scheduleImport(tx, id, now);
  });
}

/** Finds a big segment that the caller may import into. */
async function open(call: ImportCall, db: Db, find: typeof findSegment) {
  const { projectKey, environmentKey, segmentKey } = call.params;
  const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
  const segment = await find(db, environment.id, segmentKey);
  if (segment === undefined) throw unknownThing('segment', segmentKey);
  const resource = environmentalResource(project, environment, 'segment', segment);
  requireAllPermissions(
    call,
    IMPORT_ACTIONS.map((action) => ({ action, resource })),
  );
  return { environment, segment: requireBig(segment), resource };
}

/** Limited, because the files of waiting imports are stored. */
const MAX_WAITING = 10;

async function requireFewWaiting(db: Db, { id, key }: Segment): Promise<void> {
  if ((await countWaiting(db, id)) < MAX_WAITING) return;
  throw new Failure(
    'conflict',
    `There are ${MAX_WAITING} imports into "${key}" that wait: let them through first`,
  );
}

function requireIdle({ key, importing }: Pick<Segment, 'key' | 'importing'>): void {
  if (importing === undefined) return;
  throw new Failure('conflict', `Another import into "${key}" is in progress: wait until it is complete`);
}

/** The imports with these ids that wait for approval. Ignores those that were approved before. */
export async function findWaitingImports(
  db: Db,
  segment: Segment,
  ids: readonly string[],
): Promise<SegmentImport[]> {
  const waiting: SegmentImport[] = [];
  for (const id of new Set(ids)) {
    const found = await findImport(db, id);
    if (found?.segmentId !== segment.id) throw problem('importId', 'names no import into this segment');
    if (found.status === 'stopped')
      throw problem('importId', `names an import that has been stopped: ${found.message}`);
    if (found.isWaiting) waiting.push(found);
  }
  if (waiting.length > 1) throw problem('importId', 'names the second import: they go one at a time');
  if (waiting.length > 0) requireIdle(segment);
  return waiting;
}

/** The change is then attributed to the caller who approved the import. */
export async function releaseImport(
  tx: Db,
  waiting: SegmentImport,
  { caller, now, comment }: { caller?: KnownCaller; now: number; comment?: string | undefined },
): Promise<void> {
  await updateImport(tx, {
    ...waiting,
    isWaiting: false,
    status: waiting.status === 'pending_approval' ? 'in_progress' : waiting.status,
    ...(caller !== undefined && { doer: recordedAs(caller) }),
    ...(comment !== undefined && { comment }),
  });
  await setImporting(tx, waiting.segmentId, waiting.mode);
  if (waiting.status === 'pending_approval') await scheduleImport(tx, waiting.id, now);
}

interface ReceivedFile {
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

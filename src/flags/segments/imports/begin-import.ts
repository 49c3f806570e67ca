// Starts an import when its file is received, or when a waiting import is approved.
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
import type { Segment } from '../segment.ts';
import { findSegment, lockSegment } from '../store.ts';
import type { ReceivedFile } from './receive-file.ts';
import { IMPORT_ACTIONS, type SegmentImport } from './segment-import.ts';
import {
  countWaiting,
  insertImport,
  findImport,
  nextNumber,
  updateImport,
  scheduleImport,
  setImporting,
} from './store.ts';

export type ImportCall = Pick<Call, 'can' | 'requirePermission' | 'now'> & {
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

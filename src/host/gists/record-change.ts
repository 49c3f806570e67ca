// Brings the row, files and revisions of a gist up to what git has: after every write, and after a crash. ADR 0115.
import { actorOf, systemActor, type ChangeActor } from '../../kernel/identity/actor.ts';
import type { Change } from '../../kernel/change/change.ts';
import { cancel, schedule, type DueHandler } from '../../kernel/jobs/due-store.ts';
import { newId } from '../../kernel/id.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { recordedAs, type Initiator } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { MAINTAIN_GIST, scheduleMaintenance } from '../maintenance/schedule-maintenance.ts';
import { listOwners } from '../owners/store.ts';
import { gistNotFound, gistResource, type FoundGist, type NamedGist } from './access.ts';
import type { Gist } from './gist.ts';
import { readGistState, type GistState } from './read-git.ts';
import { findGistByNumber, lockGist, updateGist, hasGistWrite } from './store.ts';
import { deleteRevisions, insertRevisions, listRevisionAuthors } from './store-revisions.ts';

export const RECORD_GIST = 'host.record-gist';

/** Long after most writes are over, and soon after a crash. */
const FIRST_LOOK_MS = 10_000;
const LONGEST_WAIT_MS = 5 * 60_000;
/** No push takes longer: afterwards its server has died. */
const MAX_WRITE_MS = 60 * 60 * 1000;
/** How often it is tried again after others have recorded changes of the same gist. */
const MAX_TRIES = 50;

interface WritePayload {
  number: number;
  writer: Initiator;
  begunAt: number;
}

/** Must be durable before git may move the branch. Returns the id of the write, for `recordGistChange`. */
export async function beginGistWrite(
  { db }: Kernel,
  number: number,
  caller: KnownCaller,
  now: number,
): Promise<string> {
  const id = `${RECORD_GIST}:${number}:${newId(now)}`;
  const payload: WritePayload = { number, writer: recordedAs(caller), begunAt: now };
  const work = { id, kind: RECORD_GIST, payload: JSON.stringify(payload), dueAt: now + FIRST_LOOK_MS };
  await db.transaction().execute(async (tx) => schedule(tx, work, now));
  return id;
}

export interface RecordedChange {
  /** The write that ends with this. */
  write?: string;
  /** Changed in the same transaction. */
  description?: string | null;
  /** Who is asked for the permission; absent for a push, which git has accepted already. */
  actor?: ChangeActor;
}

/** Idempotent. Undefined where the gist was removed meanwhile. */
export async function recordGistChange(
  kernel: Kernel,
  { number }: Pick<Gist, 'number'>,
  caller: KnownCaller | undefined,
  change: RecordedChange = {},
): Promise<FoundGist | undefined> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const recorded = await recordOnce(kernel, number, caller, change);
    if (recorded !== 'changed') return recorded;
  }
  throw new Error(`Too many changes of gist ${number} at once.`);
}

async function recordOnce(
  kernel: Kernel,
  number: number,
  caller: KnownCaller | undefined,
  { write, description, actor: given }: RecordedChange,
): Promise<FoundGist | undefined | 'changed'> {
  const { db, services, clock } = kernel;
  const seen = await findGistByNumber(db, number);
  if (seen === undefined) {
    if (write !== undefined) await cancel(db, write);
    return undefined;
  }
  const state = await readGistState(services.gistGit.repository(number), seen.head);
  const authors = state?.isContinued === false ? await listRevisionAuthors(db, number) : undefined;
  const now = clock.now();
  const actor = given ?? systemActor(caller === undefined ? { now, id: RECORD_GIST } : actorOf(caller, now));
  return await kernel.changes.run(actor, async (tx) => {
    const before = await lockGist(tx.db, number);
    // What was read of git may be older than what another has recorded.
    if (before !== undefined && before.head !== seen.head) return 'changed';
    if (write !== undefined) await cancel(tx.db, write);
    const owner = before && (await listOwners(tx.db, [before.ownerId])).get(before.ownerId);
    if (before === undefined || owner === undefined) {
      if (given !== undefined) throw gistNotFound();
      return undefined;
    }
    const isRenamed = description !== undefined && description !== before.description;
    if (state === undefined && !isRenamed) return { gist: before, owner };
    if (state !== undefined) {
      const authorId = caller === undefined ? null : accountOf(caller).id;
      if (!state.isContinued) await deleteRevisions(tx.db, number);
      const revisions = state.revisions.map((one) => ({
        ...one,
        authorId: authors?.get(one.sha) ?? authorId,
      }));
      await insertRevisions(tx.db, number, state.isContinued ? before.revisionCount + 1 : 1, revisions);
    }
    const gist = await updateGist(
      tx.db,
      number,
      {
        ...(state && { state: { ...state, revisionCount: countAfter(before, state) } }),
        ...(isRenamed && { description }),
      },
      now,
    );
    if (state !== undefined) await scheduleMaintenance(tx.db, number, now, MAINTAIN_GIST);
    tx.record({
      ...gistChange('updateGist', 'updated', { gist, owner }),
      before: auditedGist(before),
      after: auditedGist(gist),
    });
    return { gist, owner };
  });
}

function countAfter({ revisionCount }: Gist, { isContinued, revisions }: GistState): number {
  return (isContinued ? revisionCount : 0) + revisions.length;
}

/**
 * An entry about a secret gist has its number instead of its id: readers of the log and receivers of webhooks would
 * be able to read the gist by its id.
 */
export function gistChange(action: string, verb: string, found: ChangedGist): Change {
  const { gist, owner } = found;
  const access = { action, resource: gistResource(found) };
  const shared = { kind: 'gist', verb: `${verb} the gist`, ownerId: gist.ownerId };
  const name = auditedGistName(gist);
  if (gist.isPublic) return { ...shared, accesses: [access], name };
  return {
    accesses: [{ action, resource: gistResource({ gist: { id: name }, owner }) }],
    requirements: [access],
    ...shared,
    name,
  };
}

export function auditedGistName({ id, number, isPublic }: Pick<Gist, 'id' | 'number' | 'isPublic'>): string {
  return isPublic ? id : `secret-${number}`;
}

/** The owner may be gone. */
interface ChangedGist extends NamedGist {
  gist: Pick<Gist, 'id' | 'number' | 'isPublic' | 'ownerId'>;
}

/** The names of the files, without their contents; of a secret gist, only how many. */
export function auditedGist({
  id,
  number,
  description,
  isPublic,
  files,
  head,
}: Gist): Record<string, unknown> {
  const shared = { number, public: isPublic, version: head };
  return isPublic
    ? { id, ...shared, description, files: files.map(({ name }) => name) }
    : { ...shared, files: files.length };
}

/** Looks again and again while the write may go on: nothing says that its server has died. */
export function recordGistHandler(kernel: Kernel): DueHandler {
  return async ({ id, kind, payload }) => {
    const { db, clock, identity } = kernel;
    const { number, writer, begunAt } = JSON.parse(payload) as WritePayload;
    const now = clock.now();
    const caller = await identity.callerOf(db, writer, now);
    await recordGistChange(kernel, { number }, caller);
    const age = now - begunAt;
    if (age > MAX_WRITE_MS) return;
    const dueAt = now + Math.min(Math.max(age, FIRST_LOOK_MS), LONGEST_WAIT_MS);
    await db.transaction().execute(async (tx) => {
      if (await hasGistWrite(tx, id)) await schedule(tx, { id, kind, payload, dueAt }, now, 'move');
    });
  };
}

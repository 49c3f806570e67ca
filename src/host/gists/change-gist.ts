// Creates, forks, changes and removes gists, each with its audit entry.
import { randomBytes } from 'node:crypto';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { cancel, schedule } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { gistNotFound, ownsGist, type FoundGist } from './access.ts';
import { editFiles, type SentFiles, writeRevision } from './write-revision.ts';
import { GIST_BRANCH, type Gist } from './gist.ts';
import { readGistState } from './read-git.ts';
import { auditedGist, beginGistWrite, gistChange, recordGistChange } from './record-change.ts';
import {
  findForkOf,
  insertGist,
  lockGist,
  markGistDeleted,
  publishGist,
  shareLockGistOwner,
  type NewGist,
} from './store.ts';
import { insertRevisions, listRevisionAuthors } from './store-revisions.ts';

export const DELETE_GIST = 'host.delete-gist';

/** A gist that is not finished by then was begun by a server that has died. */
const MAX_CREATION_MS = 10 * 60_000;

type Actor = ChangeActor & { caller: KnownCaller };

export interface SentGist {
  description: string | null;
  isPublic: boolean;
  files: SentFiles;
}

export async function createGist(
  kernel: Kernel,
  actor: Actor,
  { description, isPublic, files }: SentGist,
): Promise<FoundGist> {
  const { gistGit } = kernel.services;
  gistGit.require();
  // Nothing is written for a request that is refused.
  editFiles(undefined, files);
  const fields = { description, isPublic, parentNumber: null };
  return await addGist(kernel, actor, fields, async (number) => {
    const git = await gistGit.createRepository(number, GIST_BRANCH);
    await writeRevision(git, actor, files);
  });
}

/** Who has forked it already, or does so at the same time, gets that fork. */
export async function forkGist(kernel: Kernel, actor: Actor, parent: FoundGist): Promise<FoundGist> {
  const { gist } = parent;
  if (ownsGist(actor.caller, gist)) throw new Failure('invalid', 'You cannot fork your own gist.');
  const account = accountOf(actor.caller);
  const existing = await findForkOf(kernel.db, gist.number, account.id);
  if (existing !== undefined) return { gist: existing, owner: ownerOfAccount(account) };
  const fields = {
    description: gist.description,
    isPublic: gist.isPublic,
    parentNumber: gist.number,
  };
  const authors = await listRevisionAuthors(kernel.db, gist.number);
  const fill = async (number: number) => {
    await kernel.services.gistGit.forkRepository(gist.number, number, { defaultBranch: GIST_BRANCH });
  };
  return await addGist(kernel, actor, fields, fill, authors);
}

/** Nobody finds the gist before its files are there. After a crash, due work removes what was begun. */
async function addGist(
  kernel: Kernel,
  actor: Actor,
  fields: Omit<NewGist, 'id' | 'ownerId'>,
  fill: (number: number) => Promise<void>,
  authors?: ReadonlyMap<string, string | null>,
): Promise<FoundGist> {
  const { db, services, changes } = kernel;
  const { caller, now } = actor;
  const account = accountOf(caller);
  const id = randomBytes(16).toString('hex');
  actor.requirePermission(`gist/${account.username}/${id}`, 'createGist');
  const number = await db.transaction().execute(async (tx) => {
    const inserted = await insertGist(tx, { ...fields, id, ownerId: account.id }, now);
    await scheduleGistDeletion(tx, inserted, now + MAX_CREATION_MS, now);
    return inserted;
  });
  try {
    await fill(number);
    const state = await readGistState(services.gistGit.repository(number), null);
    if (state === undefined) throw new Failure('unavailable', 'The gist has no files yet. Try again.');
    const revisions = state.revisions.map((one) => ({
      ...one,
      authorId: authors === undefined ? account.id : (authors.get(one.sha) ?? null),
    }));
    return await changes.run(actor, async (tx) => {
      await shareLockAccount(tx.db, caller);
      if (!(await shareLockGistOwner(tx.db, account.id))) throw gistNotFound();
      const existing = await lockForFork(tx.db, fields.parentNumber, account.id);
      if (existing !== undefined) {
        await scheduleGistDeletion(tx.db, number, now, now);
        return { gist: existing, owner: ownerOfAccount(account) };
      }
      const recorded = { ...state, revisionCount: revisions.length };
      const gist = await publishGist(tx.db, number, recorded);
      if (gist === undefined)
        throw new Failure('unavailable', 'The gist took too long to create. Try again.');
      await insertRevisions(tx.db, number, 1, revisions);
      await cancel(tx.db, deletionId(number));
      const found = { gist, owner: ownerOfAccount(account) };
      tx.record({ ...gistChange('createGist', 'created', found), after: auditedGist(gist) });
      return found;
    });
  } catch (error) {
    const failedAt = kernel.clock.now();
    await db
      .transaction()
      .execute((tx) => scheduleGistDeletion(tx, number, failedAt, failedAt))
      .catch((cause: unknown) => kernel.log.warn({ err: cause, gist: number }, 'A gist is removed later'));
    throw error;
  }
}

/** Forks of one gist are published one after the other. Finds the one that the account has made meanwhile. */
async function lockForFork(tx: Db, parent: number | null, ownerId: string): Promise<Gist | undefined> {
  if (parent === null) return undefined;
  if ((await lockGist(tx, parent)) === undefined) throw gistNotFound();
  return await findForkOf(tx, parent, ownerId);
}

/** Fields that are absent stay. Of several changes at once, none is lost. */
export async function changeGist(
  kernel: Kernel,
  actor: Actor,
  { gist }: FoundGist,
  { description, files }: { description?: string | null; files?: SentFiles },
): Promise<FoundGist> {
  const { caller, now } = actor;
  const changed = { actor, ...(description !== undefined && { description }) };
  const record = (write?: string) =>
    recordGistChange(kernel, gist, caller, { ...changed, ...(write !== undefined && { write }) });
  const found =
    files === undefined || Object.keys(files).length === 0
      ? await record()
      : await kernel.services.writeTurns.inTurn(`gist:${gist.number}`, async () => {
          const write = await beginGistWrite(kernel, gist.number, caller, now);
          try {
            await writeRevision(kernel.services.gistGit.repository(gist.number), actor, files);
          } catch (error) {
            // Git may have moved the branch before it failed.
            await recordGistChange(kernel, gist, caller, { write });
            throw error;
          }
          return await record(write);
        });
  if (found === undefined) throw gistNotFound();
  return found;
}

/** Nobody finds it from now on; background work deletes its folder. */
export async function removeGist(kernel: Kernel, actor: Actor, { gist, owner }: FoundGist): Promise<void> {
  await kernel.changes.run(actor, async (tx) => {
    const locked = await lockGist(tx.db, gist.number);
    if (locked === undefined || locked.ownerId !== gist.ownerId) throw gistNotFound();
    await markGistDeleted(tx.db, gist.number, actor.now);
    await scheduleGistDeletion(tx.db, gist.number, actor.now, actor.now);
    tx.record({
      ...gistChange('deleteGist', 'deleted', { gist: locked, owner }),
      before: auditedGist(locked),
    });
  });
}

function deletionId(number: number): string {
  return `${DELETE_GIST}:${number}`;
}

export async function scheduleGistDeletion(
  tx: Db,
  number: number,
  dueAt: number,
  now: number,
): Promise<void> {
  const payload = JSON.stringify({ number });
  await schedule(tx, { id: deletionId(number), kind: DELETE_GIST, payload, dueAt }, now, 'move');
}

// Changes the default setup of a repository; due work configures it, and until then nobody else may change it.
import { isDeepStrictEqual } from 'node:util';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import { repositoryNotFound, type FoundRepository, entryOwnerOf } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { lockRepository } from '../repositories/store.ts';
import { NOT_CONFIGURED, setupAfter, type DefaultSetupUpdate, type ScannedLanguage } from './model.ts';
import { findSetup, upsertSetup } from './store.ts';

export const CONFIGURE_SCANNING = 'host.configure-scanning';
export const UPDATE_SETUP = { action: 'updateCodeScanningSetup', ofOwner: true } as const;

/** The number of the work that configures it; undefined where there is nothing to do. */
export async function changeSetup(
  { changes }: Kernel,
  actor: ChangeActor,
  found: FoundRepository,
  sent: Static<typeof DefaultSetupUpdate>,
  languages: readonly ScannedLanguage[],
): Promise<number | undefined> {
  const { number, name } = found.repository;
  return await changes.run(actor, async (tx) => {
    const { db } = tx;
    const { now } = tx.actor;
    const locked = await lockRepository(db, number);
    if (locked === undefined) throw repositoryNotFound();
    if (locked.isArchived)
      throw new Failure('denied', 'The repository is archived, and read-only. Unarchive it first.');
    const stored = await findSetup(db, number);
    const after = setupAfter(stored.setup, sent, languages);
    if (stored.pending !== null)
      throw new Failure('conflict', 'The default setup is being configured. Try again when that is done.');
    if (isDeepStrictEqual(after, stored.setup)) return undefined;
    tx.record({
      accesses: [{ action: UPDATE_SETUP.action, resource: repositoryResource(found) }],
      kind: 'repository',
      name,
      verb: 'changed the default setup of code scanning of',
      ...entryOwnerOf(found),
      before: stored.setup,
      after,
    });
    if (!after.isConfigured) {
      await upsertSetup(db, number, { setup: NOT_CONFIGURED, pending: null, updatedAt: now });
      return undefined;
    }
    await upsertSetup(db, number, { ...stored, pending: after });
    const payload = JSON.stringify({ number });
    await schedule(
      db,
      { id: `${CONFIGURE_SCANNING}:${number}`, kind: CONFIGURE_SCANNING, payload, dueAt: now },
      now,
      'move',
    );
    return now;
  });
}

/** What was asked for is in force from now on. */
export async function configureScanning({ db, clock }: Kernel, number: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if ((await lockRepository(tx, number)) === undefined) return;
    const { pending } = await findSetup(tx, number);
    if (pending === null) return;
    await upsertSetup(tx, number, { setup: pending, pending: null, updatedAt: clock.now() });
  });
}

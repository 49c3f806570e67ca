// Deletes everything that an organization owns, when it is deleted itself.
import { systemActor } from '../../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';
import { recordEvent } from '../../events/record-event.ts';
import type { RepositoryOwner } from '../../owners/model.ts';
import { repositoryChange, scheduleDeletion } from './change-repository.ts';
import { auditedRepository } from '../requests.ts';
import { listRepositoryNumbers, lockRepository, lockRepositoryNames } from '../store.ts';

/** In the transaction that deletes the owner. */
export async function removeOwnedRepositories(tx: ChangeTransaction, owner: RepositoryOwner): Promise<void> {
  // Deleting the owner was authorized, and this follows from it.
  const consequence = tx.as(systemActor(tx.actor));
  const { db, actor } = consequence;
  await lockRepositoryNames(db, owner.id);
  for (const number of await listRepositoryNumbers(db, owner.id)) {
    const repository = await lockRepository(db, number);
    if (repository === undefined) continue;
    await scheduleDeletion(db, number, actor.now);
    consequence.record({
      ...repositoryChange('deleteRepository', 'deleted', { repository, owner }),
      before: auditedRepository(repository),
    });
    const event = { name: 'repository', action: 'deleted', details: {} } as const;
    await recordEvent(consequence, event, { found: { repository, owner } });
  }
}

// Deletes everything that an organization owns, when it is deleted itself.
import { systemActor } from '../../kernel/change/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { recordEvent } from '../events/record-event.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { repositoryChange, scheduleDeletion } from './change-repository.ts';
import { auditedRepository } from './requests.ts';
import { listRepositoryNumbers, lockRepository, lockRepositoryNames } from './store.ts';

/** In the transaction that deletes the owner. */
export async function removeOwnedRepositories(on: ChangeTransaction, owner: RepositoryOwner): Promise<void> {
  // Deleting the owner was authorized, and this follows from it.
  const consequence = on.as(systemActor(on.actor));
  const { db: tx, actor } = consequence;
  await lockRepositoryNames(tx, owner.id);
  for (const number of await listRepositoryNumbers(tx, owner.id)) {
    const repository = await lockRepository(tx, number);
    if (repository === undefined) continue;
    await scheduleDeletion(tx, number, actor.now);
    consequence.record({
      ...repositoryChange('deleteRepository', 'deleted', { repository, owner }),
      before: auditedRepository(repository),
    });
    const event = { name: 'repository', action: 'deleted', details: {} } as const;
    await recordEvent(consequence, event, { found: { repository, owner } });
  }
}

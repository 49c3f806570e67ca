// Who of many accounts may write to a repository.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listWritingBots } from '../apps/store-reach.ts';
import { listGrantsOf } from '../collaborators/store.ts';
import { sharedRepository } from '../issues/people/assignees.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { includesRole } from '../repositories/repository.ts';
import { listAdministrators } from './store-actors.ts';

/** The ids of those among the accounts who may push, by a role or as an app. */
export async function listWriters(
  db: Db,
  found: FoundRepository,
  accountIds: readonly string[],
): Promise<Set<string>> {
  const ids = [...new Set(accountIds)];
  const grants = await listGrantsOf(db, sharedRepository(found), ids);
  const granted = ids.filter((id) => grants.get(id)?.some(({ role }) => includesRole(role, 'write')));
  const others = ids.filter((id) => !granted.includes(id));
  return new Set([...granted, ...(await listWritingBots(db, found.repository, others))]);
}

/** Administrators of the server may write everywhere, though rules cannot name them for it. */
export async function listReviewersWhoWrite(
  db: Db,
  found: FoundRepository,
  accountIds: readonly string[],
): Promise<Set<string>> {
  const writers = new Set<string>();
  for (const some of chunk(accountIds)) {
    for (const id of await listWriters(db, found, some)) writers.add(id);
    for (const id of await listAdministrators(db, some)) writers.add(id);
  }
  return writers;
}

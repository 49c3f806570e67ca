// Ends the stars and watches of accounts that no longer see a repository.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { Repository } from '../repositories/repository.ts';
import { repositoryFrom } from '../repositories/store.ts';
import { rankedGrants } from './store.ts';

/** The caller has locked the repository, which is private. Returns it with its new counts. */
export async function endLostInterests(
  tx: Db,
  { repository: { number, ownerId }, owner }: FoundRepository,
): Promise<Repository> {
  const shared = { number, ownerId, isOwnerOrganization: owner.type === 'Organization' };
  const seers = sql<string>`(select account_id from (${rankedGrants(shared, 'all')}) as ranked where rank >= 0)`;
  for (const table of ['stars', 'watches'] as const)
    await tx
      .deleteFrom(table)
      .where('repository_number', '=', number)
      .where('account_id', 'not in', seers)
      .execute();
  const row = await tx
    .updateTable('repositories')
    .set((eb) => ({
      star_count: eb
        .selectFrom('stars')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('repository_number', '=', number),
      watch_count: eb
        .selectFrom('watches')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('repository_number', '=', number)
        .where('is_ignored', '=', 0),
    }))
    .where('number', '=', number)
    .returningAll()
    .executeTakeFirstOrThrow();
  return repositoryFrom(row);
}

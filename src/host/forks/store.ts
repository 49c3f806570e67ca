// Forks in the database: which repositories belong to one family.
import type { Db } from '../../kernel/storage/tables.ts';
import type { Repository } from '../repositories/repository.ts';
import { repositoryFrom } from '../repositories/store.ts';

/** The first repository of the family. */
export function sourceNumberOf({ number, sourceNumber }: Repository): number {
  return sourceNumber ?? number;
}

/** The repository of an owner in a family: the source or a fork, the oldest if there are several. */
export async function findInFamily(db: Db, ownerId: string, source: number): Promise<Repository | undefined> {
  const row = await db
    .selectFrom('repositories')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .where(({ or, eb }) => or([eb('source_number', '=', source), eb('number', '=', source)]))
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  return row && repositoryFrom(row);
}

// Forks in the database: which repositories belong to one family.
import { sql, type RawBuilder } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Repository } from '../repositories/repository.ts';
import { listRepositoriesByNumber, repositoryFrom } from '../repositories/store.ts';
import { visibleTo, type Viewer, withheld } from '../repositories/store-visibility.ts';

/** The first repository of the family. */
export function sourceNumberOf({ number, sourceNumber }: Repository): number {
  return sourceNumber ?? number;
}

/** The repository of an owner in a family, another than `except`: the source or a fork, the oldest if there are several. */
export async function findInFamily(
  db: Db,
  ownerId: string,
  source: number,
  except = 0,
): Promise<Repository | undefined> {
  const row = await db
    .selectFrom('repositories')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .where('number', '!=', except)
    .where(({ or, eb }) => or([eb('source_number', '=', source), eb('number', '=', source)]))
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  return row && repositoryFrom(row);
}

export type ForkSort = 'newest' | 'oldest' | 'stargazers' | 'watchers';

const ORDER: Record<ForkSort, RawBuilder<unknown>> = {
  newest: sql`created_at desc, number desc`,
  oldest: sql`created_at, number`,
  stargazers: sql`star_count desc, number`,
  watchers: sql`watch_count desc, number`,
};

/** Those that the viewer may see. */
export async function listForks(
  db: Db,
  parent: number,
  viewer: Viewer,
  sort: ForkSort,
  { offset, limit }: Slice,
  seesWithheld = false,
): Promise<Repository[]> {
  const visible = visibleTo(viewer);
  const shown = seesWithheld ? sql`(${visible} or (deleted_at is null and ${withheld}))` : visible;
  const { rows } = await sql<{ number: number }>`
    select number from repositories
    where parent_number = ${parent} and ${shown}
    order by ${ORDER[sort]} limit ${limit} offset ${offset}`.execute(db);
  const numbers = rows.map(({ number }) => number);
  const found = await listRepositoriesByNumber(db, numbers);
  return numbers.flatMap((number) => found.get(number) ?? []);
}

// Forks of private repositories whose owners have lost access to the source: only those who administer it see them.
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Repository } from './repository.ts';
import { grantedTo } from './store-visibility.ts';

/**
 * The people who decide for the owner of a fork: the owner, or the admins of an organization. Decided anew whenever it is
 * asked, so that no way to lose access is missed, and that regained access counts at once.
 */
const mayReadSource = sql<boolean>`exists (
  select 1 from (
    select repositories.owner_id as id
    union all
    select account_id from organization_members
    where organization_id = repositories.owner_id and role = 'admin') as person
  where ${grantedTo(sql`person.id`, sql.table('source'))}
    or exists (select 1 from members where members.id = person.id and members.role in ('admin', 'owner')))`;

/** A condition on the table `repositories`. A fork whose source was deleted stays with an owner who could read it then. */
export const withheld: RawBuilder<boolean> = sql`(repositories.binding = 'orphan' or (
  repositories.binding = 'fork' and exists (
    select 1 from repositories as source
    where source.number = repositories.source_number and source.deleted_at is null and source.is_private = 1
      and source.owner_id <> repositories.owner_id and not ${mayReadSource})))`;

/** The sources of those that are withheld, by the number of the fork; null where the source was deleted. */
export async function listWithheld(
  db: Db,
  repositories: readonly Repository[],
): Promise<Map<number, number | null>> {
  const numbers = repositories.filter(isBoundFork).map(({ number }) => number);
  if (numbers.length === 0) return new Map();
  const { rows } = await sql<{ number: number; source_number: number | null; binding: string }>`
    select number, source_number, binding from repositories
    where number in (${sql.join(numbers.map((number) => sql.val(number)))}) and ${withheld}`.execute(db);
  return new Map(
    rows.map(({ number, source_number: source, binding }) => [number, binding === 'orphan' ? null : source]),
  );
}

export async function isWithheld(db: Db, repository: Repository): Promise<boolean> {
  return (await listWithheld(db, [repository])).size > 0;
}

function isBoundFork({ binding }: Repository): boolean {
  return binding === 'fork' || binding === 'orphan';
}

/** Before a source is deleted: what is withheld now does not come back to its owner. */
export async function orphanWithheldForks(tx: Db, source: number): Promise<void> {
  await sql`update repositories set binding = 'orphan'
    where source_number = ${source} and binding = 'fork' and ${withheld}`.execute(tx);
}

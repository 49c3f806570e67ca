// Stored permission boundaries: each distinct one once, for as long as a row of any API refers to it.
import { sql } from 'kysely';
import type { Db, Tables } from '../storage/tables.ts';
import type { Boundary } from './boundary.ts';

/** Tables whose column `boundary_id` refers to a boundary. */
export type BoundaryUser = {
  [table in keyof Tables]: 'boundary_id' extends keyof Tables[table] ? table : never;
}[keyof Tables];

/** Longer than anything takes between this and the commit of the row that refers to it. */
export const UNUSED_MS = 24 * 60 * 60 * 1000;
/** Of one statement. */
const MAX_SWEPT = 1000;

export async function upsertBoundary(db: Db, { id, layers }: Boundary, now: number): Promise<void> {
  await db
    .insertInto('permission_boundaries')
    .values({ id, layers: JSON.stringify(layers), used_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ used_at: now }))
    .execute();
}

export async function findBoundary(db: Db, id: string): Promise<Boundary | undefined> {
  const row = await db
    .selectFrom('permission_boundaries')
    .select('layers')
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { id, layers: JSON.parse(row.layers) as Boundary['layers'] };
}

/** Deletes those that no row refers to and nothing was started with lately. */
export async function deleteUnusedBoundaries(
  db: Db,
  users: readonly BoundaryUser[],
  now: number,
): Promise<void> {
  const references = users.map(
    (table) =>
      sql`and not exists (select 1 from ${sql.table(table)} as used where used.boundary_id = permission_boundaries.id)`,
  );
  const sweep = sql`
    delete from permission_boundaries where id in (
      select id from permission_boundaries
      where used_at < ${now - UNUSED_MS} ${sql.join(references, sql` `)}
      order by used_at limit ${MAX_SWEPT})
    and used_at < ${now - UNUSED_MS}`;
  let deleted: bigint | undefined;
  do ({ numAffectedRows: deleted } = await sweep.execute(db));
  while (deleted === BigInt(MAX_SWEPT));
}

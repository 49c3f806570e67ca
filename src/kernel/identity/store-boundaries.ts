// Permission boundaries: what the personal token that started something allows at most. Each distinct one is stored once, for as long as a row of any API refers to it. ADR 0071.
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tables } from '../storage/tables.ts';
import { Failure } from '../failure.ts';
import type { TokenPermissions } from './store-tokens.ts';

/** Every layer must allow. A layer is what one token may do: roles by reference, only an inline policy by value. */
export interface Boundary {
  /** The hash of the layers: equal boundaries are stored once. */
  id: string;
  layers: readonly TokenPermissions[];
}

/** Each further token that changes the same run adds a layer, and all of them are stored with it. */
const MAX_LAYERS = 20;

/** Undefined for a token that narrows nothing. */
export function boundaryOfToken({ role, customRoles, inlinePolicy }: TokenPermissions): Boundary | undefined {
  if (role === 'owner') return undefined;
  return boundaryOf([
    { ...(role !== undefined && { role }), customRoles, ...(inlinePolicy !== undefined && { inlinePolicy }) },
  ]);
}

/** What both allow. */
export function intersect(one: Boundary | undefined, other: Boundary | undefined): Boundary | undefined {
  if (one === undefined || other === undefined || one.id === other.id) return one ?? other;
  return boundaryOf([...one.layers, ...other.layers]);
}

function boundaryOf(layers: readonly TokenPermissions[]): Boundary {
  const byText = new Map(layers.map((layer) => [JSON.stringify(layer), layer]));
  if (byText.size > MAX_LAYERS)
    throw new Failure(
      'forbidden',
      `Tokens with ${MAX_LAYERS} different policies have changed this run. Start a new one instead.`,
    );
  const texts = [...byText.keys()].sort();
  return {
    id: hash('sha256', texts.join('\n'), 'base64url'),
    layers: texts.map((text) => byText.get(text)!),
  };
}

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

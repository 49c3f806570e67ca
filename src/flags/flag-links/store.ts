// Links of flags in the database.
import type { Db } from '../../kernel/storage/tables.ts';
import { couldBeKey } from '../fields.ts';
import { updateRow } from '../store-rows.ts';
import { MAX_LINKS, type FlagLink } from './model.ts';
import type { FlagLinkRow } from './tables.ts';

/** In order of creation. */
export async function listFlagLinks(db: Db, flagId: string): Promise<FlagLink[]> {
  const rows = await db
    .selectFrom('flag_links')
    .selectAll()
    .where('flag_id', '=', flagId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(MAX_LINKS)
    .execute();
  return rows.map(linkOf);
}

/** By id or key. */
export async function findFlagLink(db: Db, flagId: string, name: string): Promise<FlagLink | undefined> {
  if (!couldBeKey(name)) return undefined;
  const row = await db
    .selectFrom('flag_links')
    .selectAll()
    .where('flag_id', '=', flagId)
    .where((eb) => eb.or([eb('id', '=', name), eb('key', '=', name)]))
    .executeTakeFirst();
  return row && linkOf(row);
}

/** Returns false when the key is taken. */
export async function insertFlagLink(tx: Db, link: FlagLink): Promise<boolean> {
  const made = await tx
    .insertInto('flag_links')
    .values(rowOf(link))
    .onConflict((conflict) => conflict.columns(['flag_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** Throws `conflict` when somebody else has changed the link since it was read. */
export async function updateFlagLink(tx: Db, before: FlagLink, after: FlagLink): Promise<void> {
  await updateRow(tx, 'flag_links', before, rowOf(after), 'link');
}

export async function deleteFlagLink(tx: Db, { id }: FlagLink): Promise<void> {
  await tx.deleteFrom('flag_links').where('id', '=', id).execute();
}

function rowOf({ id, flagId, key, memberId, version, createdAt, ...doc }: FlagLink): FlagLinkRow {
  return {
    id,
    flag_id: flagId,
    key,
    member_id: memberId,
    version,
    created_at: createdAt,
    doc: JSON.stringify(doc),
  };
}

function linkOf(row: FlagLinkRow): FlagLink {
  return {
    ...(JSON.parse(row.doc) as Pick<FlagLink, 'deepLink' | 'timestamp'>),
    id: row.id,
    flagId: row.flag_id,
    key: row.key,
    memberId: row.member_id,
    version: row.version,
    createdAt: row.created_at,
  };
}

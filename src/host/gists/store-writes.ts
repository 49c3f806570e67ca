// The due rows of writes to gists that go on, or whose server has died.
import type { Db } from '../../kernel/storage/tables.ts';

export async function hasGistWrite(tx: Db, id: string): Promise<boolean> {
  const row = await tx.selectFrom('due').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

export async function deleteGistWrite(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('due').where('id', '=', id).execute();
}

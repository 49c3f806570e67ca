// Pushes that go on, and the recorded values of references, in the database. ADR 0102.
import type { Selectable } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import { cancel } from '../../kernel/jobs/due-store.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';
import type { Push, RefValues } from './model.ts';
import type { PushRow } from './tables.ts';

export async function insertPush(tx: Db, push: Push): Promise<void> {
  const { id, number, pusher, begunAt, changes } = push;
  const row = { id, repository_number: number, pusher: JSON.stringify(pusher), begun_at: begunAt };
  await tx
    .insertInto('host_pushes')
    .values({ ...row, changes: changes.length === 0 ? null : JSON.stringify(changes) })
    .execute();
}

export async function findPush(db: Db, id: string): Promise<Push | undefined> {
  const row = await db.selectFrom('host_pushes').selectAll().where('id', '=', id).executeTakeFirst();
  return row && pushFrom(row);
}

/** The oldest first. */
export async function listPushes(db: Db, number: number): Promise<Push[]> {
  const rows = await db
    .selectFrom('host_pushes')
    .selectAll()
    .where('repository_number', '=', number)
    .orderBy('begun_at')
    .execute();
  return rows.map(pushFrom);
}

export async function deletePush(db: Db, id: string, dueId: string): Promise<void> {
  await db.deleteFrom('host_pushes').where('id', '=', id).execute();
  await cancel(db, dueId);
}

/** Undefined where there is no such repository, 0 where its references were never recorded. */
export async function readRefsVersion(db: Db, number: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('repositories')
    .select('refs_version')
    .where('number', '=', number)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.refs_version;
}

/** False where another process has recorded references since. Holds the repository's row until the transaction ends. */
export async function advanceRefsVersion(tx: Db, number: number, version: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('repositories')
    .set({ refs_version: version + 1 })
    .where('number', '=', number)
    .where('refs_version', '=', version)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Of these names, or of all. */
export async function listRecordedRefs(
  db: Db,
  number: number,
  names?: readonly string[],
): Promise<Map<string, string>> {
  const query = db.selectFrom('host_refs').select(['name', 'oid']).where('repository_number', '=', number);
  if (names === undefined) return toValues(await query.execute());
  const rows: { name: string; oid: string }[] = [];
  for (const some of chunk(names)) rows.push(...(await query.where('name', 'in', some).execute()));
  return toValues(rows);
}

/** Of other branches than this one. */
export async function listRecordedBranches(
  db: Db,
  number: number,
  { except, limit }: { except: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('host_refs')
    .select('oid')
    .where('repository_number', '=', number)
    .where('name', '>=', 'refs/heads/')
    .where('name', '<', 'refs/heads0')
    .where('name', '!=', except)
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ oid }) => oid);
}

export async function replaceRecordedRefs(
  tx: Db,
  number: number,
  names: readonly string[],
  values: RefValues,
): Promise<void> {
  for (const some of chunk(names))
    await tx
      .deleteFrom('host_refs')
      .where('repository_number', '=', number)
      .where('name', 'in', some)
      .execute();
  const rows = names.flatMap((name) => {
    const oid = values.get(name);
    return oid === undefined ? [] : [{ repository_number: number, name, oid }];
  });
  for (const some of chunk(rows)) await tx.insertInto('host_refs').values(some).execute();
}

function toValues(rows: readonly { name: string; oid: string }[]): Map<string, string> {
  return new Map(rows.map(({ name, oid }) => [name, oid]));
}

function pushFrom(row: Selectable<PushRow>): Push {
  return {
    id: row.id,
    number: row.repository_number,
    pusher: JSON.parse(row.pusher) as Initiator,
    begunAt: row.begun_at,
    changes: row.changes === null ? [] : (JSON.parse(row.changes) as RefChange[]),
  };
}

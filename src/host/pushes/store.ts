// Pushes that go on, and the recorded values of references, in the database. ADR 0102.
import type { CompiledQuery, Selectable } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import { cancelStatement, scheduleStatement, type DueWork } from '../../kernel/jobs/due-store.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { repositoryFrom } from '../repositories/store.ts';
import type { Repository } from '../repositories/repository.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';
import type { Push, RefValues } from './model.ts';
import type { PushRow } from './tables.ts';

/**
 * With the work that finishes it after a crash. Returns the version of the recorded references: undefined where there is no such
 * repository, 0 where its references were never recorded.
 */
export async function insertPush(tx: Db, push: Push, work: DueWork): Promise<number | undefined> {
  const { id, number, pusher, begunAt, changes } = push;
  const row = { id, repository_number: number, pusher: JSON.stringify(pusher), begun_at: begunAt };
  const results = await executeAll(tx, [
    tx
      .insertInto('host_pushes')
      .values({ ...row, changes: changes.length === 0 ? null : JSON.stringify(changes) })
      .compile(),
    scheduleStatement(tx, work, begunAt),
    tx
      .selectFrom('repositories')
      .select('refs_version')
      .where('number', '=', number)
      .where('deleted_at', 'is', null)
      .compile(),
  ]);
  const [version] = results[2]!.rows as { refs_version: number }[];
  return version?.refs_version;
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

/** For `executeAll`. */
export function deletePushStatements(db: Db, id: string, dueId: string): CompiledQuery[] {
  return [db.deleteFrom('host_pushes').where('id', '=', id).compile(), cancelStatement(db, dueId)];
}

/**
 * The repository as it is then, or undefined where another process has recorded references since. Holds the repository's row
 * until the transaction ends. References that are recorded for the first time were not pushed.
 */
export async function advanceRefsVersion(
  tx: Db,
  number: number,
  version: number,
  now: number,
): Promise<Repository | undefined> {
  const pushed = version === 0 ? {} : { pushed_at: now, updated_at: now };
  const row = await tx
    .updateTable('repositories')
    .set({ refs_version: version + 1, ...pushed })
    .where('number', '=', number)
    .where('refs_version', '=', version)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return row && repositoryFrom(row);
}

/** What was recorded of these references, with the version of all. */
export async function readRecordedRefs(
  db: Db,
  number: number,
  names: readonly string[],
): Promise<{ version: number; refs: Map<string, string> } | undefined> {
  const [first, ...others] = [...chunk(names)];
  const rows = await db
    .selectFrom('repositories')
    .leftJoin('host_refs', (join) =>
      join
        .onRef('host_refs.repository_number', '=', 'repositories.number')
        .on('host_refs.name', 'in', [...(first ?? [])]),
    )
    .select(['refs_version', 'host_refs.name as ref', 'oid'])
    .where('repositories.number', '=', number)
    .where('deleted_at', 'is', null)
    .execute();
  const [row] = rows;
  if (row === undefined) return undefined;
  const refs = new Map(rows.flatMap(({ ref, oid }) => (ref === null || oid === null ? [] : [[ref, oid]])));
  for (const some of others)
    for (const [name, oid] of await listRecordedRefs(db, number, some)) refs.set(name, oid);
  return { version: row.refs_version, refs };
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

/** For `executeAll`. */
export function replaceRecordedRefsStatements(
  tx: Db,
  number: number,
  names: readonly string[],
  values: RefValues,
): CompiledQuery[] {
  const gone = names.filter((name) => !values.has(name));
  const deletions = [...chunk(gone)].map((some) =>
    tx.deleteFrom('host_refs').where('repository_number', '=', number).where('name', 'in', some).compile(),
  );
  const rows = names.flatMap((name) => {
    const oid = values.get(name);
    return oid === undefined ? [] : [{ repository_number: number, name, oid }];
  });
  const insertions = [...chunk(rows)].map((some) =>
    tx
      .insertInto('host_refs')
      .values(some)
      .onConflict((row) =>
        row.columns(['repository_number', 'name']).doUpdateSet(({ ref }) => ({ oid: ref('excluded.oid') })),
      )
      .compile(),
  );
  return [...deletions, ...insertions];
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

// Deletes analyses some results at a time: what the one before says is restored, and a crash leaves a deletion that is continued.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Analysis, DeletingAnalysis } from './analysis.ts';
import { updateAlertRefs } from './store-applying.ts';

/** Undefined where it is the last of its set. */
export async function findPrevious(
  db: Db,
  { setNumber, number }: Pick<Analysis, 'setNumber' | 'number'>,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('code_scanning_analyses')
    .select('number')
    .where('set_number', '=', setNumber)
    .where('number', '<', number)
    .where('is_ready', '=', 1)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.number;
}

/**
 * From then on nobody sees it, and the one before is the newest of its set. The caller has locked the scanning of the
 * repository, in which no other is being deleted.
 */
export async function beginDeleting(tx: Db, { number }: Pick<Analysis, 'number'>, previous?: number) {
  await tx
    .updateTable('code_scanning_analyses')
    .set({ is_ready: 0, is_newest: 0, applied: null, events_left: null, restored: 0 })
    .where('number', '=', number)
    .execute();
  if (previous !== undefined)
    await tx
      .updateTable('code_scanning_analyses')
      .set({ is_newest: 1 })
      .where('number', '=', previous)
      .execute();
}

export async function findDeleting(db: Db, repositoryNumber: number): Promise<DeletingAnalysis | undefined> {
  const row = await db
    .selectFrom('code_scanning_analyses')
    .select(['number', 'set_number', 'ref', 'restored'])
    .where('repository_number', '=', repositoryNumber)
    .where('restored', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { number, set_number: setNumber, ref, restored } = row;
  return { number, repositoryNumber, setNumber, ref, restored: restored! };
}

/** The next step: its results go first, then those of the newest one open their alerts again, and then it goes itself. */
export async function deleteSome(
  tx: Db,
  analysis: DeletingAnalysis,
  limit: number,
  now: number,
): Promise<void> {
  const { number, setNumber, restored } = analysis;
  const newest = (await findPrevious(tx, { setNumber, number: Number.MAX_SAFE_INTEGER })) ?? 0;
  const own = await listLinks(tx, number, 0, limit);
  if (own.length > 0) {
    await tx
      .deleteFrom('code_scanning_results')
      .where('analysis_number', '=', number)
      .where('position', '<=', own.at(-1)!.position)
      .execute();
    return await restoreStates(tx, analysis, newest, alertsIn(own), now);
  }
  const others = await listLinks(tx, newest, restored, limit);
  if (others.length > 0) {
    await tx
      .updateTable('code_scanning_analyses')
      .set({ restored: others.at(-1)!.position + 1 })
      .where('number', '=', number)
      .execute();
    return await restoreStates(tx, analysis, newest, alertsIn(others), now);
  }
  await tx.deleteFrom('code_scanning_analyses').where('number', '=', number).execute();
  // The next upload may have begun to write an analysis of the set.
  await tx
    .deleteFrom('code_scanning_sets')
    .where('number', '=', setNumber)
    .where(
      sql<boolean>`not exists (select 1 from code_scanning_analyses analysis where analysis.set_number = ${setNumber})`,
    )
    .execute();
}

interface ResultLink {
  position: number;
  /** Null in an analysis that was not applied so far. */
  alert_number: number | null;
}

async function listLinks(
  db: Db,
  analysisNumber: number,
  start: number,
  limit: number,
): Promise<ResultLink[]> {
  return await db
    .selectFrom('code_scanning_results')
    .select(['position', 'alert_number'])
    .where('analysis_number', '=', analysisNumber)
    .where('position', '>=', start)
    .orderBy('position')
    .limit(limit)
    .execute();
}

function alertsIn(links: readonly ResultLink[]): number[] {
  return links.flatMap(({ alert_number: alert }) => alert ?? []);
}

/** Computes instances, and the states that follow from them, from the results of the other analyses of the set. */
async function restoreStates(
  tx: Db,
  { number, repositoryNumber, setNumber, ref }: DeletingAnalysis,
  newest: number,
  alerts: readonly number[],
  now: number,
): Promise<void> {
  if (alerts.length === 0) return;
  const lastSeen = sql<number>`(select max(result.analysis_number) from code_scanning_results result
    where result.set_number = ${setNumber} and result.alert_number = code_scanning_instances.alert_number
      and result.analysis_number <> ${number})`;
  // One that is later than the newest is being applied, and has found the alert already.
  const isSeen = sql<boolean>`${lastSeen} >= ${sql.lit(newest)}`;
  const instancesOf = () =>
    sql<boolean>`repository_number = ${repositoryNumber} and set_number = ${setNumber}
      and alert_number in (${sql.join(alerts)})`;
  await tx.deleteFrom('code_scanning_instances').where(instancesOf()).where(lastSeen, 'is', null).execute();
  await tx
    .updateTable('code_scanning_instances')
    .set({
      analysis_number: lastSeen,
      is_open: sql<number>`case when ${isSeen} then 1 else 0 end`,
      fixed_at: sql<
        number | null
      >`case when ${isSeen} then null else coalesce(fixed_at, ${sql.lit(now)}) end`,
      updated_at: now,
    })
    .where(instancesOf())
    .execute();
  await deleteUnseen(tx, repositoryNumber, ref, alerts);
  await updateAlertRefs(tx, { repositoryNumber, ref }, alerts, now);
}

/** Alerts that no analysis has any more, on the ref or at all. */
async function deleteUnseen(
  tx: Db,
  repositoryNumber: number,
  ref: string,
  alerts: readonly number[],
): Promise<void> {
  await tx
    .deleteFrom('code_scanning_alert_refs')
    .where('repository_number', '=', repositoryNumber)
    .where('ref', '=', ref)
    .where('alert_number', 'in', alerts)
    .where(
      sql<boolean>`not exists (select 1 from code_scanning_instances instance
        where instance.repository_number = ${repositoryNumber}
          and instance.alert_number = code_scanning_alert_refs.alert_number and instance.ref = ${ref})`,
    )
    .execute();
  await tx
    .deleteFrom('code_scanning_alerts')
    .where('repository_number', '=', repositoryNumber)
    .where('number', 'in', alerts)
    .where(
      sql<boolean>`not exists (select 1 from code_scanning_instances instance
        where instance.repository_number = ${repositoryNumber}
          and instance.alert_number = code_scanning_alerts.number)`,
    )
    .execute();
}

/** Rows of one statement. */
const AT_ONCE = 500;

/**
 * Of a deleted repository, in short statements: in one, other writes would wait for all of its results. What is left
 * is little, and goes with the row of the repository.
 */
export async function deleteScanning(db: Db, repositoryNumber: number): Promise<void> {
  const analyses = await db
    .selectFrom('code_scanning_analyses')
    .select(['number', 'results_count'])
    .where('repository_number', '=', repositoryNumber)
    .execute();
  for (const { number, results_count: count } of analyses) await deleteWritten(db, number, count);
  const counter = await db
    .selectFrom('code_scanning_counters')
    .select('last_alert')
    .where('repository_number', '=', repositoryNumber)
    .executeTakeFirst();
  for (let end = AT_ONCE; end - AT_ONCE <= (counter?.last_alert ?? 0); end += AT_ONCE)
    for (const [table, column] of [
      ['code_scanning_instances', 'alert_number'],
      ['code_scanning_alert_refs', 'alert_number'],
      ['code_scanning_alerts', 'number'],
    ] as const)
      await sql`delete from ${sql.table(table)} where repository_number = ${repositoryNumber}
        and ${sql.ref(column)} < ${end}`.execute(db);
  for (let deleted = 1n; deleted > 0n;) {
    const { numAffectedRows } = await sql`delete from code_scanning_rules
      where repository_number = ${repositoryNumber} and (tool_name, rule_id) in (
        select tool_name, rule_id from code_scanning_rules
        where repository_number = ${repositoryNumber} limit ${AT_ONCE})`.execute(db);
    deleted = numAffectedRows ?? 0n;
  }
}

/** An analysis that no alert depends on, with its results. */
export async function deleteWritten(db: Db, analysisNumber: number, results: number): Promise<void> {
  for (let end = AT_ONCE; end < results; end += AT_ONCE)
    await db
      .deleteFrom('code_scanning_results')
      .where('analysis_number', '=', analysisNumber)
      .where('position', '<', end)
      .execute();
  await db.deleteFrom('code_scanning_analyses').where('number', '=', analysisNumber).execute();
}

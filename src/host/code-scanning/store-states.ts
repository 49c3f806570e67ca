// The states of alerts: they follow from their instances, and a deleted analysis restores what was before.
import { sql } from 'kysely';
import { inBatches } from '../../kernel/batches.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Analysis } from './analysis.ts';

/** Parameters of one statement. */
const AT_ONCE = 500;

/** Of an analysis that is being applied, those so far. */
async function listAlertNumbers(db: Db, analysisNumber: number): Promise<number[]> {
  const rows = await db
    .selectFrom('code_scanning_results')
    .select('alert_number')
    .where('analysis_number', '=', analysisNumber)
    .where('alert_number', 'is not', null)
    .execute();
  return rows.map(({ alert_number: alert }) => alert!);
}

/** The states of alerts on a ref; those that were never there are missing. */
export async function statesOn(
  db: Db,
  { repositoryNumber, ref }: Pick<Analysis, 'repositoryNumber' | 'ref'>,
  alerts: readonly number[],
): Promise<Map<number, string>> {
  const states = new Map<number, string>();
  for (const some of inBatches(alerts, AT_ONCE)) {
    const rows = await db
      .selectFrom('code_scanning_alert_refs')
      .select(['alert_number', 'state'])
      .where('repository_number', '=', repositoryNumber)
      .where('ref', '=', ref)
      .where('alert_number', 'in', some)
      .execute();
    for (const { alert_number: alert, state } of rows) states.set(alert, state);
  }
  return states;
}

/** Larger than any number of an analysis, so that open instances come before others. */
const OPEN_RANK = 1_000_000_000_000;

/** Brings the states on the ref up to the instances there: an alert is open while one of them is. */
export async function updateAlertRefs(
  tx: Db,
  { repositoryNumber, ref }: Pick<Analysis, 'repositoryNumber' | 'ref'>,
  alerts: readonly number[],
  now: number,
): Promise<void> {
  const rank = sql.lit(OPEN_RANK);
  for (const some of inBatches(alerts, AT_ONCE)) {
    await sql`insert into code_scanning_alert_refs
        (repository_number, ref, alert_number, state, analysis_number, updated_at, fixed_at)
      select instance.repository_number, instance.ref, instance.alert_number,
        case when max(alert.dismissed_at) is not null then 'dismissed' when max(instance.is_open) = 1 then 'open'
          else 'fixed' end,
        max(instance.is_open * ${rank} + instance.analysis_number) % ${rank}, ${sql.lit(now)},
        case when max(instance.is_open) = 1 then null else max(instance.fixed_at) end
      from code_scanning_instances instance join code_scanning_alerts alert
        on alert.repository_number = instance.repository_number and alert.number = instance.alert_number
      where instance.repository_number = ${repositoryNumber} and instance.alert_number in (${sql.join(some)})
        and alert.number in (${sql.join(some)}) and instance.ref = ${ref}
      group by instance.repository_number, instance.ref, instance.alert_number
      on conflict (repository_number, ref, alert_number) do update set state = excluded.state,
        analysis_number = excluded.analysis_number, fixed_at = excluded.fixed_at,
        updated_at = case when code_scanning_alert_refs.state = excluded.state
          then code_scanning_alert_refs.updated_at else excluded.updated_at end`.execute(tx);
  }
}

type AnalysisInSet = Pick<Analysis, 'number' | 'repositoryNumber' | 'setNumber' | 'ref'>;

/**
 * Deletes the newest analysis of a set, or one that is being applied, and restores what the one before said. Returns
 * that one's number.
 */
export async function deleteAnalysis(
  tx: Db,
  analysis: AnalysisInSet,
  now: number,
): Promise<number | undefined> {
  const { number, setNumber } = analysis;
  const previous = await findPrevious(tx, analysis);
  const affected = new Set(await listAlertNumbers(tx, number));
  if (previous !== undefined) for (const alert of await listAlertNumbers(tx, previous)) affected.add(alert);
  await tx.deleteFrom('code_scanning_analyses').where('number', '=', number).execute();
  if (previous !== undefined)
    await tx
      .updateTable('code_scanning_analyses')
      .set({ is_newest: 1 })
      .where('number', '=', previous)
      .execute();
  for (const some of inBatches([...affected], AT_ONCE))
    await restoreInstances(tx, analysis, previous ?? 0, some, now);
  await deleteUnseen(tx, analysis, [...affected]);
  await updateAlertRefs(tx, analysis, [...affected], now);
  // The next upload may have begun to write an analysis of the set.
  if (previous === undefined)
    await tx
      .deleteFrom('code_scanning_sets')
      .where('number', '=', setNumber)
      .where(
        sql<boolean>`not exists (select 1 from code_scanning_analyses analysis where analysis.set_number = ${setNumber})`,
      )
      .execute();
  return previous;
}

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

async function restoreInstances(
  tx: Db,
  { number, repositoryNumber, setNumber }: AnalysisInSet,
  previous: number,
  alerts: readonly number[],
  now: number,
): Promise<void> {
  const lastSeen = sql<number>`(select max(result.analysis_number) from code_scanning_results result
    where result.set_number = ${setNumber} and result.alert_number = code_scanning_instances.alert_number)`;
  // One that is later than the deleted one is being applied, and has found the alert already.
  const isSeen = sql<boolean>`${lastSeen} = ${sql.lit(previous)} or ${lastSeen} > ${sql.lit(number)}`;
  await tx
    .deleteFrom('code_scanning_instances')
    .where('repository_number', '=', repositoryNumber)
    .where('alert_number', 'in', alerts)
    .where('set_number', '=', setNumber)
    .where(lastSeen, 'is', null)
    .execute();
  await tx
    .updateTable('code_scanning_instances')
    .set({
      analysis_number: lastSeen,
      is_open: sql<number>`case when ${isSeen} then 1 else 0 end`,
      fixed_at: sql<number | null>`case when ${isSeen} then null
        else coalesce(fixed_at, ${sql.lit(now)}) end`,
      updated_at: now,
    })
    .where('repository_number', '=', repositoryNumber)
    .where('alert_number', 'in', alerts)
    .where('set_number', '=', setNumber)
    .execute();
}

/** Alerts that no analysis has any more, on the ref or at all. */
async function deleteUnseen(
  tx: Db,
  { repositoryNumber, ref }: AnalysisInSet,
  alerts: readonly number[],
): Promise<void> {
  for (const some of inBatches(alerts, AT_ONCE)) {
    await tx
      .deleteFrom('code_scanning_alert_refs')
      .where('repository_number', '=', repositoryNumber)
      .where('ref', '=', ref)
      .where('alert_number', 'in', some)
      .where(
        sql<boolean>`not exists (select 1 from code_scanning_instances instance
          where instance.repository_number = ${repositoryNumber}
            and instance.alert_number = code_scanning_alert_refs.alert_number and instance.ref = ${ref})`,
      )
      .execute();
    await tx
      .deleteFrom('code_scanning_alerts')
      .where('repository_number', '=', repositoryNumber)
      .where('number', 'in', some)
      .where(
        sql<boolean>`not exists (select 1 from code_scanning_instances instance
          where instance.repository_number = ${repositoryNumber}
            and instance.alert_number = code_scanning_alerts.number)`,
      )
      .execute();
  }
}

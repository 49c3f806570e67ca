// What a written analysis does to alerts: it opens, reopens and closes them, some at a time, and their states on refs follow.
import { sql } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Analysis, ApplyingAnalysis, SarifUpload } from './analysis.ts';
import { identifyAlerts, listScanningResults } from './store-alert-identity.ts';

/** What became of alerts, for the events about them. */
export interface AlertTransitions {
  created: number[];
  /** They are known from other refs. */
  appeared: number[];
  reopened: number[];
  fixed: number[];
}

/**
 * All results are written: from here on, a crash leaves an analysis that is continued. Throws where another process has
 * started the upload over, because this one lost its lease.
 */
export async function beginApplying(db: Db, analysisNumber: number, events: number): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('code_scanning_analyses')
    .set({ applied: 0, events_left: events })
    .where('number', '=', analysisNumber)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw contested('upload');
}

export async function findApplying(
  db: Db,
  upload: Pick<SarifUpload, 'number'>,
): Promise<ApplyingAnalysis | undefined> {
  const row = await db
    .selectFrom('code_scanning_analyses')
    .selectAll()
    .where('upload_number', '=', upload.number)
    .where('applied', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return (
    row && {
      number: row.number,
      repositoryNumber: row.repository_number,
      setNumber: row.set_number,
      ref: row.ref,
      toolName: row.tool_name,
      toolVersion: row.tool_version,
      toolGuid: row.tool_guid,
      resultsCount: row.results_count,
      createdAt: row.created_at,
      applied: row.applied!,
      eventsLeft: row.events_left!,
    }
  );
}

/** In the transaction of what it says. */
export async function updateApplied(
  tx: Db,
  { number, applied, eventsLeft }: Pick<ApplyingAnalysis, 'number' | 'applied' | 'eventsLeft'>,
): Promise<void> {
  await tx
    .updateTable('code_scanning_analyses')
    .set({ applied, events_left: eventsLeft })
    .where('number', '=', number)
    .execute();
}

/** Opens the alerts of the next results. The caller has locked the scanning of the repository. */
export async function openAlerts(
  tx: Db,
  analysis: ApplyingAnalysis,
  limit: number,
): Promise<AlertTransitions> {
  const { number, repositoryNumber, setNumber, ref, createdAt: now } = analysis;
  const results = await listScanningResults(tx, number, analysis.applied, limit);
  const { found, lastKnown } = await identifyAlerts(tx, analysis, results);
  const before = await statesOn(tx, analysis, found);
  await tx
    .insertInto('code_scanning_instances')
    .values(
      found.map((alert) => ({
        repository_number: repositoryNumber,
        alert_number: alert,
        set_number: setNumber,
        ref,
        is_open: 1,
        analysis_number: number,
        updated_at: now,
        fixed_at: null,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['repository_number', 'alert_number', 'set_number'])
        .doUpdateSet({ is_open: 1, analysis_number: number, updated_at: now, fixed_at: null }),
    )
    .execute();
  await updateAlertRefs(tx, analysis, found, now);
  const isKnown = (alert: number) => alert <= lastKnown;
  return {
    created: found.filter((alert) => !isKnown(alert)),
    appeared: found.filter((alert) => isKnown(alert) && !before.has(alert)),
    reopened: found.filter((alert) => before.get(alert) === 'fixed'),
    fixed: [],
  };
}

/** Closes alerts of the set that the analysis lacks, once all of its own are open. Undefined where none is left. */
export async function closeAlerts(
  tx: Db,
  analysis: ApplyingAnalysis,
  limit: number,
): Promise<AlertTransitions | undefined> {
  const { number, repositoryNumber, setNumber, createdAt: now } = analysis;
  const rows = await tx
    .selectFrom('code_scanning_instances')
    .select('alert_number')
    .where('set_number', '=', setNumber)
    .where('is_open', '=', 1)
    .where('analysis_number', '<>', number)
    .orderBy('alert_number')
    .limit(limit)
    .execute();
  const gone = rows.map(({ alert_number: alert }) => alert);
  if (gone.length === 0) return undefined;
  const before = await statesOn(tx, analysis, gone);
  await tx
    .updateTable('code_scanning_instances')
    .set({ is_open: 0, updated_at: now, fixed_at: now })
    .where('repository_number', '=', repositoryNumber)
    .where('alert_number', 'in', gone)
    .where('set_number', '=', setNumber)
    .execute();
  await updateAlertRefs(tx, analysis, gone, now);
  const wereOpen = gone.filter((alert) => before.get(alert) === 'open');
  const after = await statesOn(tx, analysis, wereOpen);
  const fixed = wereOpen.filter((alert) => after.get(alert) === 'fixed');
  return { created: [], appeared: [], reopened: [], fixed };
}

/** Makes it the newest of its set, which everybody sees. */
export async function endApplying(
  tx: Db,
  { number, setNumber }: Pick<Analysis, 'number' | 'setNumber'>,
): Promise<void> {
  await tx
    .updateTable('code_scanning_analyses')
    .set({ is_newest: 0 })
    .where('set_number', '=', setNumber)
    .where('is_newest', '=', 1)
    .execute();
  await tx
    .updateTable('code_scanning_analyses')
    .set({ is_ready: 1, is_newest: 1, applied: null, events_left: null })
    .where('number', '=', number)
    .execute();
}

/** Parameters of one statement. */
const AT_ONCE = 500;

/** The states of alerts on a ref; those that were never there are missing. */
async function statesOn(
  db: Db,
  { repositoryNumber, ref }: Pick<Analysis, 'repositoryNumber' | 'ref'>,
  alerts: readonly number[],
): Promise<Map<number, string>> {
  const states = new Map<number, string>();
  for (const some of chunk(alerts, AT_ONCE)) {
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
  for (const some of chunk(alerts, AT_ONCE)) {
    await sql`insert into code_scanning_alert_refs
        (repository_number, ref, alert_number, state, analysis_number, updated_at, fixed_at, created_at, listed_by)
      select instance.repository_number, instance.ref, instance.alert_number,
        case when max(alert.dismissed_at) is not null then 'dismissed' when max(instance.is_open) = 1 then 'open'
          else 'fixed' end,
        max(instance.is_open * ${rank} + instance.analysis_number) % ${rank}, ${sql.lit(now)},
        case when max(instance.is_open) = 1 then null else max(instance.fixed_at) end, max(alert.created_at),
        (select repository.owner_id from repositories repository where repository.number = ${repositoryNumber}
          and 'refs/heads/' || repository.default_branch = ${ref})
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

// What a written analysis does to alerts: it opens, reopens and closes them, some at a time.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Analysis } from './analysis.ts';
import { statesOn, updateAlertRefs } from './store-states.ts';
import type { ScanningResultRow } from './tables.ts';
import type { SarifUpload } from './upload.ts';

/** What became of alerts, for those who are told of it. */
export interface AlertTransitions {
  created: number[];
  /** They are known from other refs. */
  appeared: number[];
  reopened: number[];
  fixed: number[];
}

export interface ApplyingAnalysis extends Pick<
  Analysis,
  | 'number'
  | 'repositoryNumber'
  | 'setNumber'
  | 'ref'
  | 'toolName'
  | 'toolVersion'
  | 'toolGuid'
  | 'resultsCount'
  | 'createdAt'
> {
  /** The position of the first result that is not. */
  applied: number;
  eventsLeft: number;
}

/** All results are written: from here on, a crash leaves an analysis that is continued. */
export async function beginApplying(db: Db, analysisNumber: number, events: number): Promise<void> {
  await db
    .updateTable('code_scanning_analyses')
    .set({ applied: 0, events_left: events })
    .where('number', '=', analysisNumber)
    .execute();
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
  const results = await listResults(tx, analysis, limit);
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

type KeptResult = Pick<
  ScanningResultRow,
  'position' | 'fingerprint' | 'rule_id' | 'severity' | 'security_severity'
>;

async function listResults(
  db: Db,
  { number, applied }: ApplyingAnalysis,
  limit: number,
): Promise<KeptResult[]> {
  return await db
    .selectFrom('code_scanning_results')
    .select(['position', 'fingerprint', 'rule_id', 'severity', 'security_severity'])
    .where('analysis_number', '=', number)
    .where('position', '>=', applied)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/**
 * Finds the alerts of results or inserts them, and links both. The values are named one by one: joins of these tables
 * would be planned by statistics that know nothing of an upload that was just written.
 */
async function identifyAlerts(
  tx: Db,
  analysis: ApplyingAnalysis,
  results: readonly KeptResult[],
): Promise<{ found: number[]; lastKnown: number }> {
  const { number, repositoryNumber, toolName, toolVersion, toolGuid, createdAt } = analysis;
  const known = await tx
    .selectFrom('code_scanning_alerts')
    .select(['number', 'fingerprint', 'severity', 'security_severity', 'tool_version', 'tool_guid'])
    .where('repository_number', '=', repositoryNumber)
    .where('tool_name', '=', toolName)
    .where(
      'fingerprint',
      'in',
      results.map(({ fingerprint }) => fingerprint),
    )
    .execute();
  const alerts = new Map(known.map((alert) => [alert.fingerprint, alert]));
  const unknown = results.filter(({ fingerprint }) => !alerts.has(fingerprint));
  const lastKnown = await takeNumbers(tx, repositoryNumber, unknown.length);
  const numbers = new Map(known.map((alert) => [alert.fingerprint, alert.number]));
  for (const [index, { fingerprint }] of unknown.entries()) numbers.set(fingerprint, lastKnown + 1 + index);
  if (unknown.length > 0)
    await tx
      .insertInto('code_scanning_alerts')
      .values(
        unknown.map((result) => ({
          repository_number: repositoryNumber,
          number: numbers.get(result.fingerprint)!,
          tool_name: toolName,
          tool_version: toolVersion,
          tool_guid: toolGuid,
          fingerprint: result.fingerprint,
          rule_id: result.rule_id,
          severity: result.severity,
          security_severity: result.security_severity,
          created_at: createdAt,
          dismissed_at: null,
          dismissed_by: null,
          dismissed_reason: null,
          dismissed_comment: null,
        })),
      )
      .execute();
  const first = results[0]!.position;
  await sql`update code_scanning_results set alert_number = (
      select alert.number from code_scanning_alerts alert where alert.repository_number = ${repositoryNumber}
        and alert.tool_name = ${toolName} and alert.fingerprint = code_scanning_results.fingerprint)
    where analysis_number = ${number} and position >= ${first} and position < ${first + results.length}`.execute(
    tx,
  );
  const changed = results.filter((result) => {
    const alert = alerts.get(result.fingerprint);
    return (
      alert !== undefined &&
      (alert.severity !== result.severity ||
        alert.security_severity !== result.security_severity ||
        alert.tool_version !== toolVersion ||
        alert.tool_guid !== toolGuid)
    );
  });
  await updateSeverities(tx, analysis, changed, numbers);
  return { found: results.map(({ fingerprint }) => numbers.get(fingerprint)!), lastKnown };
}

/** Returns the number of the last alert that was there before. */
async function takeNumbers(tx: Db, repositoryNumber: number, count: number): Promise<number> {
  const { last_alert: last } = await tx
    .insertInto('code_scanning_counters')
    .values({ repository_number: repositoryNumber, last_alert: count })
    .onConflict((conflict) =>
      conflict
        .column('repository_number')
        .doUpdateSet((eb) => ({ last_alert: eb('code_scanning_counters.last_alert', '+', count) })),
    )
    .returning('last_alert')
    .executeTakeFirstOrThrow();
  return last - count;
}

/** Alerts show what the newest result says. There are few severities. */
async function updateSeverities(
  tx: Db,
  { repositoryNumber, toolVersion, toolGuid }: ApplyingAnalysis,
  results: readonly KeptResult[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  const groups = Map.groupBy(results, (result) => `${result.severity} ${result.security_severity}`);
  for (const group of groups.values())
    await tx
      .updateTable('code_scanning_alerts')
      .set({
        severity: group[0]!.severity,
        security_severity: group[0]!.security_severity,
        tool_version: toolVersion,
        tool_guid: toolGuid,
      })
      .where('repository_number', '=', repositoryNumber)
      .where(
        'number',
        'in',
        group.map(({ fingerprint }) => numbers.get(fingerprint)!),
      )
      .execute();
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

// Which alerts the results of an analysis belong to: known ones are found, and others inserted.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ApplyingAnalysis } from './analysis.ts';
import type { ScanningResultRow } from './tables.ts';

type KeptResult = Pick<
  ScanningResultRow,
  'position' | 'fingerprint' | 'rule_id' | 'severity' | 'security_severity'
>;

/** From a position on, in the order of the document. */
export async function listScanningResults(
  db: Db,
  analysisNumber: number,
  start: number,
  limit: number,
): Promise<KeptResult[]> {
  return await db
    .selectFrom('code_scanning_results')
    .select(['position', 'fingerprint', 'rule_id', 'severity', 'security_severity'])
    .where('analysis_number', '=', analysisNumber)
    .where('position', '>=', start)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/**
 * Finds the alerts of results or inserts them, and links both. The values are named one by one: joins of these tables
 * would be planned by statistics that know nothing of an upload that was just written.
 */
export async function identifyAlerts(
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

// Deletes the code scanning of a deleted repository in short statements: in one, other writes would wait for all of its results.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

/** Rows of one statement. */
const AT_ONCE = 500;

/** What is left is little, and goes with the row of the repository. */
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

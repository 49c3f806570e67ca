// Analyses in the database. One is written in batches, and appears when all of it is there.
import { sql, type Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Analysis, SarifUpload } from './analysis.ts';
import type { ReadResult, SarifRunSummary } from './sarif/sarif-run.ts';
import type { ScanningRule } from './sarif/sarif-rule.ts';
import { deleteWritten } from './store-deleting.ts';
import type { AnalysisRow } from './tables.ts';

function selectAnalyses(db: Db) {
  return db
    .selectFrom('code_scanning_analyses as analysis')
    .innerJoin('code_scanning_uploads as upload', 'upload.number', 'analysis.upload_number')
    .selectAll('analysis')
    .select(['upload.id as upload_id', 'upload.status as upload_status'])
    .where('analysis.is_ready', '=', sql.lit(1));
}

export async function findAnalysis(
  db: Db,
  repositoryNumber: number,
  number: number,
): Promise<Analysis | undefined> {
  const row = await selectAnalyses(db)
    .where('analysis.number', '=', number)
    .where('analysis.repository_number', '=', repositoryNumber)
    .executeTakeFirst();
  return row && analysisFrom(row);
}

export interface AnalysisFilter {
  refs?: readonly string[];
  toolName?: string;
  toolGuid?: string;
  uploadId?: string;
  desc: boolean;
}

export async function listAnalyses(
  db: Db,
  repositoryNumber: number,
  { refs, toolName, toolGuid, uploadId, desc }: AnalysisFilter,
  { offset, limit }: Slice,
): Promise<Analysis[]> {
  let query = selectAnalyses(db).where('analysis.repository_number', '=', repositoryNumber);
  if (refs !== undefined) query = query.where('analysis.ref', 'in', refs);
  if (toolName !== undefined) query = query.where('analysis.tool_name', '=', toolName);
  if (toolGuid !== undefined) query = query.where('analysis.tool_guid', '=', toolGuid);
  if (uploadId !== undefined) query = query.where('upload.id', '=', uploadId);
  const rows = await query
    .orderBy('analysis.number', desc ? 'desc' : 'asc')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(analysisFrom);
}

/** The runs of the upload that are ready; what a crash has left of one that was being written is deleted. */
export async function startOver(db: Db, { number }: SarifUpload): Promise<Set<number>> {
  const rows = await db
    .selectFrom('code_scanning_analyses')
    .select(['number', 'run_index', 'is_ready', 'results_count'])
    .where('upload_number', '=', number)
    .where('applied', 'is', null)
    .where('restored', 'is', null)
    .execute();
  for (const { number: unfinished, results_count: count } of rows.filter((row) => row.is_ready === 0))
    await deleteWritten(db, unfinished, count);
  return new Set(rows.filter((row) => row.is_ready === 1).map(({ run_index: run }) => run));
}

/** Nobody sees it yet. */
export async function insertAnalysis(
  db: Db,
  upload: SarifUpload,
  run: SarifRunSummary,
  runIndex: number,
  now: number,
): Promise<{ number: number; setNumber: number }> {
  const set = {
    repository_number: upload.repositoryNumber,
    ref: upload.ref,
    tool_name: run.toolName,
    category: run.category,
  };
  const { number: setNumber } = await db
    .insertInto('code_scanning_sets')
    .values(set)
    .onConflict((conflict) =>
      conflict
        .columns(['repository_number', 'ref', 'tool_name', 'category'])
        .doUpdateSet({ category: run.category }),
    )
    .returning('number')
    .executeTakeFirstOrThrow();
  const { number } = await db
    .insertInto('code_scanning_analyses')
    .values({
      ...set,
      set_number: setNumber,
      upload_number: upload.number,
      run_index: runIndex,
      commit_sha: upload.commitSha,
      tool_version: run.toolVersion,
      tool_guid: run.toolGuid,
      results_count: run.resultsCount,
      rules_count: run.rulesCount,
      warning: run.warning,
      created_at: now,
      is_ready: 0,
      is_newest: 0,
      applied: null,
      events_left: null,
      restored: null,
    })
    .returning('number')
    .executeTakeFirstOrThrow();
  return { number, setNumber };
}

/** The newest description of a rule counts. */
export async function upsertRules(
  db: Db,
  repositoryNumber: number,
  toolName: string,
  rules: readonly [id: string, rule: ScanningRule][],
): Promise<void> {
  await db
    .insertInto('code_scanning_rules')
    .values(
      rules.map(([id, { help = null, ...rule }]) => ({
        repository_number: repositoryNumber,
        tool_name: toolName,
        rule_id: id,
        rule: JSON.stringify(rule),
        help,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['repository_number', 'tool_name', 'rule_id'])
        .doUpdateSet((eb) => ({ rule: eb.ref('excluded.rule'), help: eb.ref('excluded.help') })),
    )
    .execute();
}

export async function insertResults(
  db: Db,
  { number, setNumber }: { number: number; setNumber: number },
  results: readonly ReadResult[],
  start: number,
): Promise<void> {
  await db
    .insertInto('code_scanning_results')
    .values(
      results.map((result, index) => ({
        analysis_number: number,
        position: start + index,
        set_number: setNumber,
        alert_number: null,
        fingerprint: result.fingerprint,
        rule_id: result.ruleId,
        severity: result.severity,
        security_severity: result.securitySeverity,
        details: JSON.stringify(result.details),
      })),
    )
    .execute();
}

/** The alerts of a part of its results, by position. Results of an analysis that is being deleted are missing. */
export async function listAlertsOfResults(
  db: Db,
  analysisNumber: number,
  start: number,
  limit: number,
): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('code_scanning_results')
    .select(['position', 'alert_number'])
    .where('analysis_number', '=', analysisNumber)
    .where('position', '>=', start)
    .where('position', '<', start + limit)
    .execute();
  return new Map(rows.map(({ position, alert_number: alert }) => [position, alert!]));
}

function analysisFrom(row: Selectable<AnalysisRow> & { upload_id: string; upload_status: string }): Analysis {
  return {
    number: row.number,
    repositoryNumber: row.repository_number,
    setNumber: row.set_number,
    uploadId: row.upload_id,
    runIndex: row.run_index,
    ref: row.ref,
    commitSha: row.commit_sha,
    toolName: row.tool_name,
    toolVersion: row.tool_version,
    toolGuid: row.tool_guid,
    category: row.category,
    resultsCount: row.results_count,
    rulesCount: row.rules_count,
    warning: row.warning,
    createdAt: row.created_at,
    // After a crash, an upload that is not processed to its end would bring it back.
    isDeletable: row.is_newest === 1 && row.upload_status !== 'pending',
  };
}

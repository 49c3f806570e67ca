// What a written analysis does to alerts: it opens, reopens and closes them, some at a time.
import { contested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Analysis, ApplyingAnalysis } from './analysis.ts';
import { identifyAlerts, listScanningResults } from './store-alert-identity.ts';
import { statesOn, updateAlertRefs } from './store-states.ts';
import type { SarifUpload } from './upload.ts';

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

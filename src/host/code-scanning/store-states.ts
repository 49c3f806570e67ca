// What analyses do to alerts: they open, close and reopen them, and a deleted analysis restores what was before.
import { sql } from 'kysely';
import { inBatches } from '../../kernel/batches.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Analysis } from './analysis.ts';

/** Parameters of one statement. */
const AT_ONCE = 500;

/** What became of alerts, for those who are told of it. */
export interface AlertTransitions {
  created: number[];
  /** They are known from other refs. */
  appeared: number[];
  reopened: number[];
  fixed: number[];
}

type NewAnalysis = Pick<
  Analysis,
  'number' | 'repositoryNumber' | 'setNumber' | 'ref' | 'toolName' | 'toolVersion' | 'toolGuid'
>;

/** Makes a written analysis the newest of its set. The caller has locked the scanning of the repository. */
export async function applyAnalysis(tx: Db, analysis: NewAnalysis, now: number): Promise<AlertTransitions> {
  const { number, repositoryNumber, setNumber, ref } = analysis;
  const lastKnown = await insertNewAlerts(tx, analysis, now);
  await linkResults(tx, analysis);
  const found = await listAlertNumbers(tx, number);
  const open = await listOpenIn(tx, setNumber);
  const isFound = new Set(found);
  const gone = open.filter((alert) => !isFound.has(alert));
  const before = await statesOn(tx, analysis, [...found, ...gone]);
  await sql`insert into code_scanning_instances
      (repository_number, alert_number, set_number, ref, is_open, analysis_number, updated_at, fixed_at)
    select ${sql.lit(repositoryNumber)}, alert_number, ${sql.lit(setNumber)}, ${ref}, 1, ${sql.lit(number)},
      ${sql.lit(now)}, null
    from code_scanning_results where analysis_number = ${number}
    on conflict (repository_number, alert_number, set_number) do update
      set is_open = 1, analysis_number = excluded.analysis_number, updated_at = excluded.updated_at, fixed_at = null`.execute(
    tx,
  );
  await tx
    .updateTable('code_scanning_instances')
    .set({ is_open: 0, updated_at: now, fixed_at: now })
    .where('set_number', '=', setNumber)
    .where('is_open', '=', 1)
    .where('analysis_number', '<>', number)
    .execute();
  await updateAlertRefs(tx, analysis, [...found, ...gone], now);
  await tx
    .updateTable('code_scanning_analyses')
    .set({ is_newest: 0 })
    .where('set_number', '=', setNumber)
    .where('is_newest', '=', 1)
    .execute();
  await tx
    .updateTable('code_scanning_analyses')
    .set({ is_ready: 1, is_newest: 1 })
    .where('number', '=', number)
    .execute();
  const after = await statesOn(
    tx,
    analysis,
    gone.filter((alert) => before.get(alert) === 'open'),
  );
  const isKnown = (alert: number) => alert <= lastKnown;
  return {
    created: found.filter((alert) => !isKnown(alert)),
    appeared: found.filter((alert) => isKnown(alert) && !before.has(alert)),
    reopened: found.filter((alert) => before.get(alert) === 'fixed'),
    fixed: [...after].filter(([, state]) => state === 'fixed').map(([alert]) => alert),
  };
}

/** Returns the number of the last alert that was there before. */
async function insertNewAlerts(tx: Db, analysis: NewAnalysis, now: number): Promise<number> {
  const { number, repositoryNumber, toolName, toolVersion, toolGuid } = analysis;
  const { last_alert: last } = await tx
    .insertInto('code_scanning_counters')
    .values({ repository_number: repositoryNumber, last_alert: 0 })
    .onConflict((conflict) =>
      conflict
        .column('repository_number')
        .doUpdateSet((eb) => ({ last_alert: eb.ref('code_scanning_counters.last_alert') })),
    )
    .returning('last_alert')
    .executeTakeFirstOrThrow();
  const { numAffectedRows = 0n } = await sql`insert into code_scanning_alerts
      (repository_number, number, tool_name, tool_version, tool_guid, fingerprint, rule_id, severity, security_severity,
       created_at)
    select ${sql.lit(repositoryNumber)}, ${sql.lit(last)} + row_number() over (order by result.position), ${toolName},
      ${toolVersion}, ${toolGuid}, result.fingerprint, result.rule_id, result.severity, result.security_severity,
      ${sql.lit(now)}
    from code_scanning_results result
    where result.analysis_number = ${number} and not exists (
      select 1 from code_scanning_alerts known where known.repository_number = ${repositoryNumber}
        and known.tool_name = ${toolName} and known.fingerprint = result.fingerprint)`.execute(tx);
  await tx
    .updateTable('code_scanning_counters')
    .set({ last_alert: last + Number(numAffectedRows) })
    .where('repository_number', '=', repositoryNumber)
    .execute();
  return last;
}

/** Alerts show what the newest result says of their severity. */
async function linkResults(tx: Db, analysis: NewAnalysis): Promise<void> {
  const { number, repositoryNumber, toolName, toolVersion, toolGuid } = analysis;
  await sql`update code_scanning_results set alert_number = (
      select alert.number from code_scanning_alerts alert where alert.repository_number = ${repositoryNumber}
        and alert.tool_name = ${toolName} and alert.fingerprint = code_scanning_results.fingerprint)
    where analysis_number = ${number}`.execute(tx);
  await sql`update code_scanning_alerts as alert set severity = result.severity,
      security_severity = result.security_severity, tool_version = ${toolVersion}, tool_guid = ${toolGuid}
    from code_scanning_results result
    where result.analysis_number = ${number} and alert.repository_number = ${repositoryNumber}
      and alert.number = result.alert_number and (alert.severity <> result.severity
        or alert.security_severity is distinct from result.security_severity
        or alert.tool_version is distinct from ${toolVersion} or alert.tool_guid is distinct from ${toolGuid})`.execute(
    tx,
  );
}

async function listAlertNumbers(db: Db, analysisNumber: number): Promise<number[]> {
  const rows = await db
    .selectFrom('code_scanning_results')
    .select('alert_number')
    .where('analysis_number', '=', analysisNumber)
    .orderBy('position')
    .execute();
  return rows.map(({ alert_number: alert }) => alert!);
}

async function listOpenIn(db: Db, setNumber: number): Promise<number[]> {
  const rows = await db
    .selectFrom('code_scanning_instances')
    .select('alert_number')
    .where('set_number', '=', setNumber)
    .where('is_open', '=', 1)
    .orderBy('alert_number')
    .execute();
  return rows.map(({ alert_number: alert }) => alert);
}

/** The states of alerts on a ref; those that were never there are missing. */
async function statesOn(
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
        and instance.ref = ${ref}
      group by instance.repository_number, instance.ref, instance.alert_number
      on conflict (repository_number, ref, alert_number) do update set state = excluded.state,
        analysis_number = excluded.analysis_number, fixed_at = excluded.fixed_at,
        updated_at = case when code_scanning_alert_refs.state = excluded.state
          then code_scanning_alert_refs.updated_at else excluded.updated_at end`.execute(tx);
  }
}

/** Deletes the newest analysis of a set, and restores what the one before said. Returns that one's number. */
export async function deleteAnalysis(tx: Db, analysis: Analysis, now: number): Promise<number | undefined> {
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
  if (previous === undefined)
    await tx.deleteFrom('code_scanning_sets').where('number', '=', setNumber).execute();
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
  { repositoryNumber, setNumber }: Analysis,
  previous: number,
  alerts: readonly number[],
  now: number,
): Promise<void> {
  const lastSeen = sql<number>`(select max(result.analysis_number) from code_scanning_results result
    where result.set_number = ${setNumber} and result.alert_number = code_scanning_instances.alert_number)`;
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
      is_open: sql<number>`case when ${lastSeen} = ${sql.lit(previous)} then 1 else 0 end`,
      fixed_at: sql<number | null>`case when ${lastSeen} = ${sql.lit(previous)} then null
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
  { repositoryNumber, ref }: Analysis,
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

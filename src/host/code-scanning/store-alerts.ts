// Alerts in the database, as lists show them: each on a ref.
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { AlertDismissal, AlertInstance, AlertState, ScanningAlert } from './alert.ts';
import type { ResultDetails } from './sarif/sarif-result.ts';
import type { AlertSeverity, ScanningRule, SecuritySeverity } from './sarif/sarif-rule.ts';
import type { AlertRow } from './tables.ts';

function selectAlerts(db: Db) {
  return db
    .selectFrom('code_scanning_alert_refs as shown')
    .innerJoin('code_scanning_alerts as alert', (join) =>
      join
        .onRef('alert.repository_number', '=', 'shown.repository_number')
        .onRef('alert.number', '=', 'shown.alert_number'),
    )
    .innerJoin('code_scanning_rules as rule', (join) =>
      join
        .onRef('rule.repository_number', '=', 'alert.repository_number')
        .onRef('rule.tool_name', '=', 'alert.tool_name')
        .onRef('rule.rule_id', '=', 'alert.rule_id'),
    )
    .innerJoin('code_scanning_analyses as analysis', 'analysis.number', 'shown.analysis_number')
    .innerJoin('code_scanning_results as result', (join) =>
      join
        .onRef('result.analysis_number', '=', 'shown.analysis_number')
        .onRef('result.alert_number', '=', 'shown.alert_number'),
    )
    .selectAll('alert')
    .select([
      'shown.ref',
      'shown.state',
      'shown.updated_at',
      'shown.fixed_at',
      'rule.rule',
      'analysis.commit_sha',
      'analysis.category',
      'result.details',
    ]);
}

export interface AlertFilter {
  states?: readonly AlertState[];
  severity?: string;
  toolName?: string;
  toolGuid?: string;
}

export type AlertSort = 'created' | 'updated';

export interface AlertOrder {
  sort: AlertSort;
  desc: boolean;
}

/** Where a page begins: after this alert, in the order of the list. */
export interface AlertCursor extends AlertKey {
  /** The time that the list is sorted by. */
  at: number;
}

export interface AlertKey {
  repositoryNumber: number;
  number: number;
}

/** The condition on an alert, whatever its state. */
export function hasProperties({
  severity,
  toolName,
  toolGuid,
}: Omit<AlertFilter, 'states'>): RawBuilder<boolean> {
  const conditions = [
    sql`1 = 1`,
    ...(severity === undefined ? [] : [sql`coalesce(alert.security_severity, alert.severity) = ${severity}`]),
    ...(toolName === undefined ? [] : [sql`alert.tool_name = ${toolName}`]),
    ...(toolGuid === undefined ? [] : [sql`alert.tool_guid = ${toolGuid}`]),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

export async function listAlerts(
  db: Db,
  repositoryNumber: number,
  refs: readonly string[],
  { states, ...filter }: AlertFilter,
  { sort, desc }: AlertOrder,
  { offset, limit }: Slice,
  after?: AlertCursor,
): Promise<ScanningAlert[]> {
  let query = selectAlerts(db)
    .where('shown.repository_number', '=', repositoryNumber)
    .where('shown.ref', 'in', refs);
  if (states !== undefined) query = query.where('shown.state', 'in', states);
  query = query.where(hasProperties(filter));
  const direction = desc ? 'desc' : 'asc';
  const beyond = sql.raw(desc ? '<' : '>');
  // Numbers grow in the order of creation.
  if (sort === 'created') {
    if (after !== undefined) query = query.where(sql<boolean>`shown.alert_number ${beyond} ${after.number}`);
  } else {
    if (after !== undefined)
      query = query.where(
        sql<boolean>`(shown.updated_at, shown.alert_number) ${beyond} (${after.at}, ${after.number})`,
      );
    query = query.orderBy('shown.updated_at', direction);
  }
  const rows = await query.orderBy('shown.alert_number', direction).limit(limit).offset(offset).execute();
  return rows.map(alertFrom);
}

/** On the default branch, or where it changed last. */
export async function findAlert(
  db: Db,
  repositoryNumber: number,
  number: number,
  defaultRef: string,
): Promise<ScanningAlert | undefined> {
  const row = await selectAlerts(db)
    .select('rule.help')
    .where('shown.repository_number', '=', repositoryNumber)
    .where('shown.alert_number', '=', number)
    .orderBy(sql`case when shown.ref = ${defaultRef} then 0 else 1 end`)
    .orderBy('shown.updated_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const alert = alertFrom(row);
  return { ...alert, rule: { ...alert.rule, help: row.help } };
}

/** On one ref; the order is that of the numbers. */
export async function listAlertsByNumber(
  db: Db,
  repositoryNumber: number,
  ref: string,
  numbers: readonly number[],
): Promise<ScanningAlert[]> {
  const rows = await selectAlerts(db)
    .where('shown.repository_number', '=', repositoryNumber)
    .where('shown.ref', '=', ref)
    .where('shown.alert_number', 'in', numbers)
    .orderBy('shown.alert_number')
    .execute();
  return rows.map(alertFrom);
}

/** Of several repositories, each on a ref; the order is that of the keys. */
export async function listAlertsByKey(
  db: Db,
  keys: readonly (AlertKey & { ref: string })[],
): Promise<ScanningAlert[]> {
  if (keys.length === 0) return [];
  const rows = await selectAlerts(db)
    .where((eb) =>
      eb.or(
        keys.map(({ repositoryNumber, ref, number }) =>
          eb.and([
            eb('shown.repository_number', '=', repositoryNumber),
            eb('shown.ref', '=', ref),
            eb('shown.alert_number', '=', number),
          ]),
        ),
      ),
    )
    .execute();
  const nameOf = ({ repositoryNumber, number }: AlertKey) => `${repositoryNumber}/${number}`;
  const alerts = new Map(rows.map(alertFrom).map((alert) => [nameOf(alert), alert]));
  return keys.flatMap((key) => alerts.get(nameOf(key)) ?? []);
}

/** Of any ref, or of these. */
export async function listInstances(
  db: Db,
  repositoryNumber: number,
  alertNumber: number,
  refs: readonly string[] | undefined,
  { offset, limit }: Slice,
): Promise<AlertInstance[]> {
  let query = db
    .selectFrom('code_scanning_instances as instance')
    .innerJoin('code_scanning_analyses as analysis', 'analysis.number', 'instance.analysis_number')
    .innerJoin('code_scanning_results as result', (join) =>
      join
        .onRef('result.analysis_number', '=', 'instance.analysis_number')
        .onRef('result.alert_number', '=', 'instance.alert_number'),
    )
    .select([
      'instance.ref',
      'instance.is_open',
      'analysis.category',
      'analysis.commit_sha',
      'result.details',
    ])
    .where('instance.repository_number', '=', repositoryNumber)
    .where('instance.alert_number', '=', alertNumber);
  if (refs !== undefined) query = query.where('instance.ref', 'in', refs);
  const rows = await query.orderBy('instance.set_number').limit(limit).offset(offset).execute();
  return rows.map((row) => ({
    ref: row.ref,
    category: row.category,
    state: row.is_open === 1 ? 'open' : 'fixed',
    commitSha: row.commit_sha,
    details: JSON.parse(row.details) as ResultDetails,
  }));
}

/** Null opens it again. */
export async function updateDismissal(
  tx: Db,
  repositoryNumber: number,
  number: number,
  dismissal: AlertDismissal | null,
): Promise<void> {
  await tx
    .updateTable('code_scanning_alerts')
    .set({
      dismissed_at: dismissal?.at ?? null,
      dismissed_by: dismissal?.by ?? null,
      dismissed_reason: dismissal?.reason ?? null,
      dismissed_comment: dismissal?.comment ?? null,
    })
    .where('repository_number', '=', repositoryNumber)
    .where('number', '=', number)
    .execute();
}

export async function listRefsOfAlert(db: Db, repositoryNumber: number, number: number): Promise<string[]> {
  const rows = await db
    .selectFrom('code_scanning_alert_refs')
    .select('ref')
    .where('repository_number', '=', repositoryNumber)
    .where('alert_number', '=', number)
    .execute();
  return rows.map(({ ref }) => ref);
}

interface ShownColumns {
  ref: string;
  state: string;
  updated_at: number;
  fixed_at: number | null;
  rule: string;
  commit_sha: string;
  category: string;
  details: string;
}

function alertFrom(row: Selectable<AlertRow> & ShownColumns): ScanningAlert {
  const { ref, category, commit_sha: commitSha } = row;
  const state = row.state as AlertState;
  return {
    repositoryNumber: row.repository_number,
    number: row.number,
    state,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    fixedAt: row.fixed_at,
    dismissal:
      row.dismissed_at === null
        ? null
        : {
            at: row.dismissed_at,
            by: row.dismissed_by!,
            reason: row.dismissed_reason as AlertDismissal['reason'],
            comment: row.dismissed_comment,
          },
    ruleId: row.rule_id,
    rule: JSON.parse(row.rule) as ScanningRule,
    severity: row.severity as AlertSeverity,
    securitySeverity: row.security_severity as SecuritySeverity | null,
    toolName: row.tool_name,
    toolVersion: row.tool_version,
    toolGuid: row.tool_guid,
    instance: { ref, category, state, commitSha, details: JSON.parse(row.details) as ResultDetails },
  };
}

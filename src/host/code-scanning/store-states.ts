// The states of alerts on refs: they follow from their instances there.
import { sql } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Analysis } from './analysis.ts';

/** Parameters of one statement. */
const AT_ONCE = 500;

/** The states of alerts on a ref; those that were never there are missing. */
export async function statesOn(
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

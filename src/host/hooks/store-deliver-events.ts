// What delivering events to webhooks reads and writes: the cursor of each queue of events, and the installations that receive them.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { AppPermissions } from '../apps/permissions.ts';
import type { EventQueue } from '../events/store.ts';

function nameOf(queue: EventQueue): string {
  const [[kind, name]] = Object.entries(queue) as [[string, string | number]];
  return `${kind}/${name}`;
}

/** The number of the last event whose deliveries are written; 0 before the first. */
export async function findHookCursor(db: Db, queue: EventQueue): Promise<number> {
  const row = await db
    .selectFrom('host_hook_cursors')
    .select('event_number')
    .where('queue', '=', nameOf(queue))
    .executeTakeFirst();
  return row?.event_number ?? 0;
}

/** False where another process has enqueued the events meanwhile. */
export async function advanceHookCursor(
  tx: Db,
  queue: EventQueue,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  if (from === 0) {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('host_hook_cursors')
      .values({ queue: nameOf(queue), event_number: to })
      .onConflict((conflict) => conflict.column('queue').doNothing())
      .executeTakeFirstOrThrow();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  }
  const { numUpdatedRows } = await tx
    .updateTable('host_hook_cursors')
    .set({ event_number: to })
    .where('queue', '=', nameOf(queue))
    .where('event_number', '=', from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteHookCursor(db: Db, queue: EventQueue): Promise<void> {
  await db.deleteFrom('host_hook_cursors').where('queue', '=', nameOf(queue)).execute();
}

export interface ListeningInstallation {
  number: number;
  appNumber: number;
  accountId: string;
  isOrganization: boolean;
  permissions: AppPermissions;
  events: readonly string[];
  rightsRevision: number;
  createdAt: number;
}

/**
 * On the organizations and on the owner of the repository, none of them suspended. Those that select repositories must have
 * selected this one; without a repository all count. A deleted repository still has its row, and with it its owner.
 */
export async function listListeningInstallations(
  db: Db,
  repository: number | undefined,
  organizationIds: readonly string[],
): Promise<ListeningInstallation[]> {
  const owners = [
    ...organizationIds.map((id) => sql`${id}`),
    ...(repository === undefined
      ? []
      : [sql`(select owner_id from repositories where number = ${repository})`]),
  ];
  if (owners.length === 0) return [];
  const rows = await db
    .selectFrom('host_installations')
    .select(['number', 'app_number', 'account_id', 'target_type', 'permissions', 'events'])
    .select(['rights_revision', 'created_at'])
    .where(sql<boolean>`account_id in (${sql.join(owners)})`)
    .where('removed_at', 'is', null)
    .where('suspended_at', 'is', null)
    .$if(repository !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb('repository_selection', '=', 'all'),
          eb.exists(
            eb
              .selectFrom('host_installation_repositories')
              .select('repository_number')
              .whereRef('installation_number', '=', 'host_installations.number')
              .where('repository_number', '=', repository!),
          ),
        ]),
      ),
    )
    .orderBy('number')
    .execute();
  return rows.map((row) => ({
    number: row.number,
    appNumber: row.app_number,
    accountId: row.account_id,
    isOrganization: row.target_type === 'Organization',
    permissions: JSON.parse(row.permissions) as AppPermissions,
    events: JSON.parse(row.events) as string[],
    rightsRevision: row.rights_revision,
    createdAt: row.created_at,
  }));
}

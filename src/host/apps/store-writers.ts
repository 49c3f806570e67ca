// Which apps may write to a repository, in the database: by the bots that their installations act as.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { AppPermissions } from './permissions.ts';
import { heldRights } from './rights.ts';

/** Those among the accounts that are bots of apps whose installation on the owner reaches the repository and writes contents. */
export async function listWritingBots(
  db: Db,
  { number, ownerId }: { number: number; ownerId: string },
  accountIds: readonly string[],
): Promise<string[]> {
  if (accountIds.length === 0) return [];
  const rows = await db
    .selectFrom('host_installations')
    .innerJoin('host_apps', 'host_apps.number', 'host_installations.app_number')
    .select([
      'host_apps.bot_id',
      'host_apps.permissions as asked',
      'host_apps.lost_rights',
      'host_installations.permissions',
      'host_installations.rights_revision',
    ])
    .where('host_installations.account_id', '=', ownerId)
    .where('host_installations.removed_at', 'is', null)
    .where('host_apps.deleted_at', 'is', null)
    .where('host_apps.bot_id', 'in', accountIds)
    .where(
      sql<boolean>`(host_installations.repository_selection = 'all' or exists (
        select 1 from host_installation_repositories as selected
        where selected.installation_number = host_installations.number and selected.repository_number = ${number}))`,
    )
    .execute();
  return rows.filter((row) => writesContents(row)).map(({ bot_id: id }) => id);
}

function writesContents(row: {
  asked: string;
  lost_rights: string;
  permissions: string;
  rights_revision: number;
}): boolean {
  const app = {
    permissions: JSON.parse(row.asked) as AppPermissions,
    events: [],
    lostRights: JSON.parse(row.lost_rights) as Record<string, number>,
  };
  const permissions = JSON.parse(row.permissions) as AppPermissions;
  const { contents } = heldRights(app, {
    permissions,
    events: [],
    rightsRevision: row.rights_revision,
  }).permissions;
  return contents === 'write';
}

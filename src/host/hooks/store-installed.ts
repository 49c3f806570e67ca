// The installations whose apps receive events of a repository or an organization.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

export interface ListeningInstallation {
  number: number;
  appNumber: number;
  accountId: string;
  isOrganization: boolean;
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
    .select(['number', 'app_number', 'account_id', 'target_type', 'events', 'rights_revision', 'created_at'])
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
    events: JSON.parse(row.events) as string[],
    rightsRevision: row.rights_revision,
    createdAt: row.created_at,
  }));
}

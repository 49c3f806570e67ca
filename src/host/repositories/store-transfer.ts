// What a transfer of a repository changes in its grants, in the database.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

/**
 * The teams of the old owner lose the repository. Custom roles of the old owner become the roles that they extend. The
 * new owner is no collaborator.
 */
export async function updateGrantsOfTransferred(
  tx: Db,
  number: number,
  { fromId, toId }: { fromId: string; toId: string },
): Promise<void> {
  await tx.deleteFrom('team_repositories').where('repository_number', '=', number).execute();
  await tx
    .deleteFrom('collaborators')
    .where('repository_number', '=', number)
    .where('account_id', '=', toId)
    .execute();
  await sql`
    update collaborators set role = custom.base_role from repository_roles as custom
    where collaborators.repository_number = ${number} and custom.organization_id = ${fromId}
      and lower(custom.name) = lower(collaborators.role)`.execute(tx);
}

// The statements that end the memberships of a member who is removed from the account.
import { sql } from 'kysely';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';

/** In one transaction. Without an heir an organization may lose its last admin; administrators of the host then help. */
export function removedAccountStatements(
  db: Db,
  accountId: string,
  heirId: string | undefined,
  now: number,
): SqlStatement[] {
  const own = db
    .selectFrom('organization_members')
    .select('organization_id')
    .where('account_id', '=', accountId);
  const heir = db
    .insertInto('organization_members')
    .columns(['organization_id', 'account_id', 'role', 'is_public', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('organization_members as m')
        .select([
          'm.organization_id',
          sql<string>`cast(${heirId ?? ''} as text)`.as('account_id'),
          'm.role',
          sql<number>`0`.as('is_public'),
          sql<number>`cast(${now} as bigint)`.as('created_at'),
        ])
        .where('m.account_id', '=', accountId)
        .where('m.role', '=', 'admin')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('organization_members as other')
                .select('other.account_id')
                .whereRef('other.organization_id', '=', 'm.organization_id')
                .where('other.role', '=', 'admin')
                .where('other.account_id', '!=', accountId),
            ),
          ),
        ),
    )
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'account_id']).doUpdateSet({ role: 'admin' }),
    );
  return [
    // In the order in which all who lock several organizations do so.
    db.selectFrom('organizations').select('id').where('id', 'in', own).orderBy('id').forUpdate().compile(),
    ...(heirId === undefined || heirId === accountId ? [] : [heir.compile()]),
    ...(['organization_team_members', 'collaborators', 'organization_members'] as const).map((table) =>
      db.deleteFrom(table).where('account_id', '=', accountId).compile(),
    ),
  ];
}

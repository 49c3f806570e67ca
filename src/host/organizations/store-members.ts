// The members of organizations in the database.
import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { deleteAccountActors } from '../protection/store-actors.ts';
import type { OrganizationMembership, OrganizationRole } from './model.ts';

export async function findMembership(
  db: Db,
  organizationId: string,
  accountId: string,
): Promise<OrganizationMembership | undefined> {
  const row = await db
    .selectFrom('organization_members')
    .select(['account_id', 'role', 'is_public'])
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row && membershipFrom(row);
}

export interface OrganizationMemberFilter {
  role?: OrganizationRole;
  onlyPublic?: boolean;
}

/** By the id of the account, which begins with the second of its creation. */
export async function listOrganizationMembers(
  db: Db,
  organizationId: string,
  { role, onlyPublic = false }: OrganizationMemberFilter,
  { offset, limit }: Slice,
): Promise<{ items: OrganizationMembership[]; total: number }> {
  const members = db
    .selectFrom('organization_members')
    .where('organization_id', '=', organizationId)
    .$if(role !== undefined, (query) => query.where('role', '=', role!))
    .$if(onlyPublic, (query) => query.where('is_public', '=', 1));
  const [rows, { total }] = await Promise.all([
    members
      .select(['account_id', 'role', 'is_public'])
      .orderBy('account_id')
      .offset(offset)
      .limit(limit)
      .execute(),
    members.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map(membershipFrom), total };
}

/** Which of the accounts are members. */
export async function listMembersAmong(
  db: Db,
  organizationId: string,
  accountIds: readonly string[],
): Promise<Set<string>> {
  if (accountIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('organization_members')
    .select('account_id')
    .where('organization_id', '=', organizationId)
    .where('account_id', 'in', accountIds)
    .execute();
  return new Set(rows.map((row) => row.account_id));
}

/** Whether the organization has an admin beside this account. The caller has locked the organization. */
export async function hasOtherAdmin(tx: Db, organizationId: string, accountId: string): Promise<boolean> {
  const other = await tx
    .selectFrom('organization_members')
    .select('account_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'admin')
    .where('account_id', '!=', accountId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Keeps the account from being deleted until the transaction ends: its memberships could outlive it. */
export async function shareLockUser(tx: Db, accountId: string): Promise<void> {
  const member = await tx
    .selectFrom('members')
    .select('id')
    .where('id', '=', accountId)
    .where('removed_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  if (member !== undefined) return;
  const service = await tx
    .selectFrom('service_accounts')
    .select('token_id')
    .where('token_id', '=', accountId)
    .forShare()
    .executeTakeFirst();
  if (service === undefined) throw new Failure('not-found', 'There is no such user');
}

/** Adds a member, or changes the role of one. New memberships are private. */
export async function saveMembership(
  tx: Db,
  organizationId: string,
  { accountId, role }: Pick<OrganizationMembership, 'accountId' | 'role'>,
  now: number,
): Promise<OrganizationMembership> {
  const row = await tx
    .insertInto('organization_members')
    .values({
      organization_id: organizationId,
      account_id: accountId,
      role,
      is_public: 0,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'account_id']).doUpdateSet({ role }))
    .returning(['account_id', 'role', 'is_public'])
    .executeTakeFirstOrThrow();
  return membershipFrom(row);
}

export async function updatePublicity(
  tx: Db,
  organizationId: string,
  accountId: string,
  isPublic: boolean,
): Promise<void> {
  await tx
    .updateTable('organization_members')
    .set({ is_public: Number(isPublic) })
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .execute();
}

/** With the account's places in teams of the organization and as a collaborator of its repositories. */
export async function deleteMembership(tx: Db, organizationId: string, accountId: string): Promise<void> {
  await deleteAccountActors(tx, accountId, { ownerId: organizationId });
  await tx
    .deleteFrom('organization_team_members')
    .where('account_id', '=', accountId)
    .where('team_number', 'in', (teams) =>
      teams.selectFrom('organization_teams').select('number').where('organization_id', '=', organizationId),
    )
    .execute();
  await tx
    .deleteFrom('collaborators')
    .where('account_id', '=', accountId)
    .where('repository_number', 'in', (repositories) =>
      repositories.selectFrom('repositories').select('number').where('owner_id', '=', organizationId),
    )
    .execute();
  await tx
    .deleteFrom('organization_members')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .execute();
}

/** Everywhere, also on repositories of other users. */
export async function deleteCollaborations(tx: Db, accountId: string): Promise<void> {
  await tx.deleteFrom('collaborators').where('account_id', '=', accountId).execute();
}

/** The organizations of an account, sorted, so that all who lock several do so in one order. */
export async function listOrganizationIdsOf(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('organization_members')
    .select('organization_id')
    .where('account_id', '=', accountId)
    .orderBy('organization_id')
    .execute();
  return rows.map((row) => row.organization_id);
}

/** Those of which it is an admin. */
export async function listOwnedOrganizationIds(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('organization_members')
    .select('organization_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'admin')
    .execute();
  return rows.map((row) => row.organization_id);
}

function membershipFrom(row: {
  account_id: string;
  role: string;
  is_public: number;
}): OrganizationMembership {
  return { accountId: row.account_id, role: row.role as OrganizationRole, isPublic: row.is_public === 1 };
}

/**
 * When a member is removed from the account. In one transaction. Without an heir an organization may lose its last
 * admin; administrators of the host then help.
 */
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

// Creates organizations.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { isReservedUsername, reserveName } from '../../kernel/identity/store-reserved-names.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { auditedOrganization } from './audit.ts';
import { isOrganizationLogin, organizationResource, type Organization } from './model.ts';
import { insertOrganization, type NewOrganization } from './store.ts';
import { saveMembership, shareLockUser } from './store-members.ts';

/** The account is its first admin. */
export async function createOrganization(
  tx: ChangeTransaction,
  fields: NewOrganization,
  admin: Account,
): Promise<Organization> {
  const { db, actor } = tx;
  await shareLockUser(db, admin.id);
  await claimLogin(db, fields.login);
  const organization = await insertOrganization(db, fields, actor.now);
  await saveMembership(db, organization.id, { accountId: admin.id, role: 'admin' }, actor.now);
  tx.record({
    accesses: [{ action: 'createOrganization', resource: organizationResource(organization) }],
    kind: 'organization',
    name: organization.login,
    verb: 'created the organization',
    ownerId: organization.id,
    after: { ...auditedOrganization(organization), admin: admin.username },
  });
  // What was looked up by this login, and not found, may be cached.
  await tx.invalidate(REPOSITORY_CHANNEL);
  return organization;
}

/** Users and organizations share one space of names, in which case does not matter. */
async function claimLogin(tx: Db, login: string): Promise<void> {
  if (!isOrganizationLogin(login))
    throw problem('login', 'must have 1 to 39 letters, digits and single hyphens inside');
  if (isReservedUsername(login)) throw problem('login', 'is reserved: what comes with this server has it');
  if (!(await reserveName(tx, login, 'organization'))) throw problem('login', 'is already taken');
}

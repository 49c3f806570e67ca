// Creates organizations, and records what changes of them and of memberships; ends the memberships of accounts that are deleted.
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction, Subscriber } from '../../kernel/change/changes.ts';
import { systemActor, type Access } from '../../kernel/identity/actor.ts';
import type { Account, TransferOwnership } from '../../kernel/identity/store-accounts.ts';
import { isReservedUsername, reserveName } from '../../kernel/identity/store-reserved-names.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { EventDetails } from '../events/model.ts';
import { recordEvent } from '../events/record-event.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { removedMemberIn } from '../ended-accounts.ts';
import {
  organizationResource,
  isOrganizationLogin,
  type Organization,
  type OrganizationMembership,
  type OrganizationRole,
} from './model.ts';
import { insertOrganization, findOrganization, lockOrganization, type NewOrganization } from './store.ts';
import {
  saveMembership,
  shareLockUser,
  deleteCollaborations,
  deleteMembership,
  findMembership,
  hasOtherAdmin,
  listOrganizationIdsOf,
  removedAccountStatements,
} from './store-members.ts';

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

export function auditedOrganization({ number, login, profile, settings, defaultPermission }: Organization) {
  return { id: number, login, defaultPermission, ...profile, ...settings };
}

export const MEMBER_ACTION = 'updateOrganizationMembers';

interface MembershipChange {
  organization: Organization;
  username: string;
  verb: string;
  before?: OrganizationMembership | undefined;
  after?: OrganizationMembership | undefined;
}

/** The permission is one on the organization; the entry is found by the member, too. */
export function membershipChange({
  organization,
  username,
  verb,
  before,
  after,
}: MembershipChange): Change & { requirements: Access[] } {
  const resource = organizationResource(organization);
  const shown = ({ role, isPublic }: OrganizationMembership) => ({
    organization: organization.login,
    member: username,
    role,
    isPublic,
  });
  return {
    accesses: [{ action: MEMBER_ACTION, resource: `${resource}:member/${username}` }],
    requirements: [{ action: MEMBER_ACTION, resource }],
    kind: 'organization-member',
    name: username,
    verb,
    ownerId: organization.id,
    ...(before && { before: shown(before) }),
    ...(after && { after: shown(after) }),
  };
}

interface JoinedOrLeft {
  account: Account;
  role: OrganizationRole;
  action: 'member_added' | 'member_removed';
}

/** The events of members who join or leave an organization. */
export async function recordMembership(
  tx: ChangeTransaction,
  organization: Organization,
  { account, role, action }: JoinedOrLeft,
): Promise<void> {
  const details = {
    membership: { user: ownerOfAccount(account), role, state: 'active' },
  } satisfies EventDetails[`organization.${JoinedOrLeft['action']}`];
  await recordEvent(tx, { name: 'organization', action, details }, { organization });
}

export const transferMemberships: TransferOwnership = async (tx, from, to) => {
  // Removing the account was authorized, and what follows from it needs no permission of its own.
  const transfer = tx.as(systemActor(tx.actor));
  const { db, actor } = transfer;
  for (const id of await listOrganizationIdsOf(db, from.id)) {
    await lockOrganization(db, id);
    const organization = await findOrganization(db, { id });
    const before = await findMembership(db, id, from.id);
    if (organization === undefined || before === undefined) continue;
    if (before.role === 'admin' && !(await hasOtherAdmin(db, id, from.id))) {
      const known = await findMembership(db, id, to.id);
      const after = await saveMembership(db, id, { accountId: to.id, role: 'admin' }, actor.now);
      const verb = `made an admin instead of ${from.username}`;
      transfer.record(membershipChange({ organization, username: to.username, verb, before: known, after }));
      if (known === undefined)
        await recordMembership(transfer, organization, {
          account: to,
          role: 'admin',
          action: 'member_added',
        });
    }
    await deleteMembership(db, id, from.id);
    transfer.record(
      membershipChange({ organization, username: from.username, verb: 'ended the membership of', before }),
    );
    const { role } = before;
    await recordMembership(transfer, organization, { account: from, role, action: 'member_removed' });
  }
  await deleteCollaborations(db, from.id);
  await transfer.invalidate(REPOSITORY_CHANNEL);
};

/** Who removes the last admin becomes one. */
export const removedMembers: Subscriber = {
  channel: REPOSITORY_CHANNEL,
  statementsFor: (db, entries) =>
    entries.flatMap((entry) => {
      const accountId = removedMemberIn(entry);
      const heirId = entry.who.member?._id;
      return accountId === undefined ? [] : removedAccountStatements(db, accountId, heirId, entry.at);
    }),
};

// Memberships of an organization: get, add, change the role, remove. Those of the caller are in user-routes.ts.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route, type Reply } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { findUser } from '../owners/store.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { openOrganization, openOrganizationForChange, VIEW_AS_MEMBER } from './access.ts';
import { MEMBER_ACTION, membershipChange, recordMembership } from './audit.ts';
import { isSelf, MemberParams, noMember, type MemberCall } from './member-routes.ts';
import type { Organization, OrganizationRole } from './model.ts';
import { OrgMembership, toOrgMembership } from './replies.ts';
import {
  deleteMembership,
  findMembership,
  hasOtherAdmin,
  saveMembership,
  shareLockUser,
} from './store-members.ts';

const getOne = route(
  {
    id: 'orgs/get-membership-for-user',
    method: 'GET',
    path: '/orgs/{org}/memberships/{username}',
    summary: "Get a user's membership of an organization",
    access: VIEW_AS_MEMBER,
    params: MemberParams,
    reply: { 200: OrgMembership },
  },
  async (call, { db }) => {
    const { organization } = await openOrganization(db, call, 'insider');
    const account = await findUser(db, call.params.username);
    const membership = account && (await findMembership(db, organization.id, account.id));
    if (membership === undefined) throw noMember();
    return toOrgMembership(organization, membership, ownerOfAccount(account!), call.base);
  },
);

const putOne = route(
  {
    id: 'orgs/set-membership-for-user',
    method: 'PUT',
    path: '/orgs/{org}/memberships/{username}',
    summary: 'Add a member to an organization, or change the role of one',
    description: 'There are no invitations: the membership is active at once.',
    access: { action: MEMBER_ACTION, ofOwner: true },
    params: MemberParams,
    body: Type.Object({ role: Type.Optional(OneOf(['admin', 'member'])) }),
    bodyIsOptional: true,
    reply: { 200: OrgMembership },
  },
  async (call, { changes }) => {
    const role = call.body?.role ?? 'member';
    return await changes.run(call, async (tx) => {
      await openOrganization(tx.db, call, 'admin');
      const account = await findUser(tx.db, call.params.username);
      if (account === undefined) throw new Failure('not-found', 'There is no such user');
      // Accounts are locked before organizations, as where an account is removed.
      await shareLockUser(tx.db, account.id);
      const { organization } = await openOrganizationForChange(tx.db, call, 'admin');
      const membership = await changeRole(tx, organization, account, role);
      return toOrgMembership(organization, membership, ownerOfAccount(account), call.base);
    });
  },
);

async function changeRole(
  tx: ChangeTransaction,
  organization: Organization,
  account: Account,
  role: OrganizationRole,
) {
  const before = await findMembership(tx.db, organization.id, account.id);
  if (before?.role === role) return before;
  if (before?.role === 'admin' && !(await hasOtherAdmin(tx.db, organization.id, account.id)))
    throw new Failure('invalid', lastAdmin(organization, account));
  const after = await saveMembership(tx.db, organization.id, { accountId: account.id, role }, tx.actor.now);
  tx.record(
    membershipChange({
      organization,
      username: account.username,
      verb: before === undefined ? `added as ${role}` : `made ${role === 'admin' ? 'an admin' : 'a member'}`,
      before,
      after,
    }),
  );
  if (before === undefined)
    await recordMembership(tx, organization, { account, role, action: 'member_added' });
  await tx.invalidate(REPOSITORY_CHANNEL);
  return after;
}

function lastAdmin({ login }: Organization, { username }: Account): string {
  return `${username} is the last admin of ${login}. Make somebody else an admin first.`;
}

const deleteOne = route(
  {
    id: 'orgs/remove-membership-for-user',
    method: 'DELETE',
    path: '/orgs/{org}/memberships/{username}',
    summary: 'Remove a member from an organization, or leave it',
    description:
      'The account also leaves the teams and repositories of the organization. The last admin has to stay.',
    access: { action: MEMBER_ACTION, ofOwner: true },
    params: MemberParams,
    reply: { 204: null },
  },
  removeMember,
);

const deleteMember = route(
  {
    id: 'orgs/remove-member',
    method: 'DELETE',
    path: '/orgs/{org}/members/{username}',
    summary: 'Remove a member from an organization',
    description: 'The same as removing the membership.',
    access: { action: MEMBER_ACTION, ofOwner: true },
    params: MemberParams,
    reply: { 204: null },
  },
  removeMember,
);

/** Members may leave by themselves. */
async function removeMember(call: MemberCall, { changes }: Kernel): Promise<Reply> {
  await changes.run(call, async (tx) => {
    const account = await findUser(tx.db, call.params.username);
    const isLeaving = account !== undefined && isSelf(call.caller, account);
    const { organization } = await openOrganizationForChange(tx.db, call, isLeaving ? 'insider' : 'admin');
    const before = account && (await findMembership(tx.db, organization.id, account.id));
    if (account === undefined || before === undefined) throw noMember();
    if (before.role === 'admin' && !(await hasOtherAdmin(tx.db, organization.id, account.id)))
      throw new Failure('forbidden', lastAdmin(organization, account));
    await deleteMembership(tx.db, organization.id, account.id);
    const verb = isLeaving ? `left ${organization.login}:` : `removed from ${organization.login}`;
    tx.record(membershipChange({ organization, username: account.username, verb, before }));
    await recordMembership(tx, organization, { account, role: before.role, action: 'member_removed' });
    await tx.invalidate(REPOSITORY_CHANNEL);
  });
  return reply(204);
}

export const membershipRoutes = [getOne, putOne, deleteOne, deleteMember];

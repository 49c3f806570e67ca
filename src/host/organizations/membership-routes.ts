// Memberships of an organization: get, add, change the role, remove; the organizations of a user, and the caller's own memberships.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route, type Reply } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { findUser, findOwner } from '../owners/store.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { openOrganization, openOrganizationForChange, VIEW_AS_MEMBER } from './access.ts';
import { MEMBER_ACTION, membershipChange, recordMembership } from './change.ts';
import { isSelf, MemberParams, noMember, type MemberCall } from './member-routes.ts';
import { organizationResource, type Organization, type OrganizationRole } from './model.ts';
import { OrgMembership, toOrgMembership, OrganizationSimple, toOrganizationSimple } from './replies.ts';
import {
  deleteMembership,
  findMembership,
  hasOtherAdmin,
  saveMembership,
  shareLockUser,
} from './store-members.ts';
import { listOrganizationsOf } from './store.ts';

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

const listOwn = route(
  {
    id: 'orgs/list-for-authenticated-user',
    method: 'GET',
    path: '/user/orgs',
    summary: 'List the organizations of the caller',
    access: VIEW_AS_MEMBER,
    query: Type.Object(HostPageQuery),
    list: OrganizationSimple,
  },
  async (call, { db }) => {
    call.requirePermission('org/*');
    const slice = pageSliceOf(call.query);
    const { items, total } = await listOrganizationsOf(db, accountOf(call.caller).id, {}, slice);
    return new Page(items, total, slice).map(({ organization }) =>
      toOrganizationSimple(organization, call.base),
    );
  },
);

const listOfUser = route(
  {
    id: 'orgs/list-for-user',
    method: 'GET',
    path: '/users/{username}/orgs',
    summary: 'List the organizations of which a user is a public member',
    access: 'anyone',
    params: Type.Object({ username: Type.String() }),
    query: Type.Object(HostPageQuery),
    list: OrganizationSimple,
  },
  async ({ params, query, base }, { db }) => {
    // An organization is a member of none.
    const owner = await findOwner(db, params.username);
    if (owner === undefined) throw new Failure('not-found', 'There is no such user');
    const slice = pageSliceOf(query);
    const { items, total } = await listOrganizationsOf(db, owner.id, { onlyPublic: true }, slice);
    return new Page(items, total, slice).map(({ organization }) => toOrganizationSimple(organization, base));
  },
);

const listMemberships = route(
  {
    id: 'orgs/list-memberships-for-authenticated-user',
    method: 'GET',
    path: '/user/memberships/orgs',
    summary: "List the caller's memberships of organizations",
    access: VIEW_AS_MEMBER,
    query: Type.Object({ ...HostPageQuery, state: Type.Optional(OneOf(['active', 'pending'])) }),
    list: OrgMembership,
  },
  async (call, { db }) => {
    call.requirePermission('org/*');
    const slice = pageSliceOf(call.query);
    if (call.query.state === 'pending') return new Page([], 0, slice);
    const account = accountOf(call.caller);
    const { items, total } = await listOrganizationsOf(db, account.id, {}, slice);
    return new Page(items, total, slice).map(({ organization, membership }) =>
      toOrgMembership(organization, membership, ownerOfAccount(account), call.base),
    );
  },
);

const ByLogin = Type.Object({ org: Type.String() });

const getMembership = route(
  {
    id: 'orgs/get-membership-for-authenticated-user',
    method: 'GET',
    path: '/user/memberships/orgs/{org}',
    summary: "Get the caller's membership of an organization",
    access: VIEW_AS_MEMBER,
    params: ByLogin,
    reply: { 200: OrgMembership },
  },
  async (call, { db }) => {
    const { organization, membership } = await openOrganization(db, call, 'anyone');
    if (membership === undefined) throw noMember();
    call.requirePermission(organizationResource(organization));
    return toOrgMembership(organization, membership, ownerOfAccount(accountOf(call.caller)), call.base);
  },
);

const acceptMembership = route(
  {
    id: 'orgs/update-membership-for-authenticated-user',
    method: 'PATCH',
    path: '/user/memberships/orgs/{org}',
    summary: "Accept the caller's membership of an organization",
    description: 'Memberships are active from the beginning, so this changes nothing.',
    access: VIEW_AS_MEMBER,
    params: ByLogin,
    body: Type.Object({ state: OneOf(['active']) }),
    reply: { 200: OrgMembership },
  },
  async (call, { db }) => {
    const { organization, membership } = await openOrganization(db, call, 'anyone');
    if (membership === undefined) throw noMember();
    call.requirePermission(organizationResource(organization));
    return toOrgMembership(organization, membership, ownerOfAccount(accountOf(call.caller)), call.base);
  },
);

export const organizationUserRoutes = [listOwn, listOfUser, listMemberships, getMembership, acceptMembership];

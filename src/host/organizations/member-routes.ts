// Members of an organization: list, check, and show or hide the own membership.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { listAccounts, type Account } from '../../kernel/identity/store-accounts.ts';
import { Page, type Slice } from '../../kernel/http/reply/page.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route, type Call, type Reply } from '../../kernel/http/route.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { ownerOfAccount, SimpleUser, toSimpleUser } from '../owners/model.ts';
import { findUser } from '../owners/store.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import {
  openOrganization,
  openOrganizationForChange,
  VIEW_ORGANIZATION,
  OrganizationParams,
} from './access.ts';
import { MEMBER_ACTION, membershipChange } from './change.ts';
import {
  findMembership,
  listOrganizationMembers,
  updatePublicity,
  type OrganizationMemberFilter,
} from './store-members.ts';

export const MemberParams = Type.Object({ ...OrganizationParams, username: Type.String() });

/** A call that changes the membership of a user. */
export type MemberCall = Pick<Call, 'id' | 'now' | 'can' | 'requirePermission'> & {
  caller: KnownCaller;
  params: Static<typeof MemberParams>;
};

const listAll = route(
  {
    id: 'orgs/list-members',
    method: 'GET',
    path: '/orgs/{org}/members',
    summary: 'List the members of an organization',
    description: 'Those who are no members themselves see public memberships only.',
    access: VIEW_ORGANIZATION,
    params: Type.Object(OrganizationParams),
    query: Type.Object({
      ...HostPageQuery,
      filter: OneOf(['2fa_disabled', '2fa_insecure', 'all'], { default: 'all' }),
      role: OneOf(['all', 'admin', 'member'], { default: 'all' }),
    }),
    list: SimpleUser,
  },
  async (call, { db }) => {
    const { organization, isInsider, isAdmin } = await openOrganization(db, call, 'anyone');
    const { role, filter } = call.query;
    const slice = pageSliceOf(call.query);
    if (filter !== 'all') {
      if (!isAdmin)
        throw new Failure('invalid', 'Only admins of the organization can filter by second factors.');
      // This server has no second factors: as none can be required, none counts as missing.
      return new Page([], 0, slice);
    }
    const wanted = { onlyPublic: !isInsider, ...(role !== 'all' && { role }) };
    return await pageOfMembers(db, organization.id, wanted, slice, call.base);
  },
);

const listPublic = route(
  {
    id: 'orgs/list-public-members',
    method: 'GET',
    path: '/orgs/{org}/public_members',
    summary: 'List the members of an organization whose membership is public',
    access: VIEW_ORGANIZATION,
    params: Type.Object(OrganizationParams),
    query: Type.Object(HostPageQuery),
    list: SimpleUser,
  },
  async (call, { db }) => {
    const { organization } = await openOrganization(db, call, 'anyone');
    return await pageOfMembers(db, organization.id, { onlyPublic: true }, pageSliceOf(call.query), call.base);
  },
);

async function pageOfMembers(
  db: Db,
  organizationId: string,
  filter: OrganizationMemberFilter,
  slice: Slice,
  base: string,
): Promise<Page> {
  const { items, total } = await listOrganizationMembers(db, organizationId, filter, slice);
  const accounts = await listAccounts(
    db,
    items.map(({ accountId }) => accountId),
  );
  const shown = items.flatMap(({ accountId }) => accounts.get(accountId) ?? []);
  return new Page(
    shown.map((account) => toSimpleUser(ownerOfAccount(account), base)),
    total,
    slice,
  );
}

const checkOne = route(
  {
    id: 'orgs/check-membership-for-user',
    method: 'GET',
    path: '/orgs/{org}/members/{username}',
    summary: 'Check whether a user is a member of an organization',
    description: 'Those who are no members themselves are led to the public memberships.',
    access: VIEW_ORGANIZATION,
    params: MemberParams,
    reply: { 204: null, 302: null },
  },
  async (call, { db }) => {
    const { organization, isInsider } = await openOrganization(db, call, 'anyone');
    const account = await findUser(db, call.params.username);
    if (account !== undefined && !isInsider) {
      const location = `${call.base}/orgs/${organization.login}/public_members/${account.username}`;
      return reply(302, undefined, { location });
    }
    const membership = account && (await findMembership(db, organization.id, account.id));
    if (membership === undefined) throw noMember();
    return reply(204);
  },
);

const checkPublic = route(
  {
    id: 'orgs/check-public-membership-for-user',
    method: 'GET',
    path: '/orgs/{org}/public_members/{username}',
    summary: 'Check whether a user is a public member of an organization',
    access: VIEW_ORGANIZATION,
    params: MemberParams,
    reply: { 204: null },
  },
  async (call, { db }) => {
    const { organization } = await openOrganization(db, call, 'anyone');
    const account = await findUser(db, call.params.username);
    const membership = account && (await findMembership(db, organization.id, account.id));
    if (membership?.isPublic !== true) throw noMember();
    return reply(204);
  },
);

const publicize = route(
  {
    id: 'orgs/set-public-membership-for-authenticated-user',
    method: 'PUT',
    path: '/orgs/{org}/public_members/{username}',
    summary: 'Make the own membership public',
    access: { action: MEMBER_ACTION, ofOwner: true },
    params: MemberParams,
    reply: { 204: null },
  },
  (call, kernel) => changePublicity(call, kernel, true),
);

const conceal = route(
  {
    id: 'orgs/remove-public-membership-for-authenticated-user',
    method: 'DELETE',
    path: '/orgs/{org}/public_members/{username}',
    summary: 'Make the own membership private',
    access: { action: MEMBER_ACTION, ofOwner: true },
    params: MemberParams,
    reply: { 204: null },
  },
  (call, kernel) => changePublicity(call, kernel, false),
);

async function changePublicity(call: MemberCall, { changes }: Kernel, isPublic: boolean): Promise<Reply> {
  await changes.run(call, async (tx) => {
    const { organization, membership } = await openOrganizationForChange(tx.db, call, 'anyone');
    const account = await findUser(tx.db, call.params.username);
    if (account === undefined || !isSelf(call.caller, account))
      throw new Failure('denied', 'Only members themselves decide whether their membership is public.');
    if (membership === undefined) throw noMember();
    if (membership.isPublic === isPublic) return;
    await updatePublicity(tx.db, organization.id, account.id, isPublic);
    tx.record(
      membershipChange({
        organization,
        username: account.username,
        verb: isPublic ? 'made public the membership of' : 'made private the membership of',
        before: membership,
        after: { ...membership, isPublic },
      }),
    );
  });
  return reply(204);
}

export function isSelf(caller: KnownCaller, { id }: Pick<Account, 'id'>): boolean {
  return accountOf(caller).id === id;
}

export function noMember(): Failure {
  return new Failure('not-found', 'There is no such member');
}

export const organizationMemberRoutes = [listAll, listPublic, checkOne, checkPublic, publicize, conceal];

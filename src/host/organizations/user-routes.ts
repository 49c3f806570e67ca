// The organizations of a user, and the caller's own memberships.
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { findOwner } from '../owners/store.ts';
import { HostPageQuery, pageSliceOf } from '../list-query.ts';
import { openOrganization, VIEW_AS_MEMBER } from './access.ts';
import { noMember } from './member-routes.ts';
import { organizationResource } from './model.ts';
import { OrganizationSimple, OrgMembership, toOrganizationSimple, toOrgMembership } from './replies.ts';
import { listOrganizationsOf } from './store.ts';

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

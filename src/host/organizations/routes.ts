// Organizations: create, list, get, change and delete.
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { isEmail } from '../../kernel/text/email.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import { releaseName } from '../../kernel/identity/store-reserved-names.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { PlainText, problem, Type } from '../../kernel/schema/schema.ts';
import { recordEvent } from '../events/record-event.ts';
import { removeAppsOfOrganization } from '../apps/leave-installations.ts';
import { scheduleHookRemoval } from '../hooks/change-hooks.ts';
import { perPageOf } from '../list-query.ts';
import { findUser } from '../owners/store.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import { removeOwnedRepositories } from '../repositories/changes/change-repository.ts';
import {
  openOrganization,
  openOrganizationForChange,
  VIEW_ORGANIZATION,
  OrganizationParams,
} from './access.ts';
import { auditedOrganization, createOrganization } from './change.ts';
import { organizationResource, ownerOfOrganization, changedSettings } from './model.ts';
import {
  changedProfile,
  OrganizationFull,
  OrganizationPatch,
  OrganizationSimple,
  PUSH_PROTECTION_LINK_ENABLED,
  toOrganizationFull,
  toOrganizationSimple,
  type WithPushProtectionLink,
} from './replies.ts';
import {
  countOwnedRepositories,
  deleteOrganization,
  listOrganizationsAfter,
  updateOrganization,
} from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Settings {
    /** Whether every member may create organizations; administrators of the host always may. */
    organizationsByMembers: boolean;
  }
}

const Login = PlainText({ minLength: 1, maxLength: 100 });
const ProfileName = Type.Optional(PlainText({ maxLength: 255 }));

const createByAdministrator = route(
  {
    id: 'enterprise-admin/create-org',
    method: 'POST',
    path: '/admin/organizations',
    summary: 'Create an organization, as an administrator of the host',
    access: { action: 'createOrganization' },
    body: Type.Object({
      login: Login,
      admin: PlainText({ minLength: 1, maxLength: 100, description: 'The login of its first admin' }),
      profile_name: ProfileName,
    }),
    reply: { 201: OrganizationSimple },
  },
  async (call, { changes }) => {
    const { login, admin, profile_name: name = null } = call.body;
    call.requirePermission(organizationResource({ login: plainLogin(login) }));
    if (!administersHost(call.caller))
      throw new Failure('denied', 'You must be an administrator of the host.');
    const organization = await changes.run(call, async (tx) => {
      const account = await findUser(tx.db, admin);
      if (account === undefined) throw problem('admin', 'must be the login of a user');
      return await createOrganization(tx, { login, name }, account);
    });
    return reply(201, toOrganizationSimple(organization, call.base));
  },
);

const createByMember = route(
  {
    id: 'orgs/create-for-authenticated-user',
    method: 'POST',
    path: '/user/orgs',
    summary: 'Create an organization, whose admin the caller becomes',
    description:
      'Only where the server runs with --organizations-by-members, or for administrators of the host.',
    access: { action: 'createOrganization' },
    body: Type.Object({ login: Login, profile_name: ProfileName }),
    reply: { 201: OrganizationSimple },
  },
  async (call, { changes, settings }) => {
    const { login, profile_name: name = null } = call.body;
    call.requirePermission(organizationResource({ login: plainLogin(login) }));
    if (!settings.organizationsByMembers && !administersHost(call.caller)) {
      throw new Failure(
        'denied',
        'Only administrators of the host create organizations here. With --organizations-by-members ' +
          '(SIGNALBOX_ORGANIZATIONS_BY_MEMBERS=1) the server lets every member do so.',
      );
    }
    const organization = await changes.run(call, async (tx) => {
      await shareLockAccount(tx.db, call.caller);
      return await createOrganization(tx, { login, name }, accountOf(call.caller));
    });
    return reply(201, toOrganizationSimple(organization, call.base));
  },
);

/** For the policy: what could not be a login must not change what the resource means. */
function plainLogin(login: string): string {
  return login.replaceAll(/[^\w-]/g, '-');
}

const MAX_NUMBER = 2 ** 31 - 1;

const listAll = route(
  {
    id: 'orgs/list',
    method: 'GET',
    path: '/organizations',
    summary: 'List all organizations, in the order in which they were created',
    access: 'anyone',
    query: Type.Object({
      since: Type.Integer({
        minimum: 0,
        maximum: MAX_NUMBER,
        default: 0,
        description: 'Those after this id',
      }),
      per_page: Type.Optional(Type.Integer({ minimum: 0, description: 'At most 100; 30 when not given' })),
    }),
    reply: { 200: Type.Array(OrganizationSimple) },
  },
  async ({ query, base }, { db }) => {
    const limit = perPageOf(query.per_page);
    const found = await listOrganizationsAfter(db, query.since, limit + 1);
    const shown = found.slice(0, limit);
    const next = `${base}/organizations?per_page=${limit}&since=${shown.at(-1)?.number}`;
    const links = [
      ...(found.length > limit ? [`<${next}>; rel="next"`] : []),
      `<${base}/organizations{?since}>; rel="first"`,
    ];
    return reply(
      200,
      shown.map((organization) => toOrganizationSimple(organization, base)),
      { link: links.join(', ') },
    );
  },
);

const getOne = route(
  {
    id: 'orgs/get',
    method: 'GET',
    path: '/orgs/{org}',
    summary: 'Get an organization',
    description: 'Its admins also get its settings and its private numbers.',
    access: VIEW_ORGANIZATION,
    params: Type.Object(OrganizationParams),
    reply: { 200: OrganizationFull },
  },
  async (call, { db }) => {
    const { organization, isAdmin } = await openOrganization(db, call, 'anyone');
    const counts = await countOwnedRepositories(db, organization.id);
    return toOrganizationFull(organization, counts, isAdmin, call.base);
  },
);

const updateOne = route(
  {
    id: 'orgs/update',
    method: 'PATCH',
    path: '/orgs/{org}',
    summary: 'Change the profile and the settings of an organization',
    access: { action: 'updateOrganization', ofOwner: true },
    params: Type.Object(OrganizationParams),
    body: OrganizationPatch,
    reply: { 200: OrganizationFull },
  },
  async (call, { changes, db }) => {
    const { body } = call;
    for (const field of ['email', 'billing_email'] as const)
      if (body[field] && !isEmail(body[field])) throw problem(field, 'must be an e-mail address');
    const linkEnabled = (body as WithPushProtectionLink)[PUSH_PROTECTION_LINK_ENABLED];
    const after = await changes.run(call, async (tx) => {
      const { organization: before } = await openOrganizationForChange(tx.db, call, 'admin');
      const settings = changedSettings(before.settings, body);
      if (linkEnabled !== undefined) settings.pushProtectionLinkEnabled = linkEnabled;
      const changed = await updateOrganization(
        tx.db,
        before.id,
        {
          profile: changedProfile(before.profile, body),
          settings,
          defaultPermission: body.default_repository_permission ?? before.defaultPermission,
        },
        call.now,
      );
      tx.record({
        accesses: [{ action: 'updateOrganization', resource: organizationResource(before) }],
        kind: 'organization',
        name: before.login,
        verb: 'changed the organization',
        ownerId: before.id,
        before: auditedOrganization(before),
        after: auditedOrganization(changed),
      });
      await tx.invalidate(REPOSITORY_CHANNEL);
      return changed;
    });
    return toOrganizationFull(after, await countOwnedRepositories(db, after.id), true, call.base);
  },
);

const deleteOne = route(
  {
    id: 'orgs/delete',
    method: 'DELETE',
    path: '/orgs/{org}',
    summary: 'Delete an organization, with its repositories, teams and roles',
    description:
      'Nobody finds it from then on; what its repositories take on disk is freed in the background.',
    access: { action: 'deleteOrganization', ofOwner: true },
    params: Type.Object(OrganizationParams),
    reply: { 202: Type.Object({}) },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const { organization } = await openOrganizationForChange(tx.db, call, 'admin');
      // First, so that its apps hear of one end and not of every repository.
      await removeAppsOfOrganization(tx, ownerOfOrganization(organization));
      await removeOwnedRepositories(tx, ownerOfOrganization(organization));
      await deleteOrganization(tx.db, organization.id);
      await scheduleHookRemoval(tx.db, { organization: organization.id }, call.now);
      await releaseName(tx.db, organization.login, 'organization');
      tx.record({
        accesses: [{ action: 'deleteOrganization', resource: organizationResource(organization) }],
        kind: 'organization',
        name: organization.login,
        verb: 'deleted the organization',
        ownerId: organization.id,
        before: auditedOrganization(organization),
      });
      await recordEvent(tx, { name: 'organization', action: 'deleted', details: {} }, { organization });
      await tx.invalidate(REPOSITORY_CHANNEL);
    });
    return reply(202, {});
  },
);

export const organizationRoutes = [
  createByAdministrator,
  createByMember,
  listAll,
  getOne,
  updateOne,
  deleteOne,
];

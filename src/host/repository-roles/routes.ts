// Custom repository roles of an organization: list, create, get, change and delete.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import {
  openOrganization,
  openOrganizationForChange,
  VIEW_AS_MEMBER,
  type OrganizationCall,
  OrganizationParams,
} from '../organizations/access.ts';
import { organizationResource, type Organization } from '../organizations/model.ts';
import { REPOSITORY_CHANNEL } from '../repositories/access.ts';
import {
  isBuiltInRole,
  RepositoryRoleList,
  RepositoryRolePatch,
  RepositoryRolePost,
  RepositoryRoleRep,
  toRepositoryRole,
  type CustomRepositoryRole,
} from './model.ts';
import {
  deleteRepositoryRole,
  findRepositoryRole,
  findRepositoryRoleByName,
  insertRepositoryRole,
  listRepositoryRoles,
  replaceGrantedRole,
  updateRepositoryRole,
} from './store.ts';

/** They are listed at once, and every grant is compared with them. */
const MAX_ROLES = 100;

const RoleParams = Type.Object({
  ...OrganizationParams,
  role_id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
});

const listAll = route(
  {
    id: 'orgs/list-custom-repo-roles',
    method: 'GET',
    path: '/orgs/{org}/custom-repository-roles',
    summary: 'List the custom repository roles of an organization',
    access: VIEW_AS_MEMBER,
    params: Type.Object(OrganizationParams),
    reply: { 200: RepositoryRoleList },
  },
  listRoles,
);

/** Row 9 of the catalogue: the version 2026-03-10 no longer has this path. */
const listAtOldPath = route(
  {
    id: 'orgs/list-custom-roles',
    method: 'GET',
    path: '/organizations/{organization_id}/custom_roles',
    summary: 'List the custom repository roles of an organization, by its id',
    description: 'Newer versions have GET /orgs/{org}/custom-repository-roles instead.',
    access: VIEW_AS_MEMBER,
    params: Type.Object({ organization_id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) }),
    reply: { 200: RepositoryRoleList },
    until: '2026-03-10',
  },
  listRoles,
);

async function listRoles(
  call: OrganizationCall & { base: string },
  { db }: Kernel,
): Promise<Static<typeof RepositoryRoleList>> {
  const { organization } = await openOrganization(db, call, 'insider');
  const roles = await listRepositoryRoles(db, organization.id);
  return {
    total_count: roles.length,
    custom_roles: roles.map((role) => toRepositoryRole(role, organization, call.base)),
  };
}

const getOne = route(
  {
    id: 'orgs/get-custom-repo-role',
    method: 'GET',
    path: '/orgs/{org}/custom-repository-roles/{role_id}',
    summary: 'Get a custom repository role',
    access: VIEW_AS_MEMBER,
    params: RoleParams,
    reply: { 200: RepositoryRoleRep },
  },
  async (call, { db }) => {
    const { organization } = await openOrganization(db, call, 'insider');
    const role = await openRole(db, organization, call.params.role_id);
    return toRepositoryRole(role, organization, call.base);
  },
);

const createOne = route(
  {
    id: 'orgs/create-custom-repo-role',
    method: 'POST',
    path: '/orgs/{org}/custom-repository-roles',
    summary: 'Create a custom repository role',
    access: { action: 'createRepositoryRole', ofOwner: true },
    params: Type.Object(OrganizationParams),
    body: RepositoryRolePost,
    reply: { 201: RepositoryRoleRep },
  },
  async (call, { changes }) => {
    const { name, description = null, base_role: baseRole, permissions } = call.body;
    return await changes.run(call, async (tx) => {
      const { organization } = await openOrganizationForChange(tx.db, call, 'admin');
      const known = await listRepositoryRoles(tx.db, organization.id);
      if (known.length >= MAX_ROLES)
        throw new Failure('invalid', `An organization cannot have more than ${MAX_ROLES} custom roles.`);
      await checkName(tx.db, organization, name);
      const fields = { name, description, baseRole, permissions: [...new Set(permissions)] };
      const role = await insertRepositoryRole(tx.db, organization.id, fields, call.now);
      recordRole(tx, 'createRepositoryRole', organization, {
        verb: 'created the repository role',
        after: role,
      });
      return reply(201, toRepositoryRole(role, organization, call.base));
    });
  },
);

const updateOne = route(
  {
    id: 'orgs/update-custom-repo-role',
    method: 'PATCH',
    path: '/orgs/{org}/custom-repository-roles/{role_id}',
    summary: 'Change a custom repository role',
    description: 'Those who have the role keep it, under its new name.',
    access: { action: 'updateRepositoryRole', ofOwner: true },
    params: RoleParams,
    body: RepositoryRolePatch,
    reply: { 200: RepositoryRoleRep },
  },
  async (call, { changes }) => {
    const { body } = call;
    return await changes.run(call, async (tx) => {
      const { organization } = await openOrganizationForChange(tx.db, call, 'admin');
      const before = await openRole(tx.db, organization, call.params.role_id);
      const fields = {
        name: body.name ?? before.name,
        description: body.description === undefined ? before.description : body.description,
        baseRole: body.base_role ?? before.baseRole,
        permissions: [...new Set(body.permissions ?? before.permissions)],
      };
      await checkName(tx.db, organization, fields.name, before.number);
      const after = await updateRepositoryRole(tx.db, before.number, fields, call.now);
      if (after.name !== before.name)
        await replaceGrantedRole(tx.db, organization.id, before.name, after.name);
      recordRole(tx, 'updateRepositoryRole', organization, {
        verb: 'changed the repository role',
        before,
        after,
      });
      await tx.invalidate(REPOSITORY_CHANNEL);
      return toRepositoryRole(after, organization, call.base);
    });
  },
);

const deleteOne = route(
  {
    id: 'orgs/delete-custom-repo-role',
    method: 'DELETE',
    path: '/orgs/{org}/custom-repository-roles/{role_id}',
    summary: 'Delete a custom repository role',
    description: 'Teams and collaborators who have the role have its base role from then on.',
    access: { action: 'deleteRepositoryRole', ofOwner: true },
    params: RoleParams,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const { organization } = await openOrganizationForChange(tx.db, call, 'admin');
      const before = await openRole(tx.db, organization, call.params.role_id);
      await replaceGrantedRole(tx.db, organization.id, before.name, before.baseRole);
      await deleteRepositoryRole(tx.db, before.number);
      recordRole(tx, 'deleteRepositoryRole', organization, { verb: 'deleted the repository role', before });
      await tx.invalidate(REPOSITORY_CHANNEL);
    });
    return reply(204);
  },
);

async function openRole(db: Db, organization: Organization, number: number): Promise<CustomRepositoryRole> {
  const role = await findRepositoryRole(db, organization.id, number);
  if (role === undefined) throw new Failure('not-found', 'There is no such custom repository role');
  return role;
}

/** Grants name roles by their names, so that names must differ from all others, in whatever case. */
async function checkName(tx: Db, organization: Organization, name: string, own?: number): Promise<void> {
  if (name.trim() !== name || name.trim() === '') throw problem('name', 'must not begin or end with a space');
  if (isBuiltInRole(name)) throw problem('name', 'is the name of a role that every organization has');
  const other = await findRepositoryRoleByName(tx, organization.id, name);
  if (other !== undefined && other.number !== own)
    throw problem('name', 'is the name of another role of the organization');
}

interface RoleChange {
  verb: string;
  before?: CustomRepositoryRole;
  after?: CustomRepositoryRole;
}

/** The permission is one on the organization; the entry is found by the role. */
function recordRole(
  tx: ChangeTransaction,
  action: string,
  organization: Organization,
  { verb, before, after }: RoleChange,
): void {
  const resource = organizationResource(organization);
  const { number, name } = (after ?? before)!;
  tx.record({
    accesses: [{ action, resource: `${resource}:repository-role/${number}` }],
    requirements: [{ action, resource }],
    kind: 'repository-role',
    name,
    verb,
    ownerId: organization.id,
    ...(before && { before: auditedRole(before) }),
    ...(after && { after: auditedRole(after) }),
  });
}

function auditedRole({ number: id, name, description, baseRole, permissions }: CustomRepositoryRole) {
  return { id, name, description, baseRole, permissions };
}

export const customRoleRoutes = [listAll, listAtOldPath, getOne, createOne, updateOne, deleteOne];

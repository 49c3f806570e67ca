// Custom roles: list, create, get, patch, delete.
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { Failure } from '../../kernel/failure.ts';
import { checkPolicyChange } from '../members/grant-rules.ts';
import {
  countHolders,
  insertRole,
  deleteRole,
  findRole,
  listRoles,
  lockRole,
  updateRole,
  type Role,
} from '../../kernel/identity/store-roles.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { isUniqueViolation } from '../../kernel/storage/storage-failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { filterInSlices } from '../../kernel/yield-to-event-loop.ts';
import { requireAllPermissions, requireAnyPermission } from '../../kernel/identity/actor.ts';
import { couldBeKey } from '../fields.ts';
import { PageQuery, sliceInVersion } from '../lists/list-query.ts';
import { unknownThing } from '../find-project.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch, updateOf } from '../patch/patch.ts';
import {
  ROLE_ACTIONS,
  roleAccesses,
  hasOtherPower,
  patchRole,
  readRolePost,
  roleResource,
  RolePost,
  RoleRep,
  toRole,
  EditableRole,
} from './model.ts';

const ByName = Type.Object({ customRoleKey: Type.String({ description: 'Its key or its id' }) });

const getRoles = route(
  {
    id: 'getCustomRoles',
    method: 'GET',
    path: '/roles',
    summary: 'List custom roles',
    access: { action: 'viewRole' },
    query: Type.Object(PageQuery),
    list: RoleRep,
  },
  async (call, { db }) => {
    const roles = await filterInSlices(await listRoles(db), (role) => call.can(roleResource(role)));
    if (roles.length === 0) call.requirePermission('role/*');
    const slice = sliceInVersion(call);
    const page = roles.slice(slice.offset, slice.offset + slice.limit);
    const holders = await countHolders(db, page);
    return new Page(page, roles.length, slice).map((role) => toRole(role, holders.get(role.id)));
  },
);

const postRole = route(
  {
    id: 'postCustomRole',
    method: 'POST',
    path: '/roles',
    summary: 'Create a custom role',
    description:
      'Without `basePermissions` its holders see everything that the policy does not deny. Names in the policy may have ' +
      '`${roleAttribute/key}` in them, for which the role attributes of the member or the team stand in; one without a ' +
      'value allows nothing and denies all that it could name.',
    access: { action: 'createRole' },
    body: RolePost,
    reply: { 201: RoleRep },
  },
  async (call, { changes }) => {
    const wanted = readRolePost(call.body);
    const access = { action: 'createRole', resource: roleResource(wanted) };
    call.requirePermission(access.resource);
    const role = await changes.run(call, async (tx) => {
      const { db } = tx;
      if ((await findRole(db, wanted.key)) !== undefined) throw taken();
      const made = await insertRole(db, wanted, call.now).catch((error: unknown) => {
        throw isUniqueViolation(error) ? taken() : error; // by a concurrent call
      });
      tx.record({
        accesses: [access],
        kind: 'role',
        name: made.name,
        verb: 'created the role',
        after: toRole(made),
      });
      return made;
    });
    const none = { members: 0, teams: 0, tokens: 0 };
    return reply(201, toRole(role, none), { location: `/api/v2/roles/${role.key}` });
  },
);

const getRole = route(
  {
    id: 'getCustomRole',
    method: 'GET',
    path: '/roles/{customRoleKey}',
    summary: 'Get a custom role by key or id',
    access: { action: 'viewRole' },
    params: ByName,
    reply: { 200: RoleRep },
  },
  async (call, { db }) => {
    const role = await readRole(db, call.params.customRoleKey);
    const access = { action: 'viewRole', resource: roleResource(role) };
    if (!call.can(access.resource)) {
      throw new Failure('forbidden', 'Forbidden. Access to the requested resource was denied.', { access });
    }
    return toRole(role, (await countHolders(db, [role])).get(role.id));
  },
);

const patchRoleRoute = route(
  {
    id: 'patchCustomRole',
    method: 'PATCH',
    path: '/roles/{customRoleKey}',
    summary: 'Change a custom role by JSON patch or merge patch',
    description:
      'All but the key. What a role allows is the power of those who hold it: while there are any, it takes an ' +
      'administrator to change the policy.',
    access: { action: 'update*', others: ['viewRole'] },
    params: ByName,
    ...takesPatches('Role', { json: true, merge: () => EditableRole }),
    reply: { 200: RoleRep },
  },
  async (call, { changes }) => {
    const patch = readDocumentPatch(call, ['json', 'merge']);
    const { role, holders } = await changes.run(call, async (tx) => {
      const { db } = tx;
      const before = await lockRole(db, await readRole(db, call.params.customRoleKey));
      const wanted = patchRole(before, patch);
      const [first, ...others] = roleAccesses(before, wanted);
      const counted = (await countHolders(db, [before])).get(before.id)!;
      if (first === undefined) {
        requireAnyPermission(call, ROLE_ACTIONS, roleResource(before));
        return { role: before, holders: counted };
      }
      requireAllPermissions(call, [first, ...others]);
      if (hasOtherPower(before, wanted)) {
        const isHeld = counted.members + counted.teams + counted.tokens > 0;
        checkPolicyChange(call.caller, isHeld, { action: 'updatePolicy', resource: first.resource });
      }
      const after = await updateRole(db, before, wanted);
      tx.record({
        accesses: [first, ...others],
        kind: 'role',
        name: after.name,
        verb: 'updated the role',
        before: toRole(before),
        after: toRole(after),
        comment: patch.comment,
        update: updateOf(patch),
      });
      await tx.invalidate(IDENTITY);
      return { role: after, holders: counted };
    });
    return toRole(role, holders);
  },
);

const deleteRoleRoute = route(
  {
    id: 'deleteCustomRole',
    method: 'DELETE',
    path: '/roles/{customRoleKey}',
    summary: 'Delete a custom role',
    description:
      'It is taken from all members, teams and tokens that hold it. A token that had no other power may do nothing then.',
    access: { action: 'deleteRole' },
    params: ByName,
    reply: { 204: null },
  },
  async (call, { changes }) => {
    await changes.run(call, async (tx) => {
      const { db } = tx;
      const role = await lockRole(db, await readRole(db, call.params.customRoleKey));
      call.requirePermission(roleResource(role));
      await deleteRole(db, role);
      tx.record({
        accesses: [{ action: 'deleteRole', resource: roleResource(role) }],
        kind: 'role',
        name: role.name,
        verb: 'deleted the role',
        before: toRole(role),
      });
      await tx.invalidate(IDENTITY);
    });
    return reply(204);
  },
);

export const roleRoutes = [getRoles, postRole, getRole, patchRoleRoute, deleteRoleRoute];

async function readRole(db: Db, name: string): Promise<Role> {
  const role = couldBeKey(name) ? await findRole(db, name) : undefined;
  if (role === undefined) throw unknownThing('custom role', name);
  return role;
}

function taken(): Failure {
  return new Failure('conflict', 'Duplicate role key', { code: 'key_exists' });
}

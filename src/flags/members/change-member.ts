// Changes a member: permissions, limits on granting, the update, and the audit entry.
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { requireAllPermissions, knownCaller } from '../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { EndMember } from '../../kernel/identity/store-accounts.ts';
import { deleteMember } from '../../kernel/identity/store-members.ts';
import { findRoles, shareLockRoles, type Role } from '../../kernel/identity/store-roles.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Change } from '../../kernel/change/change.ts';
import { checkAttributeGrant, checkCustomGrant, checkRoleGrant, checkRank } from './grant-rules.ts';
import { countMembersWithRole, updateMemberRecord } from './store.ts';
import { memberAccesses, memberResource, toMember, type MemberRecord } from './model.ts';

/** Roles by key or id. Fails for unknown ones. */
export async function requireRoles(db: Db, names: readonly string[], field: string): Promise<Role[]> {
  const roles = await findRoles(db, names);
  const byName = new Map(roles.flatMap((role) => [[role.id, role] as const, [role.key, role] as const]));
  const found = names.map((name) => {
    const role = byName.get(name);
    if (role === undefined) throw problem(field, `names an unknown custom role: ${shorten(name)}`);
    return role;
  });
  return [...new Set(found)];
}

/** Returns the changed member, or `before` itself if nothing changes. */
export async function changeMember(
  tx: ChangeTransaction,
  before: MemberRecord,
  asked: MemberRecord,
  auditFields: Pick<Change, 'comment' | 'update'>,
): Promise<MemberRecord> {
  const { db, actor } = tx;
  const roles = await requireRoles(db, asked.customRoles, 'customRoles');
  const wanted = { ...asked, customRoles: roles.map(({ key }) => key) };
  const [first, ...others] = memberAccesses(before, wanted);
  if (first === undefined) return before;
  requireAllPermissions(actor, [first, ...others]);
  // The operator, who has the database anyway, is no caller and gives every role.
  if (actor.caller !== undefined || actor.id !== undefined)
    checkMemberPower(knownCaller(actor), before, wanted, roles);
  await shareLockRoles(
    db,
    roles.filter(({ key }) => !before.customRoles.includes(key)),
  );
  if (before.role === 'owner' && wanted.role !== 'owner') await requireOtherOwner(db);
  const after = await updateMemberRecord(db, before, wanted, actor.now);
  tx.record({
    accesses: [first, ...others],
    kind: 'member',
    name: after.email,
    verb: 'updated the member',
    description: describe(before, after),
    before: toMember(before, { withAttributes: true }),
    after: toMember(after, { withAttributes: true }),
    ...auditFields,
  });
  await tx.invalidate(IDENTITY);
  return after;
}

/** Locked by the caller, who has checked that it may be done. */
export async function removeMember(
  tx: ChangeTransaction,
  member: MemberRecord,
  endMember: EndMember,
): Promise<void> {
  const access = { action: 'deleteMember', resource: memberResource(member) };
  if (member.role === 'owner')
    throw new Failure('forbidden', 'The owner of the account cannot be removed.', { access });
  await endMember(tx, member);
  await deleteMember(tx.db, member, tx.actor.now);
  tx.record({
    accesses: [access],
    kind: 'member',
    name: member.email,
    verb: 'removed the member',
    before: toMember(member, { withAttributes: true }),
  });
  await tx.invalidate(IDENTITY);
}

function checkMemberPower(
  caller: KnownCaller,
  before: MemberRecord,
  wanted: MemberRecord,
  roles: readonly Role[],
): void {
  const resource = memberResource(before);
  const toRoles = { action: 'updateRole', resource };
  const toCustom = { action: 'updateCustomRole', resource };
  checkRank(caller, before, before.role === wanted.role ? toCustom : toRoles);
  if (before.role !== wanted.role) checkRoleGrant(caller, wanted.role, toRoles);
  for (const role of roles) {
    if (!before.customRoles.includes(role.key)) checkCustomGrant(caller, role, toCustom);
  }
  if (!areEqual(before.roleAttributes, wanted.roleAttributes)) checkAttributeGrant(caller, toCustom);
}

/** Two owners who step down concurrently must not leave the account without one. */
async function requireOtherOwner(tx: Db): Promise<void> {
  await lockName(tx, 'account-owners');
  if ((await countMembersWithRole(tx, 'owner')) > 1) return;
  throw new Failure('forbidden', 'The account needs an owner: make another member one first.');
}

function describe(before: MemberRecord, after: MemberRecord): string {
  const list = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '));
  return [
    ...(before.role === after.role ? [] : [`* Changed the role from ${before.role} to ${after.role}`]),
    ...(areEqual(before.customRoles, after.customRoles)
      ? []
      : [`* Changed the custom roles from ${list(before.customRoles)} to ${list(after.customRoles)}`]),
    ...(areEqual(before.roleAttributes, after.roleAttributes) ? [] : ['* Changed the role attributes']),
  ].join('\n');
}

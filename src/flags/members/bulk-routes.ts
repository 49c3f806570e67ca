// Changes to many members at once, by semantic patch.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { route } from '../../kernel/http/route.ts';
import { OneOf, problem, Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import type { Update } from '../../kernel/change/change.ts';
import { linkTo, Links } from '../links.ts';
import { readSemanticPatch, type SemanticPatch } from '../patch/patch.ts';
import { RoleAttributesSchema, RoleNames } from '../roles/model.ts';
import { NamedMembers } from '../teams/model.ts';
import {
  listKinds,
  documentedKinds,
  KindSchema,
  awaitInInstruction,
  instructionReader,
  type Read,
} from '../patch/instructions.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { listMemberRecords, lockMembers, listMemberIdsExcept } from './store.ts';
import { changeMember, requireRoles } from './change-member.ts';
import { EXCEPTIONS, readExceptions } from './filter.ts';
import { memberResource, type MemberRecord } from './model.ts';

const Role = OneOf(['reader', 'writer', 'admin', 'no_access']);
const KINDS = {
  replaceMembersRoles: KindSchema(
    'replaceMembersRoles',
    'Give these members another role; their custom roles go',
    { value: Role, memberIDs: NamedMembers },
  ),
  replaceAllMembersRoles: KindSchema(
    'replaceAllMembersRoles',
    'Give all members another role, except owners and those whom any filter describes; their custom roles go',
    { value: Role, ...EXCEPTIONS },
  ),
  replaceMembersCustomRoles: KindSchema(
    'replaceMembersCustomRoles',
    'Give these members these custom roles and no others',
    { values: RoleNames, memberIDs: NamedMembers },
  ),
  replaceAllMembersCustomRoles: KindSchema(
    'replaceAllMembersCustomRoles',
    'Give all members these custom roles and no others, except owners and those whom any filter describes',
    { values: RoleNames, ...EXCEPTIONS },
  ),
  replaceMembersRoleAttributes: KindSchema(
    'replaceMembersRoleAttributes',
    'Give these members these role attributes and no others',
    { value: RoleAttributesSchema, memberIDs: NamedMembers },
  ),
};
type BulkInstruction = Read<typeof KINDS>;
const kinds = documentedKinds(KINDS);
const readBulk = instructionReader(KINDS);

const Bulk = Type.Object(
  {
    members: Type.Array(Type.String(), { description: 'Ids of those who are now as asked for' }),
    errors: Type.Array(Type.Record(Type.String(), Type.String()), {
      description: 'Empty: a patch is applied as a whole or not at all',
    }),
    _links: Links,
  },
  { $id: 'BulkEditMembersRep' },
);

export const patchMembers = route(
  {
    id: 'patchMembers',
    method: 'PATCH',
    path: '/members',
    summary: 'Change many members by semantic patch',
    description:
      'All or nothing: a member who is not there, who is an owner, or whom the caller may not change is an error. ' +
      `Instructions:\n\n${listKinds(kinds)}`,
    access: { action: 'update*', others: ['viewMember'] },
    ...takesPatches('MembersBulk', { instructions: kinds }),
    reply: { 200: Bulk },
  },
  async (call, { changes }) => {
    const patch = readSemanticPatch(call);
    const instructions = readBulk(patch.instructions);
    // The instructions may name thousands of members: other calls run before the next loop over them.
    await new TimeSlice().yieldToEventLoop();
    const members = await changes.run(call, async (tx) => {
      const { db } = tx;
      const ids: string[][] = [];
      for (const [index, instruction] of instructions.entries())
        ids.push(await awaitInInstruction(index, instruction, () => idsOf(db, instruction)));
      // All locks are taken at once and in one order, so that two such calls cannot deadlock.
      await lockMembers(db, ids.flat());
      const changed = new Set<string>();
      for (const [index, instruction] of instructions.entries()) {
        const some = await awaitInInstruction(index, instruction, () =>
          applyToAll(tx, ids[index]!, instruction, patch),
        );
        for (const id of some) changed.add(id);
      }
      return changed;
    });
    call.can('member/*', 'viewMember');
    return { members: [...members], errors: [], _links: { self: linkTo('/members') } };
  },
);

/** Changes to all members skip owners: a mistake in a filter must not affect the members who could undo it. */
async function idsOf(tx: Db, instruction: BulkInstruction): Promise<string[]> {
  if ('memberIDs' in instruction) return [...new Set(instruction.memberIDs)];
  return await listMemberIdsExcept(tx, { ...readExceptions(instruction), baseRole: 'owner' });
}

/** Returns the ids of the members that now have the requested state. */
async function applyToAll(
  tx: ChangeTransaction,
  ids: readonly string[],
  instruction: BulkInstruction,
  { comment }: SemanticPatch,
): Promise<readonly string[]> {
  const { db, actor } = tx;
  if ('values' in instruction) await requireRoles(db, instruction.values, 'values');
  const found = new Map((await listMemberRecords(db, ids)).map((member) => [member.id, member]));
  const isNamed = 'memberIDs' in instruction;
  // Skips members who were removed or became owners after the list was read.
  const meant = isNamed ? ids : ids.filter((id) => (found.get(id)?.role ?? 'owner') !== 'owner');
  for (const id of meant) {
    const member = found.get(id);
    if (member === undefined) throw problem('memberIDs', `names an unknown member: ${shorten(id)}`);
    if (member.role === 'owner') throw new Failure('forbidden', `The owner ${id} can only be changed alone.`);
    const auditFields = { comment, update: updateFor(id, instruction) };
    const after = await changeMember(tx, member, wantedOf(member, instruction), auditFields);
    if (after === member) actor.requirePermission(memberResource(member), 'viewMember');
  }
  return meant;
}

/** The instruction for this member only: if each entry named all members, the log would grow quadratically. */
function updateFor(id: string, instruction: BulkInstruction): Update {
  if ('memberIDs' in instruction) return { instructions: [{ ...instruction, memberIDs: [id] }] };
  const { ignoredMemberIDs: _others, ...rest } = instruction;
  return { instructions: [rest] };
}

function wantedOf(member: MemberRecord, instruction: BulkInstruction): MemberRecord {
  if ('values' in instruction) return { ...member, customRoles: instruction.values };
  if (instruction.kind === 'replaceMembersRoleAttributes')
    return { ...member, roleAttributes: instruction.value };
  return { ...member, role: instruction.value, customRoles: [] };
}

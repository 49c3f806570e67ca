// Changes to many members at once, by semantic patch.
import { Failure } from '../../kernel/failure.ts';
import { holdListed, listMemberIdsExcept, lockListed, type Listed } from '../../kernel/identity/roster.ts';
import { route } from '../../kernel/route.ts';
import { OneOf, Type } from '../../kernel/schema.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { linkTo, Links } from '../links.ts';
import type { Update } from '../audit-log/entry.ts';
import { PatchBody, readSemanticPatch, type SemanticPatch } from '../patching.ts';
import { RoleAttributesSchema, RoleNames } from '../roles/fields.ts';
import { MemberIds } from '../teams/model.ts';
import { changeMember, requireRoles, type KnownCall } from './edit.ts';
import { EXCEPTIONS, readExceptions } from './filter.ts';
import { inInstruction, instructionReader, type Read } from '../instructions/reading.ts';
import { resourceOf } from './model.ts';

const Role = OneOf(['reader', 'writer', 'admin', 'no_access']);
const KINDS = {
  replaceMembersRoles: Type.Object({ value: Role, memberIDs: MemberIds }),
  replaceAllMembersRoles: Type.Object({ value: Role, ...EXCEPTIONS }),
  replaceMembersCustomRoles: Type.Object({ values: RoleNames, memberIDs: MemberIds }),
  replaceAllMembersCustomRoles: Type.Object({ values: RoleNames, ...EXCEPTIONS }),
  replaceMembersRoleAttributes: Type.Object({ value: RoleAttributesSchema, memberIDs: MemberIds }),
};
type BulkInstruction = Read<typeof KINDS>;
const readBulk = instructionReader(KINDS);

const Bulk = Type.Object(
  {
    members: Type.Array(Type.String(), { description: 'Ids of those who are now as asked for' }),
    errors: Type.Array(Type.Record(Type.String(), Type.String()), {
      description: 'By id, why a member was left as they were',
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
      `Kinds: ${Object.keys(KINDS).join(', ')}. An instruction that is not valid leaves everybody as they were; a member who ` +
      'cannot be changed is told among the errors. A new base role takes the custom roles away. Of all members, those whom ' +
      'any filter describes are left out.',
    access: { action: 'update*' },
    body: PatchBody(['semantic']),
    reply: { 200: Bulk },
  },
  async (call, { db, engine, identity }) => {
    const patch = readSemanticPatch(call);
    const instructions = readBulk(patch.instructions);
    const members = new Set<string>();
    const errors: Record<string, string>[] = [];
    let refusal: Failure | undefined;
    await db.transaction().execute(async (tx) => {
      // All at once and in one order, so that of two such calls neither waits for the other for ever.
      const ids = [];
      for (const instruction of instructions) ids.push(...(await idsOf(tx, instruction)));
      await holdListed(engine, tx, ids);
      for (const [index, instruction] of instructions.entries()) {
        await requireNamed(tx, index, instruction);
        const results = await applyToAll(engine, tx, call, instruction, patch);
        for (const { id, failure } of results) {
          if (failure === undefined) members.add(id);
          else {
            refusal ??= failure;
            errors.push({ [id]: failure.message });
          }
        }
      }
    });
    if (members.size === 0 && refusal?.kind === 'denied') throw refusal;
    call.can('member/*', 'viewMember');
    await identity.forget();
    return { members: [...members], errors, _links: { self: linkTo('/members') } };
  },
);

/** Before anybody is changed: an unknown role is a mistake of the whole instruction. */
async function requireNamed(tx: Db, index: number, instruction: BulkInstruction): Promise<void> {
  if (!('values' in instruction)) return;
  let problem: unknown;
  try {
    await requireRoles(tx, instruction.values, 'values');
  } catch (error) {
    problem = error;
  }
  inInstruction(index, instruction, () => {
    if (problem !== undefined) throw problem as Error;
  });
}

async function idsOf(tx: Db, instruction: BulkInstruction): Promise<string[]> {
  return 'memberIDs' in instruction
    ? [...new Set(instruction.memberIDs)]
    : await listMemberIdsExcept(tx, readExceptions(instruction));
}

interface Outcome {
  id: string;
  failure?: Failure;
}

async function applyToAll(
  engine: Engine,
  tx: Db,
  call: KnownCall,
  instruction: BulkInstruction,
  { comment }: SemanticPatch,
): Promise<Outcome[]> {
  const ids = await idsOf(tx, instruction);
  const found = new Map((await lockListed(engine, tx, ids)).map((member) => [member.id, member]));
  const outcomes: Outcome[] = [];
  for (const id of ids) {
    const member = found.get(id);
    if (member === undefined) {
      outcomes.push({ id, failure: new Failure('not-found', 'There is no such member') });
      continue;
    }
    try {
      // One slip in a filter must not reach those who could put it right.
      if (member.role === 'owner') throw new Failure('forbidden', 'An owner can only be changed alone');
      const told = { comment, update: updateFor(id, instruction) };
      const after = await changeMember(engine, tx, call, member, wantedOf(member, instruction), told);
      if (after === member) call.demand(resourceOf(member), 'viewMember');
      outcomes.push({ id });
    } catch (error) {
      // These are thrown before anything is written.
      if (!(error instanceof Failure) || (error.kind !== 'denied' && error.kind !== 'forbidden')) throw error;
      outcomes.push({ id, failure: error });
    }
  }
  return outcomes;
}

/** What was asked for this member alone: were all named in the entry of each, the log would grow by their square. */
function updateFor(id: string, instruction: BulkInstruction): Update {
  if ('memberIDs' in instruction) return { instructions: [{ ...instruction, memberIDs: [id] }] };
  const { ignoredMemberIDs: _others, ...rest } = instruction;
  return { instructions: [rest] };
}

function wantedOf(member: Listed, instruction: BulkInstruction): Listed {
  if ('values' in instruction) return { ...member, customRoles: instruction.values };
  if (instruction.kind === 'replaceMembersRoleAttributes')
    return { ...member, roleAttributes: instruction.value };
  return { ...member, role: instruction.value, customRoles: [] };
}

// Adds many members to teams at once: by a CSV file of e-mail addresses, by JSON, or by semantic patch.
import { Failure } from '../../kernel/failure.ts';
import type { Call } from '../../kernel/http/route.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Update } from '../../kernel/change/change.ts';
import { findIdsByEmail, listMemberIdsExcept, listMemberRecords } from '../members/store.ts';
import { couldBeKey, Key } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { EXCEPTIONS, readExceptions } from '../members/filter.ts';
import {
  listKinds,
  documentedKinds,
  KindSchema,
  awaitInInstruction,
  instructionReader,
  type Read,
} from '../patch/instructions.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { unknownThing } from '../find-project.ts';
import { readSemanticPatch } from '../patch/patch.ts';
import { findTeam, lockTeams } from './store.ts';
import {
  checkAddresses,
  isById,
  type NamedMember,
  readPostedMembers,
  TeamMembersPost,
} from './posted-members.ts';
import { changeTeam, joinTeams, openTeam, requireMembers } from './change-team.ts';
import { sorted } from './instructions.ts';
import { NamedMembers, teamResource } from './model.ts';

const Imports = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        status: Type.String(),
        value: Type.String(),
        message: Type.Optional(Type.String()),
      }),
    ),
    _links: Links,
  },
  { $id: 'TeamImportsRep' },
);

const postTeamMembers = route(
  {
    id: 'postTeamMembers',
    method: 'POST',
    path: '/teams/{teamKey}/members',
    summary: 'Take members into a team by their e-mail addresses',
    description:
      'A form (`multipart/form-data`) with a CSV file as `file`; addresses stand in the first column, a heading may stand above. ' +
      'Or JSON with `emails`, `memberIDs` or both. ' +
      'All are taken in (201) or, when any entry is wrong, none (207, with what is wrong).',
    access: { action: 'updateTeamMembers' },
    params: Type.Object({ teamKey: Type.String() }),
    consumes: () => ({
      'application/json': TeamMembersPost,
      'multipart/form-data': Type.Object({ file: Type.String({ format: 'binary' }) }),
    }),
    streams: true,
    reply: { 201: Imports, 207: Imports },
  },
  async (call, kernel) => {
    const { changes, db } = kernel;
    await requireAccess(call, db, call.params.teamKey);
    const entries = await readPostedMembers(call, kernel);
    const { items, isGood } = await changes.run(call, async (tx) => {
      const team = await openTeam(tx.db, call.params.teamKey);
      call.requirePermission(teamResource(team));
      const idOf = await findIdsByEmail(tx.db, textsOf(entries.filter((entry) => !isById(entry))));
      const byId = await listMemberRecords(tx.db, textsOf(entries.filter(isById)));
      const ids = new Set(byId.map(({ id }) => id));
      const checked = checkAddresses(entries, { idOf, ids, inTeam: new Set(team.memberIds) });
      if (checked.overall !== undefined) throw new Failure('invalid', checked.overall);
      if (checked.isGood) {
        const memberIds = sorted([...team.memberIds, ...idOf.values(), ...ids]);
        await changeTeam(tx, team, { ...team, memberIds });
      }
      return checked;
    });
    const _links = { self: linkTo(`/teams/${call.params.teamKey}/members`) };
    return reply(isGood ? 201 : 207, { items, _links });
  },
);

/** Checked before the file is received. */
async function requireAccess(call: Pick<Call, 'requirePermission'>, db: Db, teamKey: string): Promise<void> {
  const team = couldBeKey(teamKey) ? await findTeam(db, teamKey) : undefined;
  if (team === undefined) throw unknownThing('team', teamKey);
  call.requirePermission(teamResource(team));
}

/** Each once. PostgreSQL fails on a text with a NUL. */
function textsOf(entries: readonly NamedMember[]): string[] {
  return [...new Set(entries.map(({ value }) => value))].filter((value) => !value.includes('\0'));
}

const TeamKeys = Type.Array(Key(), { minItems: 1, maxItems: 1000 });
const KINDS = {
  addMembersToTeams: KindSchema('addMembersToTeams', 'Add these members to teams', {
    memberIDs: NamedMembers,
    teamKeys: TeamKeys,
  }),
  addAllMembersToTeams: KindSchema(
    'addAllMembersToTeams',
    'Add all members to teams, except those whom any filter describes',
    { teamKeys: TeamKeys, ...EXCEPTIONS },
  ),
};
const kinds = documentedKinds(KINDS);
const readBulk = instructionReader(KINDS);

const Bulk = Type.Object(
  {
    memberIDs: Type.Array(Type.String()),
    teamKeys: Type.Array(Type.String()),
    errors: Type.Array(Type.Record(Type.String(), Type.String()), {
      description: 'Empty: a patch is applied as a whole or not at all',
    }),
    _links: Links,
  },
  { $id: 'BulkEditTeamsRep' },
);

const patchTeams = route(
  {
    id: 'patchTeams',
    method: 'PATCH',
    path: '/teams',
    summary: 'Take many members into several teams by semantic patch',
    description: `All or nothing: a member or a team that is not there is an error. Instructions:\n\n${listKinds(kinds)}`,
    access: { action: 'updateTeamMembers' },
    ...takesPatches('TeamsBulk', { instructions: kinds }),
    reply: { 200: Bulk },
  },
  async (call, { changes }) => {
    const patch = readSemanticPatch(call);
    const instructions = readBulk(patch.instructions);
    const teamKeys = sorted(instructions.flatMap((instruction) => instruction.teamKeys));
    const memberIDs = await changes.run(call, async (tx) => {
      const { db } = tx;
      const joined = new Set<string>();
      let memberships = 0;
      await lockTeams(db, teamKeys);
      for (const [index, instruction] of instructions.entries()) {
        await awaitInInstruction(index, instruction, async () => {
          const isNamed = instruction.kind === 'addMembersToTeams';
          const asked = isNamed
            ? [...new Set(instruction.memberIDs)]
            : await listMemberIdsExcept(db, readExceptions(instruction));
          memberships += asked.length * instruction.teamKeys.length;
          if (memberships > MAX_MEMBERSHIPS) throw tooMany();
          if (isNamed) await requireMembers(db, asked, 'memberIDs');
          const joining = { teamKeys: instruction.teamKeys, memberIds: asked };
          await joinTeams(tx, joining, (key, memberIds) => ({
            comment: patch.comment,
            update: updateFor(key, memberIds, instruction),
          }));
          for (const id of asked) joined.add(id);
        });
      }
      return joined;
    });
    return { memberIDs: [...memberIDs], teamKeys, errors: [], _links: { self: linkTo('/teams') } };
  },
);

/** Limited, because other writes wait for this transaction. */
const MAX_MEMBERSHIPS = 100_000;

function tooMany(): Failure {
  const most = MAX_MEMBERSHIPS.toLocaleString('en');
  return new Failure('invalid', `One call can make at most ${most} memberships: send fewer teams at a time.`);
}

/** The instruction for this team only: if each entry named all teams and members, the log would grow by their product. */
function updateFor(key: string, memberIDs: readonly string[], instruction: Read<typeof KINDS>): Update {
  const own = { ...instruction, teamKeys: [key] };
  if (own.kind === 'addMembersToTeams') return { instructions: [{ ...own, memberIDs }] };
  const { ignoredMemberIDs: _others, ...rest } = own;
  return { instructions: [rest] };
}

export const teamBulkRoutes = [postTeamMembers, patchTeams];

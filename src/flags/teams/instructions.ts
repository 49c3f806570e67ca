// The instructions of a team's semantic patches.
import type { Role } from '../../kernel/identity/store-roles.ts';
import type { TeamGrant } from '../../kernel/identity/store-member-teams.ts';
import { areEqual } from '../../kernel/json/json-value.ts';
import { misfit, problem } from '../../kernel/schema/schema.ts';
import { Description, Name } from '../fields.ts';
import {
  documentedKinds,
  KindSchema,
  inInstruction,
  instructionReader,
  type Read,
} from '../patch/instructions.ts';
import { AttributeKey, AttributeValues, RoleAttributesSchema, RoleNames } from '../roles/model.ts';
import { GRANT, grantText, NamedMembers, type WholeTeam } from './model.ts';

const Members = { values: NamedMembers };
const Grant = { ...GRANT, memberIDs: NamedMembers };
const Roles = { values: RoleNames };
const Attribute = { key: AttributeKey, values: AttributeValues };

const KINDS = {
  addMembers: KindSchema('addMembers', 'Add members', Members),
  removeMembers: KindSchema('removeMembers', 'Remove members', Members),
  replaceMembers: KindSchema('replaceMembers', 'Have these members and no others', Members),
  addCustomRoles: KindSchema('addCustomRoles', 'Add custom roles', Roles),
  removeCustomRoles: KindSchema('removeCustomRoles', 'Remove custom roles', Roles),
  addPermissionGrants: KindSchema('addPermissionGrants', 'Let members do this to the team', Grant),
  removePermissionGrants: KindSchema(
    'removePermissionGrants',
    'No longer let members do this to the team',
    Grant,
  ),
  addRoleAttribute: KindSchema('addRoleAttribute', 'Add a role attribute', Attribute),
  updateRoleAttribute: KindSchema('updateRoleAttribute', 'Change a role attribute', Attribute),
  removeRoleAttribute: KindSchema('removeRoleAttribute', 'Remove a role attribute', { key: AttributeKey }),
  replaceRoleAttributes: KindSchema('replaceRoleAttributes', 'Have these role attributes and no others', {
    value: RoleAttributesSchema,
  }),
  updateName: KindSchema('updateName', 'Rename the team', { value: Name }),
  updateDescription: KindSchema('updateDescription', 'Describe the team', { value: Description }),
};

export const teamKinds = documentedKinds(KINDS);
type TeamInstruction = Read<typeof KINDS>;
export const readTeamInstructions = instructionReader(KINDS);

/** Members and roles that the instructions name, to be loaded in advance. */
export function namesIn(instructions: readonly TeamInstruction[]) {
  const members = new Set<string>();
  const roles = new Set<string>();
  for (const instruction of instructions) {
    const { kind } = instruction;
    if (kind === 'addMembers' || kind === 'replaceMembers') {
      for (const id of instruction.values) members.add(id);
    } else if (kind === 'addPermissionGrants') for (const id of instruction.memberIDs) members.add(id);
    else if (kind === 'addCustomRoles' || kind === 'removeCustomRoles') {
      for (const name of instruction.values) roles.add(name);
    }
  }
  return { members: [...members], roles: [...roles] };
}

/** The members and roles that instructions name. */
interface KnownNames {
  members: ReadonlySet<string>;
  /** By key and by id. */
  roles: ReadonlyMap<string, Role>;
}

export function applyTeamInstructions(
  team: WholeTeam,
  instructions: readonly TeamInstruction[],
  known: KnownNames,
): WholeTeam {
  let result = team;
  for (const [index, instruction] of instructions.entries()) {
    result = inInstruction(index, instruction, () => applyOne(result, instruction, known));
  }
  return result;
}

function applyOne(team: WholeTeam, instruction: TeamInstruction, known: KnownNames): WholeTeam {
  switch (instruction.kind) {
    case 'addMembers':
      return {
        ...team,
        memberIds: sorted([...team.memberIds, ...requireMembers(instruction.values, known)]),
      };
    case 'removeMembers':
      return { ...team, memberIds: without(team.memberIds, instruction.values) };
    case 'replaceMembers':
      return { ...team, memberIds: sorted(requireMembers(instruction.values, known)) };
    case 'addCustomRoles':
      return { ...team, roleIds: unique([...team.roleIds, ...requireRoleIds(instruction.values, known)]) };
    case 'removeCustomRoles': {
      const ids = instruction.values.flatMap((name) => known.roles.get(name)?.id ?? []);
      return { ...team, roleIds: without(team.roleIds, ids) };
    }
    case 'addPermissionGrants': {
      requireMembers(instruction.memberIDs, known);
      return { ...team, grants: sortGrants([...team.grants, ...grantsOf(instruction)]) };
    }
    case 'removePermissionGrants': {
      const gone = grantsOf(instruction);
      const isGone = (grant: TeamGrant) => gone.some((other) => areEqual(other, grant));
      return { ...team, grants: team.grants.filter((grant) => !isGone(grant)) };
    }
    case 'addRoleAttribute': {
      const { key, values } = instruction;
      const there = Object.hasOwn(team.roleAttributes, key) ? team.roleAttributes[key] : undefined;
      if (there !== undefined && !areEqual([...there], unique(values)))
        throw problem('key', `names an attribute that is there already: ${key}`);
      return { ...team, roleAttributes: setAttribute(team, key, values) };
    }
    case 'updateRoleAttribute': {
      const { key, values } = instruction;
      if (!Object.hasOwn(team.roleAttributes, key))
        throw problem('key', `names an attribute that is not there: ${key}`);
      return { ...team, roleAttributes: setAttribute(team, key, values) };
    }
    case 'removeRoleAttribute': {
      const rest = Object.entries(team.roleAttributes).filter(([key]) => key !== instruction.key);
      return { ...team, roleAttributes: Object.fromEntries(rest) };
    }
    case 'replaceRoleAttributes':
      return { ...team, roleAttributes: instruction.value };
    case 'updateName':
      return { ...team, name: instruction.value };
    default:
      return { ...team, description: instruction.value };
  }
}

function setAttribute({ roleAttributes }: WholeTeam, key: string, values: string[]) {
  return Object.fromEntries([...Object.entries(roleAttributes), [key, unique(values)]]);
}

function requireMembers(ids: string[], { members }: KnownNames): string[] {
  const unknown = ids.find((id) => !members.has(id));
  if (unknown !== undefined) throw problem('values', `names an unknown member: ${unknown}`);
  return ids;
}

function requireRoleIds(names: string[], { roles }: KnownNames): string[] {
  return names.map((name) => {
    const role = roles.get(name);
    if (role === undefined) throw problem('values', `names an unknown custom role: ${name}`);
    return role.id;
  });
}

type GrantInput = Pick<
  Extract<TeamInstruction, { kind: 'addPermissionGrants' }>,
  'actionSet' | 'actions' | 'memberIDs'
>;

export function grantsOf({ actionSet, actions = [], memberIDs }: GrantInput): TeamGrant[] {
  if (actionSet === undefined && actions.length === 0) throw misfit('actions', 'or actionSet is required');
  if (actionSet !== undefined && actions.length > 0)
    throw problem('actions', 'cannot be given together with actionSet');
  return memberIDs.map((memberId) => ({ memberId, actions: actionSet ?? sorted(actions) }));
}

export function sortGrants(grants: readonly TeamGrant[]): TeamGrant[] {
  const byText = new Map(grants.map((grant) => [grantText(grant), grant]));
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, grant]) => grant);
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

export function sorted(values: readonly string[]): string[] {
  return unique(values).sort();
}

function without(values: readonly string[], gone: readonly string[]): string[] {
  const out = new Set(gone);
  return values.filter((value) => !out.has(value));
}

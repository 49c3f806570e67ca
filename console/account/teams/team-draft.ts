// What is being edited of a team, and the instructions that make it so. Each says one thing, so that edits of others stay.
import type { Team, TeamInstruction } from './teams-queries.ts';
import { TEAM } from './teams-words.ts';

export interface AttributeRow {
  key: string;
  /** As they are typed. */
  values: string;
}

export interface TeamFields {
  name: string;
  description: string;
  roles: string[];
  attributes: AttributeRow[];
}

export function teamFieldsOf({ name, description, roles, roleAttributes = {} }: Team): TeamFields {
  return {
    name,
    description,
    roles: roles?.items.map(({ key }) => key) ?? [],
    attributes: Object.entries(roleAttributes).map(([key, values]) => ({ key, values: values.join(', ') })),
  };
}

const NAME = /^[\w.-]{1,256}$/;
const VALUE = /^[\w.*-]{1,256}$/;

function wordsIn(values: string): string[] {
  return [...new Set(values.split(/[\s,]+/).filter((word) => word !== ''))];
}

export function attributesOf(rows: readonly AttributeRow[]): Record<string, string[]> {
  return Object.fromEntries(rows.map(({ key, values }) => [key.trim(), wordsIn(values)]));
}

export function attributeFault(rows: readonly AttributeRow[]): string | undefined {
  const isRight = rows.every(({ key, values }) => {
    const words = wordsIn(values);
    return NAME.test(key.trim()) && words.length > 0 && words.every((word) => VALUE.test(word));
  });
  if (!isRight) return TEAM.attributeBad;
  return new Set(rows.map(({ key }) => key.trim())).size < rows.length ? TEAM.attributeTwice : undefined;
}

export function instructionsOf(before: TeamFields, after: TeamFields): TeamInstruction[] {
  const added = after.roles.filter((key) => !before.roles.includes(key));
  const removed = before.roles.filter((key) => !after.roles.includes(key));
  const had = attributesOf(before.attributes);
  const wanted = attributesOf(after.attributes);
  const list: TeamInstruction[] = [];
  if (after.name.trim() !== before.name) list.push({ kind: 'updateName', value: after.name.trim() });
  if (after.description !== before.description)
    list.push({ kind: 'updateDescription', value: after.description });
  if (added.length > 0) list.push({ kind: 'addCustomRoles', values: added });
  if (removed.length > 0) list.push({ kind: 'removeCustomRoles', values: removed });
  for (const key of Object.keys(had))
    if (!Object.hasOwn(wanted, key)) list.push({ kind: 'removeRoleAttribute', key });
  for (const [key, values] of Object.entries(wanted)) {
    if (!Object.hasOwn(had, key)) list.push({ kind: 'addRoleAttribute', key, values });
    else if (had[key]!.join() !== values.join()) list.push({ kind: 'updateRoleAttribute', key, values });
  }
  return list;
}

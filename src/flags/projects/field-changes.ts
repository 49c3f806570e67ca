// Compares a resource before and after a patch: changed fields, the permissions they require, and a description.
import type { Access } from '../../kernel/identity/actor.ts';
import { areEqual, isObject } from '../../kernel/json/json-value.ts';

export interface Field {
  /** The permission to change it. */
  action: string;
  words: string;
}

export interface FieldChange extends Field {
  before: unknown;
  after: unknown;
}

/** The fields of the table that differ. */
export function changedFields<Name extends string>(
  table: Readonly<Record<Name, Field>>,
  before: Partial<Record<NoInfer<Name>, unknown>>,
  after: Partial<Record<NoInfer<Name>, unknown>>,
): FieldChange[] {
  return (Object.keys(table) as Name[])
    .filter((name) => !areEqual(before[name], after[name]))
    .map((name) => ({ ...table[name], before: before[name], after: after[name] }));
}

/** The permissions that the changes require, without duplicates. */
export function fieldAccesses(changes: readonly FieldChange[], resource: string): Access[] {
  return [...new Set(changes.map(({ action }) => action))].map((action) => ({ action, resource }));
}

/** The permissions that changes of the table's fields require. */
export function actionsOf(table: Readonly<Record<string, Field>>): string[] {
  return [...new Set(Object.values(table).map(({ action }) => action))];
}

/** `kind` names the resource: `project`. */
export function describeFieldChanges(
  changes: readonly FieldChange[],
  kind: string,
): { verb: string; description: string } {
  const [first, ...others] = changes;
  const verb =
    first !== undefined && others.length === 0
      ? `changed the ${first.words} of the ${kind}`
      : `updated the ${kind}`;
  return { verb, description: changes.map(describeFieldChange).join('\n') };
}

function describeFieldChange({ words, before, after }: FieldChange): string {
  if (isObject(before) || isObject(after)) return `- Changed the ${words}`;
  return `- Changed the ${words} from ${quote(before)} to ${quote(after)}`;
}

/** Quoted as code, so that Markdown in a name has no effect. */
function quote(value: unknown): string {
  const text = Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
  return text === '' || text === undefined ? 'none' : `\`${text.replaceAll('`', "'")}\``;
}

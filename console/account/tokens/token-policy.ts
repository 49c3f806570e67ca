// Policies of tokens: the check of what was typed, by the rules of the server, and the policies of tasks with their parameters filled in.
import type { TokenTask } from '../../api/types/signalbox.ts';
import type { PolicyStatement } from './token-model.ts';
import { POLICY } from './tokens-words.ts';

export type PolicyCheck = { statements: PolicyStatement[] } | { message: string };

const MAX_STATEMENTS = 500;
const ACTION = /^[\w*.:-]{1,1000}$/;
const SEGMENT = String.raw`[a-z][a-z-]*(?:/[^:;,\s]+)?(?:;[\w.,-]*)?`;
const RESOURCE = new RegExp(`^(?=.{1,1000}$)(?:\\*|${SEGMENT}(?::${SEGMENT})*)$`);
const PAIRS = [
  ['actions', 'notActions', ACTION, 'updateOn'],
  ['resources', 'notResources', RESOURCE, 'proj/default:env/test:flag/*'],
] as const;
const FIELDS = ['effect', 'actions', 'notActions', 'resources', 'notResources'];

export function checkPolicy(text: string): PolicyCheck {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { message: POLICY.notJson(error instanceof Error ? error.message : '') };
  }
  if (!Array.isArray(value)) return { message: POLICY.notList };
  if (value.length === 0) return { message: POLICY.empty };
  if (value.length > MAX_STATEMENTS) return { message: POLICY.tooMany };
  for (const [index, statement] of value.entries()) {
    const message = faultOf(statement, index + 1);
    if (message !== undefined) return { message };
  }
  return { statements: value as PolicyStatement[] };
}

function faultOf(statement: unknown, at: number): string | undefined {
  if (typeof statement !== 'object' || statement === null || Array.isArray(statement))
    return POLICY.notObject(at);
  const fields = statement as Record<string, unknown>;
  const unknown = Object.keys(fields).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return POLICY.unknown(at, unknown);
  if (fields['effect'] !== 'allow' && fields['effect'] !== 'deny') return POLICY.effect(at);
  for (const [positive, negative, form, example] of PAIRS) {
    const given = [positive, negative].filter((name) => !isAbsent(fields[name]));
    const [name] = given;
    if (name === undefined || given.length > 1) return POLICY.pair(at, positive, negative);
    const list = fields[name];
    const fits = (item: unknown) => typeof item === 'string' && form.test(item);
    if (!Array.isArray(list) || !list.every(fits)) return POLICY.entry(at, name, example);
  }
  return undefined;
}

function isAbsent(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.length === 0);
}

/** What may stand in a resource: other characters have a meaning there. */
export function isParameter(text: string): boolean {
  return text === '*' || /^[\w.-]{1,256}$/.test(text);
}

/** Parameters that are not filled in stay in their braces. */
export function fillPolicy(
  { inlinePolicy, parameters }: TokenTask,
  values: Readonly<Record<string, string>>,
): PolicyStatement[] {
  const fill = (resource: string) =>
    parameters.reduce((text, name) => {
      const value = values[name] ?? '';
      return value === '' ? text : text.replaceAll(`{${name}}`, value);
    }, resource);
  return inlinePolicy.map(({ resources, ...statement }) => ({
    ...statement,
    ...(resources && { resources: resources.map(fill) }),
  }));
}

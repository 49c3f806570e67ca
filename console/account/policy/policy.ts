// Policies, and the check of what was typed by the rules of the server.
import { POLICY } from './policy-words.ts';

export interface PolicyStatement {
  effect: 'allow' | 'deny';
  actions?: string[];
  notActions?: string[];
  resources?: string[];
  notResources?: string[];
}

export type PolicyCheck = { statements: PolicyStatement[] } | { message: string };

const MAX_STATEMENTS = 500;
export const ACTION = /^[\w*.:-]{1,1000}$/;
const SEGMENT = String.raw`[a-z][a-z-]*(?:/[^:;,\s]+)?(?:;[\w.,-]*)?`;
export const RESOURCE = new RegExp(`^(?=.{1,1000}$)(?:\\*|${SEGMENT}(?::${SEGMENT})*)$`);
const PAIRS = [
  ['actions', 'notActions', ACTION, 'updateOn'],
  ['resources', 'notResources', RESOURCE, 'proj/default:env/test:flag/*'],
] as const;
export const STATEMENT_FIELDS = ['effect', 'actions', 'notActions', 'resources', 'notResources'];

export function policyText(statements: readonly PolicyStatement[]): string {
  return JSON.stringify(statements, undefined, 2);
}

/** Only a role may have no statement: its base permissions are something. */
export function checkPolicy(text: string, { mayBeEmpty = false } = {}): PolicyCheck {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { message: POLICY.notJson(error instanceof Error ? error.message : '') };
  }
  if (!Array.isArray(value)) return { message: POLICY.notList };
  if (value.length === 0 && !mayBeEmpty) return { message: POLICY.empty };
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
  const unknown = Object.keys(fields).find((name) => !STATEMENT_FIELDS.includes(name));
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

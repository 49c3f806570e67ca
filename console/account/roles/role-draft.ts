// What is being edited of a role: kept in the browser with what it began from, so that a change elsewhere is seen.
import type { Call } from '../../api/call.ts';
import { path } from '../../api/call.ts';
import { useDraft } from '../../app/drafts.ts';
import { checkPolicy, policyText } from '../policy/policy.ts';
import type { CustomRole } from './roles-queries.ts';

export interface RoleFields {
  name: string;
  description: string;
  basePermissions: string;
  /** As it is typed. */
  policy: string;
}

export function fieldsOf({ name, description, basePermissions, policy }: CustomRole): RoleFields {
  return { name, description, basePermissions, policy: policyText(policy) };
}

/** Both are JSON; empty where nothing is being edited. */
const NOTHING = { fields: '', base: '' };

export function useRoleDraft(role: CustomRole) {
  const { value, change, forget } = useDraft(`role:${role.key}`, NOTHING);
  const present = fieldsOf(role);
  const kept = value.fields === '' ? undefined : (JSON.parse(value.fields) as RoleFields);
  const base = kept === undefined ? present : (JSON.parse(value.base) as RoleFields);
  const fields = kept ?? present;
  return {
    fields,
    /** What the edit began from. */
    base,
    isChanged: !isSame(fields, base),
    /** Somebody else has saved since. */
    isBehind: kept !== undefined && !isSame(base, present),
    change: (patch: Partial<RoleFields>) =>
      change({ fields: JSON.stringify({ ...fields, ...patch }), base: JSON.stringify(base) }),
    /** What was edited is kept, over what is there now. */
    rebase: () =>
      change({ fields: JSON.stringify(merged(fields, base, present)), base: JSON.stringify(present) }),
    forget,
  };
}

/** What was not edited is taken from there. */
function merged(mine: RoleFields, base: RoleFields, theirs: RoleFields): RoleFields {
  const pick = (name: keyof RoleFields) => (isSameField(name, mine, base) ? theirs[name] : mine[name]);
  return {
    name: pick('name'),
    description: pick('description'),
    basePermissions: pick('basePermissions'),
    policy: pick('policy'),
  };
}

const NAMES = ['name', 'description', 'basePermissions', 'policy'] as const;

function isSame(one: RoleFields, other: RoleFields): boolean {
  return NAMES.every((name) => isSameField(name, one, other));
}

/** Another spacing of the same statements is no change. */
function isSameField(name: keyof RoleFields, one: RoleFields, other: RoleFields): boolean {
  if (name !== 'policy') return one[name] === other[name];
  return compact(one.policy) === compact(other.policy);
}

function compact(policy: string): string {
  try {
    return JSON.stringify(JSON.parse(policy));
  } catch {
    return policy;
  }
}

/** As the API shows it; the text where it is no policy. */
export function shownOf({ policy, ...fields }: RoleFields) {
  const check = checkPolicy(policy, { mayBeEmpty: true });
  return { ...fields, policy: 'statements' in check ? check.statements : policy };
}

/** Each changed field is tested to be what the edit began from. */
export function saveCall(key: string, base: RoleFields, fields: RoleFields, comment: string): Call {
  const before = shownOf(base);
  const after = shownOf(fields);
  const patch = NAMES.filter((name) => !isSameField(name, base, fields)).flatMap((name) => [
    { op: 'test', path: `/${name}`, value: before[name] },
    { op: 'replace', path: `/${name}`, value: after[name] },
  ]);
  return {
    api: 'flags',
    method: 'PATCH',
    path: path`/roles/${key}`,
    body: comment.trim() === '' ? patch : { comment: comment.trim(), patch },
  };
}

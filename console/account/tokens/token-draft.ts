// The form of a new token: what was filled in, what is missing, and the call that creates it.
import type { Call } from '../../api/call.ts';
import type { ApiError } from '../../api/error.ts';
import type { TokenTask } from '../../api/types/signalbox.ts';
import { checkPolicy, policyText, type PolicyStatement } from '../policy/policy.ts';
import { DAY_MS, mayGiveStatements, type TokenRole } from './token-model.ts';
import { fillPolicy, isParameter } from './token-policy.ts';
import { FORM } from './tokens-words.ts';

export type ScopeKind = 'task' | 'role' | 'custom' | 'policy';

/** Kept in the browser until the token is created; it has no secret. */
export interface TokenDraft {
  name: string;
  isService: boolean;
  scopeKind: ScopeKind;
  taskId: string;
  parameters: Record<string, string>;
  role: TokenRole;
  customRoles: string[];
  policy: string;
  /** Days, `date` or `never`. */
  expiry: string;
  date: string;
}

const EXAMPLE: PolicyStatement[] = [
  { effect: 'allow', actions: ['viewProject'], resources: ['proj/default'] },
];

export const NEW_TOKEN: TokenDraft = {
  name: '',
  isService: false,
  scopeKind: 'task',
  taskId: '',
  parameters: {},
  role: 'reader',
  customRoles: [],
  policy: policyText(EXAMPLE),
  expiry: '30',
  date: '',
};

export type DraftField = 'name' | 'task' | 'role' | 'custom' | 'policy' | 'date' | `parameter:${string}`;
export type DraftErrors = Partial<Record<DraftField, string>>;

const MAX_NAME = 256;

/** What the caller's role leaves: a service token of a writer has a base role. */
export function scopeKindOf({ isService, scopeKind }: TokenDraft, ownRole: string): ScopeKind {
  return mayGiveStatements(ownRole, isService) ? scopeKind : 'role';
}

export interface DraftSurroundings {
  task: TokenTask | undefined;
  roles: readonly TokenRole[];
  ownRole: string;
  now: number;
}

export function checkDraft(draft: TokenDraft, around: DraftSurroundings): DraftErrors {
  const errors: DraftErrors = {};
  if (draft.name.trim() === '') errors.name = FORM.nameMissing;
  if (draft.name.length > MAX_NAME) errors.name = FORM.nameLong;
  if (draft.expiry === 'date' && !(endOf(draft, around.now)! > around.now)) errors.date = FORM.dateBad;
  return { ...errors, ...checkScope(draft, around) };
}

function checkScope(draft: TokenDraft, { task, roles, ownRole }: DraftSurroundings): DraftErrors {
  const kind = scopeKindOf(draft, ownRole);
  if (kind === 'role') return roles.includes(draft.role) ? {} : { role: FORM.noRoles };
  if (kind === 'custom') return draft.customRoles.length > 0 ? {} : { custom: FORM.customMissing };
  if (kind === 'policy') {
    const check = checkPolicy(draft.policy);
    return 'message' in check ? { policy: check.message } : {};
  }
  if (task === undefined) return { task: FORM.taskMissing };
  const faults = task.parameters.flatMap((name) => {
    const value = draft.parameters[name] ?? '';
    if (value === '') return [[`parameter:${name}`, FORM.parameterMissing]];
    return isParameter(value) ? [] : [[`parameter:${name}`, FORM.parameterBad]];
  });
  return Object.fromEntries(faults) as DraftErrors;
}

/** Undefined where it never ends, NaN where no day was chosen. */
function endOf({ expiry, date }: Pick<TokenDraft, 'expiry' | 'date'>, now: number): number | undefined {
  if (expiry === 'never') return undefined;
  if (expiry !== 'date') return now + Number(expiry) * DAY_MS;
  // To the end of that day, where the person is.
  return new Date(`${date}T23:59:59`).getTime();
}

export function statementsOf(draft: TokenDraft, { task, ownRole }: DraftSurroundings): PolicyStatement[] {
  const kind = scopeKindOf(draft, ownRole);
  if (kind === 'task') return task === undefined ? [] : fillPolicy(task, draft.parameters);
  if (kind !== 'policy') return [];
  const check = checkPolicy(draft.policy);
  return 'statements' in check ? check.statements : [];
}

export function callOf(draft: TokenDraft, around: DraftSurroundings): Call {
  const kind = scopeKindOf(draft, around.ownRole);
  const end = endOf(draft, around.now);
  return {
    api: 'flags',
    method: 'POST',
    path: '/tokens',
    body: {
      name: draft.name.trim(),
      ...(draft.isService && { serviceToken: true }),
      ...(kind === 'role' && { role: draft.role }),
      ...(kind === 'custom' && { customRoleIds: draft.customRoles }),
      ...((kind === 'task' || kind === 'policy') && { inlineRole: statementsOf(draft, around) }),
      ...(end !== undefined && !Number.isNaN(end) && { expiry: end }),
    },
  };
}

/** By the first word of the message, for errors of the flags API name no field otherwise. */
const FIELDS: readonly [word: RegExp, field: DraftField][] = [
  [/^\/?name\b/, 'name'],
  [/^\/?expiry\b/, 'date'],
  [/^\/?customRoleIds\b/, 'custom'],
  [/^\/?(inlineRole\b|The policy is not valid)/, 'policy'],
];

/** At its field where it has one that is shown, else at the top. */
export function placeError(
  error: ApiError | undefined,
  kind: ScopeKind,
): { at: DraftErrors; isPlaced: boolean } {
  const [, field] = FIELDS.find(([word]) => word.test(error?.message ?? '')) ?? [];
  const isShown = field !== undefined && (!['custom', 'policy'].includes(field) || field === kind);
  if (error === undefined || !isShown) return { at: {}, isPlaced: false };
  return { at: { [field]: error.message }, isPlaced: true };
}

// Policies: statements that allow or deny actions on resources, and the decision whether a caller may act. ADR 0009.
import { Failure, type FieldProblem } from '../failure.ts';

/** Applies if both halves match. Exactly one of each pair is given; the `not…` form matches everything but its list. */
export interface PolicyStatement {
  effect: 'allow' | 'deny';
  /** Action names; `*` matches any characters. */
  actions?: string[];
  notActions?: string[];
  /** `type/name;tag1,tag2` joined by `:`, as in `member/*;beta:token/*`; a lone `*` matches everything. */
  resources?: string[];
  notResources?: string[];
}

/** Compiled statements: a matching deny overrides every allow, and what no statement allows is denied. */
export interface Policy {
  readonly statements: readonly PolicyStatement[];
  allows(action: string, resource: string): boolean;
  /** Whether a statement denies it explicitly; without any allow this is false. */
  denies(action: string, resource: string): boolean;
  /** Set on the policy of a base role. */
  readonly baseRole?: BaseRole;
  /** The keys of the custom role, and of the team that gives it. A team alone gives single actions. */
  readonly source?: { readonly role?: string; readonly team?: string };
  /** How many of the statements, which come first, are the base permissions of a custom role. */
  readonly inherited?: number;
}

type Matcher = (text: string) => boolean;

export function compilePolicy(statements: readonly PolicyStatement[]): Policy {
  const rules = statements.map((statement) => ({
    effect: statement.effect,
    matchesAction: matchList(statement.actions, statement.notActions, compileGlob),
    matchesResource: matchList(statement.resources, statement.notResources, compileSpecifier),
  }));
  const denies = rules.filter(({ effect }) => effect === 'deny');
  const allows = rules.filter(({ effect }) => effect === 'allow');
  const speaks = (among: typeof rules, action: string, resource: string) => {
    for (const rule of among) if (rule.matchesAction(action) && rule.matchesResource(resource)) return true;
    return false;
  };
  return {
    statements,
    allows: (action, resource) => !speaks(denies, action, resource) && speaks(allows, action, resource),
    denies: (action, resource) => speaks(denies, action, resource),
  };
}

/** Of several policies one that allows is enough. */
export function decide(policies: readonly Policy[], action: string, resource: string): boolean {
  return policies.some((policy) => policy.allows(action, resource));
}

export interface GrantHolder {
  /** Every group must allow, and in a group any policy is enough. Without groups nothing is allowed. */
  grants: readonly (readonly Policy[])[];
}

export function can(caller: GrantHolder, action: string, resource: string): boolean {
  const { grants } = caller;
  return grants.length > 0 && grants.every((policies) => decide(policies, action, resource));
}

/** Whether a statement denies it and no other policy allows it. */
export function isDenied({ grants }: GrantHolder, action: string, resource: string): boolean {
  return grants.some(
    (policies) =>
      !decide(policies, action, resource) && policies.some((policy) => policy.denies(action, resource)),
  );
}

/** `forbidden` is for a resource the caller cannot access at all, `denied` for an action that exceeds its role. */
export function requirePermission(
  caller: GrantHolder,
  action: string,
  resource: string,
  kind: 'denied' | 'forbidden' = 'denied',
): void {
  if (can(caller, action, resource)) return;
  const access = { action, resource };
  throw new Failure(kind, `You do not have the permission ${action} on ${resource}.`, { access });
}

export type BaseRole = 'reader' | 'writer' | 'admin' | 'owner' | 'no_access';

/** Parses statements from a request. An empty list counts as absent: some clients send both members of a pair. */
export function parseStatements(value: unknown): PolicyStatement[] {
  if (!Array.isArray(value)) throw new Failure('invalid', 'A policy must be a list of statements.');
  const statements = value.map((statement, index) => parseStatement(statement, `/${index}`));
  const names = statements.reduce((sum, statement) => sum + countNames(statement), 0);
  if (names > MAX_NAMES)
    throw new Failure('invalid', `A policy cannot have more than ${MAX_NAMES} actions and resources in all.`);
  return statements;
}

/** Every call evaluates all names, and anyone may write a policy for their own tokens. */
const MAX_NAMES = 5000;

export function countNames({ actions, notActions, resources, notResources }: PolicyStatement): number {
  return (actions ?? notActions ?? []).length + (resources ?? notResources ?? []).length;
}

function parseStatement(value: unknown, at: string): PolicyStatement {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(at, 'must be an object');
  }
  const { effect, ...lists } = value as Record<string, unknown>;
  if (effect !== 'allow' && effect !== 'deny') throw invalid(`${at}/effect`, 'must be "allow" or "deny"');
  return {
    effect,
    ...parsePair(lists, at, 'actions', 'notActions', ACTION, 'an action such as "updateName" or "update*"'),
    ...parsePair(lists, at, 'resources', 'notResources', SPECIFIER, 'a resource such as "member/me:token/*"'),
  };
}

const ACTION = /^[\w*.:-]{1,1000}$/;
const SEGMENT = String.raw`[a-z][a-z-]*(?:/[^:;,\s]+)?(?:;[\w.,-]*)?`;
const SPECIFIER = new RegExp(`^(?=.{1,1000}$)(?:\\*|${SEGMENT}(?::${SEGMENT})*)$`);

function parsePair<K extends keyof Omit<PolicyStatement, 'effect'>>(
  lists: Record<string, unknown>,
  at: string,
  positive: K,
  negative: K,
  form: RegExp,
  example: string,
): { [key in K]?: string[] } {
  const given = [positive, negative].filter((name) => {
    const list = lists[name];
    return list !== undefined && !(Array.isArray(list) && list.length === 0);
  });
  const [name] = given;
  if (name === undefined || given.length > 1) {
    throw invalid(at, `must have exactly one of ${positive} and ${negative}`);
  }
  const list = lists[name];
  if (!Array.isArray(list)) throw invalid(`${at}/${name}`, 'must be a list of strings');
  for (const [index, item] of list.entries()) {
    if (typeof item !== 'string' || !form.test(item)) {
      throw invalid(`${at}/${name}/${index}`, `must be ${example}`);
    }
  }
  return { [name]: list } as { [key in K]?: string[] };
}

function invalid(field: string, message: string): Failure {
  const problem: FieldProblem = { field, message };
  return new Failure('invalid', `The policy is not valid: ${field} ${message}.`, { fields: [problem] });
}

function matchList(
  positive: string[] | undefined,
  negative: string[] | undefined,
  compile: (pattern: string) => Matcher,
): Matcher {
  const matchers = (positive ?? negative ?? []).map(compile);
  const any: Matcher = (text) => {
    for (const matches of matchers) if (matches(text)) return true;
    return false;
  };
  const [only = any] = matchers;
  const listed = matchers.length === 1 ? only : any;
  // A statement without any list must match nothing, not everything.
  return positive || !negative ? listed : (text) => !listed(text);
}

/** How one half of a statement matched: by this name of its list, or by none. */
export interface HalfMatch {
  isMatch: boolean;
  by?: string;
}

export interface StatementMatch {
  action: HalfMatch;
  resource: HalfMatch;
}

/** The same for a single statement, with the names that decided; slower, for explanations. */
export function matchStatement(
  { actions, notActions, resources, notResources }: PolicyStatement,
  action: string,
  resource: string,
): StatementMatch {
  return {
    action: matchHalf(actions, notActions, (pattern) => compileGlob(pattern)(action)),
    resource: matchHalf(resources, notResources, (pattern) => compileSpecifier(pattern)(resource)),
  };
}

function matchHalf(
  positive: string[] | undefined,
  negative: string[] | undefined,
  matches: Matcher,
): HalfMatch {
  const by = (positive ?? negative ?? []).find(matches);
  const isMatch = positive || !negative ? by !== undefined : by === undefined;
  return { isMatch, ...(by !== undefined && { by }) };
}

function matchAll(): boolean {
  return true;
}

/** `*` matches any characters. */
export function matchesAction(pattern: string, action: string): boolean {
  return compileGlob(pattern)(action);
}

function compileGlob(pattern: string): Matcher {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  const middle = rest.filter((piece) => piece !== '');
  if (middle.length === 0 && last === '') return first === '' ? matchAll : (text) => text.startsWith(first);
  return (text) => {
    if (!text.startsWith(first)) return false;
    let from = first.length;
    for (const piece of middle) {
      const found = text.indexOf(piece, from);
      if (found < 0) return false;
      from = found + piece.length;
    }
    return text.length - from >= last.length && text.endsWith(last);
  };
}

/** Compares segment by segment, in number and type: a statement about a parent does not apply to its children. */
function compileSpecifier(specifier: string): Matcher {
  if (specifier === '*') return matchAll;
  const [beginning = ''] = specifier.split(/[*:;]/, 1); // a cheap test that rules out most resources
  const segments = specifier.split(':').map(compileSegment);
  return (resource) => {
    if (!resource.startsWith(beginning)) return false;
    let from = 0;
    for (const matches of segments) {
      if (from > resource.length) return false;
      const colon = resource.indexOf(':', from);
      const end = colon < 0 ? resource.length : colon;
      if (!matches(resource.slice(from, end))) return false;
      from = end + 1;
    }
    return from > resource.length;
  };
}

function compileSegment(pattern: string): Matcher {
  const [path = '', tagList = ''] = pattern.split(';');
  const tags = tagList.split(',').filter((tag) => tag !== '');
  const slash = path.indexOf('/');
  const type = slash < 0 ? path : path.slice(0, slash + 1);
  const matchesName = compileGlob(path.slice(type.length));
  return (segment) => {
    if (!segment.startsWith(type)) return false;
    const semicolon = segment.indexOf(';');
    const end = semicolon < 0 ? segment.length : semicolon;
    if (!matchesName(segment.slice(type.length, end))) return false;
    if (tags.length === 0) return true;
    const present = segment.slice(end + 1).split(',');
    return tags.every((tag) => present.includes(tag));
  };
}

// Rules and clauses, shared by flags and segments: their schemas, and pure changes to them.
import { Failure } from '../kernel/failure.ts';
import { areEqual } from '../kernel/json/json-value.ts';
import { shorten } from '../kernel/json/pointer.ts';
import { type Static, OneOf, PlainText, Type } from '../kernel/schema/schema.ts';
import type { Clause } from './feature-flags/flag.ts';
import { ContextKind } from './fields.ts';

/** Per rule. */
export const MAX_CLAUSES = 100;

const Id = Type.String({ minLength: 1, maxLength: 64 });

export const RuleId = Id;
export const ClauseId = Id;

export const RuleDescription = PlainText({ maxLength: 1000 });

const OPERATORS = [
  'in',
  'startsWith',
  'endsWith',
  'contains',
  'matches',
  'lessThan',
  'lessThanOrEqual',
  'greaterThan',
  'greaterThanOrEqual',
  'before',
  'after',
  'semVerEqual',
  'semVerLessThan',
  'semVerGreaterThan',
  'segmentMatch',
] as const;

export const ClauseValues = Type.Array(
  Type.Union([Type.String({ maxLength: 4096 }), Type.Number(), Type.Boolean()]),
  { maxItems: 15_000 },
);

/** Additional properties are refused: a misspelled optional field would otherwise be ignored. */
export const ClauseInput = Type.Object(
  {
    attribute: PlainText({ maxLength: 1000, description: 'May be empty for `segmentMatch`' }),
    op: OneOf(OPERATORS),
    values: ClauseValues,
    contextKind: Type.Optional(ContextKind),
    negate: Type.Optional(Type.Boolean()),
  },
  { $id: 'ClauseInput', additionalProperties: false },
);

/** A rule without any clause would match everyone. */
export const Clauses = Type.Array(ClauseInput, { minItems: 1, maxItems: MAX_CLAUSES });

/** A clause in a JSON patch or merge patch: with its id, if it existed before. */
const ClauseDocument = Type.Object(
  { _id: Type.Optional(Type.String({ maxLength: 64 })), ...ClauseInput.properties },
  { $id: 'Clause' },
);

export const ClauseDocuments = Type.Array(ClauseDocument, { maxItems: MAX_CLAUSES });

interface Ruled {
  _id: string;
  clauses: Clause[];
}

type NewClause = Static<typeof ClauseInput>;
type Values = Static<typeof ClauseValues>;

/** The rules with one of them changed. */
export function changeRule<Rule extends Ruled>(
  rules: readonly Rule[],
  id: string,
  change: (rule: Rule) => Rule,
): Rule[] {
  const index = indexOf(rules, id, 'ruleId', 'rule');
  return rules.with(index, change(rules[index]!));
}

/** `ids` must name each rule once. */
export function reorderRules<Rule extends Ruled>(rules: readonly Rule[], ids: readonly string[]): Rule[] {
  const known = new Map(rules.map((rule) => [rule._id, rule]));
  const isWhole = ids.length === known.size && new Set(ids).size === known.size;
  if (!isWhole || !ids.every((id) => known.has(id))) throw broken('ruleIds must name every rule once');
  return ids.map((id) => known.get(id)!);
}

/** A clause as rules store it. */
export function toClause(input: NewClause, _id: string): Clause {
  const { attribute, op, values, contextKind = 'user', negate = false } = input;
  // A segment match has no attribute.
  if (attribute === '' && op !== 'segmentMatch') throw broken('clauses: the attribute must not be empty');
  return { _id, attribute, op, values: [...new Set(values)], contextKind, negate };
}

export function addClauses<Rule extends Ruled>(rule: Rule, inputs: NewClause[], newId: () => string): Rule {
  const clauses = [...rule.clauses, ...inputs.map((input) => toClause(input, newId()))];
  if (clauses.length > MAX_CLAUSES) throw broken(`clauses: a rule can have at most ${MAX_CLAUSES}`);
  return { ...rule, clauses };
}

/** A rule that lost its last clause would match everyone. */
export function removeClauses<Rule extends Ruled>(rule: Rule, ids: readonly string[]): Rule {
  const gone = new Set(ids.map((id) => indexOf(rule.clauses, id, 'clauseIds', 'clause')));
  if (gone.size === rule.clauses.length)
    throw broken('clauseIds: a rule without any clause would match everyone; remove the rule instead');
  return { ...rule, clauses: rule.clauses.filter((_, index) => !gone.has(index)) };
}

export function updateClause<Rule extends Ruled>(rule: Rule, id: string, input: NewClause): Rule {
  return changeClause(rule, id, () => toClause(input, id));
}

export function addClauseValues<Rule extends Ruled>(rule: Rule, id: string, added: Values): Rule {
  return changeClause(rule, id, ({ values, ...rest }) => ({
    ...rest,
    values: [...new Set([...values, ...added])],
  }));
}

export function removeClauseValues<Rule extends Ruled>(rule: Rule, id: string, removed: Values): Rule {
  const gone = new Set<unknown>(removed);
  return changeClause(rule, id, ({ values, ...rest }) => ({
    ...rest,
    values: values.filter((value) => !gone.has(value)),
  }));
}

/** A rule from a patch that replaces the whole list. */
interface RuleDocument {
  _id?: string;
  clauses: Static<typeof ClauseDocuments>;
}

/**
 * Assigns ids to the rules of a replaced list. A rule without an id that equals the old rule at its position keeps that
 * rule's id; of two rules with the same id, the second gets a new one.
 */
export function identifyRules<Shown extends RuleDocument, Rule extends Ruled>(
  shown: readonly Shown[],
  before: readonly Rule[],
  make: (shown: Shown, id: string, clauses: Clause[]) => Rule,
  newId: () => string,
): Rule[] {
  const taken = new Set<string>();
  const take = (id: string | undefined): string => {
    const own = id === undefined || id === '' || taken.has(id) ? newId() : id;
    taken.add(own);
    return own;
  };
  return shown.map((rule, index) => {
    const old = before[index];
    if (old !== undefined && rule._id === undefined) {
      const same = withoutIds(make(rule, '', toClauses(rule)));
      if (areEqual(same, withoutIds(old))) return { ...old, _id: take(old._id) };
    }
    return make(rule, take(rule._id), toClauses(rule, take));
  });
}

function toClauses({ clauses }: RuleDocument, idOf: (id: string | undefined) => string = () => ''): Clause[] {
  return clauses.map(({ _id, ...clause }) => toClause(clause, idOf(_id)));
}

function withoutIds({ _id, clauses, ...rest }: Ruled) {
  return { ...rest, clauses: clauses.map(({ _id: _clauseId, ...clause }) => clause) };
}

function changeClause<Rule extends Ruled>(rule: Rule, id: string, change: (clause: Clause) => Clause): Rule {
  const index = indexOf(rule.clauses, id, 'clauseId', 'clause');
  return { ...rule, clauses: rule.clauses.with(index, change(rule.clauses[index]!)) };
}

function indexOf(list: readonly { _id: string }[], id: string, parameter: string, thing: string): number {
  const index = list.findIndex(({ _id }) => _id === id);
  if (index < 0) throw broken(`${parameter}: there is no ${thing} "${shorten(id)}"`);
  return index;
}

function broken(message: string): Failure {
  return new Failure('invalid', message);
}

// The validation rules of a schema for values of one type, and whether one rule is stricter than another.
import { canonical } from './document.ts';
import type { JsonRecord } from './document.ts';

export type Slot = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

interface Bound {
  limit: number;
  exclusive: boolean;
}
/** A bound, or the text of a rule that can only be compared for equality. */
type Rule = Bound | string;
export type Rules = ReadonlyMap<string, Rule>;

const BOUNDS: Record<Slot, readonly string[]> = {
  null: [],
  boolean: [],
  number: ['multipleOf'],
  string: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems', 'minContains', 'maxContains'],
  object: ['minProperties', 'maxProperties'],
};

const WHOLE_RULES: Record<Slot, readonly string[]> = {
  null: [],
  boolean: [],
  number: ['format', 'not', 'if', 'then', 'else'],
  string: ['format', 'pattern', 'not', 'if', 'then', 'else'],
  array: ['uniqueItems', 'contains', 'not', 'if', 'then', 'else'],
  object: ['propertyNames', 'dependentRequired', 'dependentSchemas', 'not', 'if', 'then', 'else'],
};

/** Pairs of formats, of which the second includes the first. */
const WIDER_FORMATS = new Set(['"int32" "int64"', '"float" "double"']);

export function readRules(slot: Slot, schema: JsonRecord, whole: boolean): Rules {
  const rules = new Map<string, Rule>();
  for (const name of BOUNDS[slot]) {
    const limit = schema[name];
    const saysSomething = typeof limit === 'number' && !(name.startsWith('min') && limit <= 0);
    if (saysSomething) rules.set(name, { limit, exclusive: false });
  }
  for (const name of WHOLE_RULES[slot]) {
    const value = schema[name];
    if (value !== undefined && value !== false) rules.set(name, canonical(value));
  }
  if (slot === 'number') {
    for (const [name, exclusiveName, inward] of [
      ['minimum', 'exclusiveMinimum', 1],
      ['maximum', 'exclusiveMaximum', -1],
    ] as const) {
      const bound = readBound(name, schema[name], schema[exclusiveName]);
      if (bound !== undefined) rules.set(name, whole ? nearestWhole(bound, inward) : bound);
    }
  }
  return rules;
}

/** 3.0 marks a limit as exclusive with `true`, 3.1 gives the exclusive limit itself. */
function readBound(name: string, limit: unknown, exclusive: unknown): Bound | undefined {
  const closed =
    typeof limit === 'number' ? ({ limit, exclusive: exclusive === true } satisfies Bound) : undefined;
  if (typeof exclusive !== 'number') return closed;
  const open = { limit: exclusive, exclusive: true };
  return closed === undefined || isStricter(name, closed, open) ? open : closed;
}

function nearestWhole(bound: Bound, inward: 1 | -1): Bound {
  return bound.exclusive && Number.isInteger(bound.limit)
    ? { limit: bound.limit + inward, exclusive: false }
    : bound;
}

/** Whether some value satisfies the older rule but not the newer one; assumed for rules that cannot be compared. */
function isStricter(name: string, older: Rule | undefined, newer: Rule): boolean {
  if (older === undefined) return true;
  if (typeof older === 'string' || typeof newer === 'string') {
    return (
      older !== newer && !(name === 'format' && WIDER_FORMATS.has(`${describe(older)} ${describe(newer)}`))
    );
  }
  if (name === 'multipleOf') {
    const times = older.limit / newer.limit;
    return Math.abs(times - Math.round(times)) > 1e-9;
  }
  if (older.limit === newer.limit) return newer.exclusive && !older.exclusive;
  return name.startsWith('min') ? newer.limit > older.limit : newer.limit < older.limit;
}

/** The rules of values that satisfy both. */
export function joinRules(left: Rules, right: Rules): Rules {
  if (left.size === 0 || right.size === 0) return left.size === 0 ? right : left;
  const joined = new Map(left);
  for (const [name, rule] of right) {
    const other = left.get(name);
    if (typeof other === 'string' && typeof rule === 'string' && other !== rule) {
      joined.set(name, [...new Set([...other.split(' and '), ...rule.split(' and ')])].sort().join(' and '));
    } else if (isStricter(name, other, rule)) {
      joined.set(name, rule);
    }
  }
  return joined;
}

/** The rules of values that satisfy at least one: only those that both have, each in its looser form. */
export function shareRules(left: Rules, right: Rules): Rules {
  const shared = new Map<string, Rule>();
  for (const [name, rule] of left) {
    const other = right.get(name);
    if (other === undefined) continue;
    if (!isStricter(name, rule, other)) shared.set(name, other);
    else if (!isStricter(name, other, rule)) shared.set(name, rule);
  }
  return shared;
}

/** The rules that are new or stricter for a caller, as sentences. */
export function stricterRules(older: Rules, newer: Rules): string[] {
  const sentences: string[] = [];
  for (const [name, rule] of newer) {
    const before = older.get(name);
    if (!isStricter(name, before, rule)) continue;
    sentences.push(
      before === undefined
        ? `The rule ${name} ${describe(rule)} was added.`
        : `The rule ${name} changed from ${describe(before)} to ${describe(rule)}.`,
    );
  }
  return sentences;
}

function describe(rule: Rule): string {
  if (typeof rule === 'string') return rule.length > 80 ? `${rule.slice(0, 77)}...` : rule;
  return rule.exclusive ? `${rule.limit} (exclusive)` : String(rule.limit);
}

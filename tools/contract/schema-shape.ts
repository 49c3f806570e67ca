// The values that a schema accepts, by type, and how two such shapes are joined (allOf) or united (anyOf).
import { canonical } from './document.ts';
import { joinRules, shareRules } from './rules.ts';
import type { JsonRecord } from './document.ts';
import type { Rules, Slot } from './rules.ts';

export type Schema = JsonRecord;
export type Direction = 'request' | 'response';

/** A property of an object, or a position of a tuple. */
export interface PropertyShape {
  schema: Schema;
  required: boolean;
  /** `readOnly` limits it to responses, `writeOnly` to requests. */
  only?: Direction;
}

/** All constraints on the values of one type. */
export interface Facet {
  /** The name of the alternative, where the schema chooses between several. */
  label?: string;
  /** For numbers: only integers. */
  whole: boolean;
  /** The enum, by canonical text; absent if any value is accepted. */
  values?: ReadonlyMap<string, unknown>;
  rules: Rules;
  members: ReadonlyMap<string, PropertyShape>;
  /** Entries without names: a map's values, an array's items; `open` if the schema does not describe them. */
  rest: Schema | 'open' | 'closed';
}

/** A missing type is not accepted. Only arrays and objects can have several alternatives. */
export type SchemaShape = ReadonlyMap<Slot, readonly Facet[]>;

export const SLOTS: readonly Slot[] = ['boolean', 'number', 'string', 'array', 'object', 'null'];

/** The schema that accepts everything. */
export const ANYTHING: Schema = Object.freeze({});

/** The schema of a name that is only listed as required: a caller must send it, but it is not described. */
export const UNDESCRIBED: Schema = Object.freeze({});

export const NULL_FACET: Facet = { whole: false, rules: new Map(), members: new Map(), rest: 'open' };

/** The names of the types for messages. */
function typeNames(shape: SchemaShape): string[] {
  const wholeOnly = shape.get('number')?.every((facet) => facet.whole) ?? false;
  if (shape.size === SLOTS.length && !wholeOnly) return ['any'];
  const present = SLOTS.filter((slot) => shape.has(slot));
  return present.map((slot) => (slot === 'number' && wholeOnly ? 'integer' : slot));
}

export function describeType(shape: SchemaShape): string {
  return typeNames(shape).join(' or ') || 'nothing';
}

/**
 * A schema that states no type but has properties (or a length, or a minimum) means that type in practice, although
 * the letter of JSON Schema lets every other type pass it.
 */
export function meantShape(shape: SchemaShape): SchemaShape {
  if (shape.size < SLOTS.length) return shape;
  const meant = [...shape].filter(([, facets]) => facets.some(saysSomething));
  return meant.length === 0 ? shape : new Map(meant);
}

function saysSomething(facet: Facet): boolean {
  return (
    facet.whole ||
    facet.values !== undefined ||
    facet.rules.size > 0 ||
    facet.members.size > 0 ||
    facet.rest !== 'open'
  );
}

type JoinSchemas = (left: Schema, right: Schema) => Schema;

/** The values that both accept. */
export function joinShapes(left: SchemaShape, right: SchemaShape, joinSchemas: JoinSchemas): SchemaShape {
  const joined = new Map<Slot, Facet[]>();
  for (const [slot, lefts] of left) {
    const facets = lefts.flatMap((one) =>
      (right.get(slot) ?? []).map((other) => joinFacets(one, other, joinSchemas)),
    );
    const possible = facets.filter((facet) => facet.values?.size !== 0);
    if (possible.length > 0) joined.set(slot, foldAlike(possible));
  }
  return joined;
}

function joinFacets(left: Facet, right: Facet, joinSchemas: JoinSchemas): Facet {
  const members = new Map(left.members);
  for (const [name, member] of right.members) {
    const other = members.get(name);
    const only = member.only ?? other?.only;
    members.set(name, {
      schema: other === undefined ? member.schema : joinSchemas(other.schema, member.schema),
      required: member.required || (other?.required ?? false),
      ...(only !== undefined && { only }),
    });
  }
  const label = left.label ?? right.label;
  const values = joinValues(left.values, right.values);
  return {
    ...(label !== undefined && { label }),
    whole: left.whole || right.whole,
    ...(values !== undefined && { values }),
    rules: joinRules(left.rules, right.rules),
    members,
    rest: joinRest(left.rest, right.rest, joinSchemas),
  };
}

function joinValues(left: Facet['values'], right: Facet['values']): Facet['values'] {
  if (left === undefined || right === undefined) return left ?? right;
  return new Map([...left].filter(([text]) => right.has(text)));
}

function joinRest(left: Facet['rest'], right: Facet['rest'], joinSchemas: JoinSchemas): Facet['rest'] {
  if (left === 'closed' || right === 'closed') return 'closed';
  if (left === 'open') return right;
  return right === 'open' ? left : joinSchemas(left, right);
}

/** The values that at least one accepts. */
export function uniteShapes(shapes: readonly SchemaShape[]): SchemaShape {
  const united = new Map<Slot, Facet[]>();
  for (const slot of SLOTS) {
    const facets = shapes.flatMap((shape) => shape.get(slot) ?? []);
    if (facets.length === 0) continue;
    united.set(
      slot,
      slot === 'array' || slot === 'object' ? foldAlike(facets) : [facets.reduce(uniteFacets)],
    );
  }
  return united;
}

/** Merges alternatives that differ only in their required members: otherwise each member would be reported twice. */
function foldAlike(facets: readonly Facet[]): Facet[] {
  const folded: Facet[] = [];
  for (const facet of facets) {
    const index = folded.findIndex((other) => hasSameMembers(facet, other));
    const alike = folded[index];
    if (alike === undefined) folded.push(facet);
    else folded[index] = uniteFacets(alike, facet);
  }
  return folded;
}

function hasSameMembers(left: Facet, right: Facet): boolean {
  if (left.rest !== right.rest || left.members.size !== right.members.size) return false;
  return [...left.members].every(([name, member]) => right.members.get(name)?.schema === member.schema);
}

function uniteFacets(left: Facet, right: Facet): Facet {
  const members = new Map<string, PropertyShape>();
  for (const [name, member] of left.members) {
    members.set(name, {
      ...member,
      required: member.required && (right.members.get(name)?.required ?? false),
    });
  }
  const values = left.values && right.values && new Map([...left.values, ...right.values]);
  return {
    ...(left.label !== undefined && { label: left.label }),
    whole: left.whole && right.whole,
    ...(values !== undefined && { values }),
    rules: shareRules(left.rules, right.rules),
    members,
    rest: left.rest,
  };
}

export function slotOf(value: unknown): Slot {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' ? 'object' : (typeof value as Slot);
}

export function keyValues(values: readonly unknown[]): Map<string, unknown> {
  return new Map(values.map((value) => [canonical(value), value]));
}

// Converts the schemas of one document to shapes: follows references, joins allOf, unites anyOf and oneOf; each once.
import { Failure } from '../../src/kernel/failure.ts';
import { isRecord, referenceName } from './document.ts';
import { readRules } from './rules.ts';
import {
  ANYTHING,
  joinShapes,
  keyValues,
  meantShape,
  NULL_FACET,
  SLOTS,
  slotOf,
  UNDESCRIBED,
  uniteShapes,
} from './schema-shape.ts';
import type { Document, JsonRecord } from './document.ts';
import type { Slot } from './rules.ts';
import type { Facet, PropertyShape, Schema, SchemaShape } from './schema-shape.ts';

export interface SchemaReader {
  /** Accepts boolean schemas as well, and follows plain references. */
  schemaOf(value: unknown): Schema;
  shapeOf(schema: Schema): SchemaShape;
}

const NOTHING: Schema = Object.freeze({ not: {} });
const TYPES: Readonly<Record<string, Slot>> = {
  null: 'null',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  string: 'string',
  array: 'array',
  object: 'object',
};
const ANNOTATIONS = new Set(
  'title summary description default deprecated example examples readOnly writeOnly $comment externalDocs'.split(
    ' ',
  ),
);
/** Patterns that match every name: an object of such entries is a map. */
const EVERY_NAME = new Set(['', '^', '.*', '^.*', '.*$', '^.*$', '^(.*)$']);

// Real descriptions have a few dozen; only a hostile document comes near these limits.
const MAX_ALTERNATIVES = 1_000;
const MAX_STEPS = 50_000;

export function createSchemaReader(document: Document): SchemaReader {
  const shapes = new Map<Schema, SchemaShape>();
  const meant = new Map<Schema, SchemaShape>();
  const parts = new Map<Schema, readonly Schema[]>();
  const joints = new Map<string, Schema>();
  const numbers = new Map<Schema, number>();
  const underWay = new Set<Schema>();
  let wasCut = false;
  let steps = 0;

  function schemaOf(value: unknown): Schema {
    if (value === undefined || value === true) return ANYTHING;
    if (value === false) return NOTHING;
    return document.resolve(value, 'a schema', hasPlainReference);
  }

  function hasPlainReference(schema: Schema): boolean {
    return !document.refsHaveSiblings || saysNothing(schema);
  }

  function shapeOf(schema: Schema): SchemaShape {
    let shape = meant.get(schema);
    if (shape === undefined) {
      shape = meantShape(build(schema) ?? new Map());
      meant.set(schema, shape);
    }
    return shape;
  }

  /**
   * Undefined for a schema whose build is in progress further up: a base that lists its subtypes, which include the base.
   * A shape built on such a gap is incomplete elsewhere, so only the outermost result is cached.
   */
  function build(schema: Schema): SchemaShape | undefined {
    const known = shapes.get(schema);
    if (known !== undefined) return known;
    if (++steps > MAX_STEPS) {
      throw new Failure('invalid', 'The schemas refer to each other too often to be read.');
    }
    if (underWay.has(schema)) {
      wasCut = true;
      return undefined;
    }
    underWay.add(schema);
    const shape = assemble(schema);
    underWay.delete(schema);
    const isOutermost = underWay.size === 0;
    if (shape !== undefined && (isOutermost || !wasCut)) shapes.set(schema, shape);
    if (isOutermost) {
      wasCut = false;
      steps = 0;
    }
    return shape;
  }

  function assemble(schema: Schema): SchemaShape | undefined {
    if (typeof schema['$ref'] === 'string') {
      const { $ref, ...siblings } = schema;
      const target = build(schemaOf({ $ref }));
      const beside = assemble(siblings);
      return target && beside ? join(target, beside) : (target ?? beside);
    }
    let shape = ownShape(schema);
    for (const part of document.list(schema['allOf'], 'allOf')) {
      const built = build(schemaOf(part));
      if (built !== undefined) shape = join(shape, built);
    }
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = document.list(schema[keyword], keyword);
      if (branches.length === 0) continue;
      const built = branches.map((branch) => buildBranch(branch, shape.size < SLOTS.length));
      // A gap may accept anything, so the whole choice is unconstrained.
      if (built.every((branch) => branch !== undefined)) shape = join(shape, uniteShapes(built));
    }
    if (schema['nullable'] === true) shape = new Map(meantShape(shape)).set('null', [NULL_FACET]);
    return shape;
  }

  function buildBranch(branch: unknown, typeIsKnown: boolean): SchemaShape | undefined {
    const built = build(schemaOf(branch));
    if (built === undefined) return undefined;
    const shape = typeIsKnown ? built : meantShape(built);
    const label = labelOf(branch);
    if (label === undefined) return shape;
    const named = (facet: Facet): Facet => (facet.label === undefined ? { ...facet, label } : facet);
    return new Map([...shape].map(([slot, facets]) => [slot, facets.map(named)]));
  }

  function join(left: SchemaShape, right: SchemaShape): SchemaShape {
    for (const [slot, facets] of left) {
      if (facets.length * (right.get(slot)?.length ?? 0) > MAX_ALTERNATIVES) {
        throw new Failure('invalid', `A schema allows more than ${MAX_ALTERNATIVES} alternatives.`);
      }
    }
    return joinShapes(left, right, joinSchemas);
  }

  /** The same two schemas always give the same joined one; otherwise recursive schemas would never end. */
  function joinSchemas(left: Schema, right: Schema): Schema {
    const all = new Set([...(parts.get(left) ?? [left]), ...(parts.get(right) ?? [right])]);
    all.delete(ANYTHING);
    all.delete(UNDESCRIBED);
    const [first = ANYTHING, second] = all;
    if (second === undefined) return first;
    const key = Array.from(all, numberOf)
      .sort((one, other) => one - other)
      .join(' ');
    let joint = joints.get(key);
    if (joint === undefined) {
      joint = { allOf: [...all] };
      joints.set(key, joint);
      parts.set(joint, [...all]);
    }
    return joint;
  }

  function numberOf(schema: Schema): number {
    const number = numbers.get(schema) ?? numbers.size;
    numbers.set(schema, number);
    return number;
  }

  function ownShape(schema: Schema): SchemaShape {
    const shape = new Map<Slot, Facet[]>();
    if (schema['not'] !== undefined && isAnything(schema['not'])) return shape;
    const types = readTypes(schema);
    const values = 'const' in schema ? [schema['const']] : readEnum(schema);
    for (const slot of SLOTS) {
      if (types !== undefined && !types.has(slot)) continue;
      const own = values?.filter((value) => slotOf(value) === slot);
      // Beside a type that allows null the enum need not list it (3.0's `nullable` was often meant so).
      if (own?.length === 0 && !(slot === 'null' && types !== undefined)) continue;
      shape.set(slot, [readFacet(slot, schema, types, slot === 'null' ? undefined : own)]);
    }
    return shape;
  }

  function readTypes(schema: Schema): Map<Slot, { whole: boolean }> | undefined {
    if (schema['type'] === undefined) return undefined;
    const names = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
    const types = new Map<Slot, { whole: boolean }>();
    for (const name of names) {
      const slot = typeof name === 'string' && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
      if (slot === undefined)
        throw new Failure('invalid', `A schema has the unknown type ${JSON.stringify(name)}.`);
      types.set(slot, { whole: name === 'integer' && types.get(slot)?.whole !== false });
    }
    return types;
  }

  function readEnum(schema: Schema): unknown[] | undefined {
    return schema['enum'] === undefined ? undefined : document.list(schema['enum'], 'enum');
  }

  function readFacet(
    slot: Slot,
    schema: Schema,
    types: Map<Slot, { whole: boolean }> | undefined,
    values: unknown[] | undefined,
  ): Facet {
    const whole =
      slot === 'number' &&
      (types?.get(slot)?.whole ?? values?.every((value) => Number.isInteger(value)) ?? false);
    return {
      whole,
      ...(values !== undefined && { values: keyValues(values) }),
      rules: readRules(slot, schema, whole),
      ...(slot === 'object'
        ? readObject(schema)
        : slot === 'array'
          ? readArray(schema)
          : { members: new Map(), rest: 'open' }),
    };
  }

  function readObject(schema: Schema): Pick<Facet, 'members' | 'rest'> {
    const members = new Map<string, PropertyShape>();
    const required = new Set(document.list(schema['required'], 'required'));
    for (const [name, value] of Object.entries(document.record(schema['properties'], 'properties'))) {
      members.set(name, readMember(value, required.delete(name)));
    }
    for (const name of required) members.set(String(name), { schema: UNDESCRIBED, required: true });
    let rest = readRest(schema['additionalProperties'] ?? schema['unevaluatedProperties']);
    const patterns = document.record(schema['patternProperties'], 'patternProperties');
    for (const [pattern, value] of Object.entries(patterns)) {
      if (EVERY_NAME.has(pattern)) rest = readRest(value);
      else members.set(`/${pattern}/`, readMember(value, false));
    }
    return { members, rest };
  }

  function readArray(schema: Schema): Pick<Facet, 'members' | 'rest'> {
    // Up to draft 7 a tuple was an array of schemas under `items`.
    const isOldTuple = Array.isArray(schema['items']);
    const positions = document.list(isOldTuple ? schema['items'] : schema['prefixItems'], 'prefixItems');
    const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0;
    return {
      members: new Map(positions.map((value, index) => [String(index), readMember(value, index < least)])),
      rest: readRest(isOldTuple ? schema['additionalItems'] : schema['items']),
    };
  }

  function readMember(value: unknown, required: boolean): PropertyShape {
    const schema = schemaOf(value);
    const says = (mark: string) => schema[mark] === true || (isRecord(value) && value[mark] === true);
    if (says('readOnly')) return { schema, required, only: 'response' };
    return says('writeOnly') ? { schema, required, only: 'request' } : { schema, required };
  }

  function readRest(value: unknown): Facet['rest'] {
    if (value === false) return 'closed';
    return value === undefined || isAnything(value) ? 'open' : schemaOf(value);
  }

  return { schemaOf, shapeOf };
}

function isAnything(value: unknown): boolean {
  return value === true || (isRecord(value) && value['$ref'] === undefined && saysNothing(value));
}

/** Whether all keywords, apart from a reference, are only documentation. */
function saysNothing(schema: JsonRecord): boolean {
  return Object.keys(schema).every((key) => key === '$ref' || ANNOTATIONS.has(key) || key.startsWith('x-'));
}

function labelOf(branch: unknown): string | undefined {
  if (!isRecord(branch)) return undefined;
  if (typeof branch['$ref'] === 'string') return referenceName(branch['$ref']);
  return typeof branch['title'] === 'string' ? branch['title'] : undefined;
}

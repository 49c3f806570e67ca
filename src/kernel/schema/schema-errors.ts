// What is wrong with a value: its first errors, found without examining all of a large one, and members that its schema does not name, of which a misspelled one is the most likely cause.
import { createRequire } from 'node:module';
import type * as Compiler from 'typebox/schema';
import type { JsonSchema } from './schema.ts';
import { isObject, propertyOf } from '../json/json-value.ts';
import { didYouMean } from '../text/did-you-mean.ts';

export interface SchemaError {
  keyword: string;
  /** The path of the broken schema, without the keyword. */
  schemaPath: string;
  instancePath: string;
  params: object;
  message: string;
}

let compiler: typeof Compiler | undefined;

/** Loaded by the first check, so that a start does not wait for the compiler. */
export const loadCompiler = (): typeof Compiler =>
  (compiler ??= createRequire(import.meta.url)('typebox/schema') as typeof Compiler);

/** A list whose length a schema limits, and the keys that lead to it. */
export interface ListLimit {
  keys: string[];
  schemaPath: string;
  most: number;
}

/** The limited lists of a schema that are reachable by keys alone. */
export function listLimits(schema: JsonSchema, keys: string[] = [], schemaPath = '#'): ListLimit[] {
  const nullable = nullableOf(schema);
  if (nullable !== undefined) return listLimits(nullable.schema, keys, schemaPath + nullable.path);
  const { maxItems, properties = {} } = schema as JsonSchema & { maxItems?: number };
  const own = maxItems === undefined ? [] : [{ keys, schemaPath, most: maxItems }];
  const inside = Object.entries(properties).flatMap(([key, member]) =>
    listLimits(member, [...keys, key], `${schemaPath}/properties/${key}`),
  );
  return [...own, ...inside];
}

/** What a schema allows beside null, if that is all it says. */
export function nullableOf({ anyOf = [] }: JsonSchema): { schema: JsonSchema; path: string } | undefined {
  const others = anyOf.filter(({ type }) => type !== 'null');
  const [schema] = others;
  if (schema === undefined || others.length !== 1 || anyOf.length !== 2) return undefined;
  return { schema, path: `/anyOf/${anyOf.indexOf(schema)}` };
}

/** The first list longer than its schema allows. Tested first, because a check of the elements would examine all of them. */
export function overlongList(limits: readonly ListLimit[], value: unknown): SchemaError | undefined {
  for (const { keys, schemaPath, most } of limits) {
    let found = value;
    for (const key of keys) found = isObject(found) ? propertyOf(found, key) : undefined;
    if (!Array.isArray(found) || found.length <= most) continue;
    return {
      keyword: 'maxItems',
      schemaPath,
      instancePath: keys.map((key) => `/${key}`).join(''),
      params: { limit: most },
      message: `must not have more than ${most} items`,
    };
  }
  return undefined;
}

/** The errors of the first invalid part, as deep as members and elements lead. */
export function firstErrors(
  schema: JsonSchema,
  value: unknown,
  schemaPath = '#',
  instancePath = '',
): SchemaError[] {
  const nullable = value === null ? undefined : nullableOf(schema);
  if (nullable !== undefined)
    return firstErrors(nullable.schema, value, schemaPath + nullable.path, instancePath);
  if (Array.isArray(value) && isSchema(schema.items)) {
    const { items } = schema;
    const wrong = value.findIndex((element) => !compiled(items).Check(element));
    if (wrong >= 0)
      return firstErrors(items, value[wrong], `${schemaPath}/items`, `${instancePath}/${wrong}`);
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(schema.properties ?? {})) {
      const found = propertyOf(value, key);
      if (found === undefined || compiled(member).Check(found)) continue;
      return firstErrors(member, found, `${schemaPath}/properties/${key}`, `${instancePath}/${key}`);
    }
  }
  // No nested error was found, so the value is checked without its members and elements first.
  const shallow = errorsOf({ ...schema, items: {}, properties: {} }, value);
  const errors = shallow.length > 0 ? shallow : errorsOf(schema, value);
  return errors.map((error) => ({
    ...error,
    schemaPath: schemaPath + error.schemaPath.slice(1),
    instancePath: instancePath + error.instancePath,
  }));
}

function isSchema(items: JsonSchema['items']): items is JsonSchema {
  return items !== undefined && !Array.isArray(items);
}

const validators = new WeakMap<JsonSchema, Compiler.Validator>();

function compiled(schema: JsonSchema): Compiler.Validator {
  let validator = validators.get(schema);
  if (validator === undefined) validators.set(schema, (validator = loadCompiler().Compile(schema)));
  return validator;
}

function errorsOf(schema: JsonSchema, value: unknown): SchemaError[] {
  const [, errors] = loadCompiler().Errors(schema, value);
  return errors;
}

export interface UnknownField {
  /** As in the errors of the schema: `/rules/0/clauses`. */
  path: string;
  message: string;
}

const MAX_FIELDS = 20;
/** Elements of a list, and members of an object, that are examined: the rest are probably similar. */
const MAX_LOOKED_AT = 100;

export function unknownFields(schema: unknown, value: unknown): UnknownField[] {
  const found: UnknownField[] = [];
  look(schema as JsonSchema, value, '', found);
  return found;
}

export function describeUnknown(name: string, known: readonly string[]): string {
  const meant = didYouMean(name, known);
  return `is not a known field${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
}

function look(schema: JsonSchema, value: unknown, path: string, found: UnknownField[]): void {
  if (found.length >= MAX_FIELDS || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const items = alternativeFor('items', schema)?.items;
    if (items === undefined || Array.isArray(items)) return;
    for (const [index, element] of value.slice(0, MAX_LOOKED_AT).entries()) {
      look(items, element, `${path}/${index}`, found);
    }
    return;
  }
  const { properties, patternProperties, additionalProperties } = alternativeFor('properties', schema) ?? {};
  // A schema for arbitrary names has no unknown ones.
  if (properties === undefined || patternProperties !== undefined || typeof additionalProperties === 'object')
    return;
  const names = Object.keys(properties);
  let looked = 0;
  for (const name in value) {
    if ((looked += 1) > MAX_LOOKED_AT || found.length >= MAX_FIELDS) return;
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const inside = `${path}/${name}`;
    if (known === undefined) found.push({ path: inside, message: describeUnknown(name, names) });
    else look(known, (value as Record<string, unknown>)[name], inside, found);
  }
}

/** The schema itself, or the only one of its alternatives that describes members or elements. */
function alternativeFor(keyword: 'properties' | 'items', schema: JsonSchema): JsonSchema | undefined {
  if (schema[keyword] !== undefined) return schema;
  const [only, ...others] = (schema.anyOf ?? schema.oneOf ?? []).filter(
    ({ type }) => type === (keyword === 'items' ? 'array' : 'object'),
  );
  return others.length === 0 && only?.[keyword] !== undefined ? only : undefined;
}

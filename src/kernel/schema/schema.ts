// Schemas: TypeBox types that are also JSON Schema, compiled to checks at first use.
import { Type, type Static, type TObject, type TSchema } from 'typebox';
import type * as Compiler from 'typebox/schema';
import { Failure, type FieldProblem } from '../failure.ts';
import { isObject } from '../json/json-value.ts';
import { shorten } from '../json/pointer.ts';
import { isLarge } from '../json/stringify.ts';
import {
  firstErrors,
  listLimits,
  loadCompiler,
  nullableOf,
  overlongList,
  type ListLimit,
  type SchemaError,
  describeUnknown,
  unknownFields,
} from './schema-errors.ts';

export { Type };
export type { Static, TObject, TSchema };

/** The keywords of JSON Schema, for code that walks schemas instead of checking values. */
export interface JsonSchema {
  $id?: string;
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema | JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  additionalProperties?: JsonSchema | boolean;
  patternProperties?: Record<string, JsonSchema>;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
}

export function Nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

/** A string that every engine can store: PostgreSQL allows no NUL in text. */
export function PlainText(options: Record<string, unknown> = {}) {
  return Type.String({ ...options, pattern: '^[^\\u0000]*$' });
}

/** One of several words, as an `enum` of JSON Schema. */
export function OneOf<const Word extends string>(
  words: readonly Word[],
  options: Record<string, unknown> = {},
) {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...options });
}

const MAX_PROBLEMS = 20;

/**
 * A check that throws with all problems: `invalid` for a value that breaks a rule, `unreadable` where a field is missing,
 * unknown or of another type. Compiled at the first call, so that a start does not compile unused routes.
 */
export function checker(
  schema: TSchema,
  place: string,
  unreadable: 'invalid' | 'bad-patch' = 'invalid',
): (value: unknown) => void {
  let compiled: Compiler.Validator | undefined;
  let limits: ListLimit[] | undefined;
  return (value) => {
    compiled ??= loadCompiler().Compile(schema);
    limits ??= listLimits(schema);
    const overlong = limits.length === 0 ? undefined : overlongList(limits, value);
    if (overlong === undefined && compiled.Check(value)) return;
    const errors = overlong === undefined ? errorsOf(schema, value) : [overlong];
    const problems = fieldProblems(withoutNulls(errors, schema), place, schema);
    if (place === 'body') addUnknown(problems, schema, value);
    throw toFailure(isMisfit(errors) ? unreadable : 'invalid', problems);
  };
}

function toFailure(kind: 'invalid' | 'bad-patch', fields: FieldProblem[]): Failure {
  const text = fields.map(({ field, message }) => `${field} ${message}`).join('; ');
  return new Failure(kind, text, { fields });
}

/** The same for one field. The message continues after its name: `is no number`. */
export function problem(field: string, message: string): Failure {
  return toFailure('invalid', [{ field, message }]);
}

/** For an update that lacks required information. */
export function misfit(field: string, message: string): Failure {
  return toFailure('bad-patch', [{ field, message }]);
}

function errorsOf(schema: JsonSchema, value: unknown): SchemaError[] {
  if (isLarge(value)) return firstErrors(schema, value);
  const [, errors] = loadCompiler().Errors(narrow(schema, value), value);
  return errors;
}

/** Without the members that the value lacks, and without its id: the search for errors looks at all of them, and below an id at everything. */
function narrow({ $id: _id, ...schema }: JsonSchema, value: unknown): JsonSchema {
  const { properties } = schema;
  if (properties === undefined || !isObject(value)) return schema;
  const present = Object.entries(properties).filter(([name]) => Object.hasOwn(value, name));
  return { ...schema, properties: Object.fromEntries(present) };
}

/** With alternatives, a value that has the type of one of them breaks a rule of that one. */
function isMisfit(errors: readonly SchemaError[]): boolean {
  const placeOf = ({ schemaPath, instancePath }: SchemaError) => `${schemaPath} ${instancePath}`;
  const ofWrongType = new Set(errors.filter(({ keyword }) => keyword === 'type').map(placeOf));
  const isRule = (error: SchemaError) => RULES.test(error.keyword) && !ofWrongType.has(placeOf(error));
  const ruled = new Set(errors.filter(isRule).map(({ instancePath }) => instancePath));
  return errors.some(
    ({ keyword, instancePath }) =>
      keyword === 'required' ||
      keyword === 'additionalProperties' ||
      (keyword === 'type' && !ruled.has(instancePath)),
  );
}

const RULES = /^(min|max|exclusive|pattern$|enum|const|format|multipleOf|unique)/;

function fieldProblems(errors: Iterable<SchemaError>, place: string, schema: TSchema): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const add = (path: string, message: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ field: nameField(place, path), message });
  };
  for (const { keyword, schemaPath, instancePath, params, message } of errors) {
    if (keyword === 'required') {
      const { requiredProperties = [] } = params as { requiredProperties?: string[] };
      for (const name of requiredProperties) add(`${instancePath}/${name}`, 'is required');
    } else if (keyword === 'additionalProperties') {
      const { additionalProperties = [] } = params as { additionalProperties?: string[] };
      const pattern = keyPatternAt(schema, schemaPath);
      for (const name of additionalProperties) {
        if (pattern === undefined) add(`${instancePath}/${name}`, describeUnknown(name, []));
        else add(instancePath, `cannot have the key "${shorten(name)}": keys must match ${pattern}`);
      }
    } else if (keyword === 'enum') {
      const { allowedValues = [] } = params as { allowedValues?: unknown[] };
      add(instancePath, `must be one of ${allowedValues.join(', ')}`);
    } else if (keyword !== 'boolean') {
      add(instancePath, message);
    }
  }
  return problems;
}

/** Of a value that may be null, what is wrong with it is enough: that it is not null either, everybody knows. */
function withoutNulls(errors: readonly SchemaError[], schema: TSchema): readonly SchemaError[] {
  const telling = errors.filter(({ keyword, schemaPath }) => {
    const broken = schemaAt(schema, schemaPath);
    if (keyword === 'anyOf') return broken === undefined || nullableOf(broken) === undefined;
    return keyword !== 'type' || broken?.type !== 'null';
  });
  return telling.length > 0 ? telling : errors;
}

/** The pattern for the keys of a map; undefined for an object of named fields. */
function keyPatternAt(schema: TSchema, schemaPath: string): string | undefined {
  return Object.keys(schemaAt(schema, schemaPath)?.patternProperties ?? {})[0];
}

function schemaAt(schema: TSchema, schemaPath: string): JsonSchema | undefined {
  let found: unknown = schema;
  for (const step of schemaPath.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = (found as Record<string, unknown> | undefined)?.[name];
  }
  return found as JsonSchema | undefined;
}

/** An unknown name is ignored in a valid body, but may explain why a body is invalid. */
function addUnknown(problems: FieldProblem[], schema: TSchema, body: unknown): void {
  for (const { path, message } of unknownFields(schema, body)) {
    const field = nameField('body', path);
    const known = problems.find((one) => one.field === field);
    if (known !== undefined) known.message = message;
    else if (problems.length < MAX_PROBLEMS) problems.push({ field, message });
  }
}

/** `body` and `/a/0/b` become `a.0.b`; other locations stay in front (`query.limit`). */
function nameField(place: string, path: string): string {
  const inside = path.slice(1).replaceAll('/', '.');
  if (place === 'body') return inside === '' ? 'body' : inside;
  return inside === '' ? place : `${place}.${inside}`;
}

type Raw = Record<string, unknown>;

/**
 * Converts the strings of a path or query to the types of the schema. A string that does not look like its type stays a
 * string, so that the check reports it. Booleans are `1`, `0`, `true`, `false`; lists may be joined by commas.
 */
export function coercer(schema: TObject): (raw: Raw) => Raw {
  const conversions: [name: string, convert: (text: unknown) => unknown][] = [];
  const defaults: Raw = {};
  for (const [name, property] of Object.entries(schema.properties as Record<string, JsonSchema>)) {
    const convert = conversionTo(property);
    if (convert !== undefined) conversions.push([name, convert]);
    if (property.default !== undefined) defaults[name] = property.default;
  }
  return (raw) => {
    const values: Raw = { ...defaults, ...raw };
    for (const [name, convert] of conversions) if (raw[name] !== undefined) values[name] = convert(raw[name]);
    return values;
  };
}

function conversionTo(schema: JsonSchema): ((text: unknown) => unknown) | undefined {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return (text) => (typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
    case 'boolean':
      return (text) =>
        text === '1' || text === 'true' ? true : text === '0' || text === 'false' ? false : text;
    case 'array':
      return (text) => (typeof text === 'string' ? text.split(',') : text);
    default:
      return undefined;
  }
}

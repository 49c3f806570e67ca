// Converts the input schema of an Actor to plain JSON Schema, for readers that do not know the platform's own words.
import { isObject } from '../../kernel/json/json-value.ts';

type JsonObject = Record<string, unknown>;

/** Words that mean the same in JSON Schema. */
const KEPT = new Set(
  (
    'title description default enum const pattern minLength maxLength minimum maximum multipleOf minItems maxItems ' +
    'uniqueItems minProperties maxProperties required'
  ).split(' '),
);
/** Nobody checks those of nested fields, and a reader of OpenAPI takes nothing else. */
const TEXTS = new Set(['title', 'description']);
/** A schema is nested far less; deeper ones say nothing. */
const MAX_DEPTH = 50;

/** The schema of an object that may have other fields, too. */
export function toPlainSchema(schema: JsonObject): JsonObject {
  return { ...convert(schema, 0), type: 'object' };
}

function convert(schema: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return {};
  const plain: JsonObject = {};
  for (const [name, value] of Object.entries(schema))
    if (KEPT.has(name) && (!TEXTS.has(name) || typeof value === 'string')) plain[name] = value;
  const { type, properties, items, additionalProperties, nullable, isSecret, prefill, example } = schema;
  if (type !== undefined) plain['type'] = nullable === true ? [type, 'null'].flat() : type;
  // A list of values does not admit null, whatever the type says.
  if (nullable === true && Array.isArray(plain['enum']))
    plain['enum'] = [...(plain['enum'] as unknown[]), null];
  if (isObject(properties)) plain['properties'] = convertAll(properties, depth);
  if (isObject(items)) plain['items'] = convert(items, depth + 1);
  if (typeof additionalProperties === 'boolean') plain['additionalProperties'] = additionalProperties;
  if (isSecret === true) Object.assign(plain, { format: 'password', writeOnly: true });
  const examples = [example, prefill].filter((value) => value !== undefined);
  if (examples.length > 0) plain['examples'] = examples;
  return plain;
}

function convertAll(properties: JsonObject, depth: number): JsonObject {
  const entries = Object.entries(properties).map(([name, field]) => [
    name,
    isObject(field) ? convert(field, depth + 1) : {},
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

/** An input that shows what the Actor takes: what the form begins with, else the default or an example. */
export function exampleInput(schema: JsonObject): JsonObject {
  return valuesOf(schema, ['prefill', 'default', 'example']);
}

/** The input that a form begins with: what is filled in for the user, else the default. */
export function firstInput(schema: JsonObject): JsonObject {
  return valuesOf(schema, ['prefill', 'default']);
}

/** The first of these that a field has. Secret fields have none. */
function valuesOf({ properties }: JsonObject, sources: readonly string[]): JsonObject {
  if (!isObject(properties)) return {};
  const entries = Object.entries(properties).flatMap(([name, field]) => {
    if (!isObject(field) || field['isSecret'] === true) return [];
    const value = sources.map((source) => field[source]).find((one) => one !== undefined && one !== null);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries) as JsonObject;
}

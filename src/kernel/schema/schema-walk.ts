// Walks schemas: the ones that are nested in another, and the names of all.
import type { JsonSchema } from './schema.ts';

/** The schema with another in the place of each that is directly nested in it. */
export function mapChildren(schema: JsonSchema, map: (child: JsonSchema) => JsonSchema): JsonSchema {
  const mapped: JsonSchema = { ...schema };
  if (schema.properties !== undefined) {
    mapped.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, child]) => [name, map(child)]),
    );
  }
  if (schema.items !== undefined && !Array.isArray(schema.items)) mapped.items = map(schema.items);
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const branches = schema[key];
    if (branches !== undefined) mapped[key] = branches.map(map);
  }
  if (typeof schema.additionalProperties === 'object') {
    mapped.additionalProperties = map(schema.additionalProperties);
  }
  if (schema.patternProperties !== undefined) {
    mapped.patternProperties = Object.fromEntries(
      Object.entries(schema.patternProperties).map(([pattern, child]) => [pattern, map(child)]),
    );
  }
  return mapped;
}

export function childrenOf(schema: JsonSchema): JsonSchema[] {
  const { properties = {}, patternProperties = {}, items, additionalProperties } = schema;
  return [
    ...Object.values(properties),
    ...(items === undefined || Array.isArray(items) ? [] : [items]),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...Object.values(patternProperties),
  ];
}

/** Schemas do not change, and are nested in many others: each is walked once. */
const knownIds = new WeakMap<JsonSchema, ReadonlySet<string>>();

/** The ids of the schema and of all that are nested in it. */
export function idsIn(schema: JsonSchema): ReadonlySet<string> {
  const known = knownIds.get(schema);
  if (known !== undefined) return known;
  const ids = new Set<string>(schema.$id === undefined ? [] : [schema.$id]);
  for (const child of childrenOf(schema)) for (const id of idsIn(child)) ids.add(id);
  knownIds.set(schema, ids);
  return ids;
}

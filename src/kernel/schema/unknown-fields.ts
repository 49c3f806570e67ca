// Finds members of a body that its schema does not name: a misspelled name is the most likely cause of an invalid body.
import { didYouMean } from '../text/did-you-mean.ts';
import type { JsonSchema } from './schema.ts';

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

// The fields of a schema as rows of a reference page: name, type in words, whether it is required, and what is in it.
import type { JsonSchema } from '../../schema/schema.ts';
import type { NamedSchemas } from '../schemas.ts';

export interface FieldRow {
  name: string;
  type: string;
  isRequired: boolean;
  description?: string;
  /** Of objects, of lists of them, and of unions. */
  fields: FieldRow[];
}

const MAX_DEPTH = 4;
const MAX_WORDS = 12;

/** Of an object, or of what the items of a list are. */
export function fieldsOf(schema: unknown, schemas: NamedSchemas, depth = 0): FieldRow[] {
  const { properties = {}, required = [], items, anyOf, oneOf, allOf } = resolve(schema, schemas);
  if (depth >= MAX_DEPTH) return [];
  if (items !== undefined && !Array.isArray(items)) return fieldsOf(items, schemas, depth);
  const own = Object.entries(properties).map(([name, property]) =>
    rowOf(name, property, required.includes(name), schemas, depth),
  );
  const variants = (anyOf ?? oneOf ?? []).filter((one) => typeOf(one, schemas) !== 'null');
  return [
    ...own,
    ...(allOf ?? []).flatMap((one) => fieldsOf(one, schemas, depth)),
    ...(variants.length === 1
      ? fieldsOf(variants[0], schemas, depth)
      : variantRows(variants, schemas, depth)),
  ];
}

/** One row for each kind of object that it may be, named by what tells them apart. */
function variantRows(variants: readonly JsonSchema[], schemas: NamedSchemas, depth: number): FieldRow[] {
  return variants.flatMap((variant, index) => {
    const fields = fieldsOf(variant, schemas, depth + 1);
    if (fields.length === 0) return [];
    return [
      {
        name: variantName(variant, schemas) ?? `form ${index + 1}`,
        type: 'object',
        isRequired: false,
        fields,
      },
    ];
  });
}

function variantName(variant: JsonSchema, schemas: NamedSchemas): string | undefined {
  const { properties = {} } = resolve(variant, schemas);
  const fixed = Object.entries(properties).find(([, { const: value }]) => typeof value === 'string');
  return fixed === undefined ? nameIn(variant) : String(fixed[1].const);
}

function rowOf(
  name: string,
  property: JsonSchema,
  isRequired: boolean,
  schemas: NamedSchemas,
  depth: number,
): FieldRow {
  const description = property.description ?? resolve(property, schemas).description;
  return {
    name,
    type: typeOf(property, schemas),
    isRequired: isRequired && resolve(property, schemas).default === undefined,
    ...(description !== undefined && { description }),
    fields: fieldsOf(property, schemas, depth + 1),
  };
}

/** `list of objects`, `"on" or "off"`, `string or null`. */
export function typeOf(schema: unknown, schemas: NamedSchemas, depth = 0): string {
  const { type, items, anyOf, oneOf, enum: words, const: fixed, properties } = resolve(schema, schemas);
  if (fixed !== undefined) return JSON.stringify(fixed);
  if (words !== undefined) return orOf(words.map((word) => JSON.stringify(word)));
  const variants = anyOf ?? oneOf;
  if (variants !== undefined && depth < MAX_DEPTH)
    return orOf([...new Set(variants.map((one) => typeOf(one, schemas, depth + 1)))]);
  if (Array.isArray(type)) return orOf(type);
  if (type === 'array') {
    const inner = items === undefined || Array.isArray(items) ? 'any' : typeOf(items, schemas, depth + 1);
    return `list of ${inner}`;
  }
  return type ?? (properties === undefined ? 'any' : 'object');
}

function orOf(words: readonly string[]): string {
  const shown = words.slice(0, MAX_WORDS);
  const rest = words.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(' or ');
}

const REFERENCE = '#/components/schemas/';

function nameIn({ $ref }: JsonSchema): string | undefined {
  return $ref?.startsWith(REFERENCE) === true ? $ref.slice(REFERENCE.length) : undefined;
}

function resolve(schema: unknown, schemas: NamedSchemas): JsonSchema {
  const given = (typeof schema === 'object' && schema !== null ? schema : {}) as JsonSchema;
  const name = nameIn(given);
  return name === undefined ? given : ((schemas.get(name) as JsonSchema | undefined) ?? {});
}

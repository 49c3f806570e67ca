// A JSON Schema of our OpenAPI documents as the text of a TypeScript type.
import type { JsonSchema } from '../src/kernel/schema/schema.ts';

export interface TypeWriting {
  /** How the schema of that name is referred to. */
  nameOf: (schema: string) => string;
  /** Puts the descriptions of members above them. */
  hasComments?: boolean;
}

export interface TypeMember {
  name: string;
  required: boolean;
  schema: JsonSchema;
}

export function typeOf(schema: JsonSchema, writing: TypeWriting): string {
  const { $ref, anyOf, oneOf, allOf, enum: values } = schema;
  const joined = (schemas: readonly JsonSchema[], by: ' | ' | ' & ') => {
    const types = schemas.map((one) => typeOf(one, writing));
    if (by === ' | ' && types.includes('unknown')) return 'unknown';
    // A text that is any text need not say which.
    const hasAnyText = by === ' | ' && types.includes('string');
    return `(${types.filter((type) => !hasAnyText || !type.startsWith('"')).join(by)})`;
  };
  if ($ref !== undefined) return writing.nameOf($ref.split('/').at(-1)!);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (values !== undefined) return `(${values.map((value) => JSON.stringify(value)).join(' | ')})`;
  const union = anyOf ?? oneOf;
  if (union !== undefined) return joined(union, ' | ');
  if (allOf !== undefined) return joined(allOf, ' & ');
  if (Array.isArray(schema.type))
    return joined(
      schema.type.map((type) => ({ ...schema, type })),
      ' | ',
    );
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema.items === undefined || Array.isArray(schema.items)
        ? 'unknown[]'
        : `${typeOf(schema.items, writing)}[]`;
    case 'object':
      return objectType(schema, writing);
    default:
      return 'unknown';
  }
}

function objectType(
  { properties, required = [], patternProperties, additionalProperties }: JsonSchema,
  writing: TypeWriting,
): string {
  if (properties === undefined) {
    const [member = additionalProperties] = Object.values(patternProperties ?? {});
    return `Record<string, ${typeof member === 'object' ? typeOf(member, writing) : 'unknown'}>`;
  }
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    schema,
  }));
  return members.length === 0 ? 'Record<string, never>' : membersOf(members, writing);
}

export function membersOf(members: readonly TypeMember[], writing: TypeWriting): string {
  const texts = members.map(({ name, required, schema }) => {
    const { description } = schema;
    const comment =
      writing.hasComments === true && description !== undefined
        ? `\n/** ${description.replaceAll('*/', '*\\/')} */\n`
        : '';
    return `${comment}${quote(name)}${required ? '' : '?'}: ${typeOf(schema, writing)}`;
  });
  return `{ ${texts.join('; ')} }`;
}

export function quote(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

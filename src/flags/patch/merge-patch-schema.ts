// Derives the schema of a resource's merge patches (RFC 7386) from the schema of its changeable fields.
import type { JsonSchema } from '../../kernel/schema/schema.ts';

/** Every member is optional, at every depth of objects; null unsets one that is optional in the resource. */
export function mergePatchOf(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'object') return schema;
  const { $id: _, required = [], properties, patternProperties, ...rest } = schema;
  const change = ([name, member]: [string, JsonSchema]): [string, JsonSchema] => {
    const patch = mergePatchOf(member);
    return [name, required.includes(name) ? patch : { anyOf: [patch, { type: 'null' }] }];
  };
  const changeAll = (members: Record<string, JsonSchema>) =>
    Object.fromEntries(Object.entries(members).map(change));
  return {
    ...rest,
    ...(properties !== undefined && { properties: changeAll(properties) }),
    ...(patternProperties !== undefined && { patternProperties: changeAll(patternProperties) }),
  };
}

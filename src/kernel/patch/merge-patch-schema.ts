// The schema of the merge patches (RFC 7386) of a resource, made from the schema of what may change.
import type { JsonSchema } from '../schema.ts';

/** Every member may be left out, at every depth of objects; one that the resource need not have may be unset by null. */
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

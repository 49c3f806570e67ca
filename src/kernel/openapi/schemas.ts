// Schemas as an OpenAPI document has them: those with a name stand once among the components, and are referred to.
import type { JsonSchema } from '../schema/schema.ts';

export type NamedSchemas = Map<string, unknown>;

/** What stands in place of the schema; it and those inside it that have a name are added to `schemas`. */
export function refer(schema: unknown, schemas: NamedSchemas): unknown {
  if (Array.isArray(schema)) return schema.map((item) => refer(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...rest } = schema as JsonSchema;
  if ($id !== undefined && schemas.has($id)) return refTo($id);
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, refer(value, schemas)]));
  if ($id === undefined) return inner;
  schemas.set($id, inner);
  return refTo($id);
}

export function refTo(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

// Makes the newest shape of a body from an older one, for examples: properties that the newest schema does not have are left out.

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: unknown;
  patternProperties?: unknown;
}

type Schemas = Record<string, unknown>;

/** What takes more than that stays as it is, and does not fit the schema. */
export function withoutRemoved(value: unknown, schema: unknown, schemas: Schemas): unknown {
  const { properties, items, additionalProperties, patternProperties } = describing(
    value,
    schema as Schema,
    schemas,
  );
  if (Array.isArray(value))
    return items === undefined ? value : value.map((item) => withoutRemoved(item, items, schemas));
  if (typeof value !== 'object' || value === null || properties === undefined) return value;
  const isOpen = typeof additionalProperties === 'object' || patternProperties !== undefined;
  const kept = Object.entries(value).filter(([name]) => isOpen || Object.hasOwn(properties, name));
  return Object.fromEntries(
    kept.map(([name, inner]) => [name, withoutRemoved(inner, properties[name] ?? {}, schemas)]),
  );
}

/** The schema itself, or the only alternative that has properties or items. */
function describing(value: unknown, schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref !== undefined)
    return describing(value, schemas[schema.$ref.split('/').at(-1)!] as Schema, schemas);
  const branches = (schema.anyOf ?? schema.oneOf ?? []).map((branch) => describing(value, branch, schemas));
  const fitting = branches.filter((branch) =>
    Array.isArray(value) ? branch.items !== undefined : branch.properties !== undefined,
  );
  return fitting.length === 1 ? fitting[0]! : schema;
}

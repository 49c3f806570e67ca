// The description of the patches that a resource takes: a schema for each kind of patch, under its media type.
import { Type, type JsonSchema, type TSchema } from '../../kernel/schema/schema.ts';
import type { DocumentedKind } from './instructions.ts';
import { SEMANTIC_PATCH } from './patch.ts';

interface DescribedPatches {
  /** Whether JSON patches (RFC 6902) are taken. */
  json?: true;
  /** What merge patches may change. */
  merge?: () => TSchema;
  /** The members that every merge patch must have, beside those that it changes. */
  mergeNeeds?: readonly string[];
  /** The instructions of semantic patches: the table that also checks them. */
  instructions?: ReadonlyMap<string, DocumentedKind>;
}

/**
 * The part of a route's shape that says which patches it takes. `name` begins the names of the schemas. Which kind of patch a
 * body is, and whether it is good, is found out when it is read, with an error that names the operation or instruction: the
 * schema of the body itself lets all through.
 */
export function takesPatches(name: string, { json, merge, mergeNeeds, instructions }: DescribedPatches) {
  const consumes = (): Record<string, TSchema> => {
    const plain = [...(json ? jsonPatches : []), ...(merge ? mergePatches(name, merge(), mergeNeeds) : [])];
    const semantic = instructions && semanticPatch(name, instructions);
    return {
      // Where only semantic patches are taken, the domain-model may be absent.
      'application/json': plain.length === 0 ? semantic! : Type.Unsafe({ anyOf: plain }),
      ...(semantic && { [SEMANTIC_PATCH]: semantic }),
    };
  };
  return { body: Type.Unknown(), consumes };
}

const comment = Type.Optional(
  Type.String({ description: 'Goes with the change to the audit log and to webhooks' }),
);

const JsonPatch = Type.Array(
  Type.Object(
    {
      op: Type.Unsafe<string>({
        type: 'string',
        enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'],
      }),
      path: Type.String({ description: 'A JSON pointer to the member' }),
      value: Type.Optional(Type.Unknown({ description: 'For add, replace and test' })),
      from: Type.Optional(Type.String({ description: 'A JSON pointer; for move and copy' })),
    },
    { $id: 'JsonPatchOperation' },
  ),
  { $id: 'JsonPatch', description: 'A JSON patch (RFC 6902)' },
);

const jsonPatches: TSchema[] = [
  JsonPatch,
  Type.Object({ comment, patch: JsonPatch }, { $id: 'JsonPatchWithComment' }),
];

function mergePatches(name: string, editable: TSchema, required?: readonly string[]): TSchema[] {
  const description = 'A merge patch (RFC 7386)';
  const patch = Type.Unsafe({
    ...mergePatchOf(editable as JsonSchema),
    ...(required && { required }),
    $id: `${name}MergePatch`,
    description,
  });
  return [patch, Type.Object({ comment, merge: patch }, { $id: `${name}MergePatchWithComment` })];
}

function semanticPatch(name: string, kinds: ReadonlyMap<string, DocumentedKind>): TSchema {
  return Type.Object(
    {
      comment,
      environmentKey: Type.Optional(
        Type.String({ description: 'Needed by instructions that work in one environment' }),
      ),
      instructions: Type.Array(anyInstruction(name, kinds), { minItems: 1 }),
    },
    { $id: `${name}SemanticPatch`, description: 'Instructions that are applied all or not at all' },
  );
}

/** One of them, told from the others by its kind. */
function anyInstruction(name: string, kinds: ReadonlyMap<string, DocumentedKind>): TSchema {
  const $id = `${name}Instruction`;
  const named = [...kinds].map(([kind, { schema }]) => ({ ...schema, $id: `${$id}.${kind}` }));
  const mapping = [...kinds.keys()].map((kind) => [kind, `#/components/schemas/${$id}.${kind}`] as const);
  return Type.Unsafe({
    $id,
    oneOf: named,
    discriminator: { propertyName: 'kind', mapping: Object.fromEntries(mapping) },
  });
}

/** Every member is optional, at every depth of objects; null unsets one that is optional in the resource. */
function mergePatchOf(schema: JsonSchema): JsonSchema {
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

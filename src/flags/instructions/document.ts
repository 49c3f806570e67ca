// The description of semantic patches: every kind with its parameters, from the table that also checks them.
import type { PatchKind } from '../patch-body.ts';
import { Type, type TSchema } from '../../kernel/schema.ts';
import { PatchBody } from '../resource-patch.ts';
import type { DocumentedKind } from './kinds.ts';

/** For a reader: a line for each kind, a question mark after what may be left out. */
export function listKinds(kinds: Iterable<readonly [string, DocumentedKind]>): string {
  return [...kinds].map(([name, kind]) => `- ${tellKind(name, kind)}`).join('\n');
}

function tellKind(name: string, { summary, schema }: DocumentedKind): string {
  const required = new Set(schema.required as readonly string[]);
  const parameters = Object.keys(schema.properties)
    .filter((parameter) => parameter !== 'kind')
    .map((parameter) => `\`${parameter}\`${required.has(parameter) ? '' : '?'}`);
  return `\`${name}\`${parameters.length === 0 ? '' : ` (${parameters.join(', ')})`}: ${summary}.`;
}

const SEMANTIC_PATCH = 'application/json; domain-model=flagservice.semanticpatch';

/**
 * The part of a route's shape that says it takes instructions. Which of the patch kinds a body is, and whether it is good, is
 * found out when it is read, with an error that names the instruction: the schema of the body itself lets all through.
 */
export function takesInstructions(patchKinds: readonly PatchKind[], kinds: Iterable<DocumentedKind>) {
  const consumes: Record<string, TSchema> = {
    [SEMANTIC_PATCH]: Type.Object({
      comment: Type.Optional(Type.String()),
      environmentKey: Type.Optional(Type.String()),
      instructions: Type.Array(Type.Union([...kinds].map(({ schema }) => schema)), { minItems: 1 }),
    }),
  };
  return { body: PatchBody(patchKinds), consumes };
}

// Generates the description of semantic patches from the table of kinds that also checks them.
import type { PatchKind } from '../patch-body.ts';
import { Type, type TSchema } from '../../kernel/schema.ts';
import { PatchBody } from '../resource-patch.ts';
import type { DocumentedKind } from './kinds.ts';

/** One line for each kind in Markdown; optional parameters have a question mark. */
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
 * The body and the content types of a route that takes instructions. The schema of the body accepts anything: the body is
 * checked when it is read, with an error that names the instruction.
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

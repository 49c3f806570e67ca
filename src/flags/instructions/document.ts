// The description of semantic patches: every kind with its parameters, from the table that also checks them.
import type { PatchKind } from '../../kernel/patch/read.ts';
import { Type } from '../../kernel/schema.ts';
import { PatchBody } from '../patching.ts';
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

/**
 * The body of a route that takes instructions. Which of the patch kinds a body is, and whether it is good, is found out when
 * it is read, with an error that names the instruction; so the schemas of the instructions stand where no check looks.
 */
export function InstructionBody(patchKinds: readonly PatchKind[], kinds: Iterable<DocumentedKind>) {
  return Type.Unknown({
    ...PatchBody(patchKinds),
    'x-instructions': [...kinds].map(({ schema }) => schema),
  });
}

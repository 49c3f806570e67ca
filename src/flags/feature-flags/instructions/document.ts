// The description of the semantic patch of flags: every kind with its parameters, from the table that also applies them.
import type { PatchKind } from '../../../kernel/patch/read.ts';
import { Type, type TObject } from '../../../kernel/schema.ts';
import { PatchBody } from '../../patching.ts';
import { flagKinds } from './table.ts';

interface Documented {
  summary: string;
  schema: TObject;
}

/** For a reader: a line for each kind, a question mark after what may be left out. */
export function listKinds(kinds: Iterable<readonly [string, Documented]>): string {
  return [...kinds].map(([name, kind]) => `- ${tellKind(name, kind)}`).join('\n');
}

function tellKind(name: string, { summary, schema }: Documented): string {
  const required = new Set(schema.required as readonly string[]);
  const parameters = Object.keys(schema.properties)
    .filter((parameter) => parameter !== 'kind')
    .map((parameter) => `\`${parameter}\`${required.has(parameter) ? '' : '?'}`);
  return `\`${name}\`${parameters.length === 0 ? '' : ` (${parameters.join(', ')})`}: ${summary}.`;
}

const ofLevel = (wanted: string) => [...flagKinds].filter(([, { level }]) => level === wanted);

/** For the description of the route that patches a flag. */
export const flagKindsText = [
  'Instructions of a semantic patch that need an `environmentKey`:',
  listKinds(ofLevel('environment')),
  'Instructions that work in all environments at once:',
  listKinds(ofLevel('flag')),
].join('\n\n');

/**
 * The body of a route that takes instructions. Which of the patch kinds a body is, and whether it is good, is found out when
 * it is read, with an error that names the instruction; so the schemas of the instructions stand where no check looks.
 */
export function InstructionBody(patchKinds: readonly PatchKind[], kinds: Iterable<Documented>) {
  return Type.Unknown({
    ...PatchBody(patchKinds),
    'x-instructions': [...kinds].map(({ schema }) => schema),
  });
}

export const FlagPatchBody = InstructionBody(['json', 'merge', 'semantic'], flagKinds.values());

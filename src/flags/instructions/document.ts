// The kinds of instructions as a list for readers, from the table that also checks them.
import type { DocumentedKind } from './kinds.ts';

/** One line for each kind in Markdown; optional parameters have a question mark. */
export function listKinds(kinds: Iterable<readonly [string, DocumentedKind]>): string {
  return [...kinds].map(([name, kind]) => `- ${describeKind(name, kind)}`).join('\n');
}

function describeKind(name: string, { summary, schema }: DocumentedKind): string {
  const required = new Set(schema.required as readonly string[]);
  const parameters = Object.keys(schema.properties)
    .filter((parameter) => parameter !== 'kind')
    .map((parameter) => `\`${parameter}\`${required.has(parameter) ? '' : '?'}`);
  return `\`${name}\`${parameters.length === 0 ? '' : ` (${parameters.join(', ')})`}: ${summary}.`;
}

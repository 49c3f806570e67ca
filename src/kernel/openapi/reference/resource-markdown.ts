// The same page as Markdown, for programs that read and for people who copy.
import { mapInSlices } from '../../yield-to-event-loop.ts';
import { fencedText } from '../docs-markdown.ts';
import type { Examples } from '../examples.ts';
import type { FieldRow } from './fields.ts';
import { viewOperation, type OperationView, type ViewContext } from './operation-view.ts';
import { shapesIn, type DocsResource } from './resources.ts';
import { curlOf } from './samples.ts';

export async function resourceMarkdown(
  resource: DocsResource,
  context: ViewContext,
  examples: Examples,
): Promise<string> {
  const parts = await mapInSlices(shapesIn(resource, context.version), (shape) =>
    operationText(viewOperation(shape, context, examples[shape.id])),
  );
  const { title } = context.api.protocol;
  return [
    `# ${resource.name} · ${title}`,
    ...(resource.description === '' ? [] : [`${resource.description}.`]),
    ...parts,
  ]
    .join('\n\n')
    .concat('\n');
}

function operationText(view: OperationView): string {
  const { method, path, summary, description, permission, limit, parameters, bodies, replies, errors } = view;
  const example = replies.find((reply) => reply.example !== undefined);
  return [
    `## ${summary}`,
    `\`${method} ${path}\``,
    ...(description === undefined ? [] : [description]),
    [`- Permission: ${permission}`, ...(limit === undefined ? [] : [`- Limit: ${limit}`])].join('\n'),
    ...listPart('Parameters', parameters),
    ...bodies.flatMap(({ type, fields }) => listPart(`Body (${type})`, fields)),
    ...replies.flatMap(({ status, fields }) => listPart(`Reply ${status}`, fields)),
    ['### Errors', errors.map(({ status, cause, cure }) => `- ${status}: ${cause} ${cure}`).join('\n')].join(
      '\n\n',
    ),
    fencedText(curlOf(view.sample), 'sh'),
    ...(example === undefined ? [] : [fencedText(JSON.stringify(example.example, undefined, 2), 'json')]),
  ].join('\n\n');
}

function listPart(title: string, fields: readonly FieldRow[]): string[] {
  return fields.length === 0 ? [] : [`### ${title}`, rowsOf(fields, '')];
}

function rowsOf(fields: readonly FieldRow[], indent: string): string {
  return fields
    .map(({ name, type, isRequired, description, fields: inner }) => {
      const words = description === undefined ? '' : `: ${description}`;
      const row = `${indent}- \`${name}\` (${type}${isRequired ? ', required' : ''})${words}`;
      return inner.length === 0 ? row : `${row}\n${rowsOf(inner, `${indent}  `)}`;
    })
    .join('\n');
}

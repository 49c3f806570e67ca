// Looks for what would mislead the readers of the documents in docs/openapi: generators, agents and people.
import { readdirSync, readFileSync } from 'node:fs';
import type { OpenApiDocument } from '../src/kernel/openapi/document.ts';
import { WITHOUT_EXAMPLE } from './openapi-no-example.ts';
import { bodiesOf, operationsOf, problemWith, type PlacedOperation } from './openapi-operations.ts';

/** A token or a key of an environment that is none of the constants. */
const SECRET = /\b(api|sdk|mob)-(?!00000000-)[\w-]{16,}/;

type Report = (message: string) => void;

/** Sentences, each with the operation or the place that it is about. */
export function lintDocument(document: OpenApiDocument): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const placed of operationsOf(document)) {
    const { operationId } = placed.operation;
    const report: Report = (message) => problems.push(`${operationId}: ${message}`);
    if (seen.has(operationId)) report('the operationId is not unique');
    seen.add(operationId);
    lintOperation(placed, document, report);
    lintParameters(placed, report);
    lintExamples(placed, document, report);
  }
  lintSchemas(document, (message) => problems.push(message));
  return problems;
}

function lintOperation({ operation }: PlacedOperation, document: OpenApiDocument, report: Report): void {
  const { tags = [], summary, security = [], responses } = operation;
  const known = new Set(document.tags.map(({ name }) => name));
  if (tags.length === 0) report('has no tag');
  for (const tag of tags) if (!known.has(tag)) report(`has the tag "${tag}", which is not described`);
  if (!summary) report('has no summary');
  if (security.length === 0) report('does not say how to authenticate');
  for (const scheme of security.flatMap((one) => Object.keys(one)))
    if (!Object.hasOwn(document.components.securitySchemes, scheme)) report(`has no scheme "${scheme}"`);
  const statuses = Object.keys(responses);
  if (!statuses.some((status) => /^2|^302$/.test(status))) report('has no good response');
  if (!statuses.some((status) => /^[45]/.test(status))) report('has no error response');
}

function lintParameters({ path, operation: { parameters } }: PlacedOperation, report: Report): void {
  const declared = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
  const written = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  for (const name of written) if (!declared.includes(name)) report(`does not declare {${name}}`);
  for (const name of declared) if (!written.includes(name)) report(`declares {${name}}, which is not there`);
  for (const { name, required, schema } of parameters)
    if (required && schema.default !== undefined) report(`requires "${name}", which has a default`);
}

function lintExamples({ operation }: PlacedOperation, document: OpenApiDocument, report: Report): void {
  const bodies = bodiesOf(operation);
  for (const { where, media } of bodies) {
    if (Object.keys(media.schema ?? {}).length === 0) report(`says nothing of ${where}`);
    if (media.example === undefined) continue;
    if (SECRET.test(JSON.stringify(media.example))) report(`may have a secret in the example for ${where}`);
    const problem = problemWith(media.example, media.schema, document);
    if (problem !== undefined) report(`has a wrong example for ${where}: ${problem}`);
  }
  const original = operation['x-alias-of'];
  if (original !== undefined) {
    const isThere = operationsOf(document).some((other) => other.operation.operationId === original);
    return isThere ? undefined : report(`is an alias of ${original}, which is not there`);
  }
  const isExcused = Object.hasOwn(WITHOUT_EXAMPLE, operation.operationId);
  const lacks = (kind: RegExp) => {
    const some = bodies.filter(({ where }) => kind.test(where));
    return some.length > 0 && some.every(({ media }) => media.example === undefined);
  };
  const needsRequest = operation.requestBody?.required === true;
  if (!isExcused && needsRequest && lacks(/^request /)) report('has no example of a request');
  if (!isExcused && lacks(/^2/)) report('has no example of a reply');
  if (isExcused && !lacks(/^request /) && !lacks(/^2/)) report('has examples, and is excused from them');
}

/** References and discriminators must lead somewhere; a schema that says nothing must have words instead. */
function lintSchemas(document: OpenApiDocument, report: Report): void {
  const exists = (ref: string) => {
    const [, ...steps] = ref.split('/');
    return (
      steps.reduce<unknown>(
        (found, step) => (found as Record<string, unknown> | undefined)?.[step],
        document,
      ) !== undefined
    );
  };
  const walk = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref, discriminator } = value as { $ref?: unknown; discriminator?: Discriminator };
    if (typeof $ref === 'string' && !exists($ref)) report(`${place}: ${$ref} leads nowhere`);
    for (const ref of Object.values(discriminator?.mapping ?? {}))
      if (!exists(ref)) report(`${place}: the discriminator leads to ${ref}, which is not there`);
    for (const [name, inner] of Object.entries(value))
      if (name !== 'example') walk(inner, `${place}/${name}`);
  };
  walk(document, '');
}

interface Discriminator {
  mapping?: Record<string, string>;
}

if (import.meta.main) {
  const folder = new URL('../docs/openapi/', import.meta.url);
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const document = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as OpenApiDocument;
    const problems = lintDocument(document);
    console.log(`${name}: ${problems.length} problems`);
    for (const problem of problems) console.error(`  ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}

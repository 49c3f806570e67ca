// Writes a typed client from an OpenAPI document: a type for each schema, and a function for each operation.
// npm run openapi:client -- docs/openapi/flags.20240415.json client.ts
import { readFileSync, writeFileSync } from 'node:fs';
import type { OpenApiDocument } from '../src/kernel/openapi/document.ts';
import type { JsonSchema } from '../src/kernel/schema/schema.ts';
import { operationsOf, type PlacedOperation } from './openapi-operations.ts';
import { membersOf, quote, typeOf, type TypeWriting } from './schema-type.ts';

const WRITING: TypeWriting = { nameOf: (schema) => `Schemas['${schema}']` };

export function generateClient(document: OpenApiDocument): string {
  const { info, components } = document;
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `  ${quote(name)}: ${typeOf(schema as JsonSchema, WRITING)};`,
  );
  const operations = operationsOf(document);
  const errorSchema = operations[0]!.operation.responses['default']!.content!['application/json']!.schema;
  return [
    `// A client of ${info.title}, version ${info.version}; made from its OpenAPI document.`,
    'export interface Schemas {',
    ...schemas,
    '}',
    RUNTIME.replace('ERROR_BODY', typeOf(errorSchema, WRITING)),
    'export function createClient(connection: Connection) {',
    '  return {',
    ...operations.map(functionOf),
    '  };',
    '}',
    '',
  ].join('\n');
}

/** What every client has: how a call is made. */
const RUNTIME = `
export interface Connection {
  /** The server and the prefix of the API, without a slash at the end. */
  url: string;
  token?: string;
}
export type ErrorBody = ERROR_BODY;
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  constructor(status: number, body: ErrorBody) {
    super(\`The call was answered with \${status}\`);
    this.status = status;
    this.body = body;
  }
}
interface Input { path?: object; query?: object | undefined; type?: string; body?: unknown; headers?: Record<string, string> }
async function call<Reply>(to: Connection, method: string, path: string, input: Input): Promise<Reply> {
  const filled = path.replace(/\\{(\\w+)\\}/g, (_all, name: string) =>
    encodeURIComponent(String((input.path as Record<string, unknown>)[name])));
  const url = new URL(to.url + filled);
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const isJson = typeof input.body !== 'string' && !(input.body instanceof FormData);
  const response = await fetch(url, {
    method,
    headers: {
      ...(to.token !== undefined && { authorization: \`Bearer \${to.token}\` }),
      ...(input.body !== undefined && isJson && { 'content-type': input.type ?? 'application/json' }),
      ...input.headers,
    },
    ...(input.body !== undefined && { body: isJson ? JSON.stringify(input.body) : (input.body as string) }),
  });
  const text = await response.text();
  const isJsonReply = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = text !== '' && isJsonReply ? JSON.parse(text) : text === '' ? undefined : text;
  if (!response.ok) throw new ApiError(response.status, body as ErrorBody);
  return body as Reply;
}
`;

function functionOf({ path, method, operation }: PlacedOperation): string {
  const { operationId, summary, parameters, requestBody, responses } = operation;
  const inPath = parameters.filter((one) => one.in === 'path');
  const inQuery = parameters.filter((one) => one.in === 'query');
  const isBodyNeeded = requestBody?.required === true;
  const parts = [
    ...(inPath.length > 0 ? [`path: ${membersOf(inPath, WRITING)}`] : []),
    ...(inQuery.length > 0
      ? [`query${inQuery.some(isRequired) ? '' : '?'}: ${membersOf(inQuery, WRITING)}`]
      : []),
    'headers?: Record<string, string>',
  ];
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, media]) => {
    const isImplied = !type.includes(';');
    const body = type.startsWith('multipart/') ? 'FormData' : typeOf(media.schema, WRITING);
    return `{ type${isImplied ? '?' : ''}: '${type}'; body${isBodyNeeded ? '' : '?'}: ${body} }`;
  });
  const input = [`{ ${parts.join('; ')} }`, ...(bodies.length > 0 ? [`(${bodies.join(' | ')})`] : [])];
  const isOptional = inPath.length === 0 && !inQuery.some(isRequired) && !isBodyNeeded;
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const replies = good.map(([, { content }]) => {
    const [media] = Object.values(content ?? {});
    return media === undefined ? 'undefined' : typeOf(media.schema, WRITING);
  });
  const reply = [...new Set(replies)].join(' | ');
  return [
    `    /** ${summary}. */`,
    `    ${camel(operationId)}: (input: ${input.join(' & ')}${isOptional ? ' = {}' : ''}) =>`,
    `      call<${reply}>(connection, '${method.toUpperCase()}', '${path}', input),`,
  ].join('\n');
}

const isRequired = ({ required }: { required: boolean }) => required;

function camel(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_]+(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

if (import.meta.main) {
  const [from, to] = process.argv.slice(2);
  if (from === undefined || to === undefined) {
    console.error('Usage: npm run openapi:client -- DOCUMENT FILE');
    process.exit(2);
  }
  writeFileSync(to, generateClient(JSON.parse(readFileSync(from, 'utf8')) as OpenApiDocument));
}

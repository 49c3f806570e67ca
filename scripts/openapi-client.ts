// Writes a typed client from an OpenAPI document: a type for each schema, and a function for each operation.
// npm run openapi:client -- docs/openapi/flags.20240415.json client.ts
import { readFileSync, writeFileSync } from 'node:fs';
import type { OpenApiDocument } from '../src/kernel/openapi/document.ts';
import type { JsonSchema } from '../src/kernel/schema/schema.ts';
import { operationsOf, type PlacedOperation } from './openapi-operations.ts';

export function generateClient(document: OpenApiDocument): string {
  const { info, components } = document;
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `  ${quote(name)}: ${typeOf(schema as JsonSchema)};`,
  );
  const operations = operationsOf(document);
  const errorSchema = operations[0]!.operation.responses['default']!.content!['application/json']!.schema;
  return [
    `// A client of ${info.title}, version ${info.version}; made from its OpenAPI document.`,
    'export interface Schemas {',
    ...schemas,
    '}',
    RUNTIME.replace('ERROR_BODY', typeOf(errorSchema)),
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
    ...(inPath.length > 0 ? [`path: ${membersOf(inPath)}`] : []),
    ...(inQuery.length > 0 ? [`query${inQuery.some(isRequired) ? '' : '?'}: ${membersOf(inQuery)}`] : []),
    'headers?: Record<string, string>',
  ];
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, media]) => {
    const isImplied = !type.includes(';');
    const body = type.startsWith('multipart/') ? 'FormData' : typeOf(media.schema);
    return `{ type${isImplied ? '?' : ''}: '${type}'; body${isBodyNeeded ? '' : '?'}: ${body} }`;
  });
  const input = [`{ ${parts.join('; ')} }`, ...(bodies.length > 0 ? [`(${bodies.join(' | ')})`] : [])];
  const isOptional = inPath.length === 0 && !inQuery.some(isRequired) && !isBodyNeeded;
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const replies = good.map(([, { content }]) => {
    const [media] = Object.values(content ?? {});
    return media === undefined ? 'undefined' : typeOf(media.schema);
  });
  const reply = [...new Set(replies)].join(' | ');
  return [
    `    /** ${summary}. */`,
    `    ${camel(operationId)}: (input: ${input.join(' & ')}${isOptional ? ' = {}' : ''}) =>`,
    `      call<${reply}>(connection, '${method.toUpperCase()}', '${path}', input),`,
  ].join('\n');
}

interface Member {
  name: string;
  required: boolean;
  schema: JsonSchema;
}

const isRequired = ({ required }: { required: boolean }) => required;

function membersOf(members: readonly Member[]): string {
  const texts = members.map(
    ({ name, required, schema }) => `${quote(name)}${required ? '' : '?'}: ${typeOf(schema)}`,
  );
  return `{ ${texts.join('; ')} }`;
}

function typeOf(schema: JsonSchema): string {
  const { $ref, anyOf, oneOf, allOf, enum: values } = schema;
  if ($ref !== undefined) return `Schemas['${$ref.split('/').at(-1)!}']`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const union = anyOf ?? oneOf;
  if (union !== undefined) return `(${union.map(typeOf).join(' | ')})`;
  if (allOf !== undefined) return `(${allOf.map(typeOf).join(' & ')})`;
  if (Array.isArray(schema.type))
    return `(${schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')})`;
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema.items === undefined || Array.isArray(schema.items)
        ? 'unknown[]'
        : `${typeOf(schema.items)}[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType({
  properties,
  required = [],
  patternProperties,
  additionalProperties,
}: JsonSchema): string {
  if (properties === undefined) {
    const [member = additionalProperties] = Object.values(patternProperties ?? {});
    return `Record<string, ${typeof member === 'object' ? typeOf(member) : 'unknown'}>`;
  }
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    schema,
  }));
  return members.length === 0 ? 'Record<string, never>' : membersOf(members);
}

function quote(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

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

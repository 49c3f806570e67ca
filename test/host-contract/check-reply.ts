// Checks JSON replies of the host against the public description of the API that its clients know, in the version that answered.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { problemsWith, type Shape } from './check-shape.ts';
import { INSTEAD, NOT_DESCRIBED, NOT_REQUIRED, NULL_PROPERTIES, RIGHT_SHAPES } from './exceptions.ts';
import { Operations } from './find-operation.ts';
import { checkHtmlUrls } from '../site-links.ts';
import { removedNamesIn } from './removed-names.ts';

/** By status, then by content type. */
type Replies = Record<string, Record<string, Shape>>;

interface ShapesOfVersion {
  operations: Record<string, Replies>;
  schemas: Record<string, Shape>;
}

interface HostShapes extends ShapesOfVersion {
  changed: Record<string, ShapesOfVersion>;
}

export interface HostReply {
  method: string;
  /** With the query, as it was called. */
  path: string;
  status: number;
  header(name: string): string | undefined | null;
  text: string;
}

let loaded: { shapes: HostShapes; operations: Operations } | undefined;

function load() {
  if (loaded !== undefined) return loaded;
  const text = readFileSync(new URL('shapes.json', import.meta.url), 'utf8');
  const shapes = JSON.parse(text) as HostShapes;
  const operations = new Operations([...Object.keys(shapes.operations), ...Object.keys(NOT_DESCRIBED)]);
  return (loaded = { shapes, operations });
}

/** Throws where a reply of the host is not as clients expect it. Replies of others, and those without JSON, are not looked at. */
export function checkHostReply({ method, path, status, header, text }: HostReply): void {
  const version = header('x-github-api-version-selected');
  const type = header('content-type') ?? '';
  if (version == null || text === '' || !/^application\/json(?:;|$)/.test(type)) return;
  const { shapes, operations } = load();
  const operation = operations.find(method, path);
  const told = `${method} ${path} (${status}, ${version})`;
  if (operation === undefined) {
    assert.ok(status >= 400, `${told}: the operation is not described; see test/host-contract/exceptions.ts`);
    return;
  }
  if (Object.hasOwn(NOT_DESCRIBED, operation)) return;
  const body = JSON.parse(text) as unknown;
  const media = header('x-github-media-type') ?? '';
  const shape = shapeOf(shapes, { operation, version, status, media });
  assert.ok(shape !== undefined, `${told}: the status is not described`);
  if (shape !== 'any') {
    const problems = problemsWith(body, shape, (name) => namedShape(shapes, version, name));
    assert.deepEqual(problems, [], `${told}: ${problems.slice(0, 10).join('; ')}`);
  }
  if (version >= '2026-03-10') {
    const removed = removedNamesIn(operation, body);
    assert.deepEqual(removed, [], `${told} has what the version removed: ${removed.join(', ')}`);
  }
}

interface ReplyFacts {
  operation: string;
  version: string;
  status: number;
  media: string;
}

/** Undefined for a success that is not described; an error that is not described has the usual shape of errors. */
function shapeOf(
  shapes: HostShapes,
  { operation, version, status, media }: ReplyFacts,
): Shape | 'any' | undefined {
  // The oldest shapes, which no description has.
  if (/^\w+\.beta\b/.test(media)) return 'any';
  if (status < 300 && Object.hasOwn(RIGHT_SHAPES, operation)) return RIGHT_SHAPES[operation]!.shape;
  const replies = shapes.changed[version]?.operations[operation] ?? shapes.operations[operation]!;
  const byType = replies[status];
  if (byType === undefined) return status >= 300 ? { $ref: 'basic-error' } : undefined;
  const [, param] = /param=([\w-]+)/.exec(media) ?? [];
  const own = Object.entries(byType).find(([type]) => param !== undefined && type.includes(`.${param}`));
  return own?.[1] ?? byType['application/json'] ?? 'any';
}

function namedShape(shapes: HostShapes, version: string, asked: string): Shape {
  const name = INSTEAD[asked]?.shape ?? asked;
  const described = shapes.changed[version]?.schemas[name] ?? shapes.schemas[name]!;
  const nullable = NULL_PROPERTIES[name]?.properties ?? [];
  const shape = nullable.reduce((all, one) => withNull(all, one.split('.')), described);
  const exception = NOT_REQUIRED[name];
  if (exception === undefined || shape.required === undefined) return shape;
  return { ...shape, required: shape.required.filter((one) => !exception.properties.includes(one)) };
}

/** With null for the property that the names lead to. */
function withNull(shape: Shape, [name, ...inner]: string[]): Shape {
  if (name === undefined) return { anyOf: [shape, { type: 'null' }] };
  return { ...shape, properties: { ...shape.properties, [name]: withNull(shape.properties![name]!, inner) } };
}

/** A `fetch` for clients, which checks what it gets. */
export const checkingFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const response = await fetch(request);
  const { pathname, search } = new URL(request.url);
  const text = await response.clone().text();
  checkHostReply({
    method: request.method,
    path: pathname + search,
    status: response.status,
    header: (name) => response.headers.get(name),
    text,
  });
  checkHtmlUrls(request.url, { version: response.headers.get('x-github-api-version-selected'), text });
  return response;
};

// Extracts the shapes of the code host's replies from the package @octokit/openapi, for the checks of the host's tests.
// The package is too large to depend on: `npm pack @octokit/openapi@23.0.2`, unpack it, and give its folder.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Json = Record<string, unknown>;
type Replies = Record<string, Record<string, unknown>>;

interface Shapes {
  operations: Record<string, Replies>;
  schemas: Record<string, unknown>;
}

const NEW = '2026-03-10';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The categories of operations that the host has or will have. */
const CATEGORIES = new Set([
  'activity',
  'apps',
  'branches',
  'code-scanning',
  'collaborators',
  'commits',
  'deploy-keys',
  'emojis',
  'gists',
  'git',
  'gitignore',
  'issues',
  'licenses',
  'markdown',
  'meta',
  'orgs',
  'pulls',
  'rate-limit',
  'reactions',
  'releases',
  'repos',
  'search',
  'teams',
  'users',
]);

/** Of the editions with more operations, only these. */
const MORE =
  /^\/(?:organizations\/\{organization_id\}\/custom_roles|orgs\/\{org\}\/custom-repository-roles|admin\/organizations)/;

/** What a check uses. */
const KEYWORDS = new Set([
  '$ref',
  'additionalProperties',
  'allOf',
  'anyOf',
  'enum',
  'items',
  'oneOf',
  'properties',
  'required',
  'type',
]);

const folder = process.argv[2];
if (folder === undefined) throw new Error('Give the folder of the unpacked package @octokit/openapi.');

const target = new URL('../test/host-contract/shapes.json', import.meta.url);
const documents = ['api.github.com', 'ghec', 'ghes-3.19'].map((name) => readJson(`generated/${name}.json`));
const { version, license } = readJson('package.json');
const old = shapesOf(documents);
const young = shapesOf(documents.map((document) => applyChanges(document) as Json));
const source = `@octokit/openapi ${String(version)}, ${String(license)}; names, types and enumerations only`;
writeFileSync(
  target,
  `{"source":${JSON.stringify(source)},\n"operations":${lines(old.operations)},\n"schemas":${lines(old.schemas)},\n"changed":{"${NEW}":{"operations":${lines(changed(old.operations, young.operations))},\n"schemas":${lines(changed(old.schemas, young.schemas))}}}}\n`,
);

function readJson(name: string): Json {
  return JSON.parse(readFileSync(join(folder!, name), 'utf8')) as Json;
}

/** One line for each entry, so that a diff shows what changed. */
function lines(entries: Record<string, unknown>): string {
  const sorted = Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{\n${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',\n')}}`;
}

function changed(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}

function shapesOf([main, ...others]: Json[]): Shapes {
  const shapes: Shapes = { operations: {}, schemas: {} };
  collect(main!, shapes, (_path, category) => CATEGORIES.has(category));
  for (const other of others) collect(other, shapes, (path) => MORE.test(path));
  return shapes;
}

function collect(
  document: Json,
  { operations, schemas }: Shapes,
  isWanted: (path: string, category: string) => boolean,
): void {
  const components = document['components'] as Record<string, Json>;
  const take = (schema: unknown): unknown => {
    const simple = simplify(schema);
    visit(simple, (name) => {
      if (Object.hasOwn(schemas, name)) return;
      schemas[name] = null;
      schemas[name] = take(components['schemas']![name]);
    });
    return simple;
  };
  for (const [path, methods] of Object.entries(document['paths'] as Record<string, Json>)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { responses, ...rest } = operation as { responses: Record<string, Json> };
      const { category } = (rest as { 'x-github'?: { category: string } })['x-github'] ?? {};
      if (!METHODS.includes(method) || !isWanted(path, category ?? '')) continue;
      const replies: Replies = {};
      for (const [status, given] of Object.entries(responses)) {
        const response = followed(given, components);
        const content = (response['content'] ?? {}) as Record<string, Json>;
        replies[status] = Object.fromEntries(
          Object.entries(content)
            .filter(([type]) => /json|github/.test(type))
            .map(([type, { schema }]) => [type, take(schema)]),
        );
      }
      operations[`${method.toUpperCase()} ${path}`] = replies;
    }
  }
}

function followed(response: Json, components: Record<string, Json>): Json {
  const { $ref } = response;
  return typeof $ref === 'string' ? (components['responses']![$ref.split('/').at(-1)!] as Json) : response;
}

/** Calls with the names of all schemas that it refers to. */
function visit(schema: unknown, use: (name: string) => void): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$ref' && typeof value === 'string') use(value);
    else visit(value, use);
  }
}

/** Without words and examples, with `null` among the types, and references by name alone. */
function simplify(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = schema as Json;
  const simple: Json = {};
  for (const [key, value] of Object.entries(rest)) {
    if (!KEYWORDS.has(key)) continue;
    if (key === '$ref') simple[key] = (value as string).split('/').at(-1)!;
    else if (key === 'properties') simple[key] = mapValues(value as Json, simplify);
    else if (key === 'items' || key === 'additionalProperties') simple[key] = simplify(value);
    else if (key.endsWith('Of')) simple[key] = (value as unknown[]).map(simplify);
    else simple[key] = value;
  }
  if (nullable !== true) return simple;
  const { type, enum: words } = simple;
  if (typeof type !== 'string') return { anyOf: [simple, { type: 'null' }] };
  return {
    ...simple,
    type: [type, 'null'],
    ...(Array.isArray(words) && { enum: [...new Set([...words, null])] }),
  };
}

/** With all changes of the new version applied, each where it stands. */
function applyChanges(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(applyChanges);
  if (typeof value !== 'object' || value === null) return value;
  const { 'x-github-breaking-changes': changes = [], ...rest } = value as Json;
  const inner = mapValues(rest, applyChanges);
  return (changes as { version: string; patch: unknown }[])
    .filter((change) => change.version === NEW)
    .reduce<unknown>(
      (shape, { patch }) => (Array.isArray(patch) ? patchByPointers(shape, patch) : merge(shape, patch)),
      inner,
    );
}

/** RFC 7396. */
function merge(shape: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Json =
    typeof shape === 'object' && shape !== null && !Array.isArray(shape) ? { ...shape } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

/** The three operations of RFC 6902 that occur. */
function patchByPointers(shape: unknown, steps: { op: string; path: string; value?: unknown }[]): unknown {
  const copy = structuredClone(shape);
  for (const { op, path, value } of steps) {
    const words = path
      .split('/')
      .slice(1)
      .map((word) => word.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = words.pop()!;
    const parent = words.reduce<unknown>((at, word) => (at as Json | undefined)?.[word], copy) as
      | Json
      | undefined;
    if (parent === undefined) throw new Error(`There is nothing at ${path}`);
    if (op === 'remove' && Array.isArray(parent)) parent.splice(Number(last), 1);
    else if (op === 'remove') delete parent[last];
    else if (op === 'add' && Array.isArray(parent))
      parent.splice(last === '-' ? parent.length : Number(last), 0, value);
    else if (op === 'add' || op === 'replace') parent[last] = value;
    else throw new Error(`The operation ${op} is not known`);
  }
  return copy;
}

function mapValues(record: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

// Dated versions: handlers know only the newest; requests are converted up to it and replies down, one change at a time.
import type { RouteShape } from './route.ts';
import type { JsonSchema, Static, TSchema } from './schema.ts';
import { branchesOf, nameOfBranch, distinguish } from './union.ts';

/** One breaking change: the schema of a resource since `version`, the schema before, and the conversions. */
export interface VersionChange {
  version: string;
  title: string;
  schema: TSchema;
  before: TSchema;
  down?: (value: never) => unknown;
  up?: (value: never) => unknown;
  /** The variant of older versions that has the shape from before; absent, all of them have it. */
  only?: string;
}

/** Both schemas have the same `$id`: a change is about a resource wherever it is nested, not about a URL. */
export function change<New extends TSchema, Old extends TSchema>(declared: {
  version: string;
  title: string;
  schema: New;
  before: Old;
  /** Makes the old shape of a reply from the new one. */
  down?: (value: Static<New>) => Static<Old>;
  /** Makes the new shape of a request from the old one. */
  up?: (value: Static<Old>) => Static<New>;
  /** Only calls of an older version that ask for this variant get the old shape. Such a change is the last of its resource. */
  only?: string;
}): VersionChange {
  const id = idOf(declared.schema);
  if (id === undefined || id !== idOf(declared.before)) {
    throw new Error(`The change "${declared.title}" needs two schemas with the same $id`);
  }
  return declared;
}

export interface VersionTable {
  /** Released and supported; oldest first, as everywhere here. */
  names: readonly string[];
  changes: readonly VersionChange[];
  /** No longer supported: asking for one is an error that says so. */
  ended?: readonly string[];
  /** To be released: their changes are implemented and documented, but not available yet. */
  announced?: readonly string[];
  /** The request headers that choose a version; absent where callers cannot. */
  headers?: readonly string[];
  /** The version that answers where none is asked for; absent, the oldest. */
  default?: string;
}

type Convert = (value: unknown) => unknown;

/** A schema in one version, and the conversions from and to the newest; absent where nothing changes. */
export interface SchemaVersion {
  schema: TSchema;
  descend?: Convert;
  climb?: Convert;
}

/** A variant is something else that a call may ask for, such as a word in its Accept header; see `VersionChange.only`. */
export function schemaInVersion(
  schema: TSchema,
  version: string,
  table: VersionTable,
  variant?: string,
): SchemaVersion {
  let current = schema as JsonSchema;
  const downs: Convert[] = [];
  const ups: Convert[] = [];
  const applied: VersionChange[] = [];
  for (const step of newestFirst(table.changes)) {
    if (step.version <= version) break;
    if (!isOfVariant(step, variant)) continue;
    applied.push(step);
    if (!mentions(current, step)) continue;
    const down = conversion(current, step, step.down as Convert | undefined);
    if (down !== undefined) downs.push(down);
    current = substitute(current, beforeAll(step, applied.slice(0, -1)));
    const up = conversion(current, step, step.up as Convert | undefined);
    if (up !== undefined) ups.unshift(up);
  }
  return {
    schema: current,
    ...(downs.length > 0 && { descend: chain(downs) }),
    ...(ups.length > 0 && { climb: chain(ups) }),
  };
}

/** `before` is written with the newest schemas nested in it; newer changes are undone in them as well. */
function beforeAll(step: VersionChange, newer: readonly VersionChange[]): VersionChange {
  const before = step.before as JsonSchema;
  const touching = newer.filter((one) => childrenOf(before).some((child) => mentions(child, one)));
  if (touching.length === 0) return step;
  return { ...step, before: mapChildren(before, (child) => touching.reduce(substitute, child)) };
}

function isOfVariant({ only }: VersionChange, variant: string | undefined): boolean {
  return only === undefined || only === variant;
}

function newestFirst(changes: readonly VersionChange[]): VersionChange[] {
  return changes.toSorted((a, b) => (a.version < b.version ? 1 : a.version > b.version ? -1 : 0));
}

function chain(steps: Convert[]): Convert {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return only;
  return (value) => steps.reduce((changed, step) => step(changed), value);
}

function idOf(schema: TSchema): string | undefined {
  return (schema as JsonSchema).$id;
}

/** The schema with the resource's shape from before the change, at every depth. */
function substitute(schema: JsonSchema, step: VersionChange): JsonSchema {
  if (schema.$id !== undefined && schema.$id === idOf(step.schema)) return step.before;
  if (!mentions(schema, step)) return schema;
  return mapChildren(schema, (child) => substitute(child, step));
}

function mapChildren(schema: JsonSchema, map: (child: JsonSchema) => JsonSchema): JsonSchema {
  const mapped: JsonSchema = { ...schema };
  if (schema.properties !== undefined) {
    mapped.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, child]) => [name, map(child)]),
    );
  }
  if (schema.items !== undefined && !Array.isArray(schema.items)) mapped.items = map(schema.items);
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const branches = schema[key];
    if (branches !== undefined) mapped[key] = branches.map(map);
  }
  if (typeof schema.additionalProperties === 'object') {
    mapped.additionalProperties = map(schema.additionalProperties);
  }
  if (schema.patternProperties !== undefined) {
    mapped.patternProperties = Object.fromEntries(
      Object.entries(schema.patternProperties).map(([pattern, child]) => [pattern, map(child)]),
    );
  }
  return mapped;
}

function childrenOf(schema: JsonSchema): JsonSchema[] {
  const children: JsonSchema[] = [];
  mapChildren(schema, (child) => {
    children.push(child);
    return child;
  });
  return children;
}

/** Whether the resource of the change occurs anywhere in the schema. */
export function mentions(schema: JsonSchema, step: VersionChange): boolean {
  return idsIn(schema).has(idOf(step.schema)!);
}

/** Schemas do not change, and are nested in many others: each is walked once. */
const knownIds = new WeakMap<JsonSchema, ReadonlySet<string>>();

/** The ids of the schema and of all that are nested in it. */
function idsIn(schema: JsonSchema): ReadonlySet<string> {
  const known = knownIds.get(schema);
  if (known !== undefined) return known;
  const ids = new Set<string>(schema.$id === undefined ? [] : [schema.$id]);
  for (const child of childrenOf(schema)) for (const id of idsIn(child)) ids.add(id);
  knownIds.set(schema, ids);
  return ids;
}

/** Applies `convert` wherever the resource occurs; undefined where it does not occur, so that untouched replies cost nothing. */
function conversion(
  schema: JsonSchema,
  step: VersionChange,
  convert: Convert | undefined,
): Convert | undefined {
  if (convert === undefined || !mentions(schema, step)) return undefined;
  const inner = insideOf(schema, step, convert);
  if (schema.$id !== idOf(step.schema)) return inner;
  return inner === undefined ? convert : (value) => convert(inner(value));
}

function insideOf(schema: JsonSchema, step: VersionChange, convert: Convert): Convert | undefined {
  const steps: Convert[] = [];
  const members: [name: string, within: Convert][] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const within = conversion(property, step, convert);
    if (within !== undefined) members.push([name, within]);
  }
  if (members.length > 0) steps.push((value) => convertMembers(value, members));
  const each = childConversion(schema.items, step, convert);
  if (each !== undefined) steps.push((value) => (Array.isArray(value) ? value.map(each) : value));
  // A record has one schema for all its members, under one pattern.
  const member = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
  const entry = childConversion(member, step, convert);
  if (entry !== undefined) {
    steps.push((value) =>
      isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, entry(one)]))
        : value,
    );
  }
  for (const part of schema.allOf ?? []) {
    const within = conversion(part, step, convert);
    if (within !== undefined) steps.push((value) => (value === null ? null : within(value)));
  }
  const branch = branchConversion(branchesOf(schema), step, convert);
  if (branch !== undefined) steps.push(branch);
  return steps.length === 0 ? undefined : chain(steps);
}

/**
 * Copies the object once, and only where it has one of the members. By `Object.assign`: at a place that sees objects of many
 * shapes, a spread takes ten times as long.
 */
function convertMembers(value: unknown, members: readonly [name: string, within: Convert][]): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const [name, within] of members) {
    if (!holds(value, name)) continue;
    copy ??= Object.assign({}, value);
    copy[name] = within(value[name]);
  }
  return copy ?? value;
}

/** A value of a union is converted as the branch that it belongs to. */
function branchConversion(
  branches: JsonSchema[],
  step: VersionChange,
  convert: Convert,
): Convert | undefined {
  const cases: { isOne: ReturnType<typeof belonging>; within: Convert }[] = [];
  for (const branch of branches) {
    const within = conversion(branch, step, convert);
    if (within !== undefined) cases.push({ isOne: belonging(branch, branches, step), within });
  }
  if (cases.length === 0) return undefined;
  return (value) => {
    const found = cases.find(({ isOne }) => isOne(value));
    return found === undefined ? value : found.within(value);
  };
}

function belonging(
  branch: JsonSchema,
  branches: JsonSchema[],
  { title }: VersionChange,
): (value: unknown) => boolean {
  const tests = branches.flatMap((other) => {
    if (other === branch) return [];
    const test = distinguish(branch, other);
    if (test !== undefined) return [test];
    throw new Error(
      `the change "${title}" needs to tell ${nameOfBranch(branch)} from ${nameOfBranch(other)} in a union. ` +
        'Give both a required property with constants that differ.',
    );
  });
  return (value) => tests.every((test) => test(value));
}

function childConversion(child: unknown, step: VersionChange, convert: Convert): Convert | undefined {
  return isObject(child) && !Array.isArray(child) ? conversion(child, step, convert) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function holds(value: unknown, name: string): value is Record<string, unknown> {
  return isObject(value) && value[name] !== undefined;
}

/** Whether the route exists in this version. */
export function existsIn({ since, until }: RouteShape, version: string): boolean {
  return (since === undefined || since <= version) && (until === undefined || version < until);
}

/** The changes after `version` that a caller of this route would notice. */
export function changesAhead(
  shape: RouteShape,
  version: string,
  { changes }: VersionTable,
  variant?: string,
): VersionChange[] {
  const schemas = schemasOf(shape);
  return changes.filter(
    (step) =>
      step.version > version &&
      isOfVariant(step, variant) &&
      schemas.some((schema) => mentions(schema, step)),
  );
}

/** Of its bodies, in both directions. */
export function schemasOf({ reply = {}, list, body }: RouteShape): JsonSchema[] {
  return [...Object.values(reply), list, body].filter((schema) => schema != null);
}

// Schemas in one version: handlers know only the newest; requests are converted up to it and replies down, one change at a time.
import type { JsonSchema, TSchema } from '../schema/schema.ts';
import { childrenOf, mapChildren } from '../schema/schema-walk.ts';
import { branchesOf, nameOfBranch, distinguish } from '../schema/union.ts';
import { isOfVariant, mentions, newestFirst, type VersionChange, type VersionTable } from './version.ts';

type Convert = (value: unknown) => unknown;

/** A schema in one version, and the conversions from and to the newest; absent where nothing changes. */
export interface SchemaVersion {
  schema: TSchema;
  downgrade?: Convert;
  upgrade?: Convert;
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
    ...(downs.length > 0 && { downgrade: chain(downs) }),
    ...(ups.length > 0 && { upgrade: chain(ups) }),
  };
}

/** `before` is written with the newest schemas nested in it; newer changes are undone in them as well. */
function beforeAll(step: VersionChange, newer: readonly VersionChange[]): VersionChange {
  const before = step.before as JsonSchema;
  const touching = newer.filter((one) => childrenOf(before).some((child) => mentions(child, one)));
  if (touching.length === 0) return step;
  return { ...step, before: mapChildren(before, (child) => touching.reduce(substitute, child)) };
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

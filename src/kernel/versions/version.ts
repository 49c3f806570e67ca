// Dated versions: the breaking changes between them, which routes each is about, and how long each is supported. Handlers know only the newest version.
import type { RouteShape } from '../http/route.ts';
import type { JsonSchema, Static, TSchema } from '../schema/schema.ts';
import { idsIn } from '../schema/schema-walk.ts';
import { Failure } from '../failure.ts';

const SUPPORT_MONTHS = 24;

/** How much of a version that there is not an error repeats. */
const SHOWN_LENGTH = 40;

/** A breaking change of a resource: its schema since `version`, the schema before, and the conversions. */
export interface VersionChange {
  version: string;
  title: string;
  /** What callers do instead, in one sentence. */
  advice: string;
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
  advice: string;
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

/** A breaking change of operations that is not about a resource: their status or the type of their replies. */
export interface OperationChange {
  version: string;
  title: string;
  /** What callers do instead, in one sentence. */
  advice: string;
  /** The ids of routes. */
  operations: readonly string[];
  /** Replies with the status `now` have the status `before` in older versions, without a body where that has none. */
  status?: { now: number; before: number };
  /** Without parameters, such as a charset: those stay as they are. */
  contentType?: { now: string; before: string };
}

export function operationChange(declared: OperationChange): OperationChange {
  if (declared.status === undefined && declared.contentType === undefined)
    throw new Error(`The change "${declared.title}" changes nothing`);
  return declared;
}

export type BreakingChange = VersionChange | OperationChange;

export interface VersionTable {
  /** Released and supported; oldest first, as everywhere here. */
  names: readonly string[];
  changes: readonly VersionChange[];
  operationChanges?: readonly OperationChange[];
  /** No longer supported: asking for one is an error that says so. */
  ended?: readonly string[];
  /** To be released: their changes are implemented and documented, but not available yet. */
  announced?: readonly string[];
  /** The request headers that choose a version; absent where callers cannot. */
  headers?: readonly string[];
  /** The version that answers where none is asked for; absent, the oldest. */
  default?: string;
}

function idOf(schema: TSchema): string | undefined {
  return (schema as JsonSchema).$id;
}

/** Whether the resource of the change occurs anywhere in the schema. */
export function mentions(schema: JsonSchema, step: VersionChange): boolean {
  return idsIn(schema).has(idOf(step.schema)!);
}

/** Whether callers who ask for this variant, or for none, notice the change. */
export function isOfVariant({ only }: VersionChange, variant: string | undefined): boolean {
  return only === undefined || only === variant;
}

/** The order in which changes are undone. */
export function newestFirst<Change extends BreakingChange>(changes: readonly Change[]): Change[] {
  return changes.toSorted((a, b) => (a.version < b.version ? 1 : a.version > b.version ? -1 : 0));
}

/** Whether the route exists in this version. */
export function existsIn({ since, until }: RouteShape, version: string): boolean {
  return (since === undefined || since <= version) && (until === undefined || version < until);
}

/** The changes after `version` that a caller of this route would notice. */
export function changesAhead(
  shape: RouteShape,
  version: string,
  { changes, operationChanges = [] }: VersionTable,
  variant?: string,
): BreakingChange[] {
  const schemas = schemasOf(shape);
  return [
    ...changes.filter(
      (step) =>
        step.version > version &&
        isOfVariant(step, variant) &&
        schemas.some((schema) => mentions(schema, step)),
    ),
    ...operationChanges.filter((step) => step.version > version && concerns(step, shape)),
  ];
}

/** Whether the change is about this route; an alias is changed with its original. */
export function concerns({ operations }: OperationChange, { id, aliasOf }: RouteShape): boolean {
  return operations.includes(id) || (aliasOf !== undefined && operations.includes(aliasOf));
}

/** Of its bodies, in both directions. */
export function schemasOf(shape: RouteShape): JsonSchema[] {
  return [...replySchemasOf(shape), shape.body].filter((schema) => schema !== undefined);
}

export function replySchemasOf({ reply = {}, list }: RouteShape): JsonSchema[] {
  return [...Object.values(reply), list].filter((schema) => schema != null);
}

export function selectVersion(table: VersionTable, asked: string | undefined): string {
  if (asked === undefined) return defaultVersion(table);
  if (table.names.includes(asked)) return asked;
  const list = table.names
    .map((name) => (name === table.names.at(-1) ? `${name} (most recent)` : name))
    .join(', ');
  if (table.ended?.includes(asked)) {
    throw new Failure('retired', `API version ${asked} is no longer supported. Supported versions: ${list}.`);
  }
  if (table.announced?.includes(asked)) {
    throw new Failure(
      'malformed',
      `API version ${asked} is announced, and not released yet. Supported versions: ${list}.`,
    );
  }
  throw new Failure(
    'malformed',
    `"${shownVersion(asked)}" is not a supported API version. Supported versions: ${list}.`,
  );
}

/** Callers send whatever they like: the beginning is enough to recognise it. */
export function shownVersion(asked: string): string {
  return asked.length > SHOWN_LENGTH ? `${asked.slice(0, SHOWN_LENGTH)}…` : asked;
}

/**
 * The earliest end of a version: 24 calendar months after its successor. A version ends when a release moves it to
 * `ended`, never by the clock of a running server. Undefined while it has no successor.
 */
export function supportedUntil(table: VersionTable, version: string): number | undefined {
  const all = allVersions(table);
  const successor = all[all.indexOf(version) + 1];
  if (successor === undefined) return undefined;
  const floor = new Date(`${successor}T00:00:00Z`);
  floor.setUTCMonth(floor.getUTCMonth() + SUPPORT_MONTHS);
  return floor.getTime();
}

/** Ended, supported and announced versions, oldest first. */
export function allVersions({ ended = [], names, announced = [] }: VersionTable): string[] {
  return [...ended, ...names, ...announced];
}

/** Versions that the table ends before their 24 months are over, which a release must not do. */
export function endedTooEarly(table: VersionTable, now: number): string[] {
  return (table.ended ?? []).filter((version) => supportedUntil(table, version)! > now);
}

/** The version of calls that do not ask for one. */
export function defaultVersion({ names, default: chosen = names[0]! }: VersionTable): string {
  return chosen;
}

// A route in one API version: its validation, its conversions and its constant headers.
import type { ApiProtocol } from './protocol.ts';
import { Failure } from '../failure.ts';
import { LastEtag } from './reply/etag.ts';
import type { HeaderBlock } from './reply/reply-headers.ts';
import { headInVersion, type ReplyHead } from './reply/reply-head.ts';
import { defaultStatus, type RouteShape } from './route.ts';
import { schemaInVersion } from '../versions/schema-version.ts';
import { checker, coercer, problem, type JsonSchema, type TSchema } from '../schema/schema.ts';
import { existsIn } from '../versions/version.ts';
import type { RouteUsage } from '../versions/usage/route-usage.ts';

type Convert = (value: unknown) => unknown;

export interface RouteVersion {
  exists: boolean;
  /** Of a plain reply. */
  status: number;
  readParams?: (raw: Record<string, unknown>) => unknown;
  readQuery?: (raw: Record<string, unknown>) => unknown;
  readBody?: Convert;
  /** Converts replies down to this version, by status; absent where nothing changed since. */
  downgrade: Record<number, Convert>;
  downgradeItem?: Convert;
  /** Converts the status and the content type of replies; absent where nothing changed since. */
  downgradeHead?: (head: ReplyHead) => ReplyHead;
  /** Counts calls that newer versions would change; absent where none does. */
  usage?: RouteUsage;
  headers: HeaderBlock;
  etags: LastEtag;
}

export function routeInVersion(
  shape: RouteShape,
  version: string,
  { versions, unknownPaths }: ApiProtocol,
  headers: HeaderBlock,
  variant?: string,
): RouteVersion {
  const inVersion = (schema: TSchema) => schemaInVersion(schema, version, versions, variant);
  const routeVersion: RouteVersion = {
    exists: existsIn(shape, version),
    downgrade: {},
    status: defaultStatus(shape),
    headers,
    etags: new LastEtag(),
  };
  if (shape.params !== undefined) routeVersion.readParams = paramsReader(shape.params, unknownPaths);
  if (shape.query !== undefined) routeVersion.readQuery = reader(shape.query, 'query');
  if (shape.body !== undefined) {
    const { schema, upgrade } = inVersion(shape.body);
    const check = checker(schema, 'body');
    const isObject = (schema as JsonSchema).type === 'object';
    routeVersion.readBody = (body) => {
      if (body === undefined && shape.bodyIsOptional) return undefined;
      if (isObject && body !== undefined && !isRecord(body))
        throw new Failure('malformed', 'Body should be a JSON object');
      check(body);
      return upgrade === undefined ? body : upgrade(body);
    };
  }
  for (const [status, schema] of Object.entries(shape.reply ?? {})) {
    const downgrade = schema === null ? undefined : inVersion(schema).downgrade;
    if (downgrade !== undefined) routeVersion.downgrade[Number(status)] = downgrade;
  }
  const downgradeItem = shape.list && inVersion(shape.list).downgrade;
  if (downgradeItem !== undefined) routeVersion.downgradeItem = downgradeItem;
  const downgradeHead = headInVersion(shape, version, versions, headers.headers['content-type']);
  if (downgradeHead !== undefined) routeVersion.downgradeHead = downgradeHead;
  return routeVersion;
}

/** Checked against the largest safe integer: above it, JavaScript rounds, and the engines reject such numbers. */
const PAGE = ['offset', 'limit'] as const;

function reader(schema: NonNullable<RouteShape['query']>, place: string) {
  const coerce = coercer(schema);
  const check = checker(schema, place);
  return (raw: Record<string, unknown>) => {
    const values = coerce(raw);
    check(values);
    for (const name of PAGE) {
      if (typeof values[name] === 'number' && values[name] > Number.MAX_SAFE_INTEGER)
        throw problem(`${place}.${name}`, `must be at most ${Number.MAX_SAFE_INTEGER}`);
    }
    if (Object.values(raw).some(hasNul))
      throw new Failure('malformed', `The ${place} must not contain a NUL character`);
    return values;
  };
}

function paramsReader(schema: NonNullable<RouteShape['params']>, unknownPaths: ApiProtocol['unknownPaths']) {
  const read = reader(schema, 'path');
  if (unknownPaths !== 'not-found') return read;
  return (raw: Record<string, unknown>) => {
    try {
      return read(raw);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'invalid') throw error;
      throw new Failure('not-found', error.message, { cause: error });
    }
  };
}

/** PostgreSQL cannot store NUL in text, so it is rejected on both engines. */
function hasNul(value: unknown): boolean {
  return typeof value === 'string' ? value.includes('\0') : Array.isArray(value) && value.some(hasNul);
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// The effects that newer versions would have on calls of a route: fields that appear, vanish or change, another status, its end.
import type { RouteShape } from '../../http/route.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import { changedFieldsOf, type ChangedField } from '../version-effects.ts';
import {
  changesAhead,
  mentions,
  replySchemasOf,
  type BreakingChange,
  type OperationChange,
  type VersionChange,
  type VersionTable,
} from '../version.ts';

/** One thing that a caller of a route would notice in a newer version. */
export interface RouteEffect {
  /** Stable over releases: counters are stored by it. */
  id: string;
  /** The version that has the effect. */
  version: string;
  in: 'request' | 'reply' | 'operation';
  /** The field; absent where the whole resource changes, or the operation. */
  field?: ChangedField;
  /** Absent where the operation ends. */
  change?: BreakingChange;
}

/** What a call asks for. */
export interface AskedShapes {
  version: string;
  variant?: string | undefined;
}

export function effectsOf(
  shape: RouteShape,
  { version, variant }: AskedShapes,
  table: VersionTable,
): RouteEffect[] {
  const { until } = shape;
  return [
    ...changesAhead(shape, version, table, variant).flatMap((change) =>
      'operations' in change ? operationEffects(change) : resourceEffects(change, shape),
    ),
    ...(until !== undefined && until > version
      ? [{ id: `${until} removed`, version: until, in: 'operation' as const }]
      : []),
  ];
}

function operationEffects(change: OperationChange): RouteEffect[] {
  const { version, status, contentType } = change;
  return [
    ...(status === undefined ? [] : [`${version} status ${status.now}`]),
    ...(contentType === undefined ? [] : [`${version} type ${contentType.now}`]),
  ].map((id) => ({ id, version, in: 'operation', change }));
}

function resourceEffects(change: VersionChange, shape: RouteShape): RouteEffect[] {
  const { version, up, down, only } = change;
  const isSent = up !== undefined && shape.body !== undefined && mentions(shape.body, change);
  const isReplied = down !== undefined && replySchemasOf(shape).some((schema) => mentions(schema, change));
  // A variant may change a field that another change of the version is about too.
  const name = `${only === undefined ? '' : `${only}:`}${(change.schema as JsonSchema).$id!}`;
  const effects = (place: 'request' | 'reply'): RouteEffect[] => {
    const fields = isObjectInBoth(change) ? changedFieldsOf(change) : [];
    if (fields.length === 0) return [{ id: `${version} ${place} ${name}`, version, in: place, change }];
    return fields.map((field) => ({
      id: `${version} ${place} ${name}.${field.name}`,
      version,
      in: place,
      field,
      change,
    }));
  };
  return [...(isSent ? effects('request') : []), ...(isReplied ? effects('reply') : [])];
}

/** Otherwise it is the resource as a whole that changes, such as from an object to text. */
function isObjectInBoth({ schema, before }: VersionChange): boolean {
  return [schema, before].every((one) => (one as JsonSchema).properties !== undefined);
}

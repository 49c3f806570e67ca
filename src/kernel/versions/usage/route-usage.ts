// The effects that newer versions would have on the calls of one route in one version, and which of them a call has: its conversions are watched.
import type { ReplyHead } from '../../http/reply/reply-head.ts';
import type { RouteShape } from '../../http/route.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import {
  type VersionChange,
  type VersionTable,
  changesAhead,
  mentions,
  replySchemasOf,
  type BreakingChange,
  type OperationChange,
} from '../version.ts';
import { changedFieldsOf, type ChangedField } from '../version-effects.ts';

type Convert = (value: unknown) => unknown;

/** Bits of one number; what is beyond shares the last one. No route has so many. */
const MAX_BITS = 30;

export class RouteUsage {
  readonly api: string;
  readonly operation: string;
  readonly asked: AskedShapes;
  readonly effects: readonly RouteEffect[];
  /** The versions with their conversions watched. */
  readonly table: VersionTable;
  /** The effects that the conversions noticed since this was set to 0, as bits. */
  noticed = 0;
  /** The effects on every call. */
  readonly always: number;
  readonly #headEffects: { bit: number; effect: RouteEffect }[];

  constructor(api: string, shape: RouteShape, asked: AskedShapes, table: VersionTable) {
    this.api = api;
    this.operation = shape.id;
    this.asked = asked;
    this.effects = effectsOf(shape, asked, table);
    const bits = this.effects.map((effect, index) => ({ bit: 1 << Math.min(index, MAX_BITS), effect }));
    this.always = bits
      .filter(({ effect }) => effect.change === undefined)
      .reduce((sum, { bit }) => sum | bit, 0);
    this.#headEffects = bits.filter(({ effect }) => effect.in === 'operation' && effect.change !== undefined);
    this.table = { ...table, changes: table.changes.map((change) => this.#watch(change, bits)) };
  }

  /** The effects on the status and the content type of a reply of the newest version. */
  noticeHead({ status, headers }: ReplyHead, usual: string | undefined): number {
    const type = (headers['content-type'] ?? usual)?.split(';', 1)[0]!.trim().toLowerCase();
    let noticed = 0;
    for (const { bit, effect } of this.#headEffects) {
      if (effect.change === undefined || !('operations' in effect.change)) continue;
      const { status: statuses, contentType } = effect.change;
      if (effect.id.includes(' status ') ? statuses?.now === status : contentType?.now === type)
        noticed |= bit;
    }
    return noticed;
  }

  /** The effects that the bits stand for. */
  effectsIn(bits: number): RouteEffect[] {
    return this.effects.filter((_, index) => (bits & (1 << Math.min(index, MAX_BITS))) !== 0);
  }

  #watch(change: VersionChange, bits: readonly { bit: number; effect: RouteEffect }[]): VersionChange {
    const own = bits.filter(({ effect }) => effect.change === change);
    const [sent, replied] = (['request', 'reply'] as const).map((place) =>
      own.filter(({ effect }) => effect.in === place),
    ) as [typeof own, typeof own];
    return {
      ...change,
      ...(sent.length > 0 && { up: this.#watchUp(change, sent) }),
      ...(replied.length > 0 && { down: this.#watchDown(change, replied) }),
    };
  }

  /** A request has the effect where it sends a field that is removed or changed, or cannot have one that is required since. */
  #watchUp({ up, schema }: VersionChange, bits: readonly { bit: number; effect: RouteEffect }[]): Convert {
    const { required = [] } = schema as JsonSchema;
    const fields = bits
      .filter(({ effect: { field } }) => field?.kind !== 'added' || required.includes(field.name))
      .map(({ bit, effect: { field } }) => ({
        bit,
        name: field?.name,
        isAdded: field?.kind === 'added',
      }));
    return (value) => {
      for (const { bit, name, isAdded } of fields) {
        if (name === undefined || (isObject(value) && Object.hasOwn(value, name)) !== isAdded)
          this.noticed |= bit;
      }
      return (up as Convert)(value);
    };
  }

  /** A reply has the effect where the field differs in the old shape. Most are noticed at the first item of a list. */
  #watchDown({ down }: VersionChange, bits: readonly { bit: number; effect: RouteEffect }[]): Convert {
    const convert = down as Convert;
    const all = bits.reduce((sum, { bit }) => sum | bit, 0);
    const fields = bits.map(({ bit, effect }) => ({ bit, name: effect.field?.name }));
    // One list for all calls: conversions of a resource never run inside each other.
    const now: unknown[] = fields.map(() => undefined);
    return (value) => {
      if ((this.noticed & all) === all) return convert(value);
      // Read first, as a conversion may change the object itself.
      for (let index = 0; index < fields.length; index += 1)
        now[index] = memberOf(value, fields[index]!.name);
      const before = convert(value);
      for (let index = 0; index < fields.length; index += 1) {
        const { bit, name } = fields[index]!;
        if (memberOf(before, name) !== now[index]) this.noticed |= bit;
      }
      return before;
    };
  }
}

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

/** Without a name, the value itself. */
function memberOf(value: unknown, name: string | undefined): unknown {
  return name !== undefined && isObject(value) ? value[name] : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

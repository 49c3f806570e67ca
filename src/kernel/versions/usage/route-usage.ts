// Notices which effects newer versions would have on the calls of one route in one version: its conversions are watched.
import type { ReplyHead } from '../../http/reply/reply-head.ts';
import type { RouteShape } from '../../http/route.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import type { VersionChange, VersionTable } from '../version.ts';
import { effectsOf, type AskedShapes, type RouteEffect } from './effects.ts';

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

/** Without a name, the value itself. */
function memberOf(value: unknown, name: string | undefined): unknown {
  return name !== undefined && isObject(value) ? value[name] : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

// Sets of UTF-16 code units as sorted ranges, and case folding of units.

/** Pairs of first and last, sorted, neither overlapping nor adjacent. */
export type Ranges = readonly number[];

const LAST = 0xff_ff;

/** Takes pairs in any order, which may overlap. */
export function toRanges(pairs: readonly number[]): Ranges {
  const starts: [number, number][] = [];
  for (let at = 0; at < pairs.length; at += 2) starts.push([pairs[at]!, pairs[at + 1]!]);
  starts.sort(([a], [b]) => a - b);
  const ranges: number[] = [];
  for (const [first, last] of starts) {
    const end = ranges.length - 1;
    if (end > 0 && first <= ranges[end]! + 1) ranges[end] = Math.max(ranges[end]!, last);
    else ranges.push(first, last);
  }
  return ranges;
}

export function complement(ranges: Ranges): Ranges {
  const others: number[] = [];
  let next = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    if (ranges[at]! > next) others.push(next, ranges[at]! - 1);
    next = ranges[at + 1]! + 1;
  }
  if (next <= LAST) others.push(next, LAST);
  return others;
}

export const DIGITS: Ranges = [0x30, 0x39];
export const WORD: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
export const SPACES: Ranges = toRanges(
  [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x16_80, 0x20_28, 0x20_29, 0x20_2f, 0x20_5f, 0x30_00, 0xfe_ff]
    .flatMap((unit) => [unit, unit])
    .concat(0x20_00, 0x20_0a),
);
export const LINE_ENDS: Ranges = [0x0a, 0x0a, 0x0d, 0x0d, 0x20_28, 0x20_29];
export const ALL_UNITS: Ranges = [0, LAST];

/** The unit by which patterns that ignore case compare, as ECMAScript defines it without the flags u and v. */
export function foldUnit(unit: number): number {
  if (unit < 128) return unit >= 0x61 && unit <= 0x7a ? unit - 32 : unit;
  const upper = String.fromCharCode(unit).toUpperCase();
  if (upper.length !== 1) return unit;
  const folded = upper.charCodeAt(0);
  return folded < 128 ? unit : folded;
}

/** Units outside of these ranges have no other case. The ranges are few enough to be searched one by one. */
export const CASED: Ranges = [
  0x00_00, 0x05_8f, 0x10_a0, 0x10_ff, 0x13_a0, 0x13_ff, 0x1c_80, 0x1f_ff, 0x21_00, 0x21_8f, 0x24_b0, 0x24_ff,
  0x2c_00, 0x2d_ff, 0xa6_40, 0xa7_ff, 0xab_30, 0xab_bf, 0xff_20, 0xff_5f,
];

let sameByFold: Map<number, number[]> | undefined;

/** All units that are equal to this one when case is ignored, with itself. */
export function sameCase(unit: number): readonly number[] {
  sameByFold ??= groupByFold();
  return sameByFold.get(foldUnit(unit)) ?? [unit];
}

function groupByFold(): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (let part = 0; part < CASED.length; part += 2) {
    for (let unit = CASED[part]!; unit <= CASED[part + 1]!; unit += 1) {
      const folded = foldUnit(unit);
      if (folded === unit) continue;
      const same = groups.get(folded);
      if (same === undefined) groups.set(folded, [folded, unit]);
      else same.push(unit);
    }
  }
  return groups;
}

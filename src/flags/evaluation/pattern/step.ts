// The steps of a pattern's program: the budget of them, and what they ask of the text, a unit, a set of units or an assertion.
import { foldUnit, sameCase } from './char-set.ts';
import { ASSERTIONS, IGNORES_CASE, IS_NEGATED } from './program.ts';

/** The budget that is left, in steps of a few nanoseconds. */
export interface Steps {
  left: number;
}

/** Ends a run from within, however deep it is. */
export const OUT_OF_STEPS = new Error('out of steps');

export function isUnit(code: Int32Array, pc: number, unit: number): boolean {
  return unit === code[pc + 1] || (code[pc + 2] !== -1 && foldUnit(unit) === code[pc + 2]);
}

export function isInSet(sets: Int32Array, place: number, flags: number, unit: number): boolean {
  const isIn =
    (flags & IGNORES_CASE) === 0
      ? has(sets, place, unit)
      : sameCase(unit).some((same) => has(sets, place, same));
  return isIn !== ((flags & IS_NEGATED) !== 0);
}

function has(sets: Int32Array, place: number, unit: number): boolean {
  if (unit < 128) return ((sets[place + (unit >> 5)]! >>> (unit & 31)) & 1) === 1;
  let low = 0;
  let high = sets[place + 4]!;
  const ranges = place + 5;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (unit > sets[ranges + middle * 2 + 1]!) low = middle + 1;
    else high = middle;
  }
  return low < sets[place + 4]! && unit >= sets[ranges + low * 2]!;
}

export function holds(assertion: number, text: string, at: number): boolean {
  switch (ASSERTIONS[assertion]) {
    case 'start':
      return at === 0;
    case 'end':
      return at === text.length;
    case 'line-start':
      return at === 0 || isLineEnd(text.charCodeAt(at - 1));
    case 'line-end':
      return at === text.length || isLineEnd(text.charCodeAt(at));
    case 'boundary':
      return isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at));
    default:
      return isWord(text.charCodeAt(at - 1)) === isWord(text.charCodeAt(at));
  }
}

function isLineEnd(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x20_28 || unit === 0x20_29;
}

function isWord(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    unit === 0x5f
  );
}

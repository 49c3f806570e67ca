// Runs the program of a pattern on a text, and counts every step.
import { foldUnit, sameCase } from './char-set.ts';
import { ASSERTIONS, IGNORES_CASE, IS_NEGATED, Op, WIDTH, type PatternProgram } from './program.ts';

/** The budget that is left, in steps of a few nanoseconds. */
export interface Steps {
  left: number;
}

/** The number of entries in the table of visited splits. */
const MAX_ENTRIES = 1 << 20;

/**
 * Which splits were tried at which positions, by the number of the run. Without backreferences, a split that failed at a
 * position fails there again, so that the steps are bounded by the length of the pattern times that of the text.
 */
let tried = new Uint32Array(1 << 12);
let runs = 0;

/** Undefined when the steps or the table do not suffice for an answer. */
export function search(program: PatternProgram, text: string, steps: Steps): boolean | undefined {
  const lastStart = program.isAnchored ? 0 : text.length;
  if (program.registers > 0) return new StatefulRun(program, text, steps).search(lastStart);
  const entries = program.rows * (text.length + 1);
  if (entries > MAX_ENTRIES) return undefined;
  if (entries > tried.length) tried = new Uint32Array(2 ** Math.ceil(Math.log2(entries)));
  return new Run(program, text, steps).search(lastStart);
}

function beginRun(): number {
  if (runs === 0xff_ff_ff_ff) {
    tried.fill(0);
    runs = 0;
  }
  runs += 1;
  return runs;
}

const OUT_OF_STEPS = new Error('out of steps');

/** For each split whose second branch is still to be tried: where to go on, and at which position of the text. */
let waiting = new Int32Array(1 << 10);

/** Runs a program without backreferences. */
class Run {
  readonly program: PatternProgram;
  readonly text: string;
  readonly steps: Steps;

  constructor(program: PatternProgram, text: string, steps: Steps) {
    this.program = program;
    this.text = text;
    this.steps = steps;
  }

  search(lastStart: number): boolean | undefined {
    const run = beginRun();
    const { program, text, steps } = this;
    try {
      for (let start = 0; start <= lastStart; start += 1) {
        if (!canBegin(program, text, start)) {
          steps.left -= 1;
          continue;
        }
        if (this.runFrom(0, start, run, 0)) return true;
      }
      return false;
    } catch (error) {
      if (error !== OUT_OF_STEPS) throw error;
      return undefined;
    }
  }

  /** The stack below `bottom` belongs to the run that this look-around is part of. */
  runFrom(start: number, place: number, run: number, bottom: number): boolean {
    const { text, steps } = this;
    const { code, sets } = this.program;
    const width = text.length + 1;
    let { left } = steps;
    let top = bottom;
    let pc = start;
    let at = place;
    for (;;) {
      left -= 1;
      if (left < 0) {
        steps.left = 0;
        throw OUT_OF_STEPS;
      }
      let isGood: boolean;
      const op = code[pc]!;
      switch (op) {
        case Op.unit:
          isGood = at < width - 1 && isUnit(code, pc, text.charCodeAt(at));
          at += 1;
          pc += WIDTH;
          break;
        case Op.set:
          isGood = at < width - 1 && isInSet(sets, code[pc + 1]!, code[pc + 2]!, text.charCodeAt(at));
          at += 1;
          pc += WIDTH;
          break;
        case Op.split: {
          const row = code[pc + 3]!;
          const entry = row * width + at;
          isGood = row === -1 || tried[entry] !== run;
          if (!isGood) break;
          if (row !== -1) tried[entry] = run;
          if (top + 2 > waiting.length) waiting = grow(waiting);
          waiting[top] = code[pc + 2]!;
          waiting[top + 1] = at;
          top += 2;
          pc = code[pc + 1]!;
          break;
        }
        case Op.jump:
          isGood = true;
          pc = code[pc + 1]!;
          break;
        case Op.assert:
          isGood = holds(code[pc + 1]!, text, at);
          pc += WIDTH;
          break;
        case Op.look:
          steps.left = left;
          isGood = this.runFrom(pc + WIDTH, at, beginRun(), top) !== (code[pc + 2] === 1);
          left = steps.left;
          pc = code[pc + 1]!;
          break;
        case Op.match:
          steps.left = left;
          return true;
        default:
          // All other operations read backwards: a unit or a set.
          at -= 1;
          isGood =
            at >= 0 &&
            (op === Op.unit + Op.backwards
              ? isUnit(code, pc, text.charCodeAt(at))
              : isInSet(sets, code[pc + 1]!, code[pc + 2]!, text.charCodeAt(at)));
          pc += WIDTH;
      }
      if (isGood) continue;
      if (top === bottom) {
        steps.left = left;
        return false;
      }
      top -= 2;
      pc = waiting[top]!;
      at = waiting[top + 1]!;
    }
  }
}

function grow(small: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const large = new Int32Array(small.length * 2);
  large.set(small);
  return large;
}

/** Whether a match can begin with this unit of the text, or with none. */
function canBegin({ firsts }: PatternProgram, text: string, at: number): boolean {
  if (firsts === undefined) return true;
  if (at === text.length) return false;
  const unit = text.charCodeAt(at);
  return unit > 127 || ((firsts[unit >> 5]! >>> (unit & 31)) & 1) === 1;
}

function isUnit(code: Int32Array, pc: number, unit: number): boolean {
  return unit === code[pc + 1] || (code[pc + 2] !== -1 && foldUnit(unit) === code[pc + 2]);
}

type Registers = readonly number[];

/** A branch that is still to be tried, with the registers at that point. */
interface Turn {
  readonly pc: number;
  readonly at: number;
  readonly registers: Registers;
  readonly outer: Turn | undefined;
}

/** Runs a program with backreferences, by backtracking: a failed split may succeed with other groups. */
class StatefulRun {
  readonly program: PatternProgram;
  readonly text: string;
  readonly steps: Steps;

  constructor(program: PatternProgram, text: string, steps: Steps) {
    this.program = program;
    this.text = text;
    this.steps = steps;
  }

  search(lastStart: number): boolean | undefined {
    const empty = Array.from({ length: this.program.registers }, () => -1);
    try {
      for (let start = 0; start <= lastStart; start += 1) {
        if (this.runFrom(0, start, empty) !== undefined) return true;
      }
      return false;
    } catch (error) {
      if (error !== OUT_OF_STEPS) throw error;
      return undefined;
    }
  }

  spend(count: number): void {
    this.steps.left -= count;
    if (this.steps.left >= 0) return;
    this.steps.left = 0;
    throw OUT_OF_STEPS;
  }

  /** The registers at the end; undefined when the text does not match. */
  runFrom(start: number, place: number, given: Registers): Registers | undefined {
    const { code, sets } = this.program;
    const { text } = this;
    let turn: Turn | undefined;
    let pc = start;
    let at = place;
    let registers = given;
    for (;;) {
      this.spend(2);
      const op = code[pc]!;
      const isBackwards = op >= Op.backwards;
      const [first, second] = [code[pc + 1]!, code[pc + 2]!];
      let isGood = true;
      let next = pc + WIDTH;
      switch (isBackwards ? op - Op.backwards : op) {
        case Op.unit:
        case Op.set: {
          const unit = text.charCodeAt(isBackwards ? at - 1 : at);
          const isOne = op === Op.unit || op === Op.unit + Op.backwards;
          isGood =
            !Number.isNaN(unit) && (isOne ? isUnit(code, pc, unit) : isInSet(sets, first, second, unit));
          at += isBackwards ? -1 : 1;
          break;
        }
        case Op.reference: {
          const length = this.takeAgain(first, second === IGNORES_CASE, at, isBackwards, registers);
          isGood = length !== undefined;
          at += (length ?? 0) * (isBackwards ? -1 : 1);
          break;
        }
        case Op.split:
          this.spend(3);
          turn = { pc: second, at, registers, outer: turn };
          next = first;
          break;
        case Op.jump:
          next = first;
          break;
        case Op.assert:
          isGood = holds(first, text, at);
          break;
        case Op.look: {
          const after = this.runFrom(next, at, registers);
          isGood = (after !== undefined) !== (second === 1);
          registers = after ?? registers;
          next = first;
          break;
        }
        case Op.save:
          registers = this.change(registers, first, first + 1, at);
          break;
        case Op.clear:
          registers = this.change(registers, first, second, -1);
          break;
        case Op.progress:
          isGood = registers[first] !== at;
          break;
        default:
          return registers;
      }
      pc = next;
      if (isGood) continue;
      if (turn === undefined) return undefined;
      ({ pc, at, registers, outer: turn } = turn);
    }
  }

  change(registers: Registers, from: number, to: number, value: number): Registers {
    this.spend(registers.length >> 2);
    return registers.slice().fill(value, from, to);
  }

  /** The length of the group's text when it occurs again at this position. A group without a match is empty. */
  takeAgain(
    list: number,
    ignoresCase: boolean,
    at: number,
    isBackwards: boolean,
    registers: Registers,
  ): number | undefined {
    const { text, program } = this;
    const count = program.sets[list]!;
    for (let index = 1; index <= count; index += 1) {
      const register = program.sets[list + index]!;
      const [start, end] = [registers[register]!, registers[register + 1]!];
      if (start === -1 || end === -1) continue;
      const length = end - start;
      const from = isBackwards ? at - length : at;
      if (from < 0 || from + length > text.length) return undefined;
      this.spend(length >> 2);
      for (let offset = 0; offset < length; offset += 1) {
        const [one, other] = [text.charCodeAt(start + offset), text.charCodeAt(from + offset)];
        if (one !== other && !(ignoresCase && foldUnit(one) === foldUnit(other))) return undefined;
      }
      return length;
    }
    return 0;
  }
}

function isInSet(sets: Int32Array, place: number, flags: number, unit: number): boolean {
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

function holds(assertion: number, text: string, at: number): boolean {
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

// Runs the program of a pattern on a text, and counts every step.
import { BacktrackingRun } from './backtracking-run.ts';
import { Op, WIDTH, type PatternProgram } from './program.ts';
import { holds, isInSet, isUnit, OUT_OF_STEPS, type Steps } from './step.ts';

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
  if (program.registers > 0) return new BacktrackingRun(program, text, steps).search(lastStart);
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

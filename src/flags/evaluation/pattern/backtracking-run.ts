// Runs a program with backreferences on a text, by backtracking: a failed split may succeed with other groups.
import { foldUnit } from './char-set.ts';
import { IGNORES_CASE, Op, WIDTH, type PatternProgram } from './program.ts';
import { holds, isInSet, isUnit, OUT_OF_STEPS, type Steps } from './step.ts';

type Registers = readonly number[];

/** A branch that is still to be tried, with the registers at that point. */
interface Turn {
  readonly pc: number;
  readonly at: number;
  readonly registers: Registers;
  readonly outer: Turn | undefined;
}

export class BacktrackingRun {
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

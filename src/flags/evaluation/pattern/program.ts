// Compiles a pattern into a program of small steps that can be counted.
import { foldUnit, sameCase, type Ranges } from './char-set.ts';
import { TooLarge, type Assertion, type PatternNode } from './syntax.ts';

/** Each instruction is four numbers: the operation and up to three operands. */
export const WIDTH = 4;

export const Op = {
  match: 0,
  /** Operands: the code unit; the folded unit when case is ignored, else -1. */
  unit: 1,
  /** Operands: the index of the set in `sets`; bits: 1 when case is ignored, 2 for a negated set. */
  set: 2,
  /** Operands: the first branch; the second branch; its row in the table of visited splits, or -1. */
  split: 3,
  jump: 4,
  assert: 5,
  /** The program of the look-around follows. Operands: where to continue after it; 1 when it must not match. */
  look: 6,
  /** Stores the position in a register. */
  save: 7,
  /** Fails when the position is the one in the register: nothing was consumed since. */
  progress: 8,
  /** Clears registers. Operands: the first, and the one after the last. */
  clear: 9,
  /** Operands: the index of the list of groups in `sets`; 1 when case is ignored. */
  reference: 10,
  /** Added to `unit`, `set` and `reference` inside a look-behind, which reads from right to left. */
  backwards: 16,
} as const;

export const IGNORES_CASE = 1;
export const IS_NEGATED = 2;

export const ASSERTIONS: readonly Assertion[] = [
  'start',
  'end',
  'line-start',
  'line-end',
  'boundary',
  'no-boundary',
];

export interface PatternProgram {
  readonly code: Int32Array;
  /** Sets of units (four words of bits for ASCII, the number of ranges, the ranges), and lists of groups. */
  readonly sets: Int32Array;
  /** The rows of the table of visited splits. */
  readonly rows: number;
  /** Zero without backreferences: then a split that failed at a position fails there again. */
  readonly registers: number;
  /** Whether it can match only at the start of a text. */
  readonly isAnchored: boolean;
  /** The ASCII units that a match can begin with, as four words of bits. Absent when it may begin with any unit, or with none. */
  readonly firsts: readonly number[] | undefined;
}

/** The limit of instructions. */
const MAX_INSTRUCTIONS = 5000;

/** Throws `TooLarge`. */
export function compileProgram(root: PatternNode): PatternProgram {
  return new Compiler(root).finish();
}

class Compiler {
  readonly code: number[] = [];
  readonly sets: number[] = [];
  readonly setPlaces = new Map<Ranges, number>();
  /** The register of the start of a group with backreferences; the next one has its end. */
  readonly groupRegisters = new Map<number, number>();
  /** The first register of the groups from this one on. */
  readonly registersFrom: number[] = [];
  readonly root: PatternNode;
  rows = 0;
  registers = 0;
  isBackwards = false;

  constructor(root: PatternNode) {
    this.root = root;
    const referred = referredGroups(root);
    for (let index = 0; index <= Math.max(...referred, 0) + 1; index += 1) {
      this.registersFrom.push(this.registers);
      if (!referred.has(index)) continue;
      this.groupRegisters.set(index, this.registers);
      this.registers += 2;
    }
  }

  finish(): PatternProgram {
    this.emit(this.root);
    this.add(Op.match);
    const { code, sets, rows, registers } = this;
    const isAnchored = code[0] === Op.assert && code[1] === ASSERTIONS.indexOf('start');
    const firsts = this.firstUnits();
    return { code: Int32Array.from(code), sets: Int32Array.from(sets), rows, registers, isAnchored, firsts };
  }

  firstUnits(): readonly number[] | undefined {
    const { code, sets } = this;
    const bits = [0, 0, 0, 0];
    const seen = new Set<number>();
    const waiting = [0];
    for (let pc = waiting.pop(); pc !== undefined; pc = waiting.pop()) {
      if (seen.has(pc)) continue;
      seen.add(pc);
      const [op, first, second] = code.slice(pc, pc + WIDTH) as [number, number, number];
      if (op === Op.unit) {
        for (const unit of second === -1 ? [first] : sameCase(first)) {
          if (unit < 128) bits[unit >> 5]! |= 1 << (unit & 31);
        }
      } else if (op === Op.set && second === 0) {
        for (let word = 0; word < 4; word += 1) bits[word]! |= sets[first + word]!;
      } else if (op === Op.set && second === IS_NEGATED) {
        for (let word = 0; word < 4; word += 1) bits[word]! |= ~sets[first + word]!;
      } else if (op === Op.split) waiting.push(first, second);
      else if (op === Op.jump) waiting.push(first);
      else if (op === Op.assert || op === Op.save || op === Op.clear) waiting.push(pc + WIDTH);
      else return undefined;
    }
    return bits;
  }

  /** Returns the index of the instruction. */
  add(op: number, first = 0, second = 0, third = 0): number {
    const at = this.code.length;
    if (at >= MAX_INSTRUCTIONS * WIDTH) throw new TooLarge('it takes too many instructions');
    this.code.push(op, first, second, third);
    return at;
  }

  get next(): number {
    return this.code.length;
  }

  get isStateful(): boolean {
    return this.groupRegisters.size > 0;
  }

  directed(op: number): number {
    return this.isBackwards ? op + Op.backwards : op;
  }

  emit(node: PatternNode): void {
    switch (node.kind) {
      case 'unit':
        return this.emitUnit(node);
      case 'assert':
        return void this.add(Op.assert, ASSERTIONS.indexOf(node.what));
      case 'sequence':
        for (const item of this.isBackwards ? node.items.toReversed() : node.items) this.emit(item);
        return undefined;
      case 'choice':
        return this.emitChoice(node.options);
      case 'group':
        return this.emitGroup(node.index, node.body);
      case 'repeat':
        return this.emitRepeat(node);
      case 'look':
        return this.emitLook(node);
      case 'reference': {
        const list = node.groups.map((group) => this.groupRegisters.get(group)!);
        const place = this.sets.push(list.length, ...list) - list.length - 1;
        return void this.add(this.directed(Op.reference), place, node.ignoresCase ? IGNORES_CASE : 0);
      }
    }
  }

  emitUnit({ ranges, isNegated, ignoresCase }: PatternNode & { kind: 'unit' }): void {
    if (!isNegated && ranges.length === 2 && ranges[0] === ranges[1]) {
      const unit = ranges[0]!;
      const folded = ignoresCase ? foldUnit(unit) : -1;
      return void this.add(this.directed(Op.unit), unit, folded);
    }
    const flags = (ignoresCase ? IGNORES_CASE : 0) + (isNegated ? IS_NEGATED : 0);
    this.add(this.directed(Op.set), this.placeOf(ranges), flags);
  }

  placeOf(ranges: Ranges): number {
    const known = this.setPlaces.get(ranges);
    if (known !== undefined) return known;
    const place = this.sets.length;
    const bits = [0, 0, 0, 0];
    for (let at = 0; at < ranges.length; at += 2) {
      for (let unit = ranges[at]!; unit <= Math.min(ranges[at + 1]!, 127); unit += 1) {
        bits[unit >> 5]! |= 1 << (unit & 31);
      }
    }
    this.sets.push(...bits, ranges.length / 2, ...ranges);
    this.setPlaces.set(ranges, place);
    return place;
  }

  /** The target of the jump is set once it is known. */
  split(): number {
    const at = this.add(Op.split, 0, 0, this.rows);
    this.rows += 1;
    return at;
  }

  direct(split: number, first: number, second: number): void {
    this.code[split + 1] = first;
    this.code[split + 2] = second;
  }

  emitChoice(options: readonly PatternNode[]): void {
    const jumps: number[] = [];
    for (const [index, option] of options.entries()) {
      if (index === options.length - 1) {
        this.emit(option);
        break;
      }
      // The other branches are reached only through the first, so their splits need no row.
      const split = index === 0 ? this.split() : this.add(Op.split, 0, 0, -1);
      const first = this.next;
      this.emit(option);
      jumps.push(this.add(Op.jump));
      this.direct(split, first, this.next);
    }
    for (const jump of jumps) this.code[jump + 1] = this.next;
  }

  emitGroup(index: number, body: PatternNode): void {
    const register = this.groupRegisters.get(index);
    if (register === undefined) return this.emit(body);
    const { isBackwards } = this;
    this.add(Op.save, isBackwards ? register + 1 : register);
    this.emit(body);
    this.add(Op.save, isBackwards ? register : register + 1);
  }

  emitRepeat({ body, min, max, isLazy, groups }: PatternNode & { kind: 'repeat' }): void {
    const before = this.next;
    for (let count = 0; count < min; count += 1) {
      this.clearGroups(groups);
      this.emit(body);
      // An empty match repeated is an empty match.
      if (this.next === before) break;
    }
    if (max === Infinity) return this.emitLoop(body, isLazy, groups);
    const ends: number[] = [];
    for (let count = min; count < max; count += 1) {
      const split = this.split();
      ends.push(split);
      const start = this.next;
      this.direct(split, start, start);
      this.emitOnce(body, groups);
      if (this.next === start) {
        this.code.length = split;
        ends.pop();
        break;
      }
    }
    for (const split of ends) {
      const inside = this.code[split + 1]!;
      this.direct(split, isLazy ? this.next : inside, isLazy ? inside : this.next);
    }
  }

  emitLoop(body: PatternNode, isLazy: boolean, groups: [number, number]): void {
    const split = this.split();
    const inside = this.next;
    this.emitOnce(body, groups);
    this.add(Op.jump, split);
    this.direct(split, isLazy ? this.next : inside, isLazy ? inside : this.next);
  }

  /** Beyond the minimum, an iteration that consumes nothing does not count: its groups would be empty. */
  emitOnce(body: PatternNode, groups: [number, number]): void {
    if (!this.isStateful) return this.emit(body);
    const register = this.registers;
    this.registers += 1;
    this.add(Op.save, register);
    this.clearGroups(groups);
    this.emit(body);
    this.add(Op.progress, register);
  }

  /** Each iteration of a repetition begins with its groups cleared. */
  clearGroups([first, end]: [number, number]): void {
    const from = this.registersFrom[first];
    const to = this.registersFrom[end] ?? this.registersFrom.at(-1)!;
    if (from !== undefined && to > from) this.add(Op.clear, from, to);
  }

  emitLook({ body, isBehind, isNegated }: PatternNode & { kind: 'look' }): void {
    const look = this.add(Op.look, 0, isNegated ? 1 : 0);
    const outer = this.isBackwards;
    this.isBackwards = isBehind;
    this.emit(body);
    this.isBackwards = outer;
    this.add(Op.match);
    this.code[look + 1] = this.next;
  }
}

function referredGroups(node: PatternNode, found = new Set<number>()): Set<number> {
  switch (node.kind) {
    case 'reference':
      for (const group of node.groups) found.add(group);
      break;
    case 'sequence':
      for (const item of node.items) referredGroups(item, found);
      break;
    case 'choice':
      for (const option of node.options) referredGroups(option, found);
      break;
    case 'group':
    case 'repeat':
    case 'look':
      referredGroups(node.body, found);
      break;
    default:
  }
  return found;
}

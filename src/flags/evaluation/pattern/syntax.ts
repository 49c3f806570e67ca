// Parses regular expressions of ECMAScript without flags, with the legacy syntax of browsers.
import { ALL_UNITS, complement, DIGITS, LINE_ENDS, SPACES, toRanges, WORD, type Ranges } from './char-set.ts';

export type PatternNode =
  | { kind: 'unit'; ranges: Ranges; isNegated: boolean; ignoresCase: boolean }
  | { kind: 'assert'; what: Assertion }
  | { kind: 'sequence'; items: PatternNode[] }
  | { kind: 'choice'; options: PatternNode[] }
  | { kind: 'group'; index: number; body: PatternNode }
  | {
      kind: 'repeat';
      body: PatternNode;
      min: number;
      max: number;
      isLazy: boolean;
      groups: [first: number, end: number];
    }
  | { kind: 'look'; body: PatternNode; isBehind: boolean; isNegated: boolean }
  | { kind: 'reference'; groups: readonly number[]; ignoresCase: boolean };

export type Assertion = 'start' | 'end' | 'line-start' | 'line-end' | 'boundary' | 'no-boundary';

/** The pattern exceeds the limit of size. */
export class TooLarge extends Error {}

interface Modifiers {
  i: boolean;
  m: boolean;
  s: boolean;
}

const MAX_DEPTH = 100;
const BACKSLASH = 0x5c;

/** The source must be valid for `new RegExp(source)`. Throws `TooLarge`. */
export function readPattern(source: string): PatternNode {
  return new Reader(source).readAll();
}

const UNITS_BY_LETTER: Readonly<Record<string, Ranges>> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACES,
  S: complement(SPACES),
};

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})(\?)?/y;
const GROUP_START = /\(\?(?:(<?)([=!])|<([^>]+)>|([ims]*)(?:-([ims]*))?:)/y;
const GROUP_NAME = /\(\?<([^=!>][^>]*)>/y;
const REFERENCE_NAME = /<([^>]+)>/y;

class Reader {
  readonly source: string;
  readonly names = new Map<string, number[]>();
  readonly groupCount: number;
  at = 0;
  depth = 0;
  opened = 0;

  constructor(source: string) {
    this.source = source;
    this.groupCount = this.countGroups();
  }

  readAll(): PatternNode {
    return this.readChoice({ i: false, m: false, s: false });
  }

  /** Backreferences may precede their groups, and whether `\2` is one depends on the number of groups. */
  countGroups(): number {
    const { source } = this;
    let count = 0;
    let isInClass = false;
    for (let at = 0; at < source.length; at += 1) {
      const character = source[at];
      if (character === '\\') at += 1;
      else if (isInClass) isInClass = character !== ']';
      else if (character === '[') isInClass = true;
      else if (character === '(') {
        const isPlain = source[at + 1] !== '?';
        const name = isPlain ? undefined : this.matchAt(at, GROUP_NAME)?.[1];
        if (!isPlain && name === undefined) continue;
        count += 1;
        if (name !== undefined) this.addName(unescapeName(name), count);
      }
    }
    return count;
  }

  /** Groups may share a name when only one of them can match. */
  addName(name: string, index: number): void {
    const same = this.names.get(name);
    if (same === undefined) this.names.set(name, [index]);
    else same.push(index);
  }

  peek(): string | undefined {
    return this.source[this.at];
  }

  matchAt(at: number, expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = at;
    return expression.exec(this.source) ?? undefined;
  }

  take(expression: RegExp): RegExpExecArray | undefined {
    const found = this.matchAt(this.at, expression);
    this.at += found?.[0].length ?? 0;
    return found;
  }

  readChoice(modifiers: Modifiers): PatternNode {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new TooLarge('it is nested too deeply');
    const options = [this.readSequence(modifiers)];
    while (this.peek() === '|') {
      this.at += 1;
      options.push(this.readSequence(modifiers));
    }
    this.depth -= 1;
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  readSequence(modifiers: Modifiers): PatternNode {
    const items: PatternNode[] = [];
    for (let next = this.peek(); next !== undefined && next !== '|' && next !== ')'; next = this.peek()) {
      const before = this.opened;
      items.push(this.readQuantified(this.readTerm(next, modifiers), before));
    }
    return items.length === 1 ? items[0]! : { kind: 'sequence', items };
  }

  readQuantified(body: PatternNode, groupsBefore: number): PatternNode {
    const found = this.take(QUANTIFIER);
    if (found === undefined) return body;
    const [text, from, comma, to, lazy] = found;
    const groups: [number, number] = [groupsBefore + 1, this.opened + 1];
    const isLazy = lazy !== undefined;
    if (from === undefined) {
      const min = text.startsWith('+') ? 1 : 0;
      return { kind: 'repeat', body, min, max: text.startsWith('?') ? 1 : Infinity, isLazy, groups };
    }
    const min = Number(from);
    const max = comma === undefined ? min : to === '' ? Infinity : Number(to);
    return { kind: 'repeat', body, min, max, isLazy, groups };
  }

  readTerm(next: string, modifiers: Modifiers): PatternNode {
    switch (next) {
      case '^':
        this.at += 1;
        return { kind: 'assert', what: modifiers.m ? 'line-start' : 'start' };
      case '$':
        this.at += 1;
        return { kind: 'assert', what: modifiers.m ? 'line-end' : 'end' };
      case '(':
        return this.readGroup(modifiers);
      case '.':
        this.at += 1;
        return unitIn(modifiers.s ? ALL_UNITS : complement(LINE_ENDS), { ...modifiers, i: false });
      case '[':
        return this.readClass(modifiers);
      case '\\':
        return this.readEscape(modifiers);
      default:
        this.at += 1;
        return unit(next.charCodeAt(0), modifiers);
    }
  }

  readGroup(modifiers: Modifiers): PatternNode {
    const found = this.take(GROUP_START);
    const [, behind, look, name, added, removed = ''] = found ?? [];
    if (look !== undefined) {
      const body = this.readToEnd(modifiers);
      return { kind: 'look', body, isBehind: behind === '<', isNegated: look === '!' };
    }
    if (found !== undefined && name === undefined) {
      const inner = { ...modifiers };
      for (const letter of added ?? '') inner[letter as keyof Modifiers] = true;
      for (const letter of removed) inner[letter as keyof Modifiers] = false;
      return this.readToEnd(inner);
    }
    if (found === undefined) this.at += 1;
    this.opened += 1;
    const index = this.opened;
    return { kind: 'group', index, body: this.readToEnd(modifiers) };
  }

  readToEnd(modifiers: Modifiers): PatternNode {
    const body = this.readChoice(modifiers);
    this.at += 1;
    return body;
  }

  readEscape(modifiers: Modifiers): PatternNode {
    const letter = this.source[this.at + 1]!;
    if (letter === 'b' || letter === 'B') {
      this.at += 2;
      return { kind: 'assert', what: letter === 'b' ? 'boundary' : 'no-boundary' };
    }
    if (letter === 'k' && this.names.size > 0) {
      this.at += 2;
      const groups = this.names.get(unescapeName(this.take(REFERENCE_NAME)![1]!))!;
      return { kind: 'reference', groups, ignoresCase: modifiers.i };
    }
    if (letter >= '1' && letter <= '9') {
      const digits = this.lookAhead(1, /\d+/y)!;
      if (Number(digits) <= this.groupCount) {
        this.at += 1 + digits.length;
        return { kind: 'reference', groups: [Number(digits)], ignoresCase: modifiers.i };
      }
    }
    const ranges = this.readEscapedUnits(false);
    return unitIn(ranges, modifiers);
  }

  /** Matches the expression `offset` characters ahead, without moving. */
  lookAhead(offset: number, expression: RegExp): string | undefined {
    return this.matchAt(this.at + offset, expression)?.[0];
  }

  /** An escape for a unit or a set of units, outside or inside a class. */
  readEscapedUnits(isInClass: boolean): Ranges {
    const letter = this.source[this.at + 1]!;
    const set = Object.hasOwn(UNITS_BY_LETTER, letter) ? UNITS_BY_LETTER[letter]! : undefined;
    if (set !== undefined) {
      this.at += 2;
      return set;
    }
    const value = this.readEscapedUnit(letter, isInClass);
    return [value, value];
  }

  readEscapedUnit(letter: string, isInClass: boolean): number {
    const octal = this.lookAhead(1, /[0-3][0-7]{0,2}|[4-7][0-7]?/y);
    if (octal !== undefined) {
      this.at += 1 + octal.length;
      return Number.parseInt(octal, 8);
    }
    if (letter === 'c') {
      const control = this.lookAhead(2, isInClass ? /[a-zA-Z0-9_]/y : /[a-zA-Z]/y);
      this.at += control === undefined ? 1 : 3;
      return control === undefined ? BACKSLASH : control.charCodeAt(0) % 32;
    }
    const digits = this.lookAhead(2, letter === 'x' ? /[\da-fA-F]{2}/y : /[\da-fA-F]{4}/y);
    if ((letter === 'x' || letter === 'u') && digits !== undefined) {
      this.at += 2 + digits.length;
      return Number.parseInt(digits, 16);
    }
    this.at += 2;
    if (isInClass && letter === 'b') return 8;
    return CONTROLS[letter] ?? letter.charCodeAt(0);
  }

  readClass(modifiers: Modifiers): PatternNode {
    this.at += 1;
    const isNegated = this.peek() === '^';
    if (isNegated) this.at += 1;
    const pairs: number[] = [];
    while (this.peek() !== ']') {
      const first = this.readClassAtom();
      const isRange = this.peek() === '-' && this.source[this.at + 1] !== ']';
      if (!isRange) {
        pairs.push(...first);
        continue;
      }
      this.at += 1;
      const last = this.readClassAtom();
      if (isSingle(first) && isSingle(last)) pairs.push(first[0]!, last[0]!);
      else pairs.push(...first, 0x2d, 0x2d, ...last);
    }
    this.at += 1;
    return { kind: 'unit', ranges: toRanges(pairs), isNegated, ignoresCase: modifiers.i };
  }

  readClassAtom(): Ranges {
    if (this.peek() === '\\') return this.readEscapedUnits(true);
    const code = this.source.charCodeAt(this.at);
    this.at += 1;
    return [code, code];
  }
}

function isSingle(ranges: Ranges): boolean {
  return ranges.length === 2 && ranges[0] === ranges[1];
}

function unit(code: number, modifiers: Modifiers): PatternNode {
  return unitIn([code, code], modifiers);
}

function unitIn(ranges: Ranges, { i }: Modifiers): PatternNode {
  return { kind: 'unit', ranges, isNegated: false, ignoresCase: i };
}

function unescapeName(name: string): string {
  return name.replaceAll(/\\u(?:\{([\da-fA-F]+)\}|([\da-fA-F]{4}))/g, (_, long?: string, short?: string) =>
    long === undefined
      ? String.fromCharCode(Number.parseInt(short!, 16))
      : String.fromCodePoint(Number.parseInt(long, 16)),
  );
}

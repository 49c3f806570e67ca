// Patterns that rule authors write, matched against texts that any client sends: neither may block the server.
import { search } from './match.ts';
import type { Steps } from './step.ts';
import { compileProgram, type PatternProgram } from './program.ts';
import { readPattern, TooLarge, type PatternNode } from './syntax.ts';

export interface Pattern {
  /** Whether the pattern exceeds the limit of size: then it is never tried. */
  readonly isTooLarge: boolean;
  /** Whether the text has a match anywhere; undefined when the steps do not suffice. */
  test(text: string, steps: Steps): boolean | undefined;
}

/** In code units. */
const MAX_SOURCE = 4096;

/** The longest text that patterns are matched against, in code units. */
export const MAX_TEXT = 8192;

/** The cost of a test besides its steps. */
const ENTRY = 10;

/** Undefined for an invalid pattern. */
export function compilePattern(source: string): Pattern | undefined {
  if (source.length > MAX_SOURCE) return TOO_LARGE;
  if (!isPattern(source)) return undefined;
  try {
    const root = readPattern(source);
    return compileText(root) ?? compileSearch(root);
  } catch (error) {
    if (error instanceof TooLarge) return TOO_LARGE;
    throw error;
  }
}

const TOO_LARGE: Pattern = { isTooLarge: true, test: () => undefined };

/** The parser of the language decides. Its matcher is never run: its steps can be neither counted nor stopped. */
function isPattern(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}

/** For a pattern that is a plain text, optionally anchored at the start or the end. */
function compileText(root: PatternNode): Pattern | undefined {
  const items = root.kind === 'sequence' ? root.items : [root];
  const isBound = (item: PatternNode | undefined, what: string) =>
    item?.kind === 'assert' && item.what === what;
  const atStart = isBound(items[0], 'start');
  const atEnd = items.length > 1 && isBound(items.at(-1), 'end');
  const wanted = items.slice(atStart ? 1 : 0, atEnd ? -1 : undefined).map(plainUnit);
  if (wanted.includes(undefined)) return undefined;
  const text = wanted.join('');
  const test = (given: string): boolean => {
    if (atStart && atEnd) return given === text;
    if (atStart) return given.startsWith(text);
    return atEnd ? given.endsWith(text) : given.includes(text);
  };
  return { isTooLarge: false, test: (given, steps) => spend(steps, given.length) && test(given) };
}

/** Most texts lack a part that every match needs, and can be skipped. */
function compileSearch(root: PatternNode): Pattern {
  const program: PatternProgram = compileProgram(root);
  const needed = longestText(root);
  return {
    isTooLarge: false,
    test(text, steps) {
      if (!spend(steps, text.length)) return undefined;
      if (needed !== '' && !text.includes(needed)) return false;
      return search(program, text, steps);
    },
  };
}

/** Searching a plain text is many times faster than running a pattern. False when too few steps are left. */
function spend(steps: Steps, length: number): true | undefined {
  steps.left -= ENTRY + (length >> 4);
  if (steps.left >= 0) return true;
  steps.left = 0;
  return undefined;
}

function plainUnit(node: PatternNode): string | undefined {
  if (node.kind !== 'unit' || node.isNegated || node.ignoresCase) return undefined;
  const [first, last, ...more] = node.ranges;
  return first === last && more.length === 0 ? String.fromCharCode(first!) : undefined;
}

/** The longest text that every match contains. */
function longestText(root: PatternNode): string {
  const texts = [''];
  const walk = (node: PatternNode): void => {
    const unit = plainUnit(node);
    if (unit !== undefined) texts.push(texts.pop()! + unit);
    else if (node.kind === 'sequence') node.items.forEach(walk);
    else if (node.kind === 'group') walk(node.body);
    else texts.push('');
  };
  walk(root);
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest));
}

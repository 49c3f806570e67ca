// Patterns of the people who write rules, which are tried on texts of anybody who asks.
import { setFlagsFromString } from 'node:v8';

// `^(a+)+$` would hold up the whole server for years: after so many steps back V8 goes on with an engine that takes none.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
setFlagsFromString('--regexp-backtracks-before-fallback=50000');

/** Undefined for what is no pattern. */
export function readPattern(text: string): RegExp | undefined {
  try {
    return new RegExp(text);
  } catch {
    return undefined;
  }
}

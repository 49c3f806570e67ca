// The order of names: by code points after case folding, the same in JavaScript and on both engines.

const ASCII = /^[\0-\u{7f}]*$/u;
/** Cherokee folds to its capital letters, which were encoded first. */
const CHEROKEE = /[\u{13a0}-\u{13fd}\u{ab70}-\u{abbf}]/u;
const DOTLESS_I = 'ı';

/** Unicode's full case folding, letter by letter: `Straße` and `STRASSE` become equal. */
export function foldCase(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : Array.from(text, foldLetter).join('');
}

function foldLetter(letter: string): string {
  if (letter === DOTLESS_I) return letter;
  if (CHEROKEE.test(letter)) return letter.toUpperCase();
  // Through upper case, so that all forms of a letter become equal: `ẞ` becomes `ß`, `SS`, `ss`.
  return letter.toLowerCase().toUpperCase().toLowerCase();
}

/** PostgreSQL cannot index longer texts. */
const MAX_BYTES = 1000;

/** The content of a column that names are sorted by. */
export function sortKeyOf(name: string): string {
  const folded = foldCase(name);
  if (Buffer.byteLength(folded) <= MAX_BYTES) return folded;
  const cut = Buffer.from(folded).subarray(0, MAX_BYTES).toString();
  // The limit may have cut the last character in two.
  return cut.replace(/\u{fffd}+$/u, '');
}

/** Negative if the first comes first. Engines compare UTF-8, which sorts by code points; UTF-16 does not. */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

/** Surrogates, the halves of characters above U+FFFF, come last. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

// The order of names: by the code points of their text with case folded, the same in JavaScript and on both engines.

const ASCII = /^[\0-\u{7f}]*$/u;
/** Cherokee is folded to its capital letters, which are older. */
const CHEROKEE = /[\u{13a0}-\u{13fd}\u{ab70}-\u{abbf}]/u;
const DOTLESS_I = 'ı';

/** Unicode's full case folding, letter by letter: `Straße` and `STRASSE` become the same. */
export function foldCase(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : Array.from(text, foldLetter).join('');
}

function foldLetter(letter: string): string {
  if (letter === DOTLESS_I) return letter;
  if (CHEROKEE.test(letter)) return letter.toUpperCase();
  // By way of capitals, so that all forms of one letter meet: `ẞ` becomes `ß`, `SS`, `ss`.
  return letter.toLowerCase().toUpperCase().toLowerCase();
}

/** PostgreSQL takes no long texts into an index. */
const MAX_BYTES = 1000;

/** What a column holds by which names are sorted. */
export function sortKeyOf(name: string): string {
  const folded = foldCase(name);
  if (Buffer.byteLength(folded) <= MAX_BYTES) return folded;
  const cut = Buffer.from(folded).subarray(0, MAX_BYTES).toString();
  // The last letter may have been cut in two.
  return cut.replace(/\u{fffd}+$/u, '');
}

/** Negative when the first one comes first. Engines compare UTF-8, whose order is that of code points; UTF-16's is not. */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

/** Halves of letters beyond the first 65,536 come last. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

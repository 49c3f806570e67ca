// Escaping and names for XML, RSS, HTML and spreadsheets: text that cannot break out of its element, and valid names.

const SPECIAL = /[&<>"\r]/g;
const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Characters that XML 1.0 forbids, escaped or not: most controls, halves of surrogate pairs, U+FFFE and U+FFFF. */
const ILLEGAL = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** A quick test for text that may need escaping; most text does not. */
// oxlint-disable-next-line no-control-regex
const SUSPECT = /[&<>"\u0000-\u0008\u000B-\u001F\uD800-\uDFFF\uFFFE\uFFFF]/;

/** For text between tags, where a carriage return would be read as a line feed; illegal characters are left out. */
export function escapeMarkup(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replaceAll(ILLEGAL, '').replaceAll(SPECIAL, (character) => ESCAPES[character]!);
}

/** For text between double quotes in a tag, where tabs and line feeds would be read as spaces. */
export function escapeAttribute(text: string): string {
  return escapeMarkup(text).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
}

const PLAIN_NAME = /^[A-Za-z_][\w.-]*$/;

/** Letters of all editions of XML: the fifth allows many more, but parsers of the fourth are in wide use. */
const LETTERS = [
  'A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u0131\u0134-\u013E\u0141-\u0148\u014A-\u017E\u1E00-\u1E9B\u1EA0-\u1EF9', // Latin
  '\u0388-\u038A\u038E-\u03A1\u03A3-\u03CE\u0401-\u040C\u040E-\u044F\u0451-\u045C\u045E-\u0481', // Greek, Cyrillic
  '\u05D0-\u05EA\u0621-\u063A\u0641-\u064A\u3041-\u3094\u30A1-\u30FA', // Hebrew, Arabic, kana
  '\u4E00-\u9FA5\uAC00-\uD7A3', // Han, Hangul
].join('');
const NOT_START = new RegExp(`^[^${LETTERS}]`);
const NOT_NAME = new RegExp(`[^${LETTERS}\\-.0-9]`, 'g');

/**
 * Makes a name from any text: characters that a name cannot contain become `_`, and `_` is put before a character that it
 * cannot begin with. Colons are replaced as well, as they would need a declared namespace; the name `xmlns` gets a `_`, as it
 * would declare one.
 */
export function toXmlName(text: string): string {
  if (PLAIN_NAME.test(text) && text !== 'xmlns') return text;
  const name = text.replaceAll(NOT_NAME, '_');
  return name === '' || name === 'xmlns' || NOT_START.test(name) ? `_${name}` : name;
}

// Items as XML, or as an RSS feed: a key is an element, an array repeats it, `@` holds attributes and `#` the text.
// HTML and spreadsheets use its escaping.
import { isContainer, isObject, MAX_DEPTH } from '../../../kernel/json/json-value.ts';
import { itemTooDeep, type ExportOptions, type Item, type ExportSource } from '../input.ts';
import { toJson } from './json.ts';
import { toText, writeText } from './text.ts';

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

export function exportXml(
  source: ExportSource,
  { bom = false, xmlRoot = 'items', xmlRow = 'item' }: ExportOptions = {},
): AsyncGenerator<string, void> {
  const root = toXmlName(xmlRoot);
  return writeText(source(), {
    bom,
    head: `${XML_DECLARATION}<${root}>\n`,
    row: elementWriter(xmlRow),
    tail: `</${root}>\n`,
  });
}

/** An RSS 2.0 feed. */
export function exportRss(
  source: ExportSource,
  { bom = false, feedTitle = 'Dataset', feedDescription = '', feedLink = '' }: ExportOptions = {},
): AsyncGenerator<string, void> {
  const channel =
    `<title>${escapeMarkup(feedTitle)}</title>\n<link>${escapeMarkup(feedLink)}</link>\n` +
    `<description>${escapeMarkup(feedDescription)}</description>\n`;
  return writeText(source(), {
    bom,
    head: `${XML_DECLARATION}<rss version="2.0">\n<channel>\n${channel}`,
    row: elementWriter('item'),
    tail: '</channel>\n</rss>\n',
  });
}

/** Writes each item as one element of this name, on a line of its own. */
function elementWriter(name: string): (item: Item) => string {
  const safe = toXmlName(name);
  return (item) => `${toElement(safe, item, 0)}\n`;
}

function toElement(name: string, value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw itemTooDeep();
  if (Array.isArray(value)) {
    let elements = '';
    for (const entry of value) elements += toElement(name, entry, depth + 1);
    return elements;
  }
  if (!isObject(value)) return enclose(name, '', escapeMarkup(toText(value)));
  let attributes = '';
  let text = '';
  let elements = '';
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (key === '@' && isObject(member)) attributes = toAttributes(member);
    else if (key === '#' && !isContainer(member)) text = escapeMarkup(toText(member));
    else elements += toElement(toXmlName(key), member, depth + 1);
  }
  return enclose(name, attributes, text + elements);
}

function enclose(name: string, attributes: string, content: string): string {
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}

/** Two keys may become the same name, which an element cannot have twice: the later one gets a number. */
function toAttributes(members: Item): string {
  /** Used names with the next number to try, so that many keys of one name do not count from 1 each time. */
  const taken = new Map<string, number>();
  let attributes = '';
  for (const [key, value] of Object.entries(members)) {
    const base = toXmlName(key);
    let name = base;
    for (let next = taken.get(base) ?? 2; taken.has(name); next += 1) {
      name = `${base}_${next}`;
      taken.set(base, next + 1);
    }
    taken.set(name, taken.get(name) ?? 2);
    const text = isContainer(value) ? toJson(value) : toText(value);
    attributes += ` ${name}="${escapeAttribute(text)}"`;
  }
  return attributes;
}

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

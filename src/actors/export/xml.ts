// Items as XML, or as an RSS feed: a key is an element, an array repeats it, `@` holds attributes and `#` the text.
import { isContainer, isObject, MAX_DEPTH } from '../../kernel/json/json-value.ts';
import { itemTooDeep, type ExportOptions, type Item, type ExportSource } from './input.ts';
import { toJson } from './json.ts';
import { escapeAttribute, escapeMarkup, toXmlName } from './markup.ts';
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

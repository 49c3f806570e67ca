// Small strict parsers for the exported formats: they fail where a lenient parser would guess.
import assert from 'node:assert/strict';
import { crc32, inflateRawSync } from 'node:zlib';

/** RFC 4180: rows of cells. */
export function readCsv(text: string, delimiter = ','): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; ; at += 1) {
        assert.ok(at < text.length, 'a quote is not closed');
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') cell += text[(at += 1)];
        else break;
      }
      at += 1;
    } else {
      while (!text.startsWith(delimiter, at) && !text.startsWith('\r\n', at)) {
        assert.ok(
          at < text.length && !'"\r\n'.includes(text[at]!),
          `a bare ${JSON.stringify(text[at])} in a cell`,
        );
        cell += text[at];
        at += 1;
      }
    }
    row.push(cell);
    if (text.startsWith(delimiter, at)) {
      at += delimiter.length;
    } else {
      assert.ok(text.startsWith('\r\n', at), 'a row ends with CRLF');
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  assert.equal(row.length, 0, 'the last row ends');
  return rows;
}

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: (XmlElement | string)[];
}

const NAME = '[A-Z_a-z\\u00C0-\\u{EFFFF}][-.0-9A-Z_a-z\\u00B7-\\u{EFFFF}]*';
/** The only prefixes are those of spreadsheets; an item must not add another. */
const ATTRIBUTE = `(?:(?:xml|xmlns|r):)?${NAME}`;
const TOKEN = new RegExp(
  `<(?<open>${NAME})(?<attributes>(?:\\s+${ATTRIBUTE}="[^"<]*")*)\\s*(?<empty>/?)>|</(?<close>${NAME})>|(?<text>[^<]+)`,
  'uy',
);
const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#9': '\t',
  '#10': '\n',
  '#13': '\r',
};

/** The root of a document of elements, attributes and text; anything else, or malformed XML, is an error. */
export function readXml(document: string): XmlElement {
  assert.doesNotMatch(
    document,
    /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u,
    'an illegal character',
  );
  const body = document
    .replace(/^(<\?xml version="1\.0" encoding="UTF-8"\?>|<!DOCTYPE html>)\n/, '')
    .trimEnd();
  const top: XmlElement = { name: '', attributes: {}, children: [] };
  const open = [top];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < body.length) {
    const start = TOKEN.lastIndex;
    const groups = TOKEN.exec(body)?.groups;
    assert.ok(groups, `ill-formed: ${body.slice(start, start + 60)}`);
    const parent = open.at(-1)!;
    if (groups['text'] !== undefined) {
      assert.ok(parent !== top, 'text outside of the root');
      assert.ok(!groups['text'].includes(']]>'), 'the end of a CDATA section in text');
      parent.children.push(unescape(groups['text']));
    } else if (groups['close'] !== undefined) {
      assert.equal(open.pop()!.name, groups['close']);
      assert.ok(open.length > 0, 'closed more than was opened');
    } else {
      assert.ok(parent !== top || top.children.length === 0, 'two roots');
      const element = {
        name: groups['open']!,
        attributes: readAttributes(groups['attributes']!),
        children: [],
      };
      parent.children.push(element);
      if (groups['empty'] === '') open.push(element);
    }
  }
  assert.equal(open.length, 1, 'an element is not closed');
  const [root] = top.children;
  assert.ok(typeof root === 'object', 'no root');
  return root;
}

export function childrenOf(element: XmlElement, name?: string): XmlElement[] {
  const elements = element.children.filter((child) => typeof child === 'object');
  return name === undefined ? elements : elements.filter((child) => child.name === name);
}

export function textIn(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');
}

function readAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(/([^\s=]+)="([^"]*)"/g)) {
    assert.ok(!Object.hasOwn(attributes, name!), `the attribute ${name} twice`);
    attributes[name!] = unescape(value!.replaceAll(/[\t\n\r]/g, ' '));
  }
  return attributes;
}

function unescape(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replaceAll(/&([^;&]*);?/g, (reference, name: string) => {
      const character = ENTITIES[name];
      assert.ok(character !== undefined && reference.endsWith(';'), `an unknown reference ${reference}`);
      return character;
    });
}

/** The parts of an archive by name, located by the directory at its end, with their checksums verified. */
export function readZip(archive: Buffer): Map<string, string> {
  const end = archive.length - 22;
  assert.equal(archive.readUInt32LE(end), 0x06054b50);
  const parts = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    assert.equal(archive.readUInt32LE(at), 0x02014b50);
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const packedSize = archive.readUInt32LE(at + 20);
    const local = archive.readUInt32LE(at + 42);
    assert.equal(archive.readUInt32LE(local), 0x04034b50);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = inflateRawSync(archive.subarray(start, start + packedSize));
    assert.equal(content.length, archive.readUInt32LE(at + 24));
    assert.equal(crc32(content), archive.readUInt32LE(at + 16));
    const descriptor = start + packedSize;
    assert.equal(archive.readUInt32LE(descriptor), 0x08074b50);
    assert.deepEqual(archive.subarray(descriptor + 4, descriptor + 16), archive.subarray(at + 16, at + 28));
    parts.set(name, content.toString());
    at += 46 + nameLength + archive.readUInt16LE(at + 30);
  }
  assert.equal(at, end);
  return parts;
}

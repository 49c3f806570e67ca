// What the pages of Actors compute: colours and rows of logs, links to lines, errors of inputs and their secrets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  breakLine,
  indentLines,
  outdentLines,
  type TextEdit,
} from '../../console/actors/actor/source-keys.ts';
import { errorsByField } from '../../console/actors/input/input-errors.ts';
import { takeOutSecrets } from '../../console/actors/input/secrets.ts';
import { parseAnsi, withoutAnsi } from '../../console/actors/log/ansi.ts';
import { languageOf } from '../../console/lib/highlight/languages.ts';
import { openTokenReader } from '../../console/lib/highlight/token-reader.ts';
import { tokenizeLines } from '../../console/lib/highlight/tokenize.ts';
import { parseRange } from '../../console/lib/parse-range.ts';
import { LogBook } from '../../console/actors/log/log-book.ts';
import { splitLevel } from '../../console/actors/log/log-line.ts';
import { fileOfPath, splitPlaces } from '../../console/actors/log/places.ts';
import { layOutRows } from '../../console/actors/log/log-rows.ts';

/** The text after the edit, with what is selected in brackets. */
function applied(text: string, edit: TextEdit): string {
  const { from, to, selection } = edit;
  const after = text.slice(0, from) + edit.text + text.slice(to);
  const { start, end } = selection;
  return `${after.slice(0, start)}[${after.slice(start, end)}]${after.slice(end)}`;
}

const ESC = '\u001B';

test('colours of a terminal become classes, and every other sequence is left out', () => {
  assert.deepEqual(parseAnsi(`a ${ESC}[1;31mred${ESC}[0m ${ESC}[38;5;2mgreen${ESC}[39m${ESC}[2Kend`), [
    { text: 'a ' },
    { text: 'red', className: 'an-red an-b' },
    { text: ' ' },
    { text: 'green', className: 'an-green' },
    { text: 'end' },
  ]);
  assert.equal(withoutAnsi(`${ESC}]0;title\u0007x${ESC}[38;2;1;2;3my`), 'xy');
});

test('a level at the beginning of a line stands in a column of its own', () => {
  assert.deepEqual(splitLevel(`${ESC}[32mINFO${ESC}[39m  Crawler: done`), {
    word: 'INFO',
    rest: 'Crawler: done',
  });
  assert.deepEqual(splitLevel('INFORMATION is no level'), { rest: 'INFORMATION is no level' });
});

test('an address points at a line or at several, in either order', () => {
  assert.deepEqual(parseRange('#L120'), { from: 120, to: 120 });
  assert.deepEqual(parseRange('#L140-L120'), { from: 120, to: 140 });
  for (const hash of ['', '#L', '#L1x', '#other', '#L-1']) assert.equal(parseRange(hash), undefined);
});

test('rows of a log are its lines, with one mark for what was left out and one for each break', () => {
  const book = new LogBook();
  book.last = 100;
  book.omitted = { first: 11, last: 90, bytes: 1000 };
  book.addGap(95);
  const rows = layOutRows(book, undefined, undefined);
  assert.equal(rows.count, 10 + 1 + 5 + 1 + 5);
  const kinds = Array.from({ length: rows.count }, (_, index) => rows.rowAt(index)!);
  assert.deepEqual(kinds.map((row) => (row.kind === 'line' ? row.number : row.kind)).slice(9, 18), [
    10,
    'omitted',
    91,
    92,
    93,
    94,
    95,
    'gap',
    96,
  ]);
  assert.equal(rows.rowAt(rows.count), undefined);
  for (const number of [1, 10, 91, 95, 96, 100])
    assert.deepEqual(rows.rowAt(rows.indexOf(number)), { kind: 'line', number });
});

test('wrapped lines are as high as their rows, and the row at a height is found', () => {
  const book = new LogBook();
  book.put([
    { number: 1, text: 'x'.repeat(25) },
    { number: 2, text: 'short' },
  ]);
  book.last = 3;
  const rows = layOutRows(book, undefined, 10);
  assert.deepEqual([0, 1, 2, 3].map(rows.topOf), [0, 60, 80, 100]);
  assert.deepEqual([0, 59, 60, 85].map(rows.indexAtTop), [0, 0, 1, 2]);
  assert.equal(layOutRows(book, [2], undefined).count, 1);
});

test('a book keeps a bounded number of lines, and those that were read last', () => {
  const book = new LogBook();
  for (let from = 1; from < 30_000; from += 1000)
    book.put(Array.from({ length: 1000 }, (_, index) => ({ number: from + index, text: '' })));
  assert.equal(book.line(1), undefined);
  assert.ok(book.line(30_000));
});

test('one sentence of the API about an input is told apart by its fields', () => {
  const errors = errorsByField(
    'Input is not valid: Field input.lines must be <= 5, Field input.words is required, Items in input.urls at positions [0] do not contain valid URLs',
  );
  assert.deepEqual(Object.fromEntries(errors), {
    lines: 'Field input.lines must be <= 5',
    words: 'Field input.words is required',
    urls: 'Items in input.urls at positions [0] do not contain valid URLs',
  });
  assert.deepEqual([...errorsByField('It is too large.')], [['', 'It is too large.']]);
});

test('secrets of an input are taken out of what is shown', () => {
  const { value, secrets } = takeOutSecrets({ a: 1, password: 'ENCRYPTED_VALUE:x:y', text: 'ENCRYPTED' });
  assert.deepEqual(value, { a: 1, text: 'ENCRYPTED' });
  assert.deepEqual(secrets, { password: 'ENCRYPTED_VALUE:x:y' });
});

test('a place in a log leads to the file that it names, and never to one of a package', () => {
  const names = ['main.js', 'src/main.js', 'index.js'];
  const hrefOf = (path: string, line: number) => {
    const file = fileOfPath(path, names);
    return file && `${file}#${line}`;
  };
  assert.deepEqual(splitPlaces('at parse (file:///actor/src/main.js:12:5)', hrefOf), [
    { text: 'at parse (file://' },
    { text: '/actor/src/main.js:12:5', href: 'src/main.js#12' },
    { text: ')' },
  ]);
  for (const text of ['at node_modules/x/index.js:3', '/app/site-packages/index.js:3', 'domain.js:3'])
    assert.deepEqual(splitPlaces(text, hrefOf), [{ text }]);
});

test('Tab in code moves lines in and out, and a new line begins as far in as the one before', () => {
  const text = 'if (a) {\n  b();\n\n}\n';
  const all = { start: 3, end: text.length };
  assert.equal(applied(text, indentLines(text, { start: 0, end: 0 })), `  []${text}`);
  assert.equal(applied(text, indentLines(text, all)), '  if [(a) {\n    b();\n\n  }\n]');
  assert.equal(applied(text, outdentLines(text, all)!), 'if [(a) {\nb();\n\n}\n]');
  assert.equal(outdentLines('a\nb', { start: 0, end: 3 }), undefined);
  const end = text.indexOf('\n\n');
  assert.equal(applied(text, breakLine(text, { start: end, end })), 'if (a) {\n  b();\n  []\n\n}\n');
  const tabs = 'a:\n\tb\n';
  assert.equal(applied(tabs, indentLines(tabs, { start: 5, end: 5 })), 'a:\n\tb\t[]\n');
});

test('a text that is edited has the tokens of one that is read at once, and of the lines in view alone', () => {
  const language = languageOf('main.js')!;
  const read = openTokenReader(language);
  const lines = ['const a = `x', 'y`; // z', 'f(1);', 'const b = 2;', '/* c', '*/ g();'];
  const check = (text: readonly string[], to = text.length) =>
    assert.deepEqual(read(text, 1, to), tokenizeLines(text, language).slice(1, to));
  check(lines, 2);
  check(lines);
  const opened = ['/* open', ...lines];
  check(opened);
  check(lines);
  check([...lines.slice(0, 1), ...lines.slice(2)]);
  check(['const a = 1;', ...lines.slice(1)]);
  check([]);
  check(lines);
});

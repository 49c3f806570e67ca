import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../../kernel/failure.ts';
import { exportCsv } from './csv.ts';
import { readCsv } from '../fixture-readers.ts';
import { anyTable, sourceOf, textOf } from '../fixture.ts';
import type { Item } from '../input.ts';

const items: Item[] = [
  { name: 'plain', price: 1.5, ok: true },
  { name: 'a "quoted", one', none: null, price: 0 },
];

test('items become rows under a row of names, after a byte order mark', async () => {
  assert.equal(
    await textOf(exportCsv(sourceOf(items))),
    '\uFEFFname,price,ok,none\r\nplain,1.5,true,\r\n"a ""quoted"", one",0,,\r\n',
  );
});

test('the mark and the names may be left out, and the delimiter chosen', async () => {
  assert.equal(
    await textOf(exportCsv(sourceOf(items), { bom: false, skipHeaderRow: true, delimiter: ';' })),
    'plain;1.5;true;\r\n"a ""quoted"", one";0;;\r\n',
  );
});

test('a value holding the delimiter is quoted, a number too', async () => {
  const text = await textOf(
    exportCsv(sourceOf([{ a: 1.5, b: 'x.y', c: 'z' }]), { bom: false, delimiter: '.' }),
  );
  assert.equal(text, 'a.b.c\r\n"1.5"."x.y".z\r\n');
});

test('a row whose only cell is empty is not an empty line', async () => {
  assert.equal(
    await textOf(exportCsv(sourceOf([{ a: '' }, { a: 1 }, {}]), { bom: false })),
    'a\r\n""\r\n1\r\n""\r\n',
  );
});

test('text that looks like a formula is unchanged', async () => {
  const text = await textOf(exportCsv(sourceOf([{ a: '=1+1', b: '+x', c: '-x', d: '@x' }]), { bom: false }));
  assert.equal(text, 'a,b,c,d\r\n=1+1,+x,-x,@x\r\n');
});

test('text that looks like a formula is only text where that is asked for, and numbers stay numbers', async () => {
  const formulas = ['=1+1', '+x', '-x', '@x', '\t=1', '\r=1', '\n=1', '\uFF1D1'];
  const item = {
    '=name': 'x;=1',
    ...Object.fromEntries(formulas.map((text, at) => [`c${at}`, text])),
    n: -5,
    m: '-5',
  };
  const options = { bom: false, escapeFormulas: true };
  for (const texts of [undefined, sourceOf([JSON.stringify(item)])]) {
    const text = await textOf(exportCsv(sourceOf([item]), options, texts));
    const [names, cells] = readCsv(text) as [string[], string[]];
    assert.equal(names[0], "'=name");
    assert.deepEqual(cells, ['x;=1', ...formulas.map((formula) => `'${formula}`), '-5', "'-5"]);
    assert.match(text, /^"'=name",.*\r\n"x;=1",/);
    assert.match(text, /,-5,"'-5"\r\n$/);
  }
});

test('a delimiter that is not one character, or means something else, is refused', async () => {
  for (const delimiter of ['', ',,', '"', '\r', '\n']) {
    await assert.rejects(
      textOf(exportCsv(sourceOf(items), { delimiter })),
      (error) => error instanceof Failure && error.kind === 'invalid',
    );
  }
});

test('a huge value goes through', async () => {
  const value = 'x"\n'.repeat(1_000_000);
  const rows = readCsv(await textOf(exportCsv(sourceOf([{ value }]), { bom: false })));
  assert.equal(rows[1]![0], value);
});

test('every value comes back from a reader of CSV, under its name', async () => {
  const delimiters = fc.constantFrom(',', ';', '\t', '|', '.', ' ', '1', '😀');
  await fc.assert(
    fc.asyncProperty(anyTable, delimiters, async (batches, delimiter) => {
      const [names, ...rows] = readCsv(
        await textOf(exportCsv(sourceOf(...batches), { bom: false, delimiter })),
        delimiter,
      );
      const wanted = batches.flat().map((item) => {
        const cells = new Map<string, string>();
        flatten(item, '', cells);
        return cells;
      });
      assert.deepEqual(names, [...new Set(wanted.flatMap((cells) => [...cells.keys()]))]);
      assert.deepEqual(
        rows,
        wanted.map((cells) => names.map((name) => cells.get(name) ?? '')),
      );
    }),
  );
});

function flatten(value: unknown, name: string, cells: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) {
    cells.set(name.slice(1), value === null ? '' : `${value as string | number}`);
  } else {
    for (const [key, member] of Object.entries(value)) flatten(member, `${name}/${key}`, cells);
  }
}

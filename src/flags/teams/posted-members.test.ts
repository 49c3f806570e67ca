// Files of e-mail addresses: how they are read, and the result for each line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAddresses, readAddresses } from './posted-members.ts';

const valuesOf = (text: string) => readAddresses(text).map(({ value }) => value);

test('the first column counts, in whatever way lines and cells are parted', () => {
  assert.deepEqual(valuesOf('a@b.c,x\r\nd@e.f;y\ng@h.i\tz\rj@k.l'), ['a@b.c', 'd@e.f', 'g@h.i', 'j@k.l']);
  assert.deepEqual(valuesOf('"a@b.c","x, y"\n " d@e.f " '), ['a@b.c', 'd@e.f']);
  assert.deepEqual(valuesOf('"say ""x""@y",1'), ['say "x"@y']);
});

test('a heading and what trails are no entries; lines keep their number', () => {
  assert.deepEqual(readAddresses('\uFEFFE-Mail address,Name\na@b.c\n\n'), [{ line: 2, value: 'a@b.c' }]);
  assert.deepEqual(valuesOf('email@b.c\na@b.c'), ['email@b.c', 'a@b.c'], 'an address is no heading');
  assert.deepEqual(valuesOf('email'), []);
});

test('a file that suffers from one thing is told so as a whole', () => {
  const known = { idOf: new Map([['a@b.c', '1']]), inTeam: new Set(['1']) };
  assert.equal(checkAddresses(readAddresses('email'), known).overall, 'File is empty');
  assert.equal(
    checkAddresses(readAddresses('a@b.c'), known).overall,
    'All emails belong to existing team members',
  );
  const mixed = checkAddresses(readAddresses('a@b.c\nx'), known);
  assert.deepEqual([mixed.overall, mixed.isGood], [undefined, false]);
  const good = checkAddresses(readAddresses('A@b.c'), { ...known, inTeam: new Set() });
  assert.deepEqual([good.overall, good.isGood], [undefined, true]);
});

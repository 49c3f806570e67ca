// Search by words returns the same on both engines.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from './engine.ts';
import type { Migration } from './migrate.ts';
import { searchByWords, wordsOf } from './search.ts';

const migrations: Migration[] = [
  {
    name: 'texts',
    up: ({ serial, search, text }) => [
      `create table texts (no ${serial}, words ${text})`,
      ...search('texts', 'no'),
    ],
  },
];

test('words are letters and digits of any script, small, each once', () => {
  assert.equal(
    wordsOf('Dark-Mode_banner', undefined, "o'Neil ÄRGER 42 dark", null),
    'dark mode banner o neil ärger 42',
  );
  assert.equal(wordsOf('… '), '');
});

onEachEngine((testEngine) => {
  let engine: Engine;
  const find = (text: string, below = 1000, limit = 10) =>
    searchByWords(engine, { table: 'texts', key: 'no', text }, below, limit);

  before(async () => {
    engine = await testEngine.open(migrations);
    for (const text of ['Dark banner', 'dark mode', "it's a BANNER of ada@example.com", 'Ünïcode 7']) {
      await sql`insert into texts (words) values (${wordsOf(text)})`.execute(engine.db);
    }
    await sql`insert into texts (words) values (null)`.execute(engine.db);
  });

  test('the newest come first', async () => assert.deepEqual(await find('banner'), [3, 1]));

  test('the beginning of a word is enough', async () => assert.deepEqual(await find('ban'), [3, 1]));

  test('the end of a word is not', async () => assert.deepEqual(await find('anner'), []));

  test('every word sought must be there', async () => {
    assert.deepEqual(await find('dark ban'), [1]);
    assert.deepEqual(await find('ada@exam'), [3]);
  });

  test('letters beyond ASCII are found in either case', async () => assert.deepEqual(await find('üNÏ'), [4]));

  test('a search continues below a number, and stops at its limit', async () => {
    assert.deepEqual(await find('banner', 3), [1]);
    assert.deepEqual(await find('dark', 1000, 1), [2]);
  });

  test('an ascending search continues above a number', async () => {
    const rising = (text: string, above: number, limit = 10) =>
      searchByWords(engine, { table: 'texts', key: 'no', text }, above, limit, 'asc');
    assert.deepEqual(await rising('banner', 0), [1, 3]);
    assert.deepEqual(await rising('banner', 1), [3]);
    assert.deepEqual(await rising('dark', 0, 1), [1]);
  });

  test('words of the index language are words like others', async () => {
    assert.deepEqual(await find('banner AND dark'), []);
    assert.deepEqual(await find(`dark" OR "x' | !mode`), []);
  });

  test('a deleted row is found no more', async () => {
    await sql`insert into texts (words) values ('fleeting')`.execute(engine.db);
    assert.equal((await find('fleeting')).length, 1);
    await sql`delete from texts where words = 'fleeting'`.execute(engine.db);
    assert.deepEqual(await find('fleeting'), []);
  });
});

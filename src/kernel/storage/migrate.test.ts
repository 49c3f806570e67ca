// Migrations on each engine: in order, once, all or none, and never backwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { sortKeyOf } from '../text/fold-case.ts';
import { fillSortNames, migrate, migrationStatus, type Migration } from './migrate.ts';

const first: Migration = {
  name: 'first',
  up: ({ serial, bytes, text }) => [
    `create table things (id ${serial}, name ${text} not null, body ${bytes})`,
  ],
};
const second: Migration = {
  name: 'second',
  up: () => ['alter table things add column size bigint', 'create index things_size on things (size)'],
};
const broken: Migration = {
  name: 'broken',
  up: ({ text }) => [`create table others (id ${text})`, 'create nonsense'],
};

onEachEngine((engine) => {
  test('missing migrations are applied in order, once', async () => {
    const one = await engine.open();
    assert.deepEqual(await migrate(one, [first], 1), ['first']);
    assert.deepEqual(await migrate(one, [first, second], 2), ['second']);
    assert.deepEqual(await migrate(one, [first, second], 3), []);
    await sql`insert into things (name, size) values ('a', 1)`.execute(one.db);
    assert.deepEqual(await migrationStatus(one, [first, second]), {
      applied: [
        { name: 'first', appliedAt: 1 },
        { name: 'second', appliedAt: 2 },
      ],
      pending: [],
      unknown: [],
    });
  });

  test('the status of an empty database is read without writing to it', async () => {
    const one = await engine.open();
    assert.deepEqual(await migrationStatus(one, [first]), { applied: [], pending: ['first'], unknown: [] });
    await assert.rejects(sql`select * from migrations`.execute(one.db));
  });

  test('a migration that fails leaves nothing of the whole step', async () => {
    const one = await engine.open();
    await assert.rejects(migrate(one, [first, broken], 1));
    const { pending } = await migrationStatus(one, [first, broken]);
    assert.deepEqual(pending, ['first', 'broken']);
    assert.deepEqual(await migrate(one, [first], 1), ['first']);
  });

  test('a database that is newer than the program is refused', async () => {
    const one = await engine.open([first, second]);
    await assert.rejects(migrate(one, [first], 1), {
      kind: 'conflict',
      message: /newer than this program.*second.*update the program/,
    });
    assert.deepEqual((await migrationStatus(one, [first])).unknown, ['second']);
  });

  test('programs that start together migrate once', async () => {
    const location = await engine.database();
    const engines = await Promise.all([1, 2, 3].map(() => engine.open([], location)));
    const applied = await Promise.all(engines.map((one) => migrate(one, [first, second], 1)));
    assert.deepEqual(applied.flat().sort(), ['first', 'second']);
  });

  test('names that were there before are sorted as new ones are', async () => {
    const table: Migration = {
      name: 'named',
      up: ({ text }) => [`create table named (id ${text} primary key, name ${text} not null)`],
    };
    const sorted: Migration = {
      name: 'sorted',
      up: ({ text }) => [
        `alter table named add column sort_name ${text} not null default ''`,
        'update named set sort_name = lower(name)',
      ],
      fill: (tx) => fillSortNames(tx, 'named', 'name'),
    };
    const one = await engine.open([table]);
    const names = ['Zebra', 'apple', 'ÉTÉ', 'STRASSE', 'straße', 'Ａ', '😀'];
    for (const [index, name] of names.entries())
      await sql`insert into named (id, name) values (${String(index)}, ${name})`.execute(one.db);
    await migrate(one, [table, sorted], 1);
    const { rows } = await sql<{ name: string; sort_name: string }>`
      select name, sort_name from named order by sort_name, id`.execute(one.db);
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['apple', 'STRASSE', 'straße', 'Zebra', 'ÉTÉ', 'Ａ', '😀'],
    );
    for (const row of rows) assert.equal(row.sort_name, sortKeyOf(row.name));
  });

  test('a column can be named text, and texts are ordered by their bytes', async () => {
    const lines: Migration = {
      name: 'lines',
      up: ({ serial, text }) => [
        `create table lines (no ${serial}, text ${text} not null, context text)`,
        `alter table lines add column "more text" ${text}`,
      ],
    };
    const one = await engine.open([lines]);
    for (const line of ['b', 'a', 'B', 'ä', 'A'])
      await sql`insert into lines (text, "more text") values (${line}, ${line})`.execute(one.db);
    const { rows } = await sql<{ text: string }>`select text from lines order by text`.execute(one.db);
    assert.equal(rows.map(({ text }) => text).join(''), 'ABabä');
    const more = await sql<{ text: string }>`
      select text from lines order by "more text" desc`.execute(one.db);
    assert.equal(more.rows.map(({ text }) => text).join(''), 'äbaBA');
  });

  test('two migrations of one name are a mistake', async () => {
    const one = await engine.open();
    await assert.rejects(migrate(one, [first, first], 1), /same name/);
  });
});

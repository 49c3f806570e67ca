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
        { name: 'first', appliedAt: 1, kind: 'expand' },
        { name: 'second', appliedAt: 2, kind: 'expand' },
      ],
      pending: [],
      unknown: [],
      release: undefined,
      refusal: undefined,
    });
  });

  test('the status of an empty database is read without writing to it', async () => {
    const one = await engine.open();
    assert.deepEqual(await migrationStatus(one, [first]), {
      applied: [],
      pending: ['first'],
      unknown: [],
      release: undefined,
      refusal: undefined,
    });
    await assert.rejects(sql`select * from migrations`.execute(one.db));
  });

  test('a migration that fails leaves nothing of the whole step', async () => {
    const one = await engine.open();
    await assert.rejects(migrate(one, [first, broken], 1));
    const { pending } = await migrationStatus(one, [first, broken]);
    assert.deepEqual(pending, ['first', 'broken']);
    assert.deepEqual(await migrate(one, [first], 1), ['first']);
  });

  test('a database with a migration of which nothing is known but its name is refused', async () => {
    const one = await engine.open([first, second]);
    await sql`update migrations set kind = null, release = null`.execute(one.db);
    await assert.rejects(migrate(one, [first], 1), {
      kind: 'conflict',
      message: 'The database was changed by a newer Signalbox than this program: update the program.',
    });
  });

  test('a database that a newer release has changed is refused by the name of that release', async () => {
    const contract: Migration = {
      name: 'gone',
      release: '1.10.0',
      up: () => ['alter table things drop column body'],
    };
    const one = await engine.open([first, { ...second, release: '1.9.0' }, contract]);
    const { refusal, release, unknown } = await migrationStatus(one, [first]);
    assert.equal(release, '1.10.0');
    assert.deepEqual(
      unknown.map(({ name, kind }) => [name, kind]),
      [
        ['gone', 'contract'],
        ['second', 'expand'],
      ],
    );
    assert.match(refusal!, /changed by Signalbox 1\.10\.0, .* update the program to 1\.10\.0\.$/);
    await assert.rejects(migrate(one, [first], 1), { kind: 'conflict', message: refusal! });
  });

  test('a program works on what a newer release has only added', async () => {
    const one = await engine.open([first, { ...second, release: '1.9.0' }]);
    assert.deepEqual(await migrate(one, [first], 1), []);
    await sql`insert into things (name) values ('of the older program')`.execute(one.db);
    const { rows } = await sql<{ size: null }>`select size from things`.execute(one.db);
    assert.deepEqual(rows, [{ size: null }]);
  });

  test('rows of a program that recorded no releases are completed', async () => {
    const one = await engine.open();
    await sql
      .raw('create table migrations (name text primary key, applied_at bigint not null)')
      .execute(one.db);
    for (const statement of first.up({ serial: 'integer', bytes: 'text', text: 'text' } as never))
      await sql.raw(statement).execute(one.db);
    await sql`insert into migrations (name, applied_at) values ('first', 1)`.execute(one.db);
    const before = { ...first, release: '1.0.0' };
    assert.equal((await migrationStatus(one, [before])).release, '1.0.0');
    assert.deepEqual(await migrate(one, [before, second], 2), ['second']);
    const { applied } = await migrationStatus(one, []);
    assert.deepEqual(applied[0], { name: 'first', appliedAt: 1, release: '1.0.0', kind: 'expand' });
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

// Results that are used again, beside writes that make them stale: on a server's engine, and the choice of what is kept.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../../test/eventually.ts';
import type { Engine } from '../engine.ts';
import { TableChanges } from '../table-changes.ts';
import { KeptResults } from './kept-results.ts';
import { openSqlite } from './sqlite.ts';
import type { RawResult } from './sqlite-protocol.ts';

const ROWS: RawResult = ['name\0', ['Ada'], 0, 0, 'people'];

function keep(results: KeptResults, statement: string, values: unknown[], result = ROWS): void {
  const asked = results.ask(statement, values);
  if (asked !== undefined && asked.result === undefined) results.keep(asked, result);
}

const isKept = (results: KeptResults, statement: string, values: unknown[]) =>
  results.ask(statement, values)?.result !== undefined;

describe('a result is used again', () => {
  const READ = 'select name from people where team = ? and seat = ?';

  test('for the same values alone, whatever they contain', () => {
    const results = new KeptResults(new TableChanges());
    keep(results, READ, ['a', 1]);
    assert.ok(isKept(results, READ, ['a', 1]));
    for (const others of [['a', '1'], ['a', 2], ['a 1:1', null], ['a', null], ['', 'a'], ['a']])
      assert.ok(!isKept(results, READ, others), JSON.stringify(others));
    keep(results, READ, ['1:b', ' =1']);
    assert.ok(!isKept(results, READ, ['1', ':b =1']));
    assert.ok(!isKept(results, 'select 1 from people', ['a', 1]));
  });

  test('until its table is written, also while it is read', () => {
    const changes = new TableChanges();
    const results = new KeptResults(changes);
    keep(results, READ, ['a', 1]);
    changes.record('notes');
    assert.ok(isKept(results, READ, ['a', 1]));
    changes.record('notes people');
    assert.ok(!isKept(results, READ, ['a', 1]));
    const asked = results.ask(READ, ['a', 1])!;
    changes.record('people');
    results.keep(asked, ROWS);
    assert.ok(!isKept(results, READ, ['a', 1]));
    keep(results, READ, ['a', 1]);
    changes.recordAll();
    assert.ok(!isKept(results, READ, ['a', 1]));
  });

  test('unless it is long, is of no table, or of what the file says about itself', () => {
    const results = new KeptResults(new TableChanges());
    for (const [statement, result] of Object.entries<RawResult>({
      'select long': ['text\0', ['x'.repeat(70_000)], 0, 0, 'people'],
      'select bytes': ['bytes\0', [new Uint8Array(70_000)], 0, 0, 'people'],
      'select 1': ['1\0', [1], 0, 0, ''],
      'select unknown': ['1\0', [1], 0, 0],
      'select size': ['size\0', [1], 0, 0, 'pragma_page_count'],
      'select schema': ['name\0', ['people'], 0, 0, 'people sqlite_master'],
    })) {
      keep(results, statement, [], result);
      assert.ok(!isKept(results, statement, []), statement);
    }
    keep(results, READ, [new Uint8Array(1), 1]);
    assert.ok(!isKept(results, READ, [new Uint8Array(1), 1]));
    assert.ok(!isKept(results, READ, ['x'.repeat(400), 1]));
  });

  test('and statements whose results are never used again are left alone for a while', () => {
    const results = new KeptResults(new TableChanges());
    for (let seat = 0; seat < 8; seat += 1) keep(results, READ, ['a', seat]);
    assert.equal(results.ask(READ, ['a', 8]), undefined);
    let uses = 1;
    while (results.ask(READ, ['a', 100 + uses]) === undefined) uses += 1;
    assert.equal(uses, 199);
  });
});

describe('on an engine', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'signalbox-kept-results-')), 'file.db');
  let engine: Engine;
  before(async () => {
    engine = await openSqlite({ file });
    await sql`create table people (number integer primary key, name text)`.execute(engine.db);
    await sql`create table notes (text text)`.execute(engine.db);
    await sql`insert into people values (1, 'Ada'), (2, 'Bob')`.execute(engine.db);
  });
  after(() => engine.close());

  const names = async () => {
    const { rows } = await sql<{ name: string }>`select name from people order by name`.execute(engine.db);
    return rows.map(({ name }) => name).join();
  };
  /** How many statements storage has executed. */
  const executed = () => engine.load.statements.count;

  test('a read that is repeated is not executed again, until its table is written', async () => {
    assert.equal(await names(), 'Ada,Bob');
    const once = executed();
    assert.equal(await names(), 'Ada,Bob');
    await sql`insert into notes values ('unrelated')`.execute(engine.db);
    assert.equal(await names(), 'Ada,Bob');
    assert.equal(executed(), once + 1);
    await sql`update people set name = 'Cleo' where number = 2`.execute(engine.db);
    assert.equal(await names(), 'Ada,Cleo');
  });

  test('what one caller does with its rows, another does not see', async () => {
    const read = () => sql<{ name: string }>`select * from people where number = 1`.execute(engine.db);
    const { rows } = await read();
    rows[0]!.name = 'changed';
    rows.pop();
    assert.equal((await read()).rows[0]!.name, 'Ada');
  });

  test('a transaction reads what it has written itself, and others do not', async () => {
    await names();
    await engine.db.transaction().execute(async (tx) => {
      await sql`insert into people values (3, 'Dora')`.execute(tx);
      const { rows } = await sql<{ name: string }>`select name from people order by name`.execute(tx);
      assert.equal(rows.length, 3);
      assert.equal(await names(), 'Ada,Cleo');
    });
    assert.equal(await names(), 'Ada,Cleo,Dora');
  });

  test('every acknowledged write is seen, while many write and read', async () => {
    const count = async () => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from notes`.execute(engine.db);
      return rows[0]!.count;
    };
    let acknowledged = await count();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let nth = 0; nth < 20; nth += 1) {
          await sql`insert into notes values ('one')`.execute(engine.db);
          acknowledged += 1;
          const least = acknowledged;
          assert.ok((await count()) >= least);
        }
      }),
    );
    assert.equal(await count(), acknowledged);
  });

  test('a write of another process is seen soon', async () => {
    assert.match(await names(), /^Ada/);
    const other = new DatabaseSync(file);
    other.exec("update people set name = 'Abe' where number = 1");
    other.close();
    await eventually(async () => (await names()).startsWith('Abe'), 'the write of another process');
  });
});

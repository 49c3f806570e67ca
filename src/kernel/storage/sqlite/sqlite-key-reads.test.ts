import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SqliteConnection } from './sqlite-connection.ts';
import { KeyReads } from './sqlite-key-reads.ts';
import { columnsIn } from './sqlite-protocol.ts';

const TABLES = `
  create table people (number integer primary key, id text not null unique, name text, team text, seat integer);
  create unique index people_of_team on people (team, seat);
  create index people_by_name on people (name);
  create unique index people_with_seat on people (seat) where seat is not null;
  create table notes (id text not null primary key, author text not null, text text);
`;

describe('reads by unique keys', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'signalbox-key-reads-')), 'file.db');
  let writer: SqliteConnection;
  let reads: KeyReads;
  before(() => {
    writer = new SqliteConnection(file, 'write');
    for (const statement of TABLES.split(';').filter((one) => one.trim() !== '')) writer.run(statement);
    for (let number = 1; number <= 20; number += 1)
      writer.run('insert into people values (?, ?, ?, ?, ?)', [number, `p${number}`, 'Ada', 'red', number]);
    writer.run("insert into notes values ('n1', 'p3', 'hello')");
    // A pause of the process is no slow read.
    reads = new KeyReads(file, () => 0);
  });
  after(() => {
    reads.close();
    writer.close();
  });

  /** As often as is needed until it is decided who answers. */
  function ask(sql: string, ...parameters: unknown[]): unknown[] | undefined {
    let answer;
    for (let use = 0; use < 5; use += 1) answer = reads.run(sql, parameters)?.[1];
    return answer;
  }

  test('are answered, of one table, of several, and of lists of keys', () => {
    assert.deepEqual(ask('select name from people where number = ?', 3), ['Ada']);
    assert.deepEqual(ask('select number from people where id = ?', 'p4'), [4]);
    assert.deepEqual(ask('select number from people where team = ? and seat = ?', 'red', 5), [5]);
    assert.deepEqual(ask('select number from people where id in (?, ?) order by number', 'p7', 'p6'), [6, 7]);
    assert.deepEqual(
      ask('select text, number from notes left join people on people.id = author where notes.id = ?', 'n1'),
      ['hello', 3],
    );
    assert.deepEqual(ask('select name from people where id = ?', 'nobody'), []);
  });

  test('name the tables that they read', () => {
    const sql = 'select id from people where number = ?';
    ask(sql, 1);
    assert.equal(reads.run(sql, [1])![4], 'people');
  });

  test('see what was committed a moment ago', () => {
    const sql = 'select name from people where number = ?';
    ask(sql, 8);
    writer.run("update people set name = 'Grace' where number = 8");
    assert.deepEqual(reads.run(sql, [8])![1], ['Grace']);
  });

  test('of many rows, or of as many as there happen to be, are left to the thread', () => {
    assert.equal(ask('select name from people'), undefined);
    assert.equal(ask('select number from people where name = ?', 'Ada'), undefined);
    assert.equal(ask('select number from people where team = ?', 'red'), undefined);
    assert.equal(ask('select number from people where team = ? and seat > ?', 'red', 1), undefined);
    assert.equal(ask('select number from people where number > ?', 3), undefined);
    assert.equal(ask('select count(*) from people'), undefined);
    assert.equal(
      ask('select text from notes where id = ? and author in (select id from people)', 'n1'),
      undefined,
    );
    const many = Array.from({ length: 200 }, (_, index) => index);
    const marks = many.map(() => '?').join(',');
    assert.equal(ask(`select name from people where number in (${marks})`, ...many), undefined);
  });

  test('that are rare are left to the thread too', () => {
    assert.equal(reads.run('select seat from people where number = ?', [1]), undefined);
  });

  test('that fail are left to the thread, which says why', () => {
    assert.equal(ask('select nothing from people where number = ?', 1), undefined);
    assert.equal(ask('select name from people where number = ?', Symbol('x')), undefined);
  });

  test('have the columns that a migration added', () => {
    const sql = 'select * from notes where id = ?';
    assert.equal(ask(sql, 'n1')?.length, 3);
    writer.run('alter table notes add column stars integer default 4');
    const [columns, values] = reads.run(sql, ['n1'])!;
    assert.deepEqual([columnsIn(columns).at(-1), values.at(-1)], ['stars', 4]);
  });

  test('are answered by nobody once it is closed', () => {
    const closed = new KeyReads(file);
    closed.close();
    for (let use = 0; use < 5; use += 1)
      assert.equal(closed.run('select name from people where number = ?', [1]), undefined);
  });
});

// The SQLite engine only: shared commits, threads, and messages about files.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CompiledQuery, sql } from 'kysely';
import { onEngine } from '../../../../test/engines.ts';
import { PATIENCE_MS } from '../../../../test/eventually.ts';
import type { Engine } from '../engine.ts';
import { StorageThread } from './sqlite-client.ts';
import type { StorageRequest } from './sqlite-protocol.ts';
import { openSqlite } from './sqlite.ts';

const createTable = sql`create table notes (name text primary key, body text)`;
const insert = (db: Engine['db'], name: string): Promise<unknown> =>
  sql`insert into notes (name) values (${name})`.execute(db);

async function namesIn({ db }: Engine): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from notes order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Counts the commits in the write-ahead log: the last frame of each contains the size of the file. */
async function commitsIn(file: string): Promise<number> {
  const log = await readFile(`${file}-wal`);
  const frameSize = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frameSize <= log.length; at += frameSize) {
    const isOfThisLog = log.compare(log, 16, 24, at + 8, at + 16) === 0;
    if (isOfThisLog && log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}

onEngine('sqlite', (engine) => {
  test('writes that arrive together share commits', async () => {
    const file = await engine.database();
    const { db } = await engine.open([], file);
    await createTable.execute(db);
    const before = await commitsIn(file);
    await Promise.all(Array.from({ length: 100 }, (_, i) => insert(db, `alone ${i}`)));
    const alone = await commitsIn(file);
    assert.ok(alone - before <= 20, `${alone - before} commits for 100 statements`);
    const insertTwo = (i: number): Promise<void> =>
      db.transaction().execute(async (tx) => {
        await insert(tx, `first ${i}`);
        await insert(tx, `second ${i}`);
      });
    await Promise.all(Array.from({ length: 100 }, (_, i) => insertTwo(i)));
    const together = (await commitsIn(file)) - alone;
    // How many share one depends on how soon their statements arrive.
    assert.ok(together < 100, `${together} commits for 100 transactions`);
  });

  test('one write alone is in the log before it is acknowledged', async () => {
    const file = await engine.database();
    const { db } = await engine.open([], file);
    await createTable.execute(db);
    const before = await commitsIn(file);
    for (let i = 1; i <= 5; i++) {
      await insert(db, `${i}`);
      assert.equal(await commitsIn(file), before + i);
    }
  });

  test('a disk that becomes full inside a transaction ends it', async () => {
    const one = await engine.open();
    await createTable.execute(one.db);
    await sql`pragma max_page_count = 10`.execute(one.db);
    const transaction = one.db.transaction().execute(async (tx) => {
      await insert(tx, 'a');
      await sql`insert into notes values ('large', ${'x'.repeat(100_000)})`.execute(tx);
    });
    await assert.rejects(transaction, { kind: 'unavailable', message: /disk is full/ });
    assert.deepEqual(await namesIn(one), []);
  });

  test('a value that no thread can be given fails alone', async () => {
    const one = await engine.open();
    await createTable.execute(one.db);
    const results = await Promise.allSettled([
      insert(one.db, 'a'),
      insert(one.db, Symbol('unsendable') as unknown as string),
      insert(one.db, 'b'),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await namesIn(one), ['a', 'b']);
  });

  test('a value that cannot be passed to a thread fails its whole batch or transaction', async () => {
    const one = await engine.open();
    await createTable.execute(one.db);
    const statements = ['a', Symbol('unsendable') as unknown as string, 'b'].map((name) =>
      sql`insert into notes (name) values (${name})`.compile(one.db),
    );
    await Promise.all([
      assert.rejects(one.batch(statements), /cannot be stored/),
      assert.rejects(one.batchIf(statements.slice(0, 1), statements.slice(1)), /cannot be stored/),
      assert.rejects(
        one.db.transaction().execute(async (tx) => {
          for (const statement of statements) await tx.executeQuery(statement).catch(() => {});
        }),
        /can only be rolled back/,
      ),
      insert(one.db, 'c'),
    ]);
    assert.deepEqual(await namesIn(one), ['c']);
  });

  test('a column that was added while the file was open is read', async () => {
    const one = await engine.open();
    await createTable.execute(one.db);
    await insert(one.db, 'a');
    const all = one.db.selectFrom('notes' as 'migrations').selectAll();
    assert.deepEqual(await all.execute(), [{ name: 'a', body: null }]);
    await sql`alter table notes add column size integer default 3`.execute(one.db);
    assert.deepEqual(await all.execute(), [{ name: 'a', body: null, size: 3 }]);
  });

  test('columns have the names that the statement gives them, whatever is in these', async () => {
    const one = await engine.open();
    const text = 'select 1 as "", 1 +\n1, column1 as "two\nlines" from (values (?), (?))';
    const { rows } = await one.db.executeQuery(CompiledQuery.raw(text, ['x', 'y']));
    assert.deepEqual(rows, [
      { '': 1, '1 +\n1': 2, 'two\nlines': 'x' },
      { '': 1, '1 +\n1': 2, 'two\nlines': 'y' },
    ]);
  });

  test('an unusable file or folder gives a message that says what to do', async () => {
    const file = await engine.database();
    await writeFile(file, 'These words are not a database. '.repeat(100));
    await assert.rejects(openSqlite({ file }), {
      kind: 'unavailable',
      message: /not a SQLite database; move it away/,
    });
    await assert.rejects(openSqlite({ file: join(file, 'in', 'a', 'file') }), {
      kind: 'unavailable',
      message: /check that/,
    });
    const folder = join(dirname(file), 'folder');
    await mkdir(folder);
    await assert.rejects(openSqlite({ file: folder }), { kind: 'unavailable', message: /check that/ });
  });

  test('a crashed thread fails pending and later requests, and is logged', async () => {
    const logged: string[] = [];
    const log = { warn: () => {}, error: (_: object, message: string) => logged.push(message) } as never;
    const file = await engine.database();
    const thread = new StorageThread({ file, access: 'write' }, log);
    await thread.started();
    const pending = thread.ask(['run', 0, 'select 1', []]);
    const malformed = thread.ask(undefined as unknown as StorageRequest);
    for (const reply of [await pending, await malformed, await thread.ask(['run', 0, 'select 1', []])]) {
      assert.equal(reply[2]?.kind, 'unavailable');
    }
    assert.deepEqual(logged, ['the SQLite write thread has crashed']);
    await thread.close();
  });

  test('files that are opened one after another share nothing but their threads', async () => {
    const [one, other] = [await engine.database(), await engine.database()];
    for (const [file, names] of [
      [one, ['a']],
      [other, ['b']],
      [one, ['a', 'c']],
    ] as const) {
      const opened = await openSqlite({ file });
      if (names.length === 1) await createTable.execute(opened.db);
      await insert(opened.db, names.at(-1)!);
      assert.deepEqual(await namesIn(opened), names);
      await opened.close();
    }
  });

  test('a closed database keeps no process alive and leaves no log behind', async () => {
    const file = await engine.database();
    const script = `
      import { openSqlite } from ${JSON.stringify(import.meta.resolve('./sqlite.ts'))};
      const { close, ping } = await openSqlite({ file: ${JSON.stringify(file)} });
      await ping();
      await close();`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      timeout: PATIENCE_MS,
    });
    await assert.rejects(readFile(`${file}-wal`), { code: 'ENOENT' });
  });
});

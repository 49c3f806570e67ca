// The behaviour of every storage engine, tested on each.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Generated, Kysely, Transaction } from 'kysely';
import { onEachEngine, onEngine, openEngine } from '../../../test/engines.ts';
import { eventually, inTime } from '../../../test/eventually.ts';
import { Failure } from '../failure.ts';
import type { Engine } from './engine.ts';
import type { Migration } from './migrate.ts';
import { notifyOnCommit } from './notify-on-commit.ts';
import { contested } from './retry.ts';
import { lockName } from './locks.ts';
import type { Db } from './tables.ts';

interface TestTables {
  notes: {
    id: Generated<number>;
    name: string;
    size: Generated<number>;
    share: number | null;
    body: Uint8Array | null;
    parent: number | null;
  };
}

const migrations: Migration[] = [
  {
    name: 'test-notes',
    up: ({ serial, bytes, text }) => [
      `create table notes (
         id ${serial}, name ${text} not null, size bigint not null default 0, share double precision,
         body ${bytes}, parent bigint references notes (id))`,
      'create unique index notes_name on notes (name)',
    ],
  },
];

const note = (name: string): { name: string; share: null; body: null; parent: null } => {
  return { name, share: null, body: null, parent: null };
};

const tablesOf = (engine: Engine): Kysely<TestTables> => engine.db as unknown as Kysely<TestTables>;

async function namesIn(db: Kysely<TestTables>): Promise<string[]> {
  const rows = await db.selectFrom('notes').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => assert.fail('It should have failed.'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Failure, String(error));
  return error;
}

onEachEngine((engine) => {
  test('nothing is in an empty list, and everything is outside of it', async () => {
    const db = tablesOf(await engine.open(migrations));
    await db
      .insertInto('notes')
      .values([note('one'), note('two')])
      .execute();
    const ids: number[] = [];
    const inside = db.selectFrom('notes').select('name').where('name', '=', 'one').where('id', 'in', ids);
    assert.deepEqual(await inside.execute(), []);
    const outside = db
      .selectFrom('notes')
      .select('name')
      .where('name', '=', 'one')
      .where('id', 'not in', ids);
    assert.deepEqual(await outside.execute(), [{ name: 'one' }]);
    const either = db
      .updateTable('notes')
      .set({ size: 1 })
      .where((eb) => eb.or([eb('id', 'in', ids), eb.not(eb('id', 'in', ids))]));
    assert.equal((await either.executeTakeFirstOrThrow()).numUpdatedRows, 2n);
  });

  test('values come back as they were written', async () => {
    const db = tablesOf(await engine.open(migrations));
    const written = [
      {
        name: 'größer 🚂',
        size: Number.MAX_SAFE_INTEGER,
        share: 0.1,
        body: Uint8Array.of(0, 1, 255),
        parent: null,
      },
      { name: '', size: -1, share: 1e300, body: new Uint8Array(0), parent: 1 },
      { name: "it's", size: 0, share: null, body: null, parent: null },
    ];
    for (const row of written) await db.insertInto('notes').values(row).execute();
    const rows = await db.selectFrom('notes').selectAll().orderBy('id').execute();
    assert.deepEqual(
      rows.map((row) => ({ ...row, body: row.body && Uint8Array.from(row.body) })),
      written.map((row, i) => ({ id: i + 1, ...row })),
    );
  });

  test('a batch is one transaction: all of it, with a result for each statement', async () => {
    const opened = await engine.open(migrations);
    const db = tablesOf(opened);
    const insert = (name: string) => db.insertInto('notes').values(note(name)).returning('id').compile();
    const [first, , read] = await opened.batch([
      insert('a'),
      insert('b'),
      db.selectFrom('notes').select('name').orderBy('name').compile(),
    ]);
    assert.deepEqual(first?.rows, [{ id: 1 }]);
    assert.deepEqual(read?.rows, [{ name: 'a' }, { name: 'b' }]);
    assert.deepEqual(await namesIn(db), ['a', 'b']);
  });

  test('a batch with a failing statement writes nothing, and throws that failure', async () => {
    const opened = await engine.open(migrations);
    const db = tablesOf(opened);
    const insert = (name: string) => db.insertInto('notes').values(note(name)).compile();
    const failure = await failureOf(opened.batch([insert('a'), insert('a'), insert('b')]));
    assert.equal(failure.kind, 'conflict');
    assert.deepEqual(await namesIn(db), []);
    await opened.batch([insert('c')]);
    assert.deepEqual(await namesIn(db), ['c']);
  });

  test('many batches at once neither mix nor lose anything', async () => {
    const opened = await engine.open(migrations);
    const db = tablesOf(opened);
    const insert = (name: string) => db.insertInto('notes').values(note(name)).compile();
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) => opened.batch([insert(`one ${i}`), insert(`two ${i % 150}`)])),
    );
    const kept = results.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(kept, 150);
    assert.equal((await namesIn(db)).length, 300);
  });

  test('a batch whose guards all write is committed, and one with a guard that writes nothing is rolled back', async () => {
    const opened = await engine.open(migrations);
    const db = tablesOf(opened);
    const insert = (name: string) => db.insertInto('notes').values(note(name)).compile();
    const resize = (name: string, size: number) =>
      db.updateTable('notes').set({ size }).where('name', '=', name).compile();
    await opened.batch([insert('a')]);
    assert.equal(await opened.batchIf([resize('a', 1), insert('b')], [insert('c')]), true);
    assert.deepEqual(await namesIn(db), ['a', 'b', 'c']);
    for (const guards of [
      [insert('d'), resize('nobody', 2)],
      [resize('nobody', 2), resize('a', 2)],
      [resize('nobody', 2), resize('nobody else', 2), insert('a')],
    ])
      assert.equal(await opened.batchIf(guards, [insert('e')]), false);
    assert.deepEqual(await namesIn(db), ['a', 'b', 'c']);
    const returning = db
      .updateTable('notes')
      .set({ size: 3 })
      .where('name', '=', 'a')
      .returning('id')
      .compile();
    assert.equal(await opened.batchIf([returning], []), true);
    for (const [guards, others] of [
      [[insert('a')], [insert('f')]],
      [[resize('a', 4)], [insert('f'), insert('a')]],
    ] as const) {
      assert.equal((await failureOf(opened.batchIf(guards, others))).kind, 'conflict');
    }
    assert.deepEqual(await namesIn(db), ['a', 'b', 'c']);
  });

  test('of many concurrent guarded batches only those whose guards write are committed', async () => {
    const opened = await engine.open(migrations);
    const db = tablesOf(opened);
    await db
      .insertInto('notes')
      .values({ ...note('counter'), size: 0 })
      .execute();
    const next = (from: number) =>
      db
        .updateTable('notes')
        .set({ size: from + 1 })
        .where('name', '=', 'counter')
        .where('size', '=', from)
        .compile();
    const insert = (name: string) => db.insertInto('notes').values(note(name)).compile();
    const kept = await Promise.all(
      Array.from({ length: 100 }, (_, i) => opened.batchIf([next(0)], [insert(`after ${i}`)])),
    );
    assert.equal(kept.filter(Boolean).length, 1);
    assert.equal((await namesIn(db)).length, 2);
  });

  test('counts and sums are numbers', async () => {
    const db = tablesOf(await engine.open(migrations));
    await db
      .insertInto('notes')
      .values([
        { ...note('a'), size: 2 },
        { ...note('b'), size: 3 },
      ])
      .execute();
    const { count, sum } = await db
      .selectFrom('notes')
      .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number>('size').as('sum')])
      .executeTakeFirstOrThrow();
    assert.deepEqual({ count, sum }, { count: 2, sum: 5 });
  });

  test('an integer that a number cannot hold is refused, not rounded', async () => {
    const db = tablesOf(await engine.open(migrations));
    await sql`insert into notes (name, size) values ('huge', 9007199254740993)`.execute(db);
    await assert.rejects(db.selectFrom('notes').select('size').execute(), /too large/);
  });

  test('a write returns the number of its rows, with or without returning', async () => {
    const db = tablesOf(await engine.open(migrations));
    const inserted = await db
      .insertInto('notes')
      .values([note('a'), note('b')])
      .executeTakeFirstOrThrow();
    assert.equal(inserted.numInsertedOrUpdatedRows, 2n);
    const ids = await db
      .insertInto('notes')
      .values([note('c'), note('d')])
      .returning('id')
      .execute();
    assert.deepEqual(ids, [{ id: 3 }, { id: 4 }]);
    const updated = await db
      .updateTable('notes')
      .set({ size: 1 })
      .where('id', '>', 1)
      .executeTakeFirstOrThrow();
    assert.equal(updated.numUpdatedRows, 3n);
    const deleted = await db.deleteFrom('notes').where('id', '<', 3).executeTakeFirstOrThrow();
    assert.equal(deleted.numDeletedRows, 2n);
    const none = await db.deleteFrom('notes').where('id', '=', 99).returning('id').execute();
    assert.deepEqual(none, []);
  });

  test('text is ordered by its bytes, and LIKE is case-sensitive', async () => {
    const db = tablesOf(await engine.open(migrations));
    for (const name of ['b', 'A', 'ä', 'a', 'B', '_'])
      await db.insertInto('notes').values(note(name)).execute();
    assert.deepEqual(await namesIn(db), ['A', 'B', '_', 'a', 'b', 'ä']);
    const like = await db.selectFrom('notes').select('name').where('name', 'like', 'a%').execute();
    assert.deepEqual(like, [{ name: 'a' }]);
  });

  test('a read after an acknowledged write sees it', async () => {
    const db = tablesOf(await engine.open(migrations));
    const writeAndRead = async (i: number): Promise<void> => {
      await db
        .insertInto('notes')
        .values(note(`n${i}`))
        .execute();
      const seen = await db.selectFrom('notes').select('name').where('name', '=', `n${i}`).execute();
      assert.equal(seen.length, 1);
    };
    await Promise.all(Array.from({ length: 200 }, (_, i) => writeAndRead(i)));
  });

  test('a transaction is seen by others when it commits, and whole', async () => {
    const db = tablesOf(await engine.open(migrations));
    await db.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values(note('a')).execute();
      await tx.insertInto('notes').values(note('b')).execute();
      assert.deepEqual(await namesIn(tx), ['a', 'b']);
      assert.deepEqual(await namesIn(db), []);
    });
    assert.deepEqual(await namesIn(db), ['a', 'b']);
  });

  test('a select that is written as SQL does not wait for a transaction that is open', async () => {
    const { db } = await engine.open(migrations);
    await db.transaction().execute(async (tx) => {
      await sql`insert into notes (name) values ('inside')`.execute(tx);
      const { rows } = await inTime(sql`select name from notes`.execute(db));
      assert.deepEqual(rows, []);
    });
  });

  test('a transaction that throws writes nothing, and its error is rethrown', async () => {
    const db = tablesOf(await engine.open(migrations));
    const changedMind = new Error('changed my mind');
    const undone = db.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values(note('a')).execute();
      throw changedMind;
    });
    await assert.rejects(undone, changedMind);
    assert.deepEqual(await namesIn(db), []);
  });

  test('transactions and statements that run together do not disturb each other', async () => {
    const db = tablesOf(await engine.open(migrations));
    const insert = async (tx: Kysely<TestTables>, name: string): Promise<void> => {
      await tx.insertInto('notes').values(note(name)).execute();
    };
    const attempt = async (i: number): Promise<void> => {
      if (i % 3 === 0) return insert(db, `alone ${i}`);
      return db.transaction().execute(async (tx) => {
        await insert(tx, `first ${i}`);
        await insert(tx, `second ${i}`);
        if (i % 3 === 1) throw new Error('rolled back');
      });
    };
    const results = await Promise.allSettled(Array.from({ length: 60 }, (_, i) => attempt(i)));
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 20);
    const names = await namesIn(db);
    assert.equal(names.filter((name) => name.startsWith('alone')).length, 20);
    assert.deepEqual(
      names.filter((name) => !name.startsWith('alone')),
      ['first', 'second']
        .flatMap((word) => [...Array(60).keys()].filter((i) => i % 3 === 2).map((i) => `${word} ${i}`))
        .sort(),
    );
  });

  test('a contested transaction is run again, its reads included', async () => {
    const db = tablesOf(await engine.open(migrations));
    await db.insertInto('notes').values(note('counter')).execute();
    let runs = 0;
    const count = () =>
      db.transaction().execute(async (tx) => {
        const run = ++runs;
        const found = tx.selectFrom('notes').select('size').where('name', '=', 'counter');
        const { size } = await found.executeTakeFirstOrThrow();
        if (run === 1) throw contested('counter'); // at least once
        const { numUpdatedRows } = await tx
          .updateTable('notes')
          .set({ size: size + 1 })
          .where('name', '=', 'counter')
          .where('size', '=', size)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) throw contested('counter');
        return size + 1;
      });
    assert.deepEqual(new Set(await Promise.all([count(), count(), count()])), new Set([1, 2, 3]));
    assert.ok(runs >= 4);
  });

  test('a transaction that stays contested is given up as a conflict, and one that fails otherwise at once', async () => {
    const db = tablesOf(await engine.open(migrations));
    let runs = 0;
    const run = (error: Failure) =>
      failureOf(
        db.transaction().execute(async (tx) => {
          runs += 1;
          await tx.insertInto('notes').values(note('kept by nobody')).execute();
          throw error;
        }),
      );
    assert.equal((await run(contested('note'))).kind, 'conflict');
    assert.equal(runs, 8);
    assert.equal((await run(new Failure('conflict', 'The test failed.'))).kind, 'conflict');
    assert.equal(runs, 9);
    assert.deepEqual(await namesIn(db), []);
  });

  test('statements of one transaction may be sent together', async () => {
    const db = tablesOf(await engine.open(migrations));
    await db.transaction().execute(async (tx) => {
      await Promise.all(['a', 'b', 'c'].map((name) => tx.insertInto('notes').values(note(name)).execute()));
    });
    assert.deepEqual(await namesIn(db), ['a', 'b', 'c']);
  });

  test('after a failed statement a transaction can only be rolled back', async () => {
    const db = tablesOf(await engine.open(migrations));
    const insert = (tx: Transaction<TestTables>, name: string): Promise<unknown> =>
      tx.insertInto('notes').values(note(name)).execute();
    const goesOn = db.transaction().execute(async (tx) => {
      await insert(tx, 'a');
      await insert(tx, 'a').catch(() => {});
      await insert(tx, 'b');
    });
    await assert.rejects(goesOn);
    const swallows = db.transaction().execute(async (tx) => {
      await insert(tx, 'c');
      await insert(tx, 'c').catch(() => {});
    });
    await assert.rejects(swallows);
    assert.deepEqual(await namesIn(db), []);
    await db.insertInto('notes').values(note('a')).execute();
  });

  test('a second row with a unique key is a conflict that names the columns', async () => {
    const db = tablesOf(await engine.open(migrations));
    await db.insertInto('notes').values(note('a')).execute();
    const failure = await failureOf(db.insertInto('notes').values(note('a')).execute());
    assert.equal(failure.kind, 'conflict');
    assert.deepEqual(failure.details.data, { table: 'notes', columns: ['name'] });
    const inside = db.transaction().execute((tx) => tx.insertInto('notes').values(note('a')).execute());
    assert.equal((await failureOf(inside)).kind, 'conflict');
  });

  test('a reference to a missing row is a conflict, and so is deleting a referenced row', async () => {
    const db = tablesOf(await engine.open(migrations));
    const orphan = db
      .insertInto('notes')
      .values({ ...note('a'), parent: 99 })
      .execute();
    assert.equal((await failureOf(orphan)).kind, 'conflict');
    const { id } = await db.insertInto('notes').values(note('a')).returning('id').executeTakeFirstOrThrow();
    await db
      .insertInto('notes')
      .values({ ...note('b'), parent: id })
      .execute();
    assert.equal(
      (await failureOf(db.deleteFrom('notes').where('name', '=', 'a').execute())).kind,
      'conflict',
    );
  });

  test('a mistake in a statement is no failure, and its stack leads to the caller', async () => {
    const db = tablesOf(await engine.open());
    const readsNothing = async (): Promise<unknown> => await db.selectFrom('notes').selectAll().execute();
    await assert.rejects(readsNothing, (error) => {
      assert.ok(error instanceof Error && !(error instanceof Failure));
      assert.match(error.stack ?? '', /readsNothing/);
      return true;
    });
  });

  test('many writers of one row lose no update', async () => {
    const db = tablesOf(await engine.open(migrations));
    await db.insertInto('notes').values(note('a')).execute();
    const increment = (): Promise<unknown> =>
      db
        .updateTable('notes')
        .set((eb) => ({ size: eb('size', '+', 1) }))
        .execute();
    await Promise.all(Array.from({ length: 300 }, increment));
    assert.deepEqual(await db.selectFrom('notes').select('size').execute(), [{ size: 300 }]);
  });

  test('a stream gives all rows in order, as they were when it began', async () => {
    const db = tablesOf(await engine.open(migrations));
    const names = Array.from({ length: 1_000 }, (_, i) => String(i).padStart(4, '0'));
    await db.insertInto('notes').values(names.map(note)).execute();
    const seen: string[] = [];
    for await (const { name } of db.selectFrom('notes').select('name').orderBy('name').stream(100)) {
      seen.push(name);
      if (seen.length === 1) {
        await db.insertInto('notes').values(note('9999')).execute();
        assert.equal((await namesIn(db)).length, 1_001, 'other reads do not wait in the past');
      }
    }
    assert.deepEqual(seen, names);
  });

  test('a stream can be left early, has parameters, and works in a transaction', async () => {
    const db = tablesOf(await engine.open(migrations));
    await db.insertInto('notes').values(['a', 'b', 'c', 'd', 'e', 'f'].map(note)).execute();
    const takeTwo = async (from: Kysely<TestTables>): Promise<string[]> => {
      const seen: string[] = [];
      for await (const { name } of from
        .selectFrom('notes')
        .select('name')
        .where('name', '>', 'a')
        .orderBy('name')
        .stream(2)) {
        seen.push(name);
        if (seen.length === 2) break;
      }
      return seen;
    };
    for (let i = 0; i < 30; i++) assert.deepEqual(await takeTwo(db), ['b', 'c']);
    assert.deepEqual(await db.transaction().execute(takeTwo), ['b', 'c']);
    assert.deepEqual(
      await Array.fromAsync(db.selectFrom('notes').selectAll().where('name', '=', 'z').stream()),
      [],
    );
  });

  test('a lock lets in one transaction at a time, also where the database is open twice', async () => {
    const location = await engine.database();
    const engines = [await engine.open([], location), await engine.open([], location)];
    const steps: string[] = [];
    const work = async ({ db }: Engine, name: string): Promise<void> => {
      await db.transaction().execute(async (tx) => {
        await lockName(tx, 'door');
        steps.push(`${name} in`);
        await delay(20);
        steps.push(`${name} out`);
      });
    };
    await Promise.all(engines.map((one, i) => work(one, `${i}`)));
    assert.match(steps.join(), /^(\d) in,\1 out,(\d) in,\2 out$/);
  });

  test('a lock needs a transaction', async () => {
    const { db } = await engine.open();
    await assert.rejects(lockName(db, 'door'), /transaction/);
  });

  test('a batch on a condition notifies its channels before it resolves, and none where it is rolled back', async () => {
    const opened = await engine.open(migrations);
    const db = tablesOf(opened);
    const insert = (name: string) => db.insertInto('notes').values(note(name)).compile();
    const resize = db.updateTable('notes').set({ size: 1 }).where('name', '=', 'nobody').compile();
    let received = 0;
    await opened.listen('news', () => (received += 1));
    assert.equal(await opened.batchIf([resize], [insert('a')], ['news']), false);
    assert.equal(received, 0);
    assert.equal(await opened.batchIf([insert('a')], [], ['news']), true);
    assert.ok(received > 0);
  });

  test('listeners of a channel hear its notices until they stop', async () => {
    const { listen, notify } = await engine.open();
    const received: (string | undefined)[] = [];
    let heardAll = Promise.withResolvers<void>();
    const stop = await listen('news', (payload) => received.push(payload));
    await listen('news', (payload) => payload === 'last' && heardAll.resolve());
    await listen('other', () => assert.fail('wrong channel'));
    await notify('news', 'hello');
    await notify('news');
    await notify('news', 'last');
    await heardAll.promise;
    assert.deepEqual(received, ['hello', undefined, 'last']);
    stop();
    heardAll = Promise.withResolvers<void>();
    await notify('news', 'last');
    await heardAll.promise;
    assert.equal(received.length, 3);
  });

  test('a listener that fails, at once or later, is logged, and the others hear', async (t) => {
    const errors: unknown[] = [];
    const log = { warn: () => {}, error: (about: unknown) => void errors.push(about) };
    const one = await openEngine(await engine.database(), log);
    t.after(() => one.close());
    const received = Promise.withResolvers<void>();
    const [now, later] = [new Error('now'), new Error('later')];
    await one.listen('news', () => {
      throw now;
    });
    await one.listen('news', () => Promise.reject(later));
    await one.listen('news', () => received.resolve());
    await one.notify('news');
    await inTime(received.promise);
    await eventually(() => errors.length === 2);
    assert.deepEqual(errors, [
      { err: now, channel: 'news' },
      { err: later, channel: 'news' },
    ]);
  });

  test('a notification of a transaction arrives once after its commit, and never after a rollback', async () => {
    const one = await engine.open(migrations);
    const db = tablesOf(one);
    const received: string[][] = [];
    const heardOne = Promise.withResolvers<void>();
    await one.listen(
      'news',
      () =>
        void namesIn(db)
          .then((names) => received.push(names))
          .then(() => heardOne.resolve()),
    );
    const tell = async (name: string, end: () => void): Promise<void> => {
      await db.transaction().execute(async (tx) => {
        await notifyOnCommit(tx as unknown as Db, 'news');
        await tx.insertInto('notes').values(note(name)).execute();
        await notifyOnCommit(tx as unknown as Db, 'news');
        end();
      });
    };
    const failed = tell('a', () => {
      throw new Error('undone');
    });
    await assert.rejects(failed, /undone/);
    await db.transaction().execute((tx) => tx.insertInto('notes').values(note('b')).execute());
    await tell('c', () => {});
    await heardOne.promise;
    assert.deepEqual(received, [['b', 'c']]);
    await assert.rejects(notifyOnCommit(one.db, 'news'), /Only a transaction/);
  });

  test('several processes write to one database at once, and tell each other', async () => {
    const location = await engine.database();
    const { db, listen } = await engine.open(migrations, location);
    const received = Promise.withResolvers<string | undefined>();
    await listen('written', received.resolve);
    const writers = ['x', 'y', 'z'].map((name) => fork(WRITER, [location, name, '100']));
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as number));
    assert.deepEqual(codes, [0, 0, 0]);
    assert.equal((await namesIn(db as unknown as Kysely<TestTables>)).length, 300);
    const payload = await received.promise;
    assert.ok(engine.kind === 'sqlite' ? payload === undefined : /^[xyz]$/.test(payload ?? ''), payload);
  });

  test('closing waits for running statements, and then refuses new ones', async () => {
    const location = await engine.database();
    const one = await engine.open(migrations, location);
    await one.ping();
    const db = tablesOf(one);
    const began = Promise.withResolvers<void>();
    const underWay = db.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values(note('a')).execute();
      began.resolve();
      await delay(30);
      await tx.insertInto('notes').values(note('b')).execute();
    });
    await began.promise;
    await one.close();
    await underWay;
    assert.equal((await failureOf(namesIn(db))).kind, 'unavailable');
    assert.equal((await failureOf(one.ping())).kind, 'unavailable');
    assert.deepEqual(await namesIn(tablesOf(await engine.open(migrations, location))), ['a', 'b']);
  });
});

onEngine('postgres', (engine) => {
  test('a full disk of the database is no fault of the call, and not called the disk of the server', async () => {
    const { db } = await engine.open();
    const raise = sql`do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`;
    const { kind, message } = await failureOf(raise.execute(db));
    assert.equal(kind, 'unavailable');
    assert.match(message, /^The disk of the database is full: /);
  });
});

const WRITER = new URL('../../../test/writer-process.ts', import.meta.url);

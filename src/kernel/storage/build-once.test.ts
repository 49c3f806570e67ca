import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { eventMigrations } from '../change/store.ts';
import { buildForLists, buildForShapes, buildOnce } from './build-once.ts';
import { sql } from 'kysely';

onEachEngine((engine) => {
  test('a statement is built once, and has its own values each time', async () => {
    const { db } = await engine.open(eventMigrations);
    const asked: unknown[] = [];
    const select = buildOnce((any, from: number, name: string) => {
      asked.push(name);
      return any
        .selectFrom('events')
        .select('id')
        .where('at', '>=', from)
        .where((where) => where.or([where('kind', '=', name), where('name', '=', name)]))
        .where('action', '=', 'always')
        .limit(5);
    });
    assert.deepEqual(select(db, 3, 'b').parameters, [3, 'b', 'b', 'always', 5]);
    assert.deepEqual(select(db, 4, 'a').parameters, [4, 'a', 'a', 'always', 5]);
    assert.equal(select(db, 3, 'b').sql, select(db, 4, 'a').sql);
    assert.equal(asked.length, 1);
    assert.deepEqual((await db.executeQuery(select(db, 1, 'nobody'))).rows, []);
  });

  test('values that `build` does not name are refused', async () => {
    const { db } = await engine.open(eventMigrations);
    const select = buildOnce((any, ...names: string[]) =>
      any.selectFrom('events').select('id').where('name', '=', names[0]!),
    );
    assert.throws(() => select(db, 'a'), /name each of its values/);
  });

  test('a statement that differs in its shape is built once for each, and has its own values each time', async () => {
    const { db } = await engine.open(eventMigrations);
    const built: string[] = [];
    const update = buildForShapes(
      (columns: readonly ('kind' | 'name')[]) => columns.join(),
      (any, columns, values) => {
        built.push(columns.join());
        const set = Object.fromEntries(columns.map((column, index) => [column, values[index] as never]));
        return any
          .updateTable('events')
          .set(set)
          .where('id', '=', values.at(-1) as never);
      },
    );
    assert.deepEqual(update(db, ['name'], ['a', '1']).parameters, ['a', '1']);
    assert.deepEqual(update(db, ['kind', 'name'], ['b', 'c', '2']).parameters, ['b', 'c', '2']);
    assert.deepEqual(update(db, ['name'], ['d', '3']).parameters, ['d', '3']);
    assert.deepEqual(built, ['name', 'kind,name']);
    assert.equal((await db.executeQuery(update(db, ['name'], ['d', 'nothing']))).numAffectedRows, 0n);
  });

  test('a statement with a list is built for a few lengths, and reads what is in the list alone, however long', async () => {
    const { db } = await engine.open(eventMigrations);
    const lengths: number[] = [];
    const select = buildForLists((any, ids: readonly number[], above: number) => {
      lengths.push(ids.length);
      const some = sql.join(
        ids.map((id) => sql`select cast(${id} as bigint) as id`),
        sql` union `,
      );
      return any
        .selectFrom(sql<{ id: number }>`(${some})`.as('some'))
        .select('id')
        .where('id', '>', above)
        .orderBy('id');
    });
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    for (const count of [0, 1, 2, 3, 4, 3, 100, 128, 200]) {
      const rows = await select(db, numbers(count), 1);
      assert.deepEqual(
        rows.map(({ id }) => id),
        numbers(count).slice(1),
      );
    }
    assert.deepEqual(lengths, [1, 2, 4, 128, 200]);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { eventMigrations } from '../change/store.ts';
import { buildOnce } from './build-once.ts';

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
});

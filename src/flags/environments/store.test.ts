// Finds environments by their keys, as the routes for SDKs do.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { projectMigrations } from '../migrations/projects.ts';
import { readProjectPost } from '../projects/model.ts';
import type { Environment } from '../projects/project.ts';
import { insertProject, deleteProject } from '../projects/store.ts';
import { readEnvironmentPost } from './model.ts';
import {
  insertEnvironment,
  findEnvironmentByClientId,
  findEnvironmentByMobileKey,
  findEnvironmentBySdkKey,
  listEnvironments,
  newSdkKey,
  updateEnvironment,
} from './store.ts';

const NOW = 1_800_000_000_000;

onEachEngine((testEngine) => {
  let engine: Engine;
  let environment: Environment;
  before(async () => {
    engine = await testEngine.open(projectMigrations);
    environment = await make('shop');
  });

  async function make(key: string): Promise<Environment> {
    const project = await insertProject(engine.db, readProjectPost({ key, name: key }), NOW);
    const post = { key: 'test', name: 'Test', color: 'aabbcc' };
    return (await insertEnvironment(engine.db, readEnvironmentPost(post, project!.id), NOW))!;
  }

  test('each of the three keys finds it, and no other text does', async () => {
    const { db } = engine;
    const { clientId: id, sdkKey, mobileKey } = environment;
    assert.deepEqual(await findEnvironmentBySdkKey(db, sdkKey, NOW), environment);
    assert.deepEqual(await findEnvironmentByMobileKey(db, mobileKey, NOW), environment);
    assert.deepEqual(await findEnvironmentByClientId(db, id, NOW), environment);
    for (const text of [
      '',
      'sdk-',
      'sdk-\0',
      `${sdkKey}\0`,
      mobileKey,
      id,
      'x'.repeat(10_000),
      '%',
      "' or 1=1",
    ]) {
      assert.equal(await findEnvironmentBySdkKey(db, text, NOW), undefined);
    }
    for (const text of ['', 'mob-', 'mob-\0', sdkKey, id, `${mobileKey} `]) {
      assert.equal(await findEnvironmentByMobileKey(db, text, NOW), undefined);
    }
    for (const text of ['', '\0', sdkKey, mobileKey, id.toUpperCase() + 'A']) {
      assert.equal(await findEnvironmentByClientId(db, text, NOW), undefined);
    }
  });

  test('an old SDK key finds it until its time has come, and the new one at once', async () => {
    const { db } = engine;
    const first = await make('grace');
    const oldSdkKey = { key: first.sdkKey, until: NOW + 10 };
    const second = await updateEnvironment(db, { ...first, sdkKey: newSdkKey(), oldSdkKey });
    assert.deepEqual(await findEnvironmentBySdkKey(db, second.sdkKey, NOW), second);
    assert.deepEqual(await findEnvironmentBySdkKey(db, first.sdkKey, NOW + 9), second);
    assert.equal(await findEnvironmentBySdkKey(db, first.sdkKey, NOW + 10), undefined);
  });

  test('a write over an older version is refused', async () => {
    const first = await make('stale');
    await updateEnvironment(engine.db, { ...first, name: 'one' });
    await assert.rejects(updateEnvironment(engine.db, { ...first, name: 'two' }), { kind: 'conflict' });
  });

  test('environments go with their project', async () => {
    const { projectId, sdkKey } = await make('gone');
    await deleteProject(engine.db, projectId);
    assert.deepEqual(await listEnvironments(engine.db, projectId), []);
    assert.equal(await findEnvironmentBySdkKey(engine.db, sdkKey, NOW), undefined);
  });

  test('every key is found by an index', async () => {
    const { clientId: id, sdkKey, mobileKey } = environment;
    const executor = engine.db.getExecutor();
    const seen: CompiledQuery[] = [];
    const executeQuery = executor.executeQuery.bind(executor);
    executor.executeQuery = (query) => {
      seen.push(query);
      return executeQuery(query);
    };
    await findEnvironmentBySdkKey(engine.db, sdkKey, NOW);
    await findEnvironmentByMobileKey(engine.db, mobileKey, NOW);
    await findEnvironmentByClientId(engine.db, id, NOW);
    await listEnvironments(engine.db, environment.projectId);
    executor.executeQuery = executeQuery;
    for (const query of seen) {
      const plan = await engine.db.transaction().execute(async (tx) => {
        if (engine.kind === 'sqlite') {
          return sql`explain query plan ${rawOf(query)}`.execute(tx);
        }
        await sql`set local enable_seqscan = off`.execute(tx); // the planner prefers a scan for so small a table
        return sql`explain ${rawOf(query)}`.execute(tx);
      });
      assert.doesNotMatch(
        JSON.stringify(plan.rows),
        /SCAN environments|Seq Scan|SORT|TEMP B-TREE/,
        query.sql,
      );
    }
  });
});

/** The statement with its parameters inserted. */
function rawOf({ sql: text, parameters }: CompiledQuery) {
  const pieces = text.split(/\$\d+|\?/);
  return sql.join(
    pieces.flatMap((piece, index) => [
      sql.raw(piece),
      ...(index < parameters.length ? [sql.lit(parameters[index] as string | number)] : []),
    ]),
    sql``,
  );
}

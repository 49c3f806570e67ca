// The query plans for tasks, their runs and their transfer: each uses an index, for any number of rows.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements, wholeTableExcept } from '../../../test/query-plans.ts';
import { insertRunRow } from '../../../test/run-rows.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { Changes } from '../../kernel/change/changes.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { DEFAULT_RUN_OPTIONS } from '../actors/model.ts';
import { deleteActor, insertActor } from '../actors/store.ts';
import { findLastRun, listRuns } from '../runs/store.ts';
import { type TaskFields, blankTask } from './model.ts';
import { transferTasks } from './store-transfers.ts';
import {
  countTaskRun,
  countTasks,
  deleteTask,
  findFreeTaskName,
  findTask,
  findTaskInput,
  insertTask,
  isBuildOfTask,
  listTasks,
  lockTask,
  updateTask,
  updateTaskInput,
} from './store.ts';

const NOW = 1_800_000_000_000;

/** Some of them name builds. */
function fieldsOf(name: string, at: number): TaskFields {
  const blank = blankTask(name);
  const actorStandby = at % 10 === 0 ? { build: `0.1.${at}` } : {};
  return {
    ...blank,
    options: { ...blank.options, build: `0.0.${at}` },
    details: { ...blank.details, actorStandby },
  };
}

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    const actorIds: string[] = [];
    const taskIds: string[] = [];
    await db.transaction().execute(async (tx) => {
      for (let at = 0; at < 20; at += 1) {
        const actor = {
          name: `actor-${at}`,
          title: null,
          description: null,
          isPublic: true,
          permissionLevel: 'FULL_PERMISSIONS' as const,
          runOptions: DEFAULT_RUN_OPTIONS,
          details: {},
        };
        actorIds.push((await insertActor(tx, `user-${at}`, actor, NOW)).id);
      }
      for (let at = 0; at < 800; at += 1) {
        const owner = { userId: `user-${at % 20}`, actorId: actorIds[at % 7]! };
        taskIds.push((await insertTask(tx, owner, fieldsOf(`task-${at}`, at), '{}', NOW + at)).id);
        const kernel = { db: tx, clock: { now: () => NOW + at } } as unknown as Kernel;
        await insertRunRow(kernel, { userId: owner.userId, ...(at % 5 > 0 && { finishedAt: NOW + at + 1 }) });
      }
      const taken = { userId: 'user-2', actorId: actorIds[0]! };
      await insertTask(tx, taken, fieldsOf('TASK-1', 1), '{}', NOW);
      await tx.updateTable('runs').set({ task_id: taskIds[0]! }).where('user_id', '=', 'user-3').execute();
    });
    await sql.raw('analyze').execute(db);
    const seen = recordStatements(engine);
    const [taskId, other] = [taskIds[0]!, taskIds[21]!];
    await findTask(db, { idOrName: taskId }, 'user-0');
    await findTask(db, { name: 'Task-0' }, 'user-0');
    await findTaskInput(db, taskId);
    await findFreeTaskName(db, ['user-0', 'user-1'], 'task');
    for (const desc of [false, true]) {
      await listTasks(db, 'user-0', { offset: 0, limit: 10 }, desc);
      await listRuns(db, { taskId }, {}, { offset: 0, limit: 10 }, desc);
    }
    await countTasks(db, 'user-0');
    await listRuns(db, { taskId }, { statuses: ['READY', 'RUNNING'] }, { offset: 0, limit: 10 }, false);
    await findLastRun(db, { taskId }, {});
    await findLastRun(db, { taskId }, { statuses: ['FAILED'] });
    await isBuildOfTask(db, actorIds[0]!, '0.0.99999');
    await db.transaction().execute((tx) => lockTask(tx, taskId));
    await updateTask(db, taskId, fieldsOf('task-0', 0), NOW);
    await updateTaskInput(db, taskId, '{"a":1}');
    await countTaskRun(db, taskId, NOW);
    await deleteTask(db, other);
    await deleteActor(db, actorIds[6]!);
    const account = (name: string) => ({ id: name, username: name }) as Account;
    await new Changes(engine, []).run(systemActor({ now: NOW }), (tx) =>
      transferTasks(tx, account('user-1'), account('user-2')),
    );
    statements = [...seen.values()].filter(({ sql: text }) => /"(tasks|task_inputs|runs)"/.test(text));
  });

  test('every statement about tasks goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 18, scan: wholeTableExcept('actors') });
  });

  test('what is transferred belongs to the other account, under names that are free there', async () => {
    const { db } = engine;
    const rest = await db.selectFrom('tasks').select('id').where('user_id', '=', 'user-1').execute();
    assert.deepEqual(rest, []);
    const names = await db.selectFrom('tasks').select('name').where('user_id', '=', 'user-2').execute();
    assert.ok(names.some(({ name }) => name === 'task-1-1'));
  });
});

// The query plans for schedules, their actions and their logs: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements, wholeTableExcept } from '../../../test/query-plans.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { Changes } from '../../kernel/change/changes.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { ScheduleAction } from './action.ts';
import type { ScheduleFields } from './model.ts';
import { removeActionsOf } from './change-schedule.ts';
import {
  deleteSchedule,
  findFreeScheduleName,
  findSchedule,
  insertSchedule,
  isScheduleNameTaken,
  listSchedules,
  lockSchedule,
  updateFired,
  updateSchedule,
  updateDue,
  deleteOldLogLines,
  insertLogLine,
  listLogLines,
} from './store.ts';
import {
  listActions,
  listActionTargets,
  lockAction,
  replaceActions,
  updateActionDone,
} from './store-actions.ts';
import { transferSchedules } from './store-transfers.ts';

const NOW = 1_800_000_000_000;
const fieldsOf = (name: string): ScheduleFields => ({
  name,
  title: null,
  description: null,
  cronExpression: '@daily',
  timezone: 'UTC',
  isEnabled: true,
  isExclusive: true,
  sendsEmail: true,
  initiator: { memberId: 'member' },
  nextRunAt: NOW,
});
const actionOf = (id: string, targetId: string): ScheduleAction => ({
  id,
  type: 'RUN_ACTOR',
  targetId,
  runOptions: null,
  sealedInput: null,
  lastRunId: null,
  lastMoment: null,
});

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    const ids: string[] = [];
    await db.transaction().execute(async (tx) => {
      for (let at = 0; at < 500; at += 1) {
        const { id } = await insertSchedule(tx, `user-${at % 20}`, fieldsOf(`schedule-${at}`), NOW + at);
        ids.push(id);
        await replaceActions(tx, id, [actionOf(`a-${at}`, `actor-${at}`), actionOf(`b-${at}`, `task-${at}`)]);
        await updateDue(tx, { id, nextRunAt: NOW }, NOW);
        for (const level of ['INFO', 'ERROR'] as const)
          await insertLogLine(tx, id, { level, message: 'text', createdAt: NOW });
      }
    });
    await sql.raw('analyze').execute(db);
    const seen = recordStatements(engine);
    const [id] = ids as [string];
    await findSchedule(db, id);
    await isScheduleNameTaken(db, 'user-0', 'schedule-0');
    await findFreeScheduleName(db, ['user-0', 'user-1'], 'schedule');
    await listSchedules(db, 'user-0', { offset: 0, limit: 10 }, true);
    await listActions(db, id);
    await listActionTargets(db, ids.slice(0, 10));
    await listLogLines(db, id);
    await db.transaction().execute(async (tx) => {
      await lockSchedule(tx, id);
      await lockAction(tx, 'a-0');
      await updateActionDone(tx, 'a-0', { lastRunId: 'run', lastMoment: NOW });
      await updateSchedule(tx, id, fieldsOf('other'), NOW);
      await updateFired(tx, id, { nextRunAt: NOW, lastRunAt: NOW });
      await deleteOldLogLines(tx, id);
      await replaceActions(tx, id, []);
      await updateDue(tx, { id, nextRunAt: null }, NOW);
      await deleteSchedule(tx, id);
    });
    const account = (name: string) => ({ id: name, username: name }) as Account;
    const changes = new Changes(engine, []);
    await changes.run(systemActor({ now: NOW }), (tx) =>
      removeActionsOf(tx, { id: 'actor-2', userId: 'user-2' }),
    );
    await changes.run(systemActor({ now: NOW }), (tx) =>
      transferSchedules(tx, account('user-1'), account('user-2')),
    );
    statements = [...seen.values()].filter(({ sql: text }) => /"(schedules|schedule_\w+|due)"/.test(text));
  });

  test('every statement about schedules goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 20, scan: wholeTableExcept('tasks') });
  });
});

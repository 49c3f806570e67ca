// The query plans for milestones: each uses an index, and lists are read in its order, for any number of rows.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { issueRow } from '../issues/fixture.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { insertEventOfIssues } from '../timeline/store.ts';
import {
  addToMilestone,
  deleteMilestone,
  findMilestone,
  hasMilestoneTitled,
  insertMilestone,
  listMilestones,
  listMilestonesById,
  takeFromSomeIssues,
  updateMilestone,
} from './store.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    await fillTables(engine, ROWS, insertRows);
    const seen = recordStatements(engine);
    await executeAllStatements(engine.db);
    statements = [...seen.values()].filter(({ sql: text }) =>
      /^\s*(select|insert|update|delete)/i.test(text),
    );
  });

  test('every statement about milestones goes by an index', async () => {
    await assertPlans(engine, statements, {
      atLeast: 15,
      scan: /(?:SCAN|Seq Scan on) (?:milestones|issues|issue_facets|repositories)\b(?! USING)/,
      hasFewRows: true,
      check(plan, text) {
        if (text.includes('as part'))
          assert.match(plan, /milestones_(?:due|completeness)/, `${text}\n\n${plan}`);
      },
    });
  });
});

async function executeAllStatements(db: Db): Promise<void> {
  for (const states of [['open'], ['open', 'closed']] as const)
    for (const sort of ['due_on', 'completeness'] as const)
      for (const desc of [true, false])
        await listMilestones(db, { repositoryNumber: 1, states }, { sort, desc }, { offset: 10, limit: 10 });
  await listMilestonesById(db, [1, 2]);
  const creator = { id: 'ada', name: null };
  const fields = {
    repositoryNumber: 1,
    title: 'x',
    description: null,
    state: 'open',
    creator,
    dueOn: null,
  } as const;
  await db.transaction().execute(async (tx) => {
    await hasMilestoneTitled(tx, 1, 'x');
    const milestone = (await insertMilestone(tx, fields, NOW))!;
    await findMilestone(tx, 1, milestone.number);
    await updateMilestone(tx, milestone);
    await addToMilestone(tx, milestone.id, { open: 1, closed: 0 });
    await deleteMilestone(tx, milestone.id);
    const issueIds = await takeFromSomeIssues(tx, { id: 7, repositoryNumber: 7 }, 200);
    const event = { event: 'demilestoned', actorId: null };
    await insertEventOfIssues(tx, { repositoryNumber: 7, issueIds }, event, NOW);
  });
}

async function insertRows(tx: Db, rows: readonly number[]): Promise<void> {
  await insertRepositoryRows(tx, rows, NOW);
  const times = { created_at: NOW, updated_at: NOW };
  await tx
    .insertInto('milestones')
    .values(
      rows.map((at) => ({
        ...times,
        repository_number: (at % 100) + 1,
        number: at + 1000,
        title: `milestone ${at}`,
        description: null,
        state: at % 2 === 0 ? 'open' : 'closed',
        creator_id: 'ada',
        creator_name: null,
        due_on: NOW + at,
        open_issue_count: 0,
        closed_issue_count: 0,
        completeness: at % 100,
        closed_at: null,
      })),
    )
    .execute();
  await tx
    .insertInto('issues')
    .values(
      rows.map((at) => issueRow({ repository_number: at + 1, number: 1, milestone_id: (at % 100) + 1 })),
    )
    .execute();
}

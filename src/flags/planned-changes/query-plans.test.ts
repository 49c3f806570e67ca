// The query plans of planned changes and triggers: each query uses an index.
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { readApprovalFilter } from '../approvals/store-filter.ts';
import { countOpenRequests, findApprovalRequest, listApprovalRequests } from '../approvals/store.ts';
import { findConflicts } from './conflicts.ts';
import { insertTestFlag, makeHome } from '../feature-flags/fixture.ts';
import type { Flag } from '../feature-flags/flag.ts';
import type { Environment } from '../projects/project.ts';
import { findScheduledChange, listScheduledChanges } from '../scheduled-changes/store.ts';
import { findTrigger, listTriggers } from '../triggers/store.ts';

const FLAGS = 200;
const EACH = 50;

onEachEngine((testEngine) => {
  let engine: Engine;
  let flag: Flag;
  let environment: Environment;
  const numbers =
    testEngine.kind === 'sqlite'
      ? `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${EACH}) select i from n`
      : `select generate_series(1, ${EACH}) as i`;

  before(async () => {
    engine = await testEngine.openMigrated();
    await engine.db.transaction().execute(async (tx) => {
      const home = await makeHome(tx, 'home', ['test']);
      environment = home.environments[0]!;
      for (let index = 0; index < FLAGS; index += 1) flag = await insertTestFlag(tx, home, `flag-${index}`);
      const each = `from flags cross join (${numbers}) n`;
      const rows = [
        `insert into scheduled_changes select flags.id || i, flags.id, '${environment.id}', 'm', null, i, 'failed',
           1, i, null, '[]', '{"instructions":[]}', null ${each}`,
        `insert into approval_requests select flags.id || i, project_id, flags.id, '${environment.id}', 'm' || i || flags.key,
           'completed', 'approved', 1, i, '{"instructions":[]}', '{}', null ${each}`,
        `insert into approval_reviewers select flags.id || i, 'm' || i || flags.key ${each}`,
        `insert into flag_triggers select flags.id || i, flags.id, '${environment.id}', 'm', 'generic-trigger', 1, '',
           0, null, 1, i, null, '[]' ${each}`,
        'analyze',
      ];
      for (const text of rows) await sql.raw(text).execute(tx);
    });
  });

  const at = () => ({ flagId: flag.id, environmentId: environment.id });
  const slice = { offset: 0, limit: 20 };
  const id = '0'.repeat(24);
  const listBy = (filter: string) =>
    listApprovalRequests(engine.db, { filter: readApprovalFilter(filter), slice });
  const questions: Record<string, () => Promise<unknown>> = {
    'what a change conflicts with': () => findConflicts(engine.db, flag, flag, [environment], { now: 1 }),
    'scheduled changes': () => listScheduledChanges(engine.db, at(), slice),
    'a scheduled change': () => findScheduledChange(engine.db, id),
    triggers: () => listTriggers(engine.db, at(), slice),
    'a trigger': () => findTrigger(engine.db, id),
    'an approval request': () => findApprovalRequest(engine.db, id),
    'approval requests of a flag': () => listApprovalRequests(engine.db, { at: at(), slice }),
    'open requests of a flag': () => countOpenRequests(engine.db, at()),
    'requests of a member': () => listBy('requestorId equals m7'),
    'requests to a reviewer': () => listBy('notifyMemberIds anyOf ["m7"]'),
  };
  for (const [name, ask] of Object.entries(questions))
    test(`an index finds ${name}`, async () => {
      const seen = recordStatements(engine);
      await ask();
      const scan =
        /\bSCAN (scheduled_changes|approval_\w+|flag_triggers)$|Seq Scan on (scheduled_changes|approval_|flag_triggers)/m;
      await assertPlans(engine, [...seen.values()], { atLeast: 1, scan });
    });
});

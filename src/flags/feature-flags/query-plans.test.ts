// The query plans of all statements on flags: they use indexes, and lists are not sorted.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { systemActor } from '../../kernel/identity/actor.ts';
import { Changes } from '../../kernel/change/changes.ts';
import type { Instruction } from '../patch/patch.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { webhookSubscriber } from '../webhooks/deliveries.ts';
import { changeFlag, removeFlag } from './change/change-flag.ts';
import { readFlagFilter, readFlagSort } from './filter.ts';
import { addEnvironment, insertTestFlag, makeHome, NOW, type Home } from './fixture.ts';
import { listFlags, listFlagsByKey, listConfigHeads, listWholeConfigs } from './store-lists.ts';
import { findFlags, findMaintainers, listDependents } from './store-references.ts';
import { findFlagUsage, listFlagUsage } from './store-usage.ts';
import { insertConfigs } from './store-new-configs.ts';
import { findFlag, firstVersion } from './store.ts';

const LARGE = 600;
const PROJECTS = 40;
const PER_PROJECT = 15;

/** Pages with the usual filter only: a selective filter may leave so few rows that sorting them is cheaper. */
const PLAIN_LIST =
  /where \("flags"."project_id" = \S+ and "flags"."state" in \([^)]+\)\) .*order by .* limit /;

onEachEngine((testEngine) => {
  let engine: Engine;
  let changes: Changes;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    changes = new Changes(engine, [webhookSubscriber()]);
    const { db } = engine;
    const home = await db.transaction().execute(async (tx) => {
      for (let index = 0; index < PROJECTS; index += 1) {
        const small = await makeHome(tx, `small-${index}`);
        for (let flag = 0; flag < PER_PROJECT; flag += 1)
          await insertTestFlag(tx, small, `flag-${flag}`, { tags: ['beta'] });
      }
      const large = await makeHome(tx, 'large');
      let last: string | undefined;
      for (let index = 0; index < LARGE; index += 1) {
        const tags = [`team-${index % 5}`, ...(index % 4 === 0 ? ['beta'] : [])];
        const { id } = await insertTestFlag(tx, large, `flag-${index}`, { tags, temporary: index % 2 === 0 });
        if (last !== undefined && index > 100) {
          const needs = {
            flag_id: id,
            environment_id: large.environments[1]!.id,
            needs_id: last,
            variation: 0,
          };
          await tx.insertInto('flag_prerequisites').values(needs).execute();
        }
        last = id;
      }
      return large;
    });
    const seen = recordStatements(engine);
    await useAll(home);
    // Statements on other resources' tables are not checked here.
    statements = [...seen.values()].filter(({ sql: text }) =>
      /"flag(s|_configs|_tags|_prerequisites|_usage|_graves)"/.test(text),
    );
  });

  async function useAll(home: Home): Promise<void> {
    const { db } = engine;
    const { project, environments } = home;
    const [environment] = environments;
    const found = await findFlag(db, project.id, 'flag-1');
    await findFlag(db, project.id, 'flag-1', ['test']);
    await findFlags(db, project.id, ['flag-1', 'flag-2']);
    await firstVersion(db, project.id, 'flag-1');
    for (const filter of [
      '',
      'query:flag-12',
      'tags:beta',
      'tags:beta+team-1,type:temporary',
      'state:archived',
      'purpose:migration',
      'sdkAvailability:mobile,type:permanent',
      `maintainerId:${'0'.repeat(24)}`,
      'creationDate:{"before":1800000000000}',
      'filterEnv:test,evaluated:{"after":1}',
      'filterEnv:test,targeting:on',
      'filterEnv:test,targeting:off,targetingModifiedDate:{"after":1}',
      'filterEnv:test,hasScheduledChanges:true',
      'readyToRemove:true',
      'filterEnv:test,hasScheduledChanges:false,hasWaitingApprovals:true',
      'purpose:all+!(holdout)',
      'contextKindsEvaluated:user+device',
      'contextKindsEvaluated:user,filterEnv:test',
    ]) {
      for (const sort of [
        '',
        'key',
        '-name',
        'creationDate',
        'maintainerId',
        'tags',
        '-type',
        '-targetingModifiedDate',
      ]) {
        await listFlags(db, {
          projectId: project.id,
          filter: readFlagFilter({ filter }),
          environmentId: environment!.id,
          orders: readFlagSort(sort, true),
          slice: { offset: 0, limit: 50 },
          now: NOW,
        });
      }
    }
    const ids = [found!.flag.id];
    await listFlagsByKey(db, project.id, 'flag-1', 20);
    await listConfigHeads(db, ids, [environment!.id]);
    await listWholeConfigs(db, ids, [environment!.id]);
    await findMaintainers(db, ids);
    await listDependents(db, found!.flag.id);
    await listDependents(db, found!.flag.id, environment!.id);
    await findFlagUsage(db, found!.flag.id);
    await change(home, 'flag-1', [{ kind: 'turnFlagOn' }, { kind: 'addTags', values: ['new'] }]);
    const { variations } = (await findFlag(db, project.id, 'flag-2'))!.flag;
    const needs = { kind: 'addPrerequisite', key: 'flag-2', variationId: variations[0]!._id };
    await change(home, 'flag-1', [needs]);
    await change(home, 'flag-3', [{ kind: 'archiveFlag' }]);
    await changes.run(actor, (tx) => removeFlag(tx, { project, flagKey: 'flag-9' }));
    for (const [key, source] of [
      ['blank', undefined],
      ['likewise', environment!.id],
    ] as const) {
      await db.transaction().execute(async (tx) => {
        await insertConfigs(tx, project, await addEnvironment(tx, project, key), source, NOW);
      });
    }
    await listFlagUsage(db, project.id, environment!.id);
  }

  const actor = systemActor({ now: NOW + 1 });

  async function change({ project }: Home, flagKey: string, instructions: Instruction[]): Promise<void> {
    const patch = { kind: 'semantic' as const, environmentKey: 'test', instructions };
    await changes.run(actor, (tx) => changeFlag(tx, { project, flagKey }, { patch }));
  }

  /** The other tables have too few rows here for an index of PostgreSQL to pay. */
  const scan = /SCAN (?!reached\b|\(subquery|CONSTANT|\d+-ROW VALUES)|Seq Scan on flag(s|_configs|_tags)\b/;

  function check(plan: string, text: string): void {
    // PostgreSQL plans for projects of usual size, where sorting costs nothing.
    if (PLAIN_LIST.test(text)) assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER/, `${text}\n\n${plan}`);
  }

  test('every statement goes by an index', async () => {
    await sql.raw('analyze').execute(engine.db);
    assert.ok(statements.filter((statement) => PLAIN_LIST.test(statement.sql)).length >= 7);
    await assertPlans(engine, statements, { atLeast: 60, scan, check });
  });
});

// Flags in the database, on both engines.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { systemActor } from '../../kernel/identity/actor.ts';
import { Changes } from '../../kernel/change/changes.ts';
import type { Instruction } from '../patch/patch.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { listEnvironments, updateEnvironment } from '../environments/store.ts';
import type { Environment } from '../projects/project.ts';
import { changeFlag, removeFlag, runFlagChange } from './change/change-flag.ts';
import { addEnvironment, insertTestFlag, makeHome, buildFlag, NOW, type Home } from './fixture.ts';
import { webhookSubscriber } from '../webhooks/deliveries.ts';
import { listDependents } from './store-references.ts';
import { insertConfigs } from './store-new-configs.ts';
import { findFlag, firstVersion } from './store.ts';
import { insertFlag, updateFlag } from './store-writes.ts';

const actor = systemActor({ now: NOW + 1 });

onEachEngine((testEngine) => {
  let engine: Engine;
  let changes: Changes;
  let home: Home;

  before(async () => {
    engine = await testEngine.openMigrated();
    changes = new Changes(engine, [webhookSubscriber()]);
    home = await makeHome(engine.db, 'home');
  });

  function instruct(key: string, instructions: Instruction[], environmentKey?: string) {
    const patch = { kind: 'semantic' as const, instructions, ...(environmentKey && { environmentKey }) };
    const at = { project: home.project, flagKey: key };
    return changes.run(actor, (tx) => changeFlag(tx, at, { patch }));
  }

  async function read(key: string) {
    const found = await findFlag(engine.db, home.project.id, key);
    assert.ok(found);
    return found;
  }

  test('a flag is found as it was made', async () => {
    const flag = await insertTestFlag(engine.db, home, 'whole', {
      description: 'About',
      tags: ['b', 'a'],
      variations: [{ value: { a: ['\0', 'ü'] }, name: 'A' }, { value: null }],
      customProperties: { x: { name: 'X', value: ['1'] } },
    });
    const found = await read('whole');
    assert.deepEqual(found.flag, flag);
    assert.deepEqual(found.environments.map(({ key }) => key).sort(), ['production', 'test']);
    assert.equal(await findFlag(engine.db, home.project.id, 'no\0where'), undefined);
  });

  test('it is found with the environments that are asked for', async () => {
    await insertTestFlag(engine.db, home, 'part');
    const keysOf = async (keys: string[]) => {
      const found = await findFlag(engine.db, home.project.id, 'part', keys);
      return Object.keys(found!.flag.environments);
    };
    assert.deepEqual(await keysOf(['test']), ['test']);
    assert.deepEqual(await keysOf(['nowhere', 'x\0']), []);
  });

  test('a key can be taken once', async () => {
    await insertTestFlag(engine.db, home, 'once');
    assert.equal(await insertFlag(engine.db, buildFlag(home, 'once'), home.environments, new Map()), false);
  });

  test('what was changed since it was read cannot be saved', async () => {
    await insertTestFlag(engine.db, home, 'raced');
    const seen = await read('raced');
    const later = { ...seen.flag, name: 'Later', version: 2 };
    await updateFlag(engine.db, seen, later, new Map());
    await assert.rejects(
      engine.db
        .transaction()
        .execute((tx) => updateFlag(tx, seen, { ...seen.flag, name: 'Too late', version: 2 }, new Map())),
      { kind: 'conflict' },
    );
    assert.equal((await read('raced')).flag.name, 'Later');
  });

  test('it cannot be saved when an environment has changed since it was asked', async () => {
    const asking = await makeHome(engine.db, 'asking');
    await insertTestFlag(engine.db, asking, 'asked');
    const find = async () => (await findFlag(engine.db, asking.project.id, 'asked'))!;
    const seen = await find();
    const save = (name: string, asked: readonly Environment[]) =>
      engine.db
        .transaction()
        .execute((tx) => updateFlag(tx, seen, { ...seen.flag, name, version: 2 }, new Map(), asked));
    await updateEnvironment(engine.db, { ...asking.environments[0]!, requireComments: true });
    await assert.rejects(save('Unasked', asking.environments), { kind: 'conflict' });
    assert.equal((await find()).flag.version, 1);
    await save('Asked', await listEnvironments(engine.db, asking.project.id));
    assert.equal((await find()).flag.name, 'Asked');
  });

  test('of changes at the same time none is lost', async () => {
    const { variations } = await insertTestFlag(engine.db, home, 'busy');
    const variationId = variations[0]!._id;
    await Promise.all([
      ...Array.from({ length: 15 }, (_, index) =>
        instruct('busy', [{ kind: 'addTags', values: [`tag-${index}`] }]),
      ),
      ...Array.from({ length: 5 }, (_, index) =>
        instruct('busy', [{ kind: 'addTargets', values: [`user-${index}`], variationId }], 'test'),
      ),
    ]);
    const { flag } = await read('busy');
    assert.equal(flag.version, 21);
    assert.equal(flag.tags.length, 15);
    assert.equal(flag.environments['test']!.version, 6);
    assert.equal(flag.environments['test']!.targets[0]!.values.length, 5);
    assert.equal(flag.environments['production']!.version, 1);
    const tags = await engine.db
      .selectFrom('flag_tags')
      .where('flag_id', '=', flag.id)
      .select('tag')
      .execute();
    assert.equal(tags.length, 15);
  });

  test('nor of those that were read before', async () => {
    await insertTestFlag(engine.db, home, 'quick');
    const at = { project: home.project, flagKey: 'quick' };
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const instructions = [{ kind: 'addTags', values: [`tag-${index}`] }];
        return runFlagChange(changes, actor, at, { patch: { kind: 'semantic', instructions } });
      }),
    );
    const { flag } = await read('quick');
    assert.deepEqual([flag.version, flag.tags.length], [21, 20]);
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from events where resource like '%flag/quick'`.execute(engine.db);
    assert.equal(rows[0]!.count, 20);
  });

  test('of two that would need each other, one is refused', async () => {
    const [left, right] = [
      await insertTestFlag(engine.db, home, 'left'),
      await insertTestFlag(engine.db, home, 'right'),
    ];
    const need = (key: string, other: typeof left) =>
      instruct(
        key,
        [{ kind: 'addPrerequisite', key: other.key, variationId: other.variations[0]!._id }],
        'test',
      );
    const results = await Promise.allSettled([need('left', right), need('right', left)]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const failed = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    assert.equal((failed.reason as { kind: string }).kind, 'invalid');
  });

  test('a flag that is made to be needed is not deleted at the same time', async () => {
    const base = await insertTestFlag(engine.db, home, 'base');
    await insertTestFlag(engine.db, home, 'wing');
    const instruction = { kind: 'addPrerequisite', key: 'base', variationId: base.variations[0]!._id };
    const results = await Promise.allSettled([
      instruct('wing', [instruction], 'test'),
      changes.run(actor, (tx) => removeFlag(tx, { project: home.project, flagKey: 'base' })),
    ]);
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 1);
    const still = await findFlag(engine.db, home.project.id, 'base');
    assert.equal((await listDependents(engine.db, base.id)).length, still === undefined ? 0 : 1);
  });

  test('a change that fails leaves nothing behind', async () => {
    await insertTestFlag(engine.db, home, 'unharmed');
    const old = await read('unharmed');
    const count = () => engine.db.selectFrom('events').select('id').execute();
    const events = (await count()).length;
    await assert.rejects(
      instruct('unharmed', [
        { kind: 'addTags', values: ['x'] },
        { kind: 'updateMaintainerMember', value: '000000000000000000000000' },
      ]),
    );
    assert.deepEqual(await read('unharmed'), old);
    assert.equal((await count()).length, events);
  });

  test('a deleted flag leaves its version behind, and nothing else', async () => {
    await insertTestFlag(engine.db, home, 'gone', { tags: ['t'] });
    await instruct('gone', [{ kind: 'turnFlagOn' }], 'test');
    await changes.run(actor, (tx) => removeFlag(tx, { project: home.project, flagKey: 'gone' }));
    assert.equal(await findFlag(engine.db, home.project.id, 'gone'), undefined);
    assert.equal(await firstVersion(engine.db, home.project.id, 'gone'), 4);
  });

  test('a new environment has all flags, however many', async () => {
    const crowd = await makeHome(engine.db, 'crowd');
    await engine.db.transaction().execute(async (tx) => {
      for (let index = 0; index < 1100; index += 1) await insertTestFlag(tx, crowd, `flag-${index}`);
    });
    const [source] = crowd.environments;
    await engine.db
      .updateTable('flag_configs')
      .set({ is_on: 1, version: 5 })
      .where('environment_id', '=', source!.id)
      .execute();
    for (const [key, from] of [
      ['blank', undefined],
      ['likewise', source!.id],
    ] as const) {
      const environment = await engine.db.transaction().execute(async (tx) => {
        const made = await addEnvironment(tx, crowd.project, key);
        await insertConfigs(tx, crowd.project, made, from, NOW + 5);
        return made;
      });
      const rows = await engine.db
        .selectFrom('flag_configs')
        .selectAll()
        .where('environment_id', '=', environment.id)
        .execute();
      assert.equal(rows.length, 1100);
      const isOn = from === undefined ? 0 : 1;
      assert.ok(rows.every((row) => row.is_on === isOn && row.version === 1 && row.modified_at === NOW + 5));
    }
    const found = await findFlag(engine.db, crowd.project.id, 'flag-1099');
    assert.equal(Object.keys(found!.flag.environments).length, 4);
    assert.deepEqual(found!.flag.environments['blank']!.fallthrough, { variation: 0 });
  });
});

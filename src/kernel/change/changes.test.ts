// Configuration changes: the write, its audit entry and the subscribers' writes share a commit, on both engines.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import { DUE, dueMigrations } from '../jobs/due-store.ts';
import { Failure } from '../failure.ts';
import type { Engine } from '../storage/engine.ts';
import type { Db } from '../storage/tables.ts';
import { actorOf, systemActor, type ChangeActor } from '../identity/actor.ts';
import type { Change } from './change.ts';
import { Changes, type Subscriber } from './changes.ts';
import { eventMigrations } from './store.ts';

const NOW = 1_800_000_000_000;
const program = systemActor({ now: NOW });

const changeOf = (name: string, resource = `thing/${name};tag`): Change => ({
  accesses: [
    { action: 'updateName', resource },
    { action: 'updateTags', resource },
  ],
  kind: 'thing',
  name,
  verb: 'renamed',
  before: { name: 'old' },
  after: { name },
});

const row = (id: string) => ({
  id,
  kind: 'test',
  payload: 'new',
  due_at: 1,
  owner: null,
  attempts: 0,
  last_error: null,
  created_at: 1,
});

/** Rows of due work, which no worker claims here, serve as the changed resource. */
const insert = (db: Db, id: string) => db.insertInto('due').values(row(id));
const update = (db: Db, id: string, from: string, to: string) =>
  db.updateTable('due').set({ payload: to }).where('id', '=', id).where('payload', '=', from).compile();

onEachEngine((testEngine) => {
  let engine: Engine;
  let changes: Changes;
  let isFailing = false;
  let dueNotices = 0;
  const told: string[][] = [];

  /** Its registrations are the rows of `due` with the payload `listens`. */
  const subscriber: Subscriber = {
    channel: DUE,
    registrations: (db) => db.selectFrom('due').select('id').where('payload', '=', 'listens').compile(),
    statementsFor(db, entries, rows) {
      if (rows.length === 0) return [];
      told.push(entries.map(({ name }) => name));
      const id = isFailing ? 'listener' : `told ${entries.map(({ id: entryId }) => entryId).join()}`;
      return [insert(db, id).compile()];
    },
  };

  before(async () => {
    engine = await testEngine.open([...eventMigrations, ...dueMigrations]);
    changes = new Changes(engine, [subscriber]);
    await engine.listen(DUE, () => (dueNotices += 1));
  });
  beforeEach(async () => {
    for (const table of ['events', 'due'] as const) await engine.db.deleteFrom(table).execute();
    isFailing = false;
    told.length = 0;
    dueNotices = 0;
  });

  const register = () =>
    engine.db
      .insertInto('due')
      .values({ ...row('listener'), payload: 'listens' })
      .execute();
  const names = async () =>
    (await engine.db.selectFrom('events').select('name').orderBy('seq').execute()).map(({ name }) => name);
  const payloads = async () =>
    Object.fromEntries(
      (await engine.db.selectFrom('due').select(['id', 'payload']).execute()).map(({ id, payload }) => [
        id,
        payload,
      ]),
    );

  test('entries are stored in the order of recording, with all their fields', async () => {
    const result = await changes.run({ ...program, id: 'the-call' }, async (tx) => {
      await insert(tx.db, 'a').execute();
      tx.record({ ...changeOf('first'), description: '- More', comment: 'Why' });
      tx.record(changeOf('second'));
      return 'done';
    });
    assert.equal(result, 'done');
    assert.deepEqual(await names(), ['first', 'second']);
    const [first] = await engine.db.selectFrom('events').selectAll().orderBy('seq').execute();
    assert.deepEqual(
      [first!.call_id, first!.action, first!.resource, first!.at, first!.comment],
      ['the-call', 'updateName', 'thing/first', NOW, 'Why'],
    );
    assert.deepEqual(JSON.parse(first!.accesses!), changeOf('first').accesses);
    assert.deepEqual(JSON.parse(first!.detail!), { verb: 'renamed', description: '- More', who: {} });
    assert.deepEqual(await payloads(), { a: 'new' });
  });

  test('failed work leaves no change, no entry and no subscriber writes', async () => {
    await register();
    const received: string[] = [];
    const stop = await engine.listen('cache', () => received.push('cache'));
    await assert.rejects(
      changes.run(program, async (tx) => {
        await insert(tx.db, 'a').execute();
        tx.record(changeOf('lost'));
        await tx.invalidate('cache');
        throw new Error('no');
      }),
      /no/,
    );
    assert.deepEqual([await names(), await payloads()], [[], { listener: 'listens' }]);
    assert.deepEqual([told, received], [[], []]);
    stop();
  });

  test("a subscriber's writes share the commit, which then wakes the workers", async () => {
    await register();
    await changes.run(program, async (tx) => {
      tx.record(changeOf('one'));
      tx.record(changeOf('two'));
    });
    assert.deepEqual(told, [['one', 'two']]);
    assert.equal(Object.keys(await payloads()).length, 2);
    await eventually(() => dueNotices > 0);

    isFailing = true;
    await assert.rejects(changes.run(program, async (tx) => tx.record(changeOf('three'))));
    assert.deepEqual(await names(), ['one', 'two']);
  });

  test('a registration in the same change receives it', async () => {
    await changes.run(program, async (tx) => {
      await tx.db
        .insertInto('due')
        .values({ ...row('listener'), payload: 'listens' })
        .execute();
      tx.record(changeOf('itself'));
    });
    assert.deepEqual(told, [['itself']]);
  });

  test('of very many entries none is lost', async () => {
    await register();
    const many = Array.from({ length: 120 }, (_, index) => `n${index}`);
    await changes.run(program, async (tx) => {
      for (const name of many) tx.record(changeOf(name));
    });
    assert.deepEqual(await names(), many);
    assert.deepEqual(told.flat(), many);
  });

  test('a change requires its permissions of its actor', async () => {
    const nobody: ChangeActor = {
      ...program,
      requirePermission(_, action) {
        throw new Failure('denied', action!);
      },
    };
    await assert.rejects(
      changes.run(nobody, async (tx) => {
        await insert(tx.db, 'a').execute();
        tx.record(changeOf('denied'));
      }),
      /updateName/,
    );
    assert.deepEqual([await names(), await payloads()], [[], {}]);
    await changes.run(nobody, async (tx) => tx.as(systemActor(tx.actor)).record(changeOf('unasked')));
    await changes.run(nobody, async (tx) => tx.record({ ...changeOf('other'), requirements: [] }));
    assert.deepEqual(await names(), ['unasked', 'other']);
    const strict = actorOf({ kind: 'token', member: {} as never, grants: [] }, NOW);
    await assert.rejects(
      changes.run(strict, async (tx) => tx.record(changeOf('denied'))),
      { kind: 'denied' },
    );
  });

  test('a call that has not checked the permission of its route commits nothing', async () => {
    const asked: boolean[] = [];
    const call: ChangeActor = {
      ...program,
      assertPermissionChecked(isChange) {
        asked.push(isChange);
        throw new Error('not asked');
      },
    };
    const forgetful = changes.run(call, async (tx) => {
      await insert(tx.db, 'a').execute();
      tx.record(changeOf('forgotten'));
    });
    await assert.rejects(forgetful, /not asked/);
    const planned = changes.plan(
      call,
      async (db) => ({
        guards: [insert(db, 'a').compile()],
        statements: [],
        changes: [changeOf('forgotten')],
        result: 'planned',
      }),
      async () => 'run',
    );
    await assert.rejects(planned, /not asked/);
    assert.deepEqual([await names(), await payloads(), asked], [[], {}, [true, true]]);
  });

  test('caches are notified of a commit before its caller continues', async () => {
    const received: string[] = [];
    const stop = await engine.listen('cache', () => received.push('cache'));
    await changes.run(program, async (tx) => {
      await insert(tx.db, 'a').execute();
      await tx.invalidate('cache');
      assert.deepEqual(received, []);
    });
    assert.equal(received[0], 'cache');
    stop();
  });

  test("a plan is committed in one batch with its entry and the subscribers' writes", async () => {
    await register();
    await insert(engine.db, 'a').execute();
    const plan = () =>
      changes.plan(
        program,
        async (db) => ({
          guards: [update(db, 'a', 'new', 'newer')],
          statements: [insert(db, 'b').compile()],
          changes: [changeOf('planned')],
          result: 'planned',
        }),
        async (tx) => {
          tx.record(changeOf('run'));
          return 'run';
        },
      );
    assert.equal(await plan(), 'planned');
    assert.deepEqual([await names(), told], [['planned'], [['planned']]]);
    const { a, b } = await payloads();
    assert.deepEqual([a, b], ['newer', 'new']);
    await eventually(() => dueNotices > 0);
    // By now a concurrent change has been committed.
    assert.equal(await plan(), 'run');
    assert.deepEqual(await names(), ['planned', 'run']);
  });

  test('work without a plan is run, and a plan without changes only returns its result', async () => {
    const otherwise = async () => 'run';
    assert.equal(await changes.plan(program, async () => undefined, otherwise), 'run');
    const nothing = { guards: [], statements: [], changes: [], result: 'same' };
    assert.equal(await changes.plan(program, async () => nothing, otherwise), 'same');
    assert.deepEqual([await names(), await payloads()], [[], {}]);
  });

  test('a plan that does not hold, or is not allowed, writes nothing', async () => {
    const plan = (actor: ChangeActor, verify: () => void) =>
      changes.plan(
        actor,
        async (db) => {
          verify();
          return {
            guards: [insert(db, 'a').compile()],
            statements: [],
            changes: [changeOf('planned')],
            result: 'planned',
          };
        },
        async () => 'run',
      );
    await assert.rejects(
      plan(program, () => {
        throw new Failure('conflict', 'it does not hold');
      }),
      /does not hold/,
    );
    const strict = actorOf({ kind: 'token', member: {} as never, grants: [] }, NOW);
    await assert.rejects(
      plan(strict, () => {}),
      { kind: 'denied' },
    );
    assert.deepEqual([await names(), await payloads()], [[], {}]);
  });
});

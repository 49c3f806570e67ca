// Schedules on several nodes: every action is started once for each moment, whatever happens to clocks and leases.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lockSchedule } from '../../../../src/actors/schedules/store.ts';
import { DUE } from '../../../../src/kernel/jobs/due-store.ts';
import { onEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { waitForLockWaiters } from '../../../lock-waiters.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { giveBuiltActor, scheduleCalls } from './schedule-calls.ts';

const NODES = 3;
const SCHEDULES = 20;
const ROUNDS = 3;
const TEN_MINUTES = 600_000;

onEngine('postgres', (engine) => {
  let nodes: TestServer[];
  before(async () => {
    const database = await engine.migratedDatabase();
    // Runs wait for ever, because the nodes have no room for them.
    const settings = { database, nodeRuns: 0, accountRuns: 100_000, accountMemory: 1_000_000_000 };
    nodes = await Promise.all(
      Array.from({ length: NODES }, () => startServer({ ...settings, limits: 'off' })),
    );
  });
  after(() => Promise.all(nodes.map((node) => node.stop())));
  const { createSchedule, getSchedule, logOf, runsOf, fired } = scheduleCalls(() => nodes[0]!);

  async function wakeAll(): Promise<void> {
    await nodes[0]!.app.kernel.engine.notify(DUE);
  }

  /** One more than the other, as clocks of machines are. */
  async function goTo(moment: number): Promise<void> {
    for (const [index, { clock }] of nodes.entries()) clock.goTo(moment + index * 3000);
    await wakeAll();
  }

  function nextMoment(): number {
    const now = Math.max(...nodes.map(({ clock }) => clock.now()));
    return Math.ceil((now + 3 * TEN_MINUTES) / TEN_MINUTES) * TEN_MINUTES;
  }

  function startsOf(runs: readonly Json[]): string[] {
    return runs
      .map(({ meta }) => `${meta.scheduleId} ${meta.scheduledAt}`)
      .toSorted((a, b) => a.localeCompare(b));
  }

  test('each action of each schedule is started once for each moment', async () => {
    await goTo(nextMoment() - TEN_MINUTES / 2);
    const one = await giveBuiltActor(nodes[0]!);
    const two = await giveBuiltActor(nodes[0]!);
    const ids: string[] = [];
    for (let index = 0; index < SCHEDULES; index += 1) {
      const { id } = await createSchedule({
        cronExpression: '*/10 * * * *',
        isEnabled: true,
        isExclusive: false,
        actions: [
          { type: 'RUN_ACTOR', actorId: one },
          { type: 'RUN_ACTOR', actorId: two },
        ],
      });
      ids.push(id as string);
    }
    const first = Date.parse((await getSchedule(ids[0]!))['nextRunAt'] as string);
    const moments = Array.from({ length: ROUNDS }, (_, round) => first + round * TEN_MINUTES);
    for (const [round, moment] of moments.entries()) {
      await goTo(moment);
      for (const id of ids) await fired(id, round + 1);
    }
    const expected = ids
      .flatMap((id) => moments.map((moment) => `${id} ${new Date(moment).toISOString()}`))
      .toSorted((a, b) => a.localeCompare(b));
    for (const actorId of [one, two]) assert.deepEqual(startsOf(await runsOf(actorId)), expected);
    for (const id of ids) {
      const lines = await fired(id, ROUNDS);
      assert.equal(lines.length, ROUNDS, JSON.stringify(lines));
    }
    await nodes[0]!.app.kernel.db.deleteFrom('schedules').execute();
  });

  test('a firing whose lease is lost again and again starts each action once', async () => {
    await goTo(nextMoment() - TEN_MINUTES / 2);
    const actors: string[] = [];
    for (let index = 0; index < 10; index += 1) actors.push(await giveBuiltActor(nodes[0]!));
    const { id, nextRunAt } = await createSchedule({
      cronExpression: '*/10 * * * *',
      isEnabled: true,
      actions: actors.map((actorId) => ({ type: 'RUN_ACTOR', actorId })),
    });
    await goTo(Date.parse(nextRunAt as string));
    const { db } = nodes[0]!.app.kernel;
    let isFired = false;
    const watching = fired(id as string, 1).then(() => (isFired = true));
    // Gives the row away while somebody works on it.
    while (!isFired) {
      await db
        .updateTable('due')
        .set({ due_at: Date.parse(nextRunAt as string), owner: null })
        .where('payload', '=', id as string)
        .where('owner', 'is not', null)
        .execute();
      await wakeAll();
      await new Promise(setImmediate);
    }
    await watching;
    await eventually(async () => {
      const rows = await db
        .selectFrom('due')
        .selectAll()
        .where('payload', '=', id as string)
        .execute();
      return (
        rows.length === 1 && rows[0]!.owner === null && rows[0]!.due_at > Date.parse(nextRunAt as string)
      );
    }, 'the due row waits for the next moment');
    for (const actorId of actors) assert.equal((await runsOf(actorId)).length, 1);
    assert.equal((await fired(id as string, 1)).length, 1);
    const { nextRunAt: next } = await getSchedule(id as string);
    assert.equal(Date.parse(next as string), Date.parse(nextRunAt as string) + TEN_MINUTES);
    await db.deleteFrom('schedules').execute();
  });

  test('a schedule that is disabled while it fires starts nothing more', async () => {
    await goTo(nextMoment() - TEN_MINUTES / 2);
    const actorId = await giveBuiltActor(nodes[0]!);
    const { id, nextRunAt } = await createSchedule({
      cronExpression: '*/10 * * * *',
      isEnabled: true,
      actions: [{ type: 'RUN_ACTOR', actorId }],
    });
    const { db } = nodes[0]!.app.kernel;
    await db.transaction().execute(async (tx) => {
      await lockSchedule(tx, id as string);
      await goTo(Date.parse(nextRunAt as string));
      // The run for the schedule.
      await waitForLockWaiters(tx, db);
      await tx
        .updateTable('schedules')
        .set({ is_enabled: 0, next_run_at: null })
        .where('id', '=', id as string)
        .execute();
      await tx
        .deleteFrom('due')
        .where('payload', '=', id as string)
        .execute();
    });
    await wakeAll();
    // A later change waits for the end of the firing.
    await nodes[1]!.call(`/v2/schedules/${id}`, { method: 'PUT', body: { title: 'after' } });
    const { lastRunAt } = await getSchedule(id as string);
    assert.deepEqual([lastRunAt, await runsOf(actorId), await logOf(id as string)], [null, [], []]);
  });

  test('changes while it fires neither lose nor double anything', async () => {
    await goTo(nextMoment() - TEN_MINUTES / 2);
    const actorId = await giveBuiltActor(nodes[0]!);
    const action = { type: 'RUN_ACTOR', actorId };
    const { id, nextRunAt, actions } = await createSchedule({
      cronExpression: '*/10 * * * *',
      isEnabled: true,
      isExclusive: false,
      actions: Array.from({ length: 6 }, () => action),
    });
    const moment = Date.parse(nextRunAt as string);
    await goTo(moment);
    const change = (node: number, body: unknown) =>
      nodes[node]!.call(`/v2/schedules/${id}`, { method: 'PUT', body });
    for (let index = 0; index < 6; index += 1) {
      const answers = await Promise.all([
        change(1, { title: `Title ${index}` }),
        change(2, { actions: actions.map((one: Json) => ({ ...one, runInput: null })) }),
      ]);
      for (const { status, text } of answers) assert.equal(status, 200, text);
    }
    await fired(id as string, 1);
    const runs = await runsOf(actorId);
    assert.equal(runs.length, 6);
    assert.deepEqual(new Set(startsOf(runs)), new Set([`${id} ${nextRunAt}`]));
    const kept = (await getSchedule(id as string))['actions'] as Json[];
    assert.deepEqual(
      kept.map((one) => one['id']),
      actions.map((one: Json) => one['id']),
    );
  });
});

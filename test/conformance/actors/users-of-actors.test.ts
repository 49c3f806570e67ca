// How many accounts have run an Actor: in the store, in lists and in the Actor itself.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deleteRun, findRun } from '../../../src/actors/runs/store.ts';
import { updateActorUserOwner } from '../../../src/actors/actors/store-users.ts';
import type { Actor } from '../../../src/actors/actors/model.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { giveActor, giveBuild } from './runs/run-rows.ts';

const DAY = 24 * 60 * 60 * 1000;

onEachEngine((engine) => {
  let server: TestServer;
  let ada: string;
  let grace: string;
  before(async () => {
    // Runs wait for ever, because no node executes them.
    server = await startServerOn(engine, {
      limits: 'off',
      role: 'api',
      accountRuns: 1000,
    });
    server.clock.stop();
    ada = await newToken('ada');
    grace = await newToken('grace');
  });
  after(() => server.stop());

  async function newToken(name: string): Promise<string> {
    const member = await join(server, name, { role: 'writer' });
    return (await giveToken(server, member, { role: 'writer' })).value;
  }

  async function publicActor(): Promise<Actor> {
    const actor = await giveActor(server, { isPublic: true });
    await giveBuild(server, actor, {});
    return actor;
  }

  async function run({ id }: Actor, token?: string): Promise<string> {
    const init = { method: 'POST', body: {}, ...(token !== undefined && { token }) };
    const { status, text, json } = await server.call(`/v2/actors/${id}/runs`, init);
    assert.equal(status, 201, text);
    return json['data'].id as string;
  }

  /** In all, and of the last 7, 30 and 90 days; the same wherever it is shown. */
  async function usersOf({ id, name }: Actor): Promise<number[]> {
    const shown = (await server.call(`/v2/actors/${id}`)).json['data'] as Json;
    const listed = (await server.call('/v2/actors?limit=1000')).json['data'].items as Json[];
    const inStore = (await server.call('/v2/store?username=admin', { token: null })).json['data']
      .items as Json[];
    const [first, ...others] = [
      shown,
      listed.find((one) => one['id'] === id)!,
      inStore.find((one) => one['name'] === name)!,
    ].map(({ stats }) => stats);
    for (const other of others) assert.deepEqual(other, first);
    return [first.totalUsers, first.totalUsers7Days, first.totalUsers30Days, first.totalUsers90Days];
  }

  test('an Actor that nobody has run has no users', async () => {
    assert.deepEqual(await usersOf(await publicActor()), [0, 0, 0, 0]);
  });

  test('each account counts once, however often it runs the Actor', async () => {
    const actor = await publicActor();
    await run(actor);
    await run(actor, ada);
    await run(actor, ada);
    assert.deepEqual(await usersOf(actor), [2, 2, 2, 2]);
    await run(actor, grace);
    assert.deepEqual(await usersOf(actor), [3, 3, 3, 3]);
  });

  test('the first runs of one account at the same time are one user', async () => {
    const actor = await publicActor();
    await Promise.all([...Array.from({ length: 8 }, () => run(actor, ada)), run(actor, grace)]);
    assert.deepEqual(await usersOf(actor), [2, 2, 2, 2]);
  });

  test('users leave the counts of days with the time since their last run', async () => {
    const actor = await publicActor();
    const start = server.clock.ahead;
    await run(actor, ada);
    server.clock.ahead = start + 7 * DAY;
    assert.deepEqual(await usersOf(actor), [1, 1, 1, 1]);
    server.clock.ahead += 1;
    assert.deepEqual(await usersOf(actor), [1, 0, 1, 1]);
    await run(actor, grace);
    server.clock.ahead = start + 30 * DAY + 1;
    assert.deepEqual(await usersOf(actor), [2, 0, 1, 2]);
    await run(actor, ada);
    assert.deepEqual(await usersOf(actor), [2, 1, 2, 2]);
    server.clock.ahead = start + 130 * DAY;
    assert.deepEqual(await usersOf(actor), [2, 0, 0, 0]);
    server.clock.ahead = start;
  });

  test('a user stays one when the runs are deleted', async () => {
    const actor = await publicActor();
    const { db } = server.app.kernel;
    const id = await run(actor, ada);
    await db.transaction().execute(async (tx) => deleteRun(tx, (await findRun(tx, id))!));
    assert.deepEqual(await usersOf(actor), [1, 1, 1, 1]);
  });

  test('an account that takes over another is one user with it', async () => {
    const [both, one] = [await publicActor(), await publicActor()];
    await run(both, ada);
    await run(both, grace);
    await run(one, ada);
    const { db } = server.app.kernel;
    const idOf = async (token: string) =>
      (await server.call('/v2/users/me', { token })).json['data'].id as string;
    const [from, to] = [await idOf(ada), await idOf(grace)];
    await db.transaction().execute((tx) => updateActorUserOwner(tx, from, to));
    assert.deepEqual(await usersOf(both), [1, 1, 1, 1]);
    assert.deepEqual(await usersOf(one), [1, 1, 1, 1]);
    await run(one, grace);
    assert.deepEqual(await usersOf(one), [1, 1, 1, 1]);
  });

  test('a deleted Actor leaves no users behind', async () => {
    const actor = await publicActor();
    const id = await run(actor);
    await server.call(`/v2/actor-runs/${id}/abort`, { method: 'POST' });
    assert.equal((await server.call(`/v2/actors/${actor.id}`, { method: 'DELETE' })).status, 204);
    const left = await server.app.kernel.db
      .selectFrom('actor_users')
      .select('user_id')
      .where('actor_id', '=', actor.id)
      .execute();
    assert.deepEqual(left, []);
  });
});

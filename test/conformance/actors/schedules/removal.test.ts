// Actors and tasks that are deleted while schedules that start them are changed and fired.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { startServer, type Answer, type TestServer } from '../../../server.ts';
import { giveBuiltActor, scheduleCalls } from './schedule-calls.ts';

const ROUNDS = 10;

onEachEngine((engine) => {
  let server: TestServer;
  /** The same server where the engine supports one only. */
  let other: TestServer;
  before(async () => {
    const database = engine.kind === 'postgres' ? await engine.migratedDatabase() : undefined;
    // Runs wait for ever, because the nodes have no room for them.
    const start = () =>
      startServer({ limits: 'off', nodeRuns: 0, ...(database !== undefined && { database }) });
    server = await start();
    other = database === undefined ? server : await start();
  });
  after(async () => {
    if (other !== server) await other.stop();
    await server.stop();
  });
  const { createSchedule, getSchedule } = scheduleCalls(() => server);

  test('neither calls nor firings fail because of each other', async () => {
    const call = (node: TestServer, method: string, path: string, body?: unknown): Promise<Answer> =>
      node.call(`/v2${path}`, { method, ...(body !== undefined && { body }) });
    const statuses = new Map<number, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const actorId = await giveBuiltActor(server);
      const { json } = await call(server, 'POST', '/actor-tasks', { actId: actorId });
      const actorTaskId = json['data'].id as string;
      const actions = [
        { type: 'RUN_ACTOR', actorId, runOptions: { memoryMbytes: 128 } },
        { type: 'RUN_ACTOR_TASK', actorTaskId },
        { type: 'RUN_ACTOR', actorId, runOptions: { memoryMbytes: 128 } },
      ];
      const { id } = await createSchedule({ isExclusive: false, actions });
      const answers = await Promise.all([
        call(server, 'POST', `/schedules/${id}/invoke`),
        call(other, 'POST', `/schedules/${id}/invoke`),
        call(other, 'PUT', `/schedules/${id}`, { actions }),
        call(server, 'PUT', `/schedules/${id}`, { title: 'other' }),
        call(other, 'POST', `/schedules/${id}/invoke`),
        call(server, 'DELETE', `/actor-tasks/${actorTaskId}`),
        call(server, 'DELETE', `/actors/${actorId}`),
        call(other, 'POST', `/schedules/${id}/invoke`),
        call(server, 'PUT', `/schedules/${id}`, { actions: [...actions, ...actions] }),
      ]);
      for (const { status, text } of answers) {
        assert.ok([200, 201, 204, 404].includes(status), `${status} ${text}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      assert.equal((await call(server, 'GET', `/actors/${actorId}`)).status, 404);
      assert.deepEqual((await getSchedule(id as string))['actions'], [], 'nothing that is gone is left');
      assert.equal((await call(server, 'POST', `/schedules/${id}/invoke`)).status, 201);
      assert.equal((await call(server, 'DELETE', `/schedules/${id}`)).status, 204);
    }
    assert.ok(statuses.get(204)! >= ROUNDS, JSON.stringify([...statuses]));
    const faults = [server, other].flatMap(({ log }) => log.filter(({ level }) => Number(level) >= 50));
    assert.deepEqual(faults, []);
  });
});

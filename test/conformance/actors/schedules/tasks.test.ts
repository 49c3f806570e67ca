// Schedules that start tasks, and what becomes of them when the task or its Actor is deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { giveBuiltActor, scheduleCalls } from './schedule-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  // Runs wait for ever, because the node has no room for them.
  onServer(engine, { limits: 'off', nodeRuns: 0 }, async (started) => {
    server = started;
    await server.app.kernel.db.deleteFrom('schedules').execute();
  });
  const { call, createSchedule, changeSchedule, getSchedule, logOf, runsOf, goTo, fired } = scheduleCalls(
    () => server,
  );

  async function createTask(body: Json, init: CallInit = {}): Promise<Json> {
    const answer = await call('/actor-tasks', { method: 'POST', body, ...init });
    assert.equal(answer.status, 201, answer.text);
    return answer.json['data'];
  }

  test('a firing starts a task with its options, and its input with fields of the action over it', async () => {
    const actorId = await giveBuiltActor(server);
    const task = await createTask({
      actId: actorId,
      name: 'shop-prices',
      input: { shop: 'one', pages: 5 },
      options: { memoryMbytes: 512 },
    });
    const { id, actions, nextRunAt } = await createSchedule({
      cronExpression: '@hourly',
      isEnabled: true,
      isExclusive: false,
      actions: [
        { type: 'RUN_ACTOR_TASK', actorTaskId: '~shop-prices', input: { pages: 7 } },
        { type: 'RUN_ACTOR_TASK', actorTaskId: 'admin~shop-prices', input: '{"shop":"two"}' },
        { type: 'RUN_ACTOR_TASK', actorTaskId: task['id'] },
      ],
    });
    assert.deepEqual(
      actions.map(({ id: _id, ...action }: Json) => action),
      [{ pages: 7 }, { shop: 'two' }, null].map((input) => ({
        type: 'RUN_ACTOR_TASK',
        actorTaskId: task['id'],
        input,
      })),
    );
    const [item] = (await call('/schedules')).json['data'].items as Json[];
    assert.deepEqual(item!['actions'][0], {
      id: actions[0].id,
      type: 'RUN_ACTOR_TASK',
      actorTaskId: task['id'],
    });
    await goTo(nextRunAt as string);
    const lines = await fired(id as string, 1);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['INFO'],
      JSON.stringify(lines),
    );
    const runs = await runsOf(actorId);
    assert.deepEqual(
      runs.map((run) => [run['actorTaskId'], run['meta'].origin, run['meta'].scheduledAt]),
      Array.from({ length: 3 }, () => [task['id'], 'SCHEDULER', nextRunAt]),
    );
    const inputs: unknown[] = [];
    for (const run of runs) {
      inputs.push((await call(`/key-value-stores/${run['defaultKeyValueStoreId']}/records/INPUT`)).json);
      const { options } = (await call(`/actor-runs/${run['id']}`)).json['data'];
      assert.equal(options.memoryMbytes, 512);
    }
    assert.deepEqual(inputs, [
      { shop: 'one', pages: 7 },
      { shop: 'two', pages: 5 },
      { shop: 'one', pages: 5 },
    ]);
  });

  test('the input of a task is an object, or the JSON of one', async () => {
    const { id: actorTaskId } = await createTask({ actId: await giveBuiltActor(server) });
    const create = (input: unknown) =>
      call('/schedules', {
        method: 'POST',
        body: { actions: [{ type: 'RUN_ACTOR_TASK', actorTaskId, input }] },
      });
    for (const [input, type] of [
      ['{', 'run-input-body-not-valid-json'],
      ['[1]', 'invalid-input'],
      ['7', 'invalid-input'],
      [[1], 'invalid-input'],
      [7, 'invalid-input'],
      [{ a: 'x'.repeat(1_000_001) }, 'invalid-input'],
    ] as const) {
      const { status, json } = await create(input);
      assert.deepEqual([status, json['error']?.type], [400, type], JSON.stringify(input).slice(0, 20));
    }
    for (const input of ['', null, undefined, {}]) assert.equal((await create(input)).status, 201);
  });

  test('deleting a task, or its Actor, removes its actions', async () => {
    const actorId = await giveBuiltActor(server);
    const one = await createTask({ actId: actorId, name: 'task-one' });
    const two = await createTask({ actId: actorId, name: 'task-two' });
    const { id } = await createSchedule({
      actions: [
        { type: 'RUN_ACTOR_TASK', actorTaskId: one['id'] },
        { type: 'RUN_ACTOR_TASK', actorTaskId: two['id'] },
        { type: 'RUN_ACTOR', actorId },
      ],
    });
    assert.equal((await call(`/actor-tasks/${one['id']}`, { method: 'DELETE' })).status, 204);
    const targets = async () =>
      (await getSchedule(id as string))['actions'].map(
        (action: Json) => action['actorTaskId'] ?? action['actorId'],
      );
    assert.deepEqual(await targets(), [two['id'], actorId]);
    assert.equal((await call(`/actors/${actorId}`, { method: 'DELETE' })).status, 204);
    assert.deepEqual(await targets(), []);
    const entries = await server.app.kernel.db
      .selectFrom('events')
      .select('action')
      .where('resource', '=', `schedule/${id}`)
      .execute();
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['createSchedule', 'updateSchedule', 'updateSchedule'],
    );
  });

  test('another account that uses a public Actor loses the action with it, and gets no entry', async () => {
    const member = await join(server, 'user-of-public', { role: 'writer' });
    const { value: token } = await giveToken(server, member, { role: 'writer' });
    const actorId = await giveBuiltActor(server, { isPublic: true });
    const { id } = await createSchedule({ actions: [{ type: 'RUN_ACTOR', actorId }] }, { token });
    assert.equal((await call(`/actors/${actorId}`, { method: 'DELETE' })).status, 204);
    assert.deepEqual((await call(`/schedules/${id}`, { token })).json['data'].actions, []);
  });

  test('who may not run a task can make no schedule run it', async () => {
    const { id: userId } = (await call('/users/me')).json['data'];
    const { id: actorTaskId } = await createTask({ actId: await giveBuiltActor(server) });
    const action = { type: 'RUN_ACTOR_TASK', actorTaskId };
    const { value: token } = await giveToken(server, { id: userId } as never, {
      inlinePolicy: [
        { effect: 'allow', actions: ['*Schedule', 'viewTask', 'runActor', 'viewActor'], resources: ['*'] },
      ],
    });
    const body = { actions: [action] };
    assert.equal((await call('/schedules', { method: 'POST', body, token })).status, 403);
    const { id } = await createSchedule(body);
    const enable = { method: 'PUT', body: { isEnabled: true } };
    assert.equal((await call(`/schedules/${id}`, { ...enable, token })).status, 403);
    assert.equal((await changeSchedule(id as string, { isEnabled: true }))['isEnabled'], true);
    assert.equal((await call(`/schedules/${id}/invoke`, { method: 'POST', token })).status, 201);
    const [line] = await logOf(id as string);
    assert.match(line!['message'] as string, new RegExp(`^The task ${actorTaskId} was not started: Insuff`));
  });
});

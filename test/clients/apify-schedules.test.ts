// The real `apify-client` on schedules: every method of its two clients, and runs that a schedule starts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApifyApiError, ApifyClient, ScheduleActions } from 'apify-client';
import { createActor } from '../actors.ts';
import { OBEDIENT } from '../actor-sources.ts';
import { eventually } from '../eventually.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

let server: TestServer;
let client: ApifyClient;
let actorId: string;
before(async () => {
  server = await startServer({ limits: 'off' });
  client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN, maxRetries: 0 });
  actorId = (await createActor(server, OBEDIENT, { name: 'obedient' }))['id'] as string;
});
after(() => server.stop());

test('a schedule is created, found, changed, listed and deleted', async () => {
  const schedule = await client.schedules().create({
    name: 'nightly',
    title: 'Nightly',
    description: 'At night',
    cronExpression: '0 3 * * *',
    timezone: 'Europe/Prague',
    isEnabled: true,
    isExclusive: true,
    notifications: { email: false },
    actions: [
      {
        type: ScheduleActions.RunActor,
        actorId: 'admin/obedient',
        runInput: { body: '{"log":"hello"}', contentType: 'application/json; charset=utf-8' },
        runOptions: { build: 'latest', timeoutSecs: 60, memoryMbytes: 256 },
      },
    ],
  });
  assert.ok(schedule.createdAt instanceof Date);
  assert.ok((schedule.nextRunAt as unknown) instanceof Date);
  assert.equal(schedule.lastRunAt, null);
  assert.deepEqual(schedule.notifications, { email: false });
  const [action] = schedule.actions;
  assert.ok(action?.type === ScheduleActions.RunActor && action.actorId === actorId);
  assert.deepEqual(await client.schedule(schedule.id).get(), schedule);

  const changed = await client.schedule(schedule.id).update({ isEnabled: false, actions: schedule.actions });
  assert.deepEqual([changed.isEnabled, changed.nextRunAt, changed.name], [false, null, 'nightly']);
  assert.deepEqual(changed.actions, schedule.actions);

  const { total, items } = await client.schedules().list({ limit: 10, desc: true });
  assert.deepEqual([total, items[0]?.id], [1, schedule.id]);
  const iterated: string[] = [];
  for await (const item of client.schedules().list()) iterated.push(item.name);
  assert.deepEqual(iterated, ['nightly']);

  await client.schedule(schedule.id).delete();
  assert.equal(await client.schedule(schedule.id).get(), undefined);
  assert.equal(await client.schedule(schedule.id).getLog(), undefined);
});

test('a schedule without fields has defaults, and errors have their types', async () => {
  const schedule = await client.schedules().create();
  assert.deepEqual(
    [schedule.name, schedule.cronExpression, schedule.isEnabled],
    ['my-schedule', '@daily', false],
  );
  await assert.rejects(client.schedules().create({ name: 'My-Schedule' }), (error) => {
    assert.ok(error instanceof ApifyApiError);
    assert.deepEqual([error.statusCode, error.type], [409, 'schedule-name-not-unique']);
    return true;
  });
  await assert.rejects(client.schedule(schedule.id).update({ cronExpression: 'never' }), (error) => {
    assert.ok(error instanceof ApifyApiError);
    assert.deepEqual([error.statusCode, error.type], [400, 'cron-expression-invalid']);
    return true;
  });
  await client.schedule(schedule.id).delete();
});

test('a schedule runs an Actor and a task, which succeed, and its log tells of it', async () => {
  const task = await client
    .tasks()
    .create({ actId: actorId, name: 'greet', input: { log: 'from the task', output: 1 } });
  const schedule = await client.schedules().create({
    cronExpression: '*/10 * * * * *',
    isEnabled: true,
    actions: [
      {
        type: ScheduleActions.RunActor,
        actorId,
        runInput: { body: '{"log":"from the schedule"}', contentType: 'application/json' },
        runOptions: { build: 'latest', timeoutSecs: 60, memoryMbytes: 256 },
      },
      { type: ScheduleActions.RunActorTask, actorTaskId: task.id, input: '{"log":"over the task"}' },
    ],
  });
  const getLog = async () =>
    (await client.schedule(schedule.id).getLog()) as unknown as { level: string; message: string }[];
  await eventually(async () => (await getLog()).some(({ level }) => level === 'INFO'), 'the first firing');
  await client.schedule(schedule.id).update({ isEnabled: false });
  const run = await client.actor(actorId).lastRun({ origin: 'SCHEDULER' }).waitForFinish();
  assert.equal(run.status, 'SUCCEEDED');
  // The last run may be that of the task.
  const { items } = await client.actor(actorId).runs().list();
  const { id } = items.find(({ actorTaskId }) => actorTaskId == null)!;
  const ofActor = await client.run(id).waitForFinish();
  assert.equal(ofActor.status, 'SUCCEEDED');
  assert.match((await client.log(id).get())!, /from the schedule/);
  await eventually(
    async () => (await client.task(task.id).runs().list()).items.length > 0,
    'the run of the task',
  );
  const ofTask = await client.task(task.id).lastRun().waitForFinish();
  assert.equal(ofTask.status, 'SUCCEEDED');
  assert.match((await client.log(ofTask.id).get())!, /over the task/);
  assert.ok((await client.schedule(schedule.id).get())!.lastRunAt);
});

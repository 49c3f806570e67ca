// Schedules over HTTP: their fields, and the runs that they start as time passes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DUE } from '../../../../src/kernel/jobs/due-store.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { join, giveToken } from '../../../people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { CALLS_OF_SCHEDULE, giveBuiltActor, scheduleCalls } from './schedule-calls.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

onEachEngine((engine) => {
  let server: TestServer;
  // Runs wait for ever, because the node has no room for them.
  onServer(
    engine,
    { limits: 'off', nodeRuns: 0, accountRuns: 10_000, accountMemory: 100_000_000 },
    async (started) => {
      server = started;
      const { db } = server.app.kernel;
      await db.deleteFrom('schedules').execute();
      await db.deleteFrom('due').where('kind', '=', 'actors.fire-schedule').execute();
    },
  );
  const { call, createSchedule, changeSchedule, getSchedule, logOf, runsOf, goTo, fired } = scheduleCalls(
    () => server,
  );

  /** The next full hour, some days later than all tests before. */
  function nextHour(): number {
    const at = Math.ceil((server.clock.now() + 2 * DAY) / HOUR) * HOUR;
    server.clock.goTo(at - 60_000);
    return at;
  }
  const iso = (time: number) => new Date(time).toISOString();

  test('a schedule of nothing has a default for everything', async () => {
    const answer = await call('/schedules', { method: 'POST' });
    assert.equal(answer.status, 201, answer.text);
    const { id, createdAt, modifiedAt, userId, ...rest } = answer.json.data;
    assert.equal(answer.headers.get('location'), `${server.url}/v2/schedules/${id}`);
    assert.equal(userId, (await call('/users/me')).json.data.id);
    assert.equal(createdAt, modifiedAt);
    assert.deepEqual(rest, {
      name: 'my-schedule',
      title: 'My Schedule',
      description: null,
      cronExpression: '@daily',
      timezone: 'UTC',
      isEnabled: false,
      isExclusive: true,
      nextRunAt: null,
      lastRunAt: null,
      notifications: { email: true },
      actions: [],
    });
    assert.equal((await createSchedule({})).name, 'my-schedule-2');
    assert.equal((await createSchedule({ title: null })).title, null);
    assert.deepEqual((await call(`/schedules/${id}`)).json.data, answer.json.data);
  });

  test('all fields are stored, Actors are found by their names, and the list is short', async () => {
    const actorId = await giveBuiltActor(server, { name: 'crawler' });
    const runInput = { body: '{"a":1}', contentType: 'application/json; charset=utf-8' };
    const runOptions = { build: 'latest', timeoutSecs: 60, memoryMbytes: 256, restartOnError: true };
    const schedule = await createSchedule({
      name: 'Every-Noon',
      title: 'Noon',
      description: 'At noon',
      cronExpression: '0 12 * * *',
      timezone: 'Europe/Prague',
      isEnabled: true,
      isExclusive: false,
      notifications: { email: false },
      actions: [
        { type: 'RUN_ACTOR', actorId: '~crawler', runInput, runOptions, whatever: 1 },
        { id: 'mine', type: 'RUN_ACTOR', actorId: 'admin~crawler' },
        { type: 'RUN_ACTOR', actorId },
      ],
      somethingNew: true,
    });
    assert.deepEqual(
      schedule['actions'].map(({ id: _id, ...action }: Json) => action),
      [
        { type: 'RUN_ACTOR', actorId, runInput, runOptions },
        { type: 'RUN_ACTOR', actorId, runInput: null, runOptions: null },
        { type: 'RUN_ACTOR', actorId, runInput: null, runOptions: null },
      ],
    );
    const ids = schedule['actions'].map(({ id }: Json) => id as string);
    assert.equal(new Set(ids).size, 3);
    assert.ok(!ids.includes('mine'));
    assert.deepEqual(schedule['notifications'], { email: false });
    assert.match(schedule['nextRunAt'] as string, /T1[01]:00:00\.000Z$/);
    const [item] = (await call('/schedules')).json.data.items as Json[];
    assert.deepEqual(item!['actions'][0], { id: ids[0], type: 'RUN_ACTOR', actorId });
    assert.equal('description' in item!, false);
    assert.equal(item!['nextRunAt'], schedule['nextRunAt']);
  });

  test('the list is paged, in the order of creation', async () => {
    const names: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      server.clock.ahead += 1000;
      names.push((await createSchedule({}))['name'] as string);
    }
    const { json } = await call('/schedules?offset=1&limit=2');
    const { items, ...envelope } = json.data;
    assert.deepEqual(envelope, { total: 5, offset: 1, limit: 2, desc: false, count: 2 });
    assert.deepEqual(
      items.map(({ name }: Json) => name),
      names.slice(1, 3),
    );
    const newest = (await call('/schedules?desc=1&limit=1')).json.data.items as Json[];
    assert.equal(newest[0]!['name'], names[4]);
    assert.equal((await call('/schedules?limit=5000')).json.data.limit, 1000);
    assert.deepEqual((await call('/schedules?offset=9')).json.data.items, []);
  });

  test('an update is partial, and actions that it names keep their ids', async () => {
    const actorId = await giveBuiltActor(server);
    const other = await giveBuiltActor(server);
    const { id, actions } = await createSchedule({
      description: 'stays',
      actions: [
        { type: 'RUN_ACTOR', actorId, runInput: { body: 'one', contentType: 'text/plain' } },
        { type: 'RUN_ACTOR', actorId: other },
      ],
    });
    server.clock.ahead += 1000;
    const renamed = await changeSchedule(id as string, { name: 'renamed', title: null });
    assert.deepEqual([renamed['name'], renamed['title'], renamed['description']], ['renamed', null, 'stays']);
    assert.deepEqual(renamed['actions'], actions);
    assert.ok(Date.parse(renamed['modifiedAt'] as string) > Date.parse(renamed['createdAt'] as string));
    const replaced = await changeSchedule(id as string, {
      actions: [
        { id: actions[1].id, type: 'RUN_ACTOR', actorId },
        { id: actions[1].id, type: 'RUN_ACTOR', actorId },
        { id: 'unknown', type: 'RUN_ACTOR', actorId },
      ],
    });
    const ids = replaced['actions'].map((action: Json) => action['id'] as string);
    assert.equal(ids[0], actions[1].id);
    assert.equal(new Set([...ids, actions[0].id]).size, 4);
    assert.deepEqual((await changeSchedule(id as string, { actions: [] }))['actions'], []);
    const unchanged = await changeSchedule(id as string, {});
    assert.equal(unchanged['name'], 'renamed');
  });

  test('the next run follows the expression, the zone, and whether it is enabled', async () => {
    nextHour();
    const { id, nextRunAt } = await createSchedule({ cronExpression: '0 12 * * *' });
    assert.equal(nextRunAt, null);
    const enabled = await changeSchedule(id as string, { isEnabled: true });
    assert.match(enabled['nextRunAt'] as string, /T12:00:00\.000Z$/);
    const inTokyo = await changeSchedule(id as string, { timezone: 'Asia/Tokyo' });
    assert.match(inTokyo['nextRunAt'] as string, /T03:00:00\.000Z$/);
    const hourly = await changeSchedule(id as string, { cronExpression: '@hourly' });
    assert.ok(Date.parse(hourly['nextRunAt'] as string) - server.clock.now() <= HOUR);
    const titled = await changeSchedule(id as string, { title: 'other' });
    assert.equal(titled['nextRunAt'], hourly['nextRunAt']);
    const disabled = await changeSchedule(id as string, { isEnabled: false });
    assert.equal(disabled['nextRunAt'], null);
    const rows = await server.app.kernel.db
      .selectFrom('due')
      .select('id')
      .where('payload', '=', id as string)
      .execute();
    assert.deepEqual(rows, []);
  });

  test('a firing starts a run of each Actor, with its input and options', async () => {
    const moment = nextHour();
    const one = await giveBuiltActor(server);
    const two = await giveBuiltActor(server);
    const { id } = await createSchedule({
      cronExpression: '@hourly',
      isEnabled: true,
      actions: [
        {
          type: 'RUN_ACTOR',
          actorId: one,
          runInput: { body: '{"a":1}', contentType: 'application/json' },
          runOptions: { memoryMbytes: 256, timeoutSecs: 77, maxItems: 5 },
        },
        { type: 'RUN_ACTOR', actorId: two },
      ],
    });
    await goTo(moment);
    const lines = await fired(id as string, 1);
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [['INFO', `The schedule fired for ${iso(moment)}.`]],
    );
    const [run] = await runsOf(one);
    assert.deepEqual(run!['meta'], { origin: 'SCHEDULER', scheduleId: id, scheduledAt: iso(moment) });
    const detail = (await call(`/actor-runs/${run!['id']}`)).json.data;
    assert.deepEqual(
      [detail.options.memoryMbytes, detail.options.timeoutSecs, detail.options.maxItems],
      [256, 77, 5],
    );
    const input = await call(`/key-value-stores/${detail.defaultKeyValueStoreId}/records/INPUT`);
    assert.deepEqual([input.text, input.headers.get('content-type')], ['{"a":1}', 'application/json']);
    assert.equal((await runsOf(two)).length, 1);
    const after = await getSchedule(id as string);
    assert.equal(after['nextRunAt'], iso(moment + HOUR));
    assert.ok(Date.parse(after['lastRunAt'] as string) >= moment);
    assert.equal((await call(`/actors/${one}/runs/last?origin=SCHEDULER`)).json.data.id, run!['id']);
  });

  test('an exclusive schedule skips an action whose run has not finished; an aborted run is no reason', async () => {
    const moment = nextHour();
    const actorId = await giveBuiltActor(server);
    const { id } = await createSchedule({
      cronExpression: '@hourly',
      isEnabled: true,
      actions: [{ type: 'RUN_ACTOR', actorId }],
    });
    await goTo(moment);
    await fired(id as string, 1);
    await goTo(moment + HOUR);
    const lines = await fired(id as string, 2);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['INFO', 'WARNING', 'INFO'],
    );
    assert.match(lines[1]!['message'] as string, new RegExp(`^The Actor ${actorId} was skipped`));
    const [run] = await runsOf(actorId);
    assert.equal((await runsOf(actorId)).length, 1);
    const { db } = server.app.kernel;
    await db
      .updateTable('runs')
      .set({ status: 'ABORTING' })
      .where('id', '=', run!['id'] as string)
      .execute();
    await goTo(moment + 2 * HOUR);
    await fired(id as string, 3);
    assert.equal((await runsOf(actorId)).length, 2);
    await changeSchedule(id as string, { isExclusive: false });
    await goTo(moment + 3 * HOUR);
    await fired(id as string, 4);
    assert.equal((await runsOf(actorId)).length, 3);
  });

  test('what cannot be started is in the log, and the other actions go on', async () => {
    const moment = nextHour();
    const actorId = await giveBuiltActor(server);
    const { id } = await createSchedule({
      cronExpression: '@hourly',
      isEnabled: true,
      actions: [
        { type: 'RUN_ACTOR', actorId, runOptions: { build: 'nonsense' } },
        { type: 'RUN_ACTOR', actorId, runOptions: { build: '7.7.7' } },
        { type: 'RUN_ACTOR', actorId },
      ],
    });
    await goTo(moment);
    const lines = await fired(id as string, 1);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['ERROR', 'ERROR', 'INFO'],
    );
    assert.match(lines[0]!['message'] as string, /was not started: .*nonsense/);
    assert.match(lines[1]!['message'] as string, /was not started: .*7\.7\.7/);
    assert.equal((await runsOf(actorId)).length, 1);
  });

  test('an error of the server is retried, holds up no other action, and ends in the log', async () => {
    const moment = nextHour();
    const actorId = await giveBuiltActor(server);
    const runInput = { body: 'x', contentType: 'text/plain' };
    const { id, actions } = await createSchedule({
      cronExpression: '@hourly',
      isEnabled: true,
      actions: [
        { type: 'RUN_ACTOR', actorId, runInput },
        { type: 'RUN_ACTOR', actorId, runInput },
      ],
    });
    const { db, engine: storage } = server.app.kernel;
    await db
      .updateTable('schedule_actions')
      .set({ input: 'damaged' })
      .where('id', '=', actions[0].id as string)
      .execute();
    await goTo(moment);
    await eventually(async () => (await runsOf(actorId)).length === 1, 'the run of the other action');
    assert.deepEqual(await logOf(id as string), []);
    await eventually(async () => {
      server.clock.ahead += 5000;
      await storage.notify(DUE);
      return (await logOf(id as string)).length === 2;
    }, 'the end of the attempts');
    const lines = await logOf(id as string);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['ERROR', 'INFO'],
    );
    assert.match(lines[0]!['message'] as string, /was not started: A stored secret cannot be decrypted/);
    assert.equal((await runsOf(actorId)).length, 1);
    const [listed] = (await call('/schedules')).json.data.items as Json[];
    assert.ok(Date.parse(listed!['nextRunAt'] as string) > moment);
  });

  test('missed firings are made up once, for the first of them', async () => {
    const moment = nextHour();
    const actorId = await giveBuiltActor(server);
    const { id } = await createSchedule({
      cronExpression: '@hourly',
      isEnabled: true,
      isExclusive: false,
      actions: [{ type: 'RUN_ACTOR', actorId }],
    });
    await goTo(moment + 5 * HOUR + 1);
    await fired(id as string, 1);
    const runs = await runsOf(actorId);
    assert.deepEqual(
      runs.map(({ meta }) => meta.scheduledAt),
      [iso(moment)],
    );
    assert.equal((await getSchedule(id as string))['nextRunAt'], iso(moment + 6 * HOUR));
    await goTo(moment + 6 * HOUR);
    await fired(id as string, 2);
    assert.equal((await runsOf(actorId)).length, 2);
  });

  test('a clock that is set back repeats no moment', async () => {
    const moment = nextHour();
    const actorId = await giveBuiltActor(server);
    const { id } = await createSchedule({
      cronExpression: '*/10 * * * *',
      isEnabled: true,
      isExclusive: false,
      actions: [{ type: 'RUN_ACTOR', actorId }],
    });
    await goTo(moment);
    await fired(id as string, 1);
    await goTo(moment - 30 * 60_000);
    assert.equal((await getSchedule(id as string))['nextRunAt'], iso(moment + 600_000));
    await changeSchedule(id as string, { isEnabled: false });
    const again = await changeSchedule(id as string, { isEnabled: true });
    assert.equal(again['nextRunAt'], iso(moment + 600_000));
    await goTo(moment + 600_000);
    await fired(id as string, 2);
    const runs = await runsOf(actorId);
    assert.deepEqual(
      runs.map(({ meta }) => meta.scheduledAt),
      [iso(moment), iso(moment + 600_000)],
    );
    // A clock that was wrong by days does not silence the schedule.
    server.clock.ahead -= 5 * DAY;
    await changeSchedule(id as string, { isEnabled: false });
    const early = await changeSchedule(id as string, { isEnabled: true });
    assert.ok(Date.parse(early['nextRunAt'] as string) <= server.clock.now() + 600_000);
    server.clock.ahead += 5 * DAY;
  });

  test('a call invokes a schedule, also a disabled one, and its times stay', async () => {
    const actorId = await giveBuiltActor(server);
    const { id } = await createSchedule({ actions: [{ type: 'RUN_ACTOR', actorId }] });
    const invoke = () => call(`/schedules/${id}/invoke`, { method: 'POST' });
    const answer = await invoke();
    assert.deepEqual([answer.status, answer.text], [201, '{}']);
    const [run] = await runsOf(actorId);
    assert.deepEqual([run!['meta'].origin, run!['meta'].scheduleId], ['SCHEDULER', id]);
    const { nextRunAt, lastRunAt } = await getSchedule(id as string);
    assert.deepEqual([nextRunAt, lastRunAt], [null, null]);
    await invoke();
    const lines = await logOf(id as string);
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['INFO', 'WARNING', 'INFO'],
    );
    assert.equal((await runsOf(actorId)).length, 1);
    await changeSchedule(id as string, { isExclusive: false });
    const answers = await Promise.all(Array.from({ length: 8 }, invoke));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal((await runsOf(actorId)).length, 9);
  });

  test('eight calls that invoke an exclusive schedule at once start one run', async () => {
    const actorId = await giveBuiltActor(server);
    const { id } = await createSchedule({ actions: [{ type: 'RUN_ACTOR', actorId }] });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call(`/schedules/${id}/invoke`, { method: 'POST' })),
    );
    for (const { status, text } of answers) assert.equal(status, 201, text);
    assert.equal((await runsOf(actorId)).length, 1);
  });

  test('the log keeps its newest thousand lines', async () => {
    const { id } = await createSchedule({});
    const { db } = server.app.kernel;
    const rows = Array.from({ length: 1005 }, (_, index) => ({
      schedule_id: id as string,
      level: 'INFO',
      message: `line ${index}`,
      created_at: server.clock.now(),
    }));
    for (let start = 0; start < rows.length; start += 100)
      await db
        .insertInto('schedule_log')
        .values(rows.slice(start, start + 100))
        .execute();
    await call(`/schedules/${id}/invoke`, { method: 'POST' });
    const lines = await logOf(id as string);
    assert.deepEqual(
      [lines.length, lines[0]!['message'], lines.at(-1)!['message']],
      [1000, 'line 6', 'The schedule was invoked by a call.'],
    );
    assert.deepEqual(Object.keys(lines[0]!).toSorted(), ['createdAt', 'level', 'message']);
    const stored = await db
      .selectFrom('schedule_log')
      .select('seq')
      .where('schedule_id', '=', id as string)
      .execute();
    assert.equal(stored.length, 1000);
  });

  test('a deleted schedule is gone with its log and fires no more, and its runs stay', async () => {
    const moment = nextHour();
    const actorId = await giveBuiltActor(server);
    const { id } = await createSchedule({
      cronExpression: '@hourly',
      isEnabled: true,
      actions: [{ type: 'RUN_ACTOR', actorId }],
    });
    await goTo(moment);
    await fired(id as string, 1);
    const removed = await call(`/schedules/${id}`, { method: 'DELETE' });
    assert.deepEqual([removed.status, removed.text], [204, '']);
    for (const [method, path] of CALLS_OF_SCHEDULE) {
      const { status, json } = await call(`/schedules/${id}${path}`, {
        method,
        ...(method === 'PUT' && { body: {} }),
      });
      assert.deepEqual([status, json.error.type], [404, 'record-not-found'], `${method} ${path}`);
    }
    const { db } = server.app.kernel;
    for (const table of ['schedule_actions', 'schedule_log'] as const) {
      const left = await db
        .selectFrom(table)
        .select('schedule_id')
        .where('schedule_id', '=', id as string)
        .execute();
      assert.deepEqual(left, []);
    }
    assert.deepEqual(
      await db
        .selectFrom('due')
        .select('id')
        .where('payload', '=', id as string)
        .execute(),
      [],
    );
    assert.equal((await runsOf(actorId)).length, 1);
  });

  test('deleting an Actor removes its actions', async () => {
    const actorId = await giveBuiltActor(server);
    const other = await giveBuiltActor(server);
    const actions = [
      { type: 'RUN_ACTOR', actorId },
      { type: 'RUN_ACTOR', actorId: other },
      { type: 'RUN_ACTOR', actorId },
    ];
    const { id } = await createSchedule({ name: 'mixed', actions });
    assert.equal((await call(`/actors/${actorId}`, { method: 'DELETE' })).status, 204);
    const after = await getSchedule(id as string);
    assert.deepEqual(
      after['actions'].map((action: Json) => action['actorId']),
      [other],
    );
    const entries = await server.app.kernel.db
      .selectFrom('events')
      .select(['action', 'name', 'before', 'after'])
      .where('resource', '=', `schedule/${id}`)
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['createSchedule', 'updateSchedule'],
    );
    assert.equal(JSON.parse(entries[1]!.after!).actions.length, 1);
  });

  test('inputs are not stored in clear, and are not in the audit log', async () => {
    const actorId = await giveBuiltActor(server);
    const runInput = { body: '{"password":"hunter-two-and-a-half"}', contentType: 'application/json' };
    const { id } = await createSchedule({ actions: [{ type: 'RUN_ACTOR', actorId, runInput }] });
    const { db } = server.app.kernel;
    const rows = await db
      .selectFrom('schedule_actions')
      .selectAll()
      .where('schedule_id', '=', id as string)
      .execute();
    const entries = await db
      .selectFrom('events')
      .selectAll()
      .where('resource', '=', `schedule/${id}`)
      .execute();
    assert.equal(entries.length, 1);
    assert.doesNotMatch(JSON.stringify([rows, entries]), /hunter/);
    assert.deepEqual((await getSchedule(id as string))['actions'][0].runInput, runInput);
  });

  test('runs have the permissions of who changed the schedule last, as they are when it fires', async () => {
    const moment = nextHour();
    const member = await join(server, `worker-${moment}`, { role: 'writer' });
    const { value: token } = await giveToken(server, member, { role: 'writer' });
    const actorId = await giveBuiltActor(server, { token });
    const { id } = await createSchedule(
      { cronExpression: '@hourly', isEnabled: true, actions: [{ type: 'RUN_ACTOR', actorId }] },
      { token },
    );
    const { db, identity } = server.app.kernel;
    await db.updateTable('members').set({ role: 'reader' }).where('id', '=', member.id).execute();
    await identity.invalidate();
    await goTo(moment);
    const log = async () => (await call(`/schedules/${id}/log`, { token })).json.data as unknown as Json[];
    await eventually(async () => (await log()).some(({ level }) => level === 'INFO'));
    const [line] = await log();
    assert.equal(line!['level'], 'ERROR');
    assert.match(line!['message'] as string, /Insufficient permissions/);
    assert.equal((await call(`/actors/${actorId}/runs`, { token })).json.data.total, 0);
    await db.updateTable('members').set({ role: 'writer' }).where('id', '=', member.id).execute();
    await identity.invalidate();
    await goTo(moment + HOUR);
    await eventually(async () => (await call(`/actors/${actorId}/runs`, { token })).json.data.total === 1);
  });

  test('a schedule whose member is gone is disabled when it fires', async () => {
    const moment = nextHour();
    const member = await join(server, `leaver-${moment}`, { role: 'writer' });
    const { value: token } = await giveToken(server, member, { role: 'writer' });
    const actorId = await giveBuiltActor(server, { token });
    const { id } = await createSchedule(
      { cronExpression: '@hourly', isEnabled: true, actions: [{ type: 'RUN_ACTOR', actorId }] },
      { token },
    );
    assert.equal((await server.call(`/api/v2/members/${member.id}`, { method: 'DELETE' })).status, 204);
    await goTo(moment);
    const { db } = server.app.kernel;
    await eventually(async () => {
      const row = await db
        .selectFrom('schedules')
        .selectAll()
        .where('id', '=', id as string)
        .executeTakeFirst();
      return row!.is_enabled === 0 && row!.next_run_at === null;
    });
    const lines = await db
      .selectFrom('schedule_log')
      .selectAll()
      .where('schedule_id', '=', id as string)
      .execute();
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['ERROR'],
    );
    assert.deepEqual(
      await db
        .selectFrom('due')
        .select('id')
        .where('payload', '=', id as string)
        .execute(),
      [],
    );
    const runs = await db.selectFrom('runs').select('id').where('actor_id', '=', actorId).execute();
    assert.deepEqual(runs, []);
  });

  test('the schedules of a deleted service token go to its deleter, disabled and renamed where needed', async () => {
    const made = await server.call('/api/v2/tokens', {
      method: 'POST',
      body: { name: 'robot', serviceToken: true, role: 'writer' },
    });
    const token = made.json['token'] as string;
    const actorId = await giveBuiltActor(server, { token });
    await createSchedule({ name: 'nightly' });
    const { id } = await createSchedule(
      { name: 'NIGHTLY', isEnabled: true, actions: [{ type: 'RUN_ACTOR', actorId }] },
      { token },
    );
    assert.equal((await call(`/schedules/${id}`)).status, 404);
    assert.equal((await server.call(`/api/v2/tokens/${made.json['_id']}`, { method: 'DELETE' })).status, 204);
    const given = await getSchedule(id as string);
    assert.deepEqual(
      [given['name'], given['isEnabled'], given['nextRunAt'], given['actions'][0].actorId],
      ['NIGHTLY-2', false, null, actorId],
    );
    const enabled = await changeSchedule(id as string, { isEnabled: true, cronExpression: '@hourly' });
    await goTo(enabled['nextRunAt'] as string);
    await fired(id as string, 1);
    assert.equal((await runsOf(actorId)).length, 1);
  });

  test('the limits of the account count schedules', async () => {
    await createSchedule({});
    const { limits, current } = (await call('/users/me/limits')).json.data;
    assert.deepEqual([limits.maxScheduleCount, current.scheduleCount], [100, 1]);
    const { effectivePlatformFeatures } = (await call('/users/me')).json.data;
    assert.equal(effectivePlatformFeatures.SCHEDULER.isEnabled, true);
  });
});

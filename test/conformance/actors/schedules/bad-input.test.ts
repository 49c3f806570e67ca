// Schedules: what is refused, with a message that says what to do, and what nobody else may see or use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import type { Answer, CallInit, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { listedStatus } from '../error-tables.ts';
import { CALLS_OF_SCHEDULE, giveBuiltActor, scheduleCalls } from './schedule-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let actorId: string;
  onServer(engine, { limits: 'off', nodeRuns: 0 }, async (started) => {
    server = started;
    await server.app.kernel.db.deleteFrom('schedules').execute();
    actorId ??= await giveBuiltActor(server, { name: 'crawler' });
  });
  const { call, createSchedule, changeSchedule, getSchedule, logOf } = scheduleCalls(() => server);

  async function assertRefused(
    init: CallInit & { path?: string },
    type: string,
    message: RegExp,
    status = listedStatus(type),
  ): Promise<void> {
    const { path = '/schedules', ...rest } = init;
    const answer = await call(path, { method: 'POST', ...rest });
    const told = `${JSON.stringify(init).slice(0, 200)} ${answer.text.slice(0, 300)}`;
    assert.deepEqual([answer.status, answer.json.error?.type], [status, type], told);
    assert.match(answer.json.error.message as string, message, told);
  }

  const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);
  const runActor = (more: Json = {}) => ({ type: 'RUN_ACTOR', actorId, ...more });

  test('A28 names follow a rule, and are unique in any case', async () => {
    for (const name of ['', 'ab', 'a b c', '-abc', 'abc-', 'a_b', 'x'.repeat(64), 'na\u0000me', 'ümlaut'])
      await assertRefused({ body: { name } }, 'schema-validation', /3 to 63 letters and digits/);
    const { id } = await createSchedule({ name: 'Nightly' });
    await assertRefused({ body: { name: 'nightly' } }, 'schedule-name-not-unique', /another schedule/);
    const { id: other } = await createSchedule({ name: 'daily' });
    await assertRefused(
      { path: `/schedules/${other}`, method: 'PUT', body: { name: 'NIGHTLY' } },
      'schedule-name-not-unique',
      /another schedule/,
    );
    assert.equal((await changeSchedule(id as string, { name: 'NIGHTLY' }))['name'], 'NIGHTLY');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('/schedules', { method: 'POST', body: { name: 'raced' } })),
    );
    assert.deepEqual(statusesOf(answers), [201, ...Array<number>(7).fill(409)]);
  });

  test('A28 cron expressions and time zones are checked', async () => {
    for (const [cronExpression, message] of [
      ['', /five fields/],
      ['every day', /five fields/],
      ['61 * * * *', /61/],
      ['*/5 * * * * *', /every 10 seconds/],
      ['0 0 30 2 *', /none of the next 8 years/],
      ['@reboot', /@daily/],
      ['0 0 * * * * 2030', /five fields/],
      ['x'.repeat(100_000), /200 characters/],
      ['0\u0000 * * * *', /five fields/],
    ] as const)
      await assertRefused({ body: { cronExpression } }, 'cron-expression-invalid', message);
    for (const timezone of ['', 'Mars/Olympus', '+01:00', 'UTC\u0000', 'x'.repeat(100_000)])
      await assertRefused({ body: { timezone } }, 'invalid-input', /is no time zone: use a name of the IANA/);
    const { id } = await createSchedule({});
    const path = `/schedules/${id}`;
    await assertRefused(
      { path, method: 'PUT', body: { cronExpression: '* *' } },
      'cron-expression-invalid',
      /five/,
    );
    await assertRefused({ path, method: 'PUT', body: { timezone: 'x' } }, 'invalid-input', /time zone/);
  });

  test('A28 actions must name something that there is', async () => {
    const body = (...actions: unknown[]) => ({ body: { actions } });
    await assertRefused(
      body(runActor({ actorId: 'nothing' })),
      'schedule-actor-not-found',
      /no Actor "nothing"/,
    );
    await assertRefused(body(runActor({ actorId: 'admin~nothing' })), 'schedule-actor-not-found', /no Actor/);
    await assertRefused(
      body({ type: 'RUN_ACTOR_TASK', actorTaskId: 'nothing' }),
      'schedule-actor-task-not-found',
      /no task "nothing"/,
    );
    await assertRefused(body(runActor({ actorId: '~' })), 'invalid-request', /names no Actor/);
    await assertRefused(body({ type: 'RUN_ACTOR' }), 'invalid-input', /actions\.0\.actorId is required/);
    await assertRefused(
      body(runActor(), { type: 'RUN_ACTOR_TASK' }),
      'invalid-input',
      /actions\.1\.actorTaskId is required/,
    );
    await assertRefused(
      body({ type: 'SEND_MAIL' }),
      'invalid-input',
      /actions\.0\.type must be one of RUN_ACTOR/,
    );
    await assertRefused(body({}), 'invalid-input', /actions\.0\.type is required/);
    await assertRefused(body(null, 'x', 7), 'invalid-input', /actions\.0/);
    await assertRefused({ body: { actions: runActor() } }, 'invalid-input', /actions/);
    const many = (count: number, type = 'RUN_ACTOR') =>
      body(...Array.from({ length: count }, () => ({ type, actorId, actorTaskId: 'x' })));
    await assertRefused(many(11), 'too-many-values', /can have 10 actions of the type RUN_ACTOR/);
    await assertRefused(
      many(11, 'RUN_ACTOR_TASK'),
      'too-many-values',
      /10 actions of the type RUN_ACTOR_TASK/,
    );
    await assertRefused(many(10_000), 'invalid-input', /actions/);
    assert.equal((await createSchedule(many(10).body))['actions'].length, 10);
  });

  test('A28 inputs and options of actions are checked', async () => {
    const withAction = (more: Json) => ({ body: { actions: [runActor(more)] } });
    const json = 'application/json; charset=utf-8';
    for (const text of ['{', 'nonsense', '{"a":1}}', '[1,', '{'.repeat(5000)])
      await assertRefused(
        withAction({ runInput: { body: text, contentType: json } }),
        'run-input-body-not-valid-json',
        /actions\.0\.runInput\.body is no valid JSON/,
      );
    await assertRefused(withAction({ runInput: { body: { a: 1 } } }), 'invalid-input', /runInput\.body/);
    await assertRefused(withAction({ runInput: 'x' }), 'invalid-input', /runInput/);
    await assertRefused(
      withAction({ runInput: { body: 'x', contentType: 'text/plain\r\nx: y' } }),
      'invalid-input',
      /contentType/,
    );
    await assertRefused(
      withAction({ runInput: { body: 'x'.repeat(1_000_001), contentType: 'text/plain' } }),
      'invalid-input',
      /body/,
    );
    const large = runActor({ runInput: { body: 'x'.repeat(600_000), contentType: 'text/plain' } });
    await assertRefused(
      { body: { actions: [large, large] } },
      'invalid-input',
      /1,000,000 characters together/,
    );
    for (const runOptions of [
      { timeoutSecs: -1 },
      { timeoutSecs: 1.5 },
      { memoryMbytes: 'much' },
      { memoryMbytes: 300 },
      { memoryMbytes: 1e9 },
      { build: '' },
      { build: 'a\u0000' },
      { restartOnError: 'yes' },
      { maxItems: 1e99 },
      'fast',
    ])
      await assertRefused(withAction({ runOptions }), 'invalid-input', /runOptions/);
    await assertRefused(
      withAction({ runOptions: { maxItems: 0 } }),
      'max-items-must-be-greater-than-zero',
      /runOptions\.maxItems/,
    );
    const { id, actions } = await createSchedule({
      actions: [runActor({ runInput: { body: 'no JSON', contentType: 'text/plain' }, runOptions: null })],
    });
    assert.equal(actions[0].runInput.body, 'no JSON');
    assert.equal((await getSchedule(id as string))['actions'][0].runInput.body, 'no JSON');
  });

  test('A28 fields of the wrong type, bodies and content types are refused', async () => {
    for (const body of [
      { name: 7 },
      { title: [] },
      { title: 'x'.repeat(201) },
      { title: 'a\u0000' },
      { description: 'x'.repeat(10_001) },
      { cronExpression: 5 },
      { timezone: {} },
      { isEnabled: 'yes' },
      { isExclusive: 1 },
      { notifications: true },
      { notifications: { email: 'x' } },
      [],
      'null',
      '"text"',
    ])
      await assertRefused({ body }, 'invalid-input', /./);
    await assertRefused({ body: '{' }, 'invalid-input', /JSON/);
    await assertRefused(
      { body: '{}', headers: { 'content-type': 'text/plain' } },
      'invalid-content-type-header',
      /application\/json/,
    );
    const { id } = await createSchedule({});
    await assertRefused({ path: `/schedules/${id}`, method: 'PATCH' }, 'method-not-allowed', /GET/);
    await assertRefused({ path: `/schedules/${id}/invoke`, method: 'GET' }, 'method-not-allowed', /POST/);
    await assertRefused({ path: '/schedules?limit=-1', method: 'GET' }, 'invalid-input', /limit/);
    await assertRefused({ path: '/schedules?offset=x', method: 'GET' }, 'invalid-input', /offset/);
    for (const path of ['nothing', '~my-schedule', 'x'.repeat(3000)])
      await assertRefused({ path: `/schedules/${path}`, method: 'GET' }, 'record-not-found', /Schedule/);
    assert.deepEqual(await logOf(id as string), []);
    // Null means the same as absent, where it cannot mean none.
    const { modifiedAt: _before, ...before } = await getSchedule(id as string);
    const fields = [
      'name',
      'cronExpression',
      'timezone',
      'isEnabled',
      'isExclusive',
      'notifications',
      'actions',
    ];
    const nulls = Object.fromEntries(fields.map((field) => [field, null]));
    const { modifiedAt: _after, ...after } = await changeSchedule(id as string, nulls);
    assert.deepEqual(after, before);
  });

  test('A28 an account has at most a hundred schedules', async () => {
    const { userId } = await createSchedule({});
    const { db } = server.app.kernel;
    const row = await db
      .selectFrom('schedules')
      .selectAll()
      .where('user_id', '=', userId as string)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('schedules')
      .values(
        Array.from({ length: 97 }, (_, index) => ({
          ...row,
          id: `filler-${index}`,
          name: `filler-${index}`,
        })),
      )
      .execute();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('/schedules', { method: 'POST', body: {} })),
    );
    assert.deepEqual(statusesOf(answers), [201, 201, ...Array<number>(6).fill(403)]);
    await assertRefused({ body: {} }, 'too-many-schedules', /100 schedules.*delete one first/);
  });

  test('a schedule of others is missing, and needs a token', async () => {
    const { id } = await createSchedule({ name: 'private', actions: [runActor()] });
    const member = await join(server, `stranger-${id}`, { role: 'admin' });
    const { value: token } = await giveToken(server, member, { role: 'admin' });
    for (const [method, path] of CALLS_OF_SCHEDULE) {
      const init = { path: `/schedules/${id}${path}`, method, ...(method === 'PUT' && { body: {} }) };
      await assertRefused({ ...init, token }, 'record-not-found', /Schedule was not found/);
      await assertRefused({ ...init, token: null }, 'invalid-token', /./);
      await assertRefused({ ...init, token: 'api-wrong' }, 'invalid-token', /./);
    }
    assert.deepEqual((await call('/schedules', { token })).json.data.items, []);
    // An Actor of others that is not public cannot be used, and does not seem to exist.
    await assertRefused({ token, body: { actions: [runActor()] } }, 'schedule-actor-not-found', /no Actor/);
    const shared = await giveBuiltActor(server, { isPublic: true });
    const own = await createSchedule({ actions: [{ type: 'RUN_ACTOR', actorId: shared }] }, { token });
    assert.equal(own['actions'][0].actorId, shared);
  });

  test('who may not run an Actor can make no schedule run it', async () => {
    const { id: userId } = (await call('/users/me')).json.data;
    const give = (...actions: string[]) =>
      giveToken(server, { id: userId } as never, {
        inlinePolicy: [{ effect: 'allow', actions, resources: ['*'] }],
      });
    const { value: token } = await give('viewSchedule', 'createSchedule', 'updateSchedule', 'viewActor');
    await assertRefused({ token, body: { actions: [runActor()] } }, 'insufficient-permissions', /./);
    const { id } = await createSchedule({ actions: [runActor()] });
    const change = (body: Json, who = token) => call(`/schedules/${id}`, { method: 'PUT', body, token: who });
    assert.equal((await change({ isEnabled: true })).status, 403);
    assert.equal((await change({ title: 'Mine' })).status, 200);
    assert.equal((await changeSchedule(id as string, { isEnabled: true }))['isEnabled'], true);
    assert.equal((await change({ cronExpression: '@hourly' })).status, 403);
    assert.equal((await change({ title: 'Ours' })).status, 200);
    assert.equal((await change({ isEnabled: false })).status, 200);
    assert.equal((await call(`/schedules/${id}/invoke`, { method: 'POST', token })).status, 403);
    // Invoking needs the permission for each action, too; what is missing is in the log.
    const { value: invoker } = await give('viewSchedule', 'runSchedule');
    assert.equal((await call(`/schedules/${id}/invoke`, { method: 'POST', token: invoker })).status, 201);
    const [line] = await logOf(id as string);
    assert.deepEqual(
      [line!['level'], /Insufficient permissions/.test(line!['message'] as string)],
      ['ERROR', true],
    );
  });
});

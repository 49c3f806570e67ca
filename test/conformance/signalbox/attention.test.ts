// What needs attention over the Signalbox API: each cause, who sees it, snoozes, and the figures of today.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../../src/kernel/id.ts';
import { MAX_SNOOZES } from '../../../src/signalbox/attention/model.ts';
import { deletePastSnoozes } from '../../../src/signalbox/attention/store.ts';
import { onEachEngine } from '../../engines.ts';
import { giveIssue } from '../../host-issues.ts';
import type { Member } from '../../../src/kernel/identity/store-members.ts';
import { giveToken, join, openBrowser } from '../../people.ts';
import { deletePause, insertPause } from '../../../src/kernel/backup/backup-store.ts';
import { startServerOn } from '../../suites.ts';
import type { Json, TestServer } from '../../server.ts';
import { giveActor, giveRun, giveWebhook } from '../actors/runs/run-rows.ts';

const BASE = '/signalbox/v1';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

onEachEngine((engine) => {
  let server: TestServer;
  let member: Member;
  let own: string;
  let outsider: string;

  const list = async (token?: string): Promise<Json[]> => {
    const { status, json, text } = await server.call(
      `${BASE}/attention`,
      token === undefined ? {} : { token },
    );
    assert.equal(status, 200, text);
    return json['items'] as Json[];
  };
  const listOf = async (kind: string, token?: string) =>
    (await list(token)).filter((item) => item['kind'] === kind);
  const make = async (path: string, body: object, token?: string): Promise<Json> => {
    const { status, json, text } = await server.call(path, {
      method: 'POST',
      body,
      ...(token !== undefined && { token }),
    });
    assert.ok(status === 201 || status === 200, text);
    return json;
  };
  const snooze = (id: string, until: unknown, token = own) =>
    server.call(`${BASE}/attention/${id}/snooze`, { method: 'PUT', token, body: { until } });

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    server.clock.stop();
    member = await join(server, 'ada', { role: 'writer' });
    own = (await giveToken(server, member, { role: 'writer' })).value;
    outsider = (await giveToken(server, await join(server, 'olga'), { role: 'reader' })).value;
    await make('/api/v2/projects', { key: 'shop', name: 'Shop' });
    await make('/api/v2/flags/shop', { key: 'dark', name: 'Dark mode' });
  });
  after(() => server.stop());

  test('a member for whom nothing waits has an empty list', async () => {
    const { value } = await giveToken(server, await join(server, 'calm'), { role: 'reader' });
    assert.deepEqual(await list(value), []);
  });

  test('an approval that waits for the caller is there until they have reviewed it', async () => {
    const { _id: id } = await make('/api/v2/projects/shop/flags/dark/environments/test/approval-requests', {
      description: 'Turn it on',
      instructions: [{ kind: 'turnFlagOn' }],
      notifyMemberIds: [member.id],
    });
    const [waiting] = await listOf('approval', own);
    assert.deepEqual(waiting, {
      id: `approval-${id}`,
      kind: 'approval',
      urgency: 'waiting',
      title: 'Dark mode in Test',
      reason: 'A change of the flag waits for your review: Turn it on.',
      at: waiting!['at'] as number,
      action: { label: 'Review', path: `approvals/${id}` },
    });
    assert.deepEqual(await listOf('approval', outsider), []);
    const reviewed = await server.call(
      `/api/v2/projects/shop/flags/dark/environments/test/approval-requests/${id}/reviews`,
      { method: 'POST', token: own, body: { kind: 'decline' } },
    );
    assert.ok(reviewed.status < 300, reviewed.text);
    assert.deepEqual(await listOf('approval', own), []);
  });

  test('a change of the next 24 hours is coming, one after that is not yet', async () => {
    const path = '/api/v2/projects/shop/flags/dark/environments/test/scheduled-changes';
    const now = server.clock.now();
    const instructions = [{ kind: 'turnFlagOn' }];
    const soon = await make(path, { executionDate: now + HOUR, instructions });
    await make(path, { executionDate: now + 2 * DAY, instructions });
    const coming = await listOf('scheduled-change', outsider);
    assert.deepEqual(
      coming.map(({ id, at, urgency, action }) => [id, at, urgency, action]),
      [
        [
          `scheduled-change-${soon['_id']}`,
          now + HOUR,
          'coming',
          { label: 'Look at the change', path: 'flags/shop/dark?env=test' },
        ],
      ],
    );
    const { value } = await giveToken(server, await join(server, 'nobody'), {
      inlinePolicy: [{ effect: 'allow', actions: ['viewAttention'], resources: ['member/me:attention/*'] }],
    });
    assert.deepEqual(await list(value), [], 'a member who may not view the project');
  });

  test('failed runs are together by Actor and cause, and only those of the last day and of the caller', async () => {
    const actor = await giveActor(server, { token: own, name: 'crawler' });
    const now = server.clock.now();
    const fail = (changes: Partial<Parameters<typeof giveRun>[2]>) =>
      giveRun(server, actor, {
        token: own,
        status: 'FAILED',
        startedAt: now - HOUR,
        finishedAt: now - MINUTE,
        ...changes,
      });
    await fail({ statusMessage: 'Request 17 failed' });
    await fail({ statusMessage: 'Request 18 failed' });
    const other = await fail({ statusMessage: 'Out of memory' });
    await fail({ statusMessage: 'Long ago', startedAt: now - 2 * DAY, finishedAt: now - 2 * DAY });
    await fail({ status: 'SUCCEEDED' });
    const failed = await listOf('failed-runs', own);
    assert.deepEqual(failed.map(({ title, count, urgency }) => `${title} ${count} ${urgency}`).toSorted(), [
      'crawler 1 failing',
      'crawler 2 failing',
    ]);
    const [pair] = failed.filter(({ count }) => count === 2);
    assert.equal(pair!['action'].path, 'actors/ada~crawler/runs?status=FAILED');
    const [one] = failed.filter(({ count }) => count === 1);
    assert.equal(one!['action'].path, `runs/${other.id}`);
    assert.equal(one!['reason'], 'Out of memory');
    assert.deepEqual(await listOf('failed-runs', outsider), []);
    assert.deepEqual(await listOf('failed-runs'), [], 'not even an administrator sees those of others');
  });

  describe('webhooks', () => {
    const deliver = async (api: string, hookId: string, state: string, at: number) => {
      await server.app.kernel.db
        .insertInto('deliveries')
        .values({
          id: newId(at),
          api,
          hook_id: hookId,
          event_id: newId(at),
          body_id: 'none',
          state: state as 'failed',
          attempts: 3,
          attempts_before: 0,
          due_at: null,
          expires_at: at + DAY,
          created_at: at,
          finished_at: at,
          last_status: 500,
          last_error: null,
        })
        .execute();
    };

    test('of flags are failing while their last delivery has failed', async () => {
      const hook = await make('/api/v2/webhooks', {
        url: 'https://example.com/hook',
        name: 'Chat',
        // Off, so that the server adds no deliveries of its own.
        on: false,
        sign: false,
      });
      const id = hook['_id'] as string;
      const now = server.clock.now();
      await deliver('flags', id, 'failed', now - 8 * DAY);
      assert.deepEqual(await listOf('webhook'), [], 'too long ago');
      await deliver('flags', id, 'failed', now - HOUR);
      const [failing] = await listOf('webhook');
      assert.equal(failing!['id'], `webhook-flags-${id}`);
      assert.equal(failing!['reason'], 'The last delivery failed (status 500), and it is switched off.');
      await deliver('flags', id, 'delivered', now);
      assert.deepEqual(await listOf('webhook'), []);
    });

    test('of Actors and repositories are failing for their owner alone', async () => {
      const { db } = server.app.kernel;
      const now = server.clock.now();
      const actor = await giveActor(server, { token: own, name: 'hooked' });
      const hookId = await giveWebhook(server, actor);
      await db
        .updateTable('actor_webhooks')
        .set({ last_dispatch_status: 'FAILED', last_dispatch_finished_at: now - HOUR, description: 'Mail' })
        .where('id', '=', hookId)
        .execute();
      const repository = await make('/user/repos', { name: 'site' }, own);
      // A row alone, so that the server sends nothing of its own.
      const hook = await db
        .insertInto('host_hooks')
        .values({
          repository_number: repository['id'] as number,
          organization_id: null,
          target_number: repository['id'] as number,
          is_active: 0,
          events: '["push"]',
          url: 'https://example.com/x',
          content_type: 'json',
          insecure_ssl: 0,
          secret: null,
          after_event: 0,
          last_code: 0,
          last_status: 'timeout',
          last_message: 'no answer',
          created_at: now,
          updated_at: now,
        })
        .returning('number')
        .executeTakeFirstOrThrow();
      await deliver('host', `${hook.number}`, 'failed', now - MINUTE);
      assert.deepEqual(
        (await listOf('webhook', own)).map(({ id, reason }) => [id, reason]),
        [
          [`webhook-host-${hook.number}`, 'The last delivery failed (no answer), and it is switched off.'],
          [`webhook-actors-${hookId}`, 'The last delivery failed.'],
        ],
      );
      assert.deepEqual(await listOf('webhook', outsider), []);
    });
  });

  test('a pull request is waiting for the reviewer who may see it', async () => {
    const { db } = server.app.kernel;
    await make('/user/repos', { name: 'secret', private: true });
    await make('/user/repos', { name: 'open' });
    const hidden = await giveIssue(server, 'admin/secret', { title: 'Hidden', isPull: true });
    const shown = await giveIssue(server, 'admin/open', { title: 'Shown', isPull: true });
    const done = await giveIssue(server, 'admin/open', { title: 'Done', isPull: true });
    for (const { id } of [hidden, shown, done])
      await db
        .insertInto('requested_reviewers')
        .values({ issue_id: id, kind: 'user', reviewer: member.id, position: 1 })
        .execute();
    await db.updateTable('issues').set({ state: 'closed' }).where('id', '=', done.id).execute();
    assert.deepEqual(
      (await listOf('review', own)).map(({ title, urgency, action }) => [title, urgency, action.path]),
      [[`admin/open#${shown.number} Shown`, 'waiting', `code/admin/open/pulls/${shown.number}`]],
    );
  });

  test('tokens that expire within 14 days are coming, for their owner, unless they were made for a day', async () => {
    const now = server.clock.now();
    const soon = await giveToken(server, member, { name: 'soon', expiresAt: now + 3 * DAY, role: 'reader' });
    await giveToken(server, member, { name: 'later', expiresAt: now + 20 * DAY, role: 'reader' });
    await giveToken(server, member, { name: 'short', expiresAt: now + DAY, role: 'reader' });
    assert.deepEqual(
      (await listOf('token', own)).map(({ id, at }) => [id, at]),
      [[`token-${soon.id}`, now + 3 * DAY]],
    );
    assert.deepEqual(await listOf('token', outsider), []);
    assert.ok(!JSON.stringify(await list(own)).includes(soon.value));
  });

  test('calls of an old version in the last week are there for those who made them', async () => {
    const now = server.clock.now();
    const row = {
      caller: 'token-of-ada',
      api: 'host',
      version: '2022-11-28',
      variant: '',
      kind: 'token',
      member_id: member.id,
      changed_in: '2026-03-10',
      calls: 7,
      first_at: now - 30 * DAY,
    };
    await server.app.kernel.db
      .insertInto('version_usage')
      .values([
        { ...row, operation: 'rate-limit/get', last_at: now - DAY },
        { ...row, operation: 'repos/get', last_at: now - 8 * DAY },
      ])
      .execute();
    // The call that made the repository above is counted, too, once the server has saved it.
    const [old, ...more] = (await listOf('version', own)).filter(({ id }) =>
      (id as string).includes('token-of-ada'),
    );
    assert.deepEqual(more, []);
    assert.equal(old!['count'], 7);
    assert.equal(old!['reason'], 'Version 2026-03-10 changes rate-limit/get.');
    assert.equal(old!['action'].path, 'versions?call=rate-limit%2Fget&a=2022-11-28&b=2026-03-10');
    assert.deepEqual(await listOf('version', outsider), []);
  });

  test('late work is for administrators', async () => {
    const now = server.clock.now();
    const due = { kind: 'nobodys', payload: '', owner: null, attempts: 0, last_error: null, created_at: now };
    await server.app.kernel.db
      .insertInto('due')
      .values({ ...due, id: 'nobodys', due_at: now - HOUR })
      .execute();
    const [late] = await listOf('late-work');
    assert.equal(late!['at'], now - HOUR);
    assert.deepEqual(await listOf('late-work', own), []);
    const { db } = server.app.kernel;
    await insertPause(db, { backup: 'one', madeAt: new Date(now).toISOString(), since: now });
    const [paused] = await listOf('paused');
    assert.deepEqual([paused!['at'], paused!['action'].path], [now, 'account/system']);
    assert.deepEqual(await listOf('late-work'), [], 'it is late on purpose');
    assert.deepEqual(await listOf('paused', own), []);
    await deletePause(db);
  });

  test('what waits comes first, then what fails, then what is coming', async () => {
    const urgencies = (await list(own)).map(({ urgency }) => urgency as string);
    assert.deepEqual([...new Set(urgencies)], ['waiting', 'failing', 'coming']);
    assert.deepEqual(
      urgencies,
      ['waiting', 'failing', 'coming'].flatMap((urgency) => urgencies.filter((one) => one === urgency)),
    );
  });

  test('a cause that is snoozed is away until then, for the one who snoozed it, though it becomes worse', async () => {
    const [cause] = (await listOf('failed-runs', own)).filter(({ count }) => count === 2);
    const id = cause!['id'] as string;
    const until = server.clock.now() + HOUR;
    const { status, json, text } = await snooze(id, until);
    assert.equal(status, 200, text);
    assert.deepEqual(json, { id, until });
    assert.equal((await snooze(id, until, outsider)).status, 200);
    const has = async () => (await list(own)).some((item) => item['id'] === id);
    assert.equal(await has(), false);
    const hidden = (await server.call(`${BASE}/attention`, { token: own })).json['snoozed'] as Json[];
    assert.deepEqual(
      hidden.map((item) => [item['id'], item['until']]),
      [[id, until]],
    );
    const actorId = id.split('-')[2]!;
    await giveRun(server, { id: actorId } as never, {
      token: own,
      status: 'FAILED',
      statusMessage: 'Request 99 failed',
      startedAt: server.clock.now(),
      finishedAt: server.clock.now(),
    });
    assert.equal(await has(), false);
    const remove = () => server.call(`${BASE}/attention/${id}/snooze`, { method: 'DELETE', token: own });
    assert.equal((await remove()).status, 204);
    assert.equal((await remove()).status, 204, 'again');
    assert.equal(await has(), true);
    await snooze(id, server.clock.now() + MINUTE);
    server.clock.ahead += 2 * MINUTE;
    assert.equal(await has(), true, 'it is over');
    await deletePastSnoozes(server.app.kernel.db, server.clock.now());
    const left = await server.app.kernel.db
      .selectFrom('attention_snoozes')
      .select('id')
      .where('member_id', '=', member.id)
      .execute();
    assert.deepEqual(left, []);
  });

  test('wrong snoozes are refused, and nobody has more than the limit', async () => {
    const now = server.clock.now();
    for (const until of [now, now - 1, now + 31 * DAY, 'x', null, 1.5, -1]) {
      const { status, text } = await snooze('token-1', until);
      assert.equal(status, 422, `${until} ${text}`);
    }
    for (const id of ['a%20b', 'x'.repeat(201), '%27%3B--', 'a%00'])
      assert.equal((await snooze(id, now + HOUR)).status, 422, id);
    const missing = await server.call(`${BASE}/attention/x/snooze`, { method: 'PUT', token: own, body: {} });
    assert.equal(missing.status, 422);
    await server.app.kernel.db
      .insertInto('attention_snoozes')
      .values(
        Array.from({ length: MAX_SNOOZES }, (_, index) => ({
          member_id: member.id,
          id: `full-${index}`,
          until: now + HOUR,
        })),
      )
      .execute();
    assert.equal((await snooze('one-more', now + HOUR)).status, 403);
    assert.equal((await snooze('full-0', now + 2 * HOUR)).status, 200, 'one that is there can be moved');
    server.clock.ahead += 3 * HOUR;
    assert.equal(
      (await snooze('one-more', server.clock.now() + HOUR)).status,
      200,
      'those that are over make room',
    );
  });

  test('the list belongs to people: a browser always, a token by its permission, a service token never', async () => {
    const ada = member;
    const headers = { ...(await openBrowser(server, ada)), origin: server.url };
    assert.equal((await server.call(`${BASE}/attention`, { token: null, headers })).status, 200);
    const narrow = await giveToken(server, ada, {
      inlinePolicy: [{ effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] }],
    });
    for (const path of ['attention', 'today'])
      assert.equal((await server.call(`${BASE}/${path}`, { token: narrow.value })).status, 403, path);
    assert.equal((await snooze('x', server.clock.now() + HOUR, narrow.value)).status, 403);
    const service = await giveToken(server, ada, { isService: true, role: 'admin' });
    assert.equal((await server.call(`${BASE}/attention`, { token: service.value })).status, 403);
    assert.equal((await server.call(`${BASE}/attention`, { token: null })).status, 401);
  });

  test('the figures of today begin with the day of the time zone', async () => {
    const { db } = server.app.kernel;
    const { json } = await server.call(`${BASE}/today`, { token: own });
    const since = json['since'] as number;
    assert.equal(since % DAY, 0);
    const environment = await db
      .selectFrom('environments')
      .innerJoin('projects', 'projects.id', 'environments.project_id')
      .select('environments.id')
      .where('projects.key', '=', 'shop')
      .executeTakeFirstOrThrow();
    const row = { environment_id: environment.id, flag_key: 'dark', variation: 0, version: 1, sdk: 'x' };
    await db
      .insertInto('flag_evaluations')
      .values([
        { ...row, hour: since, count: 5 },
        { ...row, hour: since, variation: 1, count: 2 },
        { ...row, hour: since - HOUR, count: 100 },
      ])
      .execute();
    const today = (await server.call(`${BASE}/today`, { token: own })).json;
    assert.equal((today['evaluations'] as number) - (json['evaluations'] as number), 7);
    const { total } = await db
      .selectFrom('runs')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('started_at', '>=', since)
      .executeTakeFirstOrThrow();
    assert.equal(today['runs'], total);
    await server.app.kernel.tokenUses.save();
    const called = (await server.call(`${BASE}/today`, { token: own })).json['apiCalls'] as number;
    await server.call(`${BASE}/me`, { token: own });
    await server.app.kernel.tokenUses.save();
    const later = (await server.call(`${BASE}/today`, { token: own })).json['apiCalls'] as number;
    assert.equal(later - called, 2, 'this one is not counted yet');
    assert.equal((await server.call(`${BASE}/today`, { token: outsider })).json['runs'], 0);
    for (const zone of ['Europe/Vienna', 'Asia/Kolkata', 'America/St_Johns']) {
      const there = (await server.call(`${BASE}/today?timeZone=${zone}`, { token: own })).json;
      const shown = new Intl.DateTimeFormat('en', { timeZone: zone, hourCycle: 'h23', timeStyle: 'medium' });
      assert.equal(shown.format(there['since'] as number), '00:00:00', zone);
      assert.ok(server.clock.now() - (there['since'] as number) < DAY + HOUR);
    }
    for (const zone of ['Nowhere', '%00', 'x'.repeat(101)])
      assert.equal((await server.call(`${BASE}/today?timeZone=${zone}`, { token: own })).status, 422, zone);
  });
});

onEachEngine((engine) => {
  test('a rate limit that is nearly used up is there for those whose tokens use it', async (t) => {
    const server = await startServerOn(engine, {
      limit: { 'host.core': { known: 10, anonymous: 10, seconds: 3600 } },
    });
    t.after(() => server.stop());
    const limits = async () =>
      ((await server.call(`${BASE}/attention`)).json['items'] as Json[]).filter(
        ({ kind }) => kind === 'rate-limit',
      );
    for (let calls = 0; calls < 7; calls += 1) await server.call('/user');
    assert.deepEqual(await limits(), []);
    await server.call('/user');
    const [used, ...more] = await limits();
    assert.deepEqual(more, []);
    assert.deepEqual(
      [used!['id'], used!['count'], used!['reason']],
      ['rate-limit-host.core', 8, 'Your tokens have used 8 of 10 calls.'],
    );
  });
});

// Work with Actors over the Signalbox API: runs compared, failures by cause, cron expressions and exports beforehand.
import assert from 'node:assert/strict';
import { join as joinPath } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { NEW_BUILD } from '../../../src/actors/builds/fixture.ts';
import { insertSnapshot } from '../../../src/actors/builds/store-snapshots.ts';
import { insertBuild } from '../../../src/actors/builds/store.ts';
import type { Actor } from '../../../src/actors/actors/model.ts';
import { openLogWriter } from '../../../src/actors/logs/log-writer.ts';
import { insertLog } from '../../../src/actors/logs/store.ts';
import type { Run } from '../../../src/actors/runs/model.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { giveActor, giveRun } from '../actors/runs/run-rows.ts';

const BASE = '/signalbox/v1';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

onEachEngine((engine) => {
  let server: TestServer;
  let outsider: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    outsider = (await giveToken(server, await join(server, 'olga', { role: 'writer' }), { role: 'writer' }))
      .value;
  });
  after(() => server.stop());

  const get = async (path: string): Promise<Json> => {
    const { status, json, text } = await server.call(`${BASE}${path}`);
    assert.equal(status, 200, text);
    return json;
  };

  interface Told {
    log?: string;
    input?: unknown;
    items?: object[];
  }

  /** A run with an input, a log and items. */
  async function give(
    actor: Actor,
    fields: Parameters<typeof giveRun>[2],
    { log = '', input, items }: Told = {},
  ): Promise<Run> {
    const { kernel } = server.app;
    const run = await giveRun(server, actor, fields);
    await insertLog(kernel.db, run, server.clock.now());
    const writer = await openLogWriter(kernel, {
      id: run.id,
      folder: joinPath(kernel.settings.execution.work, run.id),
    });
    for (const line of log.split('\n').filter((one) => one !== '')) writer.write(line);
    await writer.end();
    if (input !== undefined)
      await server.call(`/v2/key-value-stores/${run.storeId}/records/INPUT`, { method: 'PUT', body: input });
    if (items !== undefined)
      await server.call(`/v2/datasets/${run.datasetId}/items`, { method: 'POST', body: items });
    return run;
  }

  describe('comparisons', () => {
    test('a run is compared with the last good one before it', async () => {
      const actor = await giveActor(server);
      const now = server.clock.now();
      await give(actor, { startedAt: now - 3 * MINUTE });
      const good = await give(
        actor,
        { startedAt: now - 2 * MINUTE, finishedAt: now - MINUTE },
        {
          log: 'INFO Page 1 of 10\nINFO Page 2 of 10\nINFO Saved 20 items',
          input: { start: 'https://a.test', depth: 1, password: 'ENCRYPTED_VALUE:a:b', 'a/b': [1] },
          items: [{ n: 1, old: true }, { n: 2 }],
        },
      );
      const bad = await give(
        actor,
        { status: 'FAILED', startedAt: now - MINUTE, finishedAt: now },
        {
          log: 'INFO Page 1 of 9\nDEBUG odd\nERROR Timeout of https://a.test/9 after 30 s\nERROR Timeout of https://a.test/8 after 30 s',
          input: { start: 'https://a.test', depth: 2, password: 'ENCRYPTED_VALUE:c:d', 'a/b': [1, 2] },
          items: [{ n: 1, fresh: true }],
        },
      );
      await give(actor, { startedAt: now - MINUTE + 1 });
      const compared = await get(`/runs/${bad.id}/compare`);
      assert.equal(compared['before'].id, good.id);
      assert.equal(compared['after'].status, 'FAILED');
      assert.deepEqual(compared['input'], {
        isSame: false,
        total: 2,
        differences: [
          { path: '/depth', before: 1, after: 2 },
          { path: '/a~1b/1', after: 2 },
        ],
      });
      assert.deepEqual(compared['options'], []);
      assert.deepEqual(compared['output'], { added: ['fresh'], missing: ['old'], common: 1, isKnown: true });
      assert.deepEqual(compared['counts'].items, { before: 2, after: 1 });
      assert.deepEqual(compared['counts'].requests, { before: 0, after: 0 });
      assert.deepEqual(compared['counts'].durationMs, { before: MINUTE, after: MINUTE });
      assert.deepEqual(compared['log'], {
        added: [
          {
            text: 'ERROR Timeout of <url> after <n> s',
            count: 2,
            number: 3,
            example: 'ERROR Timeout of https://a.test/9 after 30 s',
            level: 'ERROR',
          },
          { text: 'DEBUG odd', count: 1, number: 2, example: 'DEBUG odd', level: 'DEBUG' },
        ],
        missing: [
          {
            text: 'INFO Saved <n> items',
            count: 1,
            number: 3,
            example: 'INFO Saved 20 items',
            level: 'INFO',
          },
        ],
        addedTotal: 2,
        missingTotal: 1,
        isPartial: false,
      });
      const turned = await get(`/runs/${good.id}/compare?with=${bad.id}`);
      assert.deepEqual([turned['before'].id, turned['log'].addedTotal], [bad.id, 1]);
      const same = await get(`/runs/${bad.id}/compare?with=${bad.id}`);
      assert.deepEqual([same['input'].isSame, same['log'].addedTotal], [true, 0]);
    });

    test('a large input is not compared, and the reply says why', async () => {
      const actor = await giveActor(server);
      const one = await give(actor, {}, { input: { text: 'x'.repeat(200_000) } });
      const other = await give(actor, {}, { input: {} });
      const { input } = await get(`/runs/${one.id}/compare?with=${other.id}`);
      assert.equal(input.isSame, false);
      assert.match(input.reason as string, /more than 131072 bytes/);
    });

    test('without a good run before, and with one of somebody else, there is nothing to compare with', async () => {
      const actor = await giveActor(server);
      const run = await give(actor, { status: 'FAILED' });
      const others = await giveRun(server, actor, { token: outsider });
      for (const path of [
        `${run.id}/compare`,
        `${run.id}/compare?with=${others.id}`,
        `${others.id}/compare`,
      ]) {
        const { status, json } = await server.call(`${BASE}/runs/${path}`);
        assert.equal(status, 404, path);
        assert.equal(json['code'], 'not-found');
      }
    });

    test('without the permission to view storages, input and counts are left out', async () => {
      const member = await join(server, 'vera', { role: 'writer' });
      const { value: own } = await giveToken(server, member, { role: 'writer' });
      const actor = await giveActor(server, { token: own });
      const run = await give(actor, { token: own });
      const inlinePolicy = [{ effect: 'allow' as const, actions: ['*'], resources: ['actor-run/*'] }];
      const { value: token } = await giveToken(server, member, { inlinePolicy });
      const { status, json } = await server.call(`${BASE}/runs/${run.id}/compare?with=${run.id}`, { token });
      assert.equal(status, 200);
      assert.match(json['input'].reason as string, /may not view it/);
      assert.deepEqual(json['counts'].items, {});
      assert.equal(json['output'].isKnown, false);
    });
  });

  describe('figures', () => {
    test('ended runs of an Actor are counted by day with their medians, and those of the store for everybody', async () => {
      const member = await join(server, 'fig', { role: 'writer' });
      const { value: token } = await giveToken(server, member, { role: 'writer' });
      const actor = await giveActor(server, { token, name: 'figures' });
      const now = server.clock.now();
      const ended = async (
        status: 'SUCCEEDED' | 'FAILED',
        daysAgo: number,
        durationMs: number,
        items: number,
      ) => {
        const startedAt = now - daysAgo * DAY;
        const fields = { token, status, startedAt, finishedAt: startedAt + durationMs };
        const run = await giveRun(server, actor, fields);
        const body = Array.from({ length: items }, (_, n) => ({ n }));
        if (items > 0)
          await server.call(`/v2/datasets/${run.datasetId}/items`, { method: 'POST', body, token });
      };
      await ended('SUCCEEDED', 1, 1000, 3);
      await ended('SUCCEEDED', 1, 3000, 0);
      await ended('SUCCEEDED', 2, 9000, 7);
      await ended('FAILED', 2, 50, 1);
      await ended('SUCCEEDED', 40, 100_000, 9);
      const { json } = await server.call(`${BASE}/actors/${actor.id}/figures`, { token });
      const [second, first] = [1, 2].map((ago) => Math.floor((now - ago * DAY) / DAY) * DAY);
      assert.deepEqual(json, {
        runs: 4,
        succeeded: 3,
        medianDurationMs: 3000,
        medianItems: 3,
        days: [
          { day: first, succeeded: 1, other: 1 },
          { day: second, succeeded: 2, other: 0 },
        ],
        isPartial: false,
      });
      assert.equal(
        (await server.call(`${BASE}/actors/${actor.id}/figures`, { token: outsider })).status,
        404,
      );
      const store = `${BASE}/store/figures?actor=${actor.id}&actor=none`;
      assert.deepEqual((await server.call(store, { token: outsider })).json['items'], []);
      await server.call(`/v2/actors/${actor.id}`, { method: 'PUT', body: { isPublic: true }, token });
      assert.deepEqual((await server.call(store, { token: outsider })).json['items'], [
        { id: actor.id, runs: 4, succeeded: 3, medianDurationMs: 3000 },
      ]);
      assert.equal((await server.call(`${BASE}/store/figures`, { token })).status, 422);
    });
  });

  describe('builds', () => {
    test('a build has its steps with durations and its first error, and is compared with the last good one', async () => {
      const actor = await giveActor(server, { name: 'built' });
      const { kernel } = server.app;
      const build = async (number: number, status: 'SUCCEEDED' | 'FAILED', printed: readonly string[]) => {
        const id = `built-${engine.kind}-${number}`;
        const fields = {
          actorId: actor.id,
          userId: actor.userId,
          buildNumber: `0.1.${number}`,
          startedAt: number,
        };
        await insertBuild(kernel.db, { ...NEW_BUILD, ...fields, id, status });
        await insertLog(kernel.db, { id, userId: actor.userId }, server.clock.now());
        const folder = joinPath(kernel.settings.execution.work, id);
        const writer = await openLogWriter(kernel, { id, folder });
        for (const line of printed) writer.write(line);
        await writer.end();
        return id;
      };
      const good = await build(1, 'SUCCEEDED', [
        'ACTOR: Building.',
        'found 0 errors',
        'ACTOR: Build finished.',
      ]);
      const bad = await build(2, 'FAILED', [
        'ACTOR: Building.',
        'found 0 errors',
        'src/main.ts(3,1): error TS2304: Cannot find name.',
        'SyntaxError: later',
        'ACTOR: It failed.',
      ]);
      const { steps, firstError } = await get(`/builds/${bad}/steps`);
      assert.deepEqual(
        steps.map(({ number }: Json) => number),
        [1, 5],
      );
      assert.equal(typeof steps[0].durationMs, 'number');
      assert.equal(steps[1].durationMs, undefined);
      assert.equal(firstError, 3);
      assert.equal((await get(`/builds/${good}/steps`))['firstError'], null);
      const { before: compared, log } = await get(`/builds/${bad}/compare`);
      assert.deepEqual([compared.id, compared.number], [good, '0.1.1']);
      assert.deepEqual(log.added.map(({ number }: Json) => number).toSorted(), [3, 4, 5]);
      assert.deepEqual(
        log.missing.map(({ text }: Json) => text),
        ['ACTOR: Build finished.'],
      );
      assert.equal((await server.call(`${BASE}/builds/${good}/compare`)).status, 404);
      for (const part of ['steps', 'compare'])
        assert.equal((await server.call(`${BASE}/builds/${bad}/${part}`, { token: outsider })).status, 404);
    });

    test('the files of the last good build of a version stay, for its owner', async () => {
      const actor = await giveActor(server, { name: 'sourced' });
      const { db } = server.app.kernel;
      const version = {
        actorId: actor.id,
        number: '0.1',
        envVars: [],
        appliesEnvVarsToBuild: false,
      } as const;
      const source = JSON.stringify({ sourceFiles: [{ name: 'main.js', format: 'TEXT', content: '1' }] });
      const path = `/actors/${actor.id}/versions/0.1/built-files`;
      assert.equal((await server.call(BASE + path)).status, 404);
      const id = `sourced-${engine.kind}`;
      await insertBuild(db, { ...NEW_BUILD, id, actorId: actor.id, userId: actor.userId });
      await insertSnapshot(db, id, {
        ...version,
        sourceType: 'SOURCE_FILES',
        source,
        buildTag: null,
        buildsOnPush: false,
        createdAt: 1,
      });
      const { build, files } = await get(path);
      assert.deepEqual([build.id, files], [id, [{ name: 'main.js', format: 'TEXT', content: '1' }]]);
      assert.equal((await server.call(BASE + path, { token: outsider })).status, 404);
    });
  });

  describe('lists', () => {
    test('runs are found by what they are, with the counts of each choice, and those of others are not', async () => {
      const { value: token } = await giveToken(server, await join(server, 'lia', { role: 'writer' }), {
        role: 'writer',
      });
      const actor = await giveActor(server, { token, name: 'finder' });
      const other = await giveActor(server, { token, name: 'finder-2' });
      const now = server.clock.now();
      const ids: string[] = [];
      for (const [index, [of, status, buildNumber]] of (
        [
          [actor, 'SUCCEEDED', '0.1.1'],
          [actor, 'FAILED', '0.1.1'],
          [actor, 'FAILED', '0.1.2'],
          [other, 'FAILED', '0.1.1'],
        ] as const
      ).entries())
        ids.push(
          (await giveRun(server, of, { token, status, buildNumber, startedAt: now - index * MINUTE })).id,
        );
      const find = async (query: string) => {
        const { status, json, text } = await server.call(`${BASE}/runs?${query}`, { token });
        assert.equal(status, 200, text);
        return json;
      };
      const idsOf = ({ items }: Json) => (items as Json[]).map(({ id }) => id as string);
      const all = await find('');
      assert.deepEqual([idsOf(all), all['total'], all['isPartial']], [ids, 4, false]);
      assert.deepEqual(all['choices'].status, [
        { value: 'FAILED', count: 3 },
        { value: 'SUCCEEDED', count: 1 },
      ]);
      const failed = await find(`actor=${actor.id}&status=FAILED&build=0.1.1`);
      assert.deepEqual([idsOf(failed), failed['total']], [[ids[1]], 1]);
      assert.deepEqual(failed['choices'].build, [
        { value: '0.1.1', count: 1 },
        { value: '0.1.2', count: 1 },
      ]);
      assert.deepEqual(idsOf(await find('status=FAILED&status=SUCCEEDED&offset=1&limit=2')), [
        ids[1],
        ids[2],
      ]);
      assert.deepEqual(idsOf(await find(`since=${now - 2 * MINUTE}&origin=API`)), ids.slice(0, 3));
      assert.deepEqual(idsOf(await find('origin=SCHEDULER')), []);
      assert.deepEqual(idsOf(await find('task=none')), []);
      const strange = await server.call(`${BASE}/runs?actor=${actor.id}`, { token: outsider });
      assert.notEqual(strange.status, 200);
      assert.equal((await server.call(`${BASE}/runs?status=ODD`, { token })).status, 422);
    });
  });

  describe('texts in inputs', () => {
    test('runs are found by a text in their inputs, in any case, as far as they are not too large and may be viewed', async () => {
      const member = await join(server, 'ina', { role: 'writer' });
      const { value: token } = await giveToken(server, member, { role: 'writer' });
      const actor = await giveActor(server, { token, name: 'reader' });
      const now = server.clock.now();
      const withInput = async (status: 'SUCCEEDED' | 'FAILED', body: unknown, minutes: number) => {
        const run = await giveRun(server, actor, { token, status, startedAt: now - minutes * MINUTE });
        const path = `/v2/key-value-stores/${run.storeId}/records/INPUT`;
        const { status: written } = await server.call(path, { method: 'PUT', body, token });
        assert.equal(written, 201);
        return run.id;
      };
      const first = await withInput('FAILED', { start: 'https://Shop.test/a' }, 1);
      const second = await withInput(
        'SUCCEEDED',
        { start: 'https://shop.test/b', pad: 'x'.repeat(100_000) },
        2,
      );
      await withInput('FAILED', { start: 'https://news.test' }, 3);
      await withInput('FAILED', { start: 'https://shop.test', pad: 'x'.repeat(300_000) }, 4);
      await giveRun(server, actor, { token, startedAt: now - 5 * MINUTE });
      const find = async (query: string, as = token) => {
        const { status, json, text } = await server.call(`${BASE}/runs?${query}`, { token: as });
        assert.equal(status, 200, text);
        const { total, searched, unread, isPartial, choices } = json;
        return {
          ids: (json['items'] as Json[]).map(({ id }) => id),
          total,
          searched,
          unread,
          isPartial,
          choices,
        };
      };
      const found = await find('input=shop.TEST');
      assert.deepEqual(found, {
        ids: [first, second],
        total: 2,
        searched: 5,
        unread: 1,
        isPartial: false,
        choices: {
          status: [
            { value: 'FAILED', count: 1 },
            { value: 'SUCCEEDED', count: 1 },
          ],
          origin: [{ value: 'API', count: 2 }],
          build: [{ value: '0.0.1', count: 2 }],
        },
      });
      assert.deepEqual((await find('input=shop.test&status=SUCCEEDED')).ids, [second]);
      assert.deepEqual((await find('input=shop.test&offset=1')).ids, [second]);
      assert.deepEqual((await find('input=%25')).ids, []);
      assert.deepEqual((await find(`id=${second}&id=${first}&id=none`)).ids, [first, second]);
      assert.deepEqual((await find(`id=${second}&input=shop`)).ids, [second]);
      const inlinePolicy = [{ effect: 'allow' as const, actions: ['*'], resources: ['actor-run/*'] }];
      const { value: narrow } = await giveToken(server, member, { inlinePolicy });
      assert.deepEqual((await find('input=shop', narrow)).ids, []);
      assert.equal((await server.call(`${BASE}/runs?input=`, { token })).status, 422);
      const tooMany = Array.from({ length: 201 }, (_, n) => `id=${n}`).join('&');
      assert.equal((await server.call(`${BASE}/runs?${tooMany}`, { token })).status, 422);
    });
  });

  describe('failures', () => {
    test('failed runs are listed by Actor and cause, with the last error of their logs', async () => {
      const { value: token } = await giveToken(server, await join(server, 'fay', { role: 'writer' }), {
        role: 'writer',
      });
      const actor = await giveActor(server, { token, name: 'shop-crawler' });
      const other = await giveActor(server, { token, name: 'news' });
      const now = server.clock.now();
      const runs: Run[] = [];
      for (let n = 1; n <= 3; n += 1)
        runs.push(
          await give(
            actor,
            { token, status: 'FAILED', statusMessage: `Request ${n} failed`, startedAt: now - n * MINUTE },
            { log: 'ERROR first\n\u001B[31mERROR\u001B[39m last\n    at x.js\nINFO bye' },
          ),
        );
      await give(actor, {
        token,
        status: 'TIMED-OUT',
        statusMessage: 'Too slow',
        startedAt: now - 9 * MINUTE,
      });
      await give(other, {
        token,
        status: 'FAILED',
        statusMessage: 'Request 1 failed',
        startedAt: now - 8 * MINUTE,
      });
      await give(other, { token, status: 'FAILED', statusMessage: 'Old', startedAt: now - 2 * DAY });
      await give(other, { token, status: 'SUCCEEDED', startedAt: now });
      const list = async (query = '') => (await server.call(`${BASE}/runs/failures${query}`, { token })).json;
      const { items, isPartial, since } = await list();
      assert.equal(isPartial, false);
      assert.ok((since as number) <= server.clock.now() - DAY);
      assert.deepEqual(
        (items as Json[]).map(({ cause, status, count }) => [cause, status, count]),
        [
          ['Request <n> failed', 'FAILED', 3],
          ['Request <n> failed', 'FAILED', 1],
          ['Too slow', 'TIMED-OUT', 1],
        ],
      );
      const [first] = items as Json[];
      assert.deepEqual(first, {
        id: first!['id'],
        actor: { id: actor.id, name: 'fay~shop-crawler', title: 'shop-crawler' },
        status: 'FAILED',
        cause: 'Request <n> failed',
        message: 'Request 1 failed',
        error: 'ERROR last',
        count: 3,
        firstAt: now - 3 * MINUTE,
        lastAt: now - MINUTE,
        runs: runs.map(({ id }) => id),
      });
      assert.equal(((await list(`?since=${now - 3 * DAY}`))['items'] as Json[]).length, 4);
      assert.deepEqual((await list(`?since=${now + DAY}`))['items'], []);
      assert.deepEqual((await server.call(`${BASE}/runs/failures`, { token: outsider })).json['items'], []);
    });

    test('a time too long ago is refused', async () => {
      const { status, json } = await server.call(`${BASE}/runs/failures?since=0`);
      assert.ok(status === 400 || status === 422);
      assert.equal(json['errors'][0].field, 'query.since');
    });
  });

  describe('cron expressions', () => {
    const preview = (body: unknown) => server.call(`${BASE}/cron/preview`, { method: 'POST', body });
    const at = async (now: string, body: object): Promise<Json> => {
      const { ahead } = server.clock;
      server.clock.ahead += Date.parse(now) - server.clock.now();
      try {
        const { status, json, text } = await preview(body);
        assert.equal(status, 200, text);
        return json;
      } finally {
        server.clock.ahead = ahead;
      }
    };

    test('a preview has a sentence and the next times with their offsets, and marks where clocks are set', async () => {
      // One call for each is enough: times are far apart.
      const spring = await at('2027-03-27T12:00:00Z', {
        expression: '30 2 * * *',
        timezone: 'Europe/Prague',
        count: 3,
      });
      assert.equal(spring['sentence'], 'At 02:30.');
      assert.deepEqual(
        (spring['times'] as Json[]).map(({ at: _at, ...rest }) => rest),
        [
          { local: '2027-03-28T03:00:00+02:00', utcOffset: '+02:00', clocks: 'forward', note: 'skipped' },
          { local: '2027-03-29T02:30:00+02:00', utcOffset: '+02:00' },
          { local: '2027-03-30T02:30:00+02:00', utcOffset: '+02:00' },
        ],
      );
      const autumn = await at('2027-10-30T12:00:00Z', {
        expression: '30 2 * * *',
        timezone: 'Europe/Prague',
        count: 2,
      });
      assert.deepEqual(
        (autumn['times'] as Json[]).map(({ at: _at, ...rest }) => rest),
        [
          { local: '2027-10-31T02:30:00+02:00', utcOffset: '+02:00', note: 'twice' },
          { local: '2027-11-01T02:30:00+01:00', utcOffset: '+01:00', clocks: 'back' },
        ],
      );
    });

    test('without a zone and a count, there are five times in UTC', async () => {
      const { json } = await preview({ expression: '@daily' });
      assert.deepEqual([json['timezone'], (json['times'] as Json[]).length], ['UTC', 5]);
      const times = (json['times'] as Json[]).map((time) => time['at'] as number);
      assert.equal(times[1]! - times[0]!, DAY);
      const rare = await preview({ expression: '0 0 29 2 *', count: 20 });
      assert.equal((rare.json['times'] as Json[]).length, 20);
    });

    test('what a schedule would refuse is refused, with the reason', async () => {
      for (const [body, pattern] of [
        [{ expression: 'often' }, /must have five fields/],
        [{ expression: '* * * * * *' }, /more often than every 10 seconds/],
        [{ expression: '0 0 30 2 *' }, /fires in none/],
        [{ expression: '@daily', timezone: 'Mars/Base' }, /no time zone/],
        [{ expression: '@daily', count: 21 }, /count/],
        [{ expression: '@daily', more: 1 }, /more/],
        [{}, /expression/],
      ] as const) {
        const { status, text } = await preview(body);
        assert.ok(status === 400 || status === 422, text);
        assert.match(text, pattern);
      }
      const { status } = await server.call(`${BASE}/cron/preview`, {
        method: 'POST',
        body: { expression: '@daily' },
        token: null,
      });
      assert.equal(status, 401);
    });
  });

  describe('coming runs', () => {
    const schedule = async (body: object, token?: string): Promise<string> => {
      const { status, json, text } = await server.call('/v2/schedules', {
        method: 'POST',
        body,
        ...(token !== undefined && { token }),
      });
      assert.equal(status, 201, text);
      return json['data'].id as string;
    };

    test('coming runs of all schedules are listed with sentences, and those of others are not', async () => {
      const daily = await schedule({ cronExpression: '0 6 * * *', timezone: 'UTC', isEnabled: true });
      const often = await schedule({ cronExpression: '*/5 * * * *', timezone: 'UTC', isEnabled: true });
      const paused = await schedule({ cronExpression: '0 7 * * *', timezone: 'UTC' });
      const foreign = await schedule({ cronExpression: '0 8 * * *', isEnabled: true }, outsider);
      const items = (await get('/schedules/coming'))['items'] as Json[];
      const byId = new Map(items.map((item) => [item['id'] as string, item]));
      assert.equal(byId.has(foreign), false);
      const times = byId.get(daily)!['times'] as number[];
      assert.equal(times.length, 7);
      assert.ok(times.every((at) => new Date(at).toISOString().endsWith('T06:00:00.000Z')));
      assert.deepEqual([byId.get(daily)!['sentence'], byId.get(daily)!['isFrequent']], ['At 06:00.', false]);
      const frequent = byId.get(often)!;
      assert.deepEqual([frequent['isFrequent'], (frequent['times'] as number[]).length], [true, 100]);
      assert.deepEqual(byId.get(paused), {
        id: paused,
        sentence: 'At 07:00.',
        times: [],
        isFrequent: false,
      });
    });

    test('a span has its beginning and its end, and too long ones are refused', async () => {
      const id = await schedule({ cronExpression: '0 6 * * *', timezone: 'UTC', isEnabled: true });
      const from = Math.ceil(server.clock.now() / DAY) * DAY;
      const { items } = await get(`/schedules/coming?from=${from}&to=${from + DAY}`);
      const found = (items as Json[]).find((item) => item['id'] === id)!;
      assert.deepEqual(found['times'], [from + 6 * 60 * MINUTE]);
      for (const query of [
        `from=${from}&to=${from}`,
        `from=${from}&to=${from + 32 * DAY}`,
        `from=${from + 400 * DAY}`,
        'from=-1',
        'to=x',
      ]) {
        const { status, text } = await server.call(`${BASE}/schedules/coming?${query}`);
        assert.ok(status === 400 || status === 422, text);
      }
      assert.equal((await server.call(`${BASE}/schedules/coming`, { token: null })).status, 401);
    });
  });

  describe('usage', () => {
    test('what runs used is added up by Actor and day, and others see their own alone', async () => {
      const actor = await giveActor(server);
      const now = server.clock.now();
      const hour = 60 * MINUTE;
      await give(actor, { startedAt: now - 2 * hour, finishedAt: now - hour });
      await give(actor, { status: 'FAILED', startedAt: now - DAY - hour, finishedAt: now - DAY });
      await give(actor, { startedAt: now - 40 * DAY, finishedAt: now - 40 * DAY + hour });
      const usage = await get('/runs/usage');
      const of = (one: Json) => (one['actors'] as Json[]).find(({ id }) => id === actor.id);
      const found = of(usage)!;
      assert.deepEqual([found['runs'], found['failed'], found['durationMs']], [2, 1, 2 * hour]);
      assert.ok(found['computeUnits'] > 0);
      assert.equal(of(await get('/runs/usage?days=60'))!['runs'], 3);
      const days = usage['days'] as Json[];
      assert.equal(
        days.reduce((sum, { runs }) => sum + (runs as number), 0),
        usage['total'].runs,
      );
      const { json } = await server.call(`${BASE}/runs/usage`, { token: outsider });
      assert.deepEqual([of(json), json['isPartial']], [undefined, false]);
      for (const query of ['days=0', 'days=91', 'days=x']) {
        const { status } = await server.call(`${BASE}/runs/usage?${query}`);
        assert.ok(status === 400 || status === 422, query);
      }
      assert.equal((await server.call(`${BASE}/runs/usage`, { token: null })).status, 401);
    });
  });

  describe('estimates of exports', () => {
    async function giveItems(count: number): Promise<string> {
      const { json } = await server.call('/v2/datasets', { method: 'POST' });
      const id = json['data'].id as string;
      const body = Array.from({ length: count }, (_, n) => ({
        n: n + 1000,
        text: 'x'.repeat(100),
        more: [n],
      }));
      if (count > 0) await server.call(`/v2/datasets/${id}/items`, { method: 'POST', body });
      return id;
    }

    test('the size of each format is about that of the file, and exact where there are few items', async () => {
      const [many, few] = [await giveItems(3000), await giveItems(20)];
      for (const format of ['json', 'jsonl', 'csv', 'html', 'xlsx', 'xml', 'rss'])
        for (const [id, count] of [
          [many, 3000],
          [few, 20],
        ] as const) {
          const query = `?format=${format}&fields=n,text`;
          const estimate = await get(`/datasets/${id}/export-estimate${query}`);
          const real = Buffer.byteLength((await server.call(`/v2/datasets/${id}/items${query}`)).text);
          assert.deepEqual([estimate['count'], estimate['isExact']], [count, count === 20], format);
          const ratio = (estimate['bytes'] as number) / real;
          // The text of a spreadsheet is not its bytes, and compression is not linear.
          if (format !== 'xlsx') assert.ok(ratio > 0.9 && ratio < 1.1, `${format}: ${ratio}`);
          else assert.ok((estimate['bytes'] as number) > 0);
        }
    });

    test('a part is estimated as the part that it is', async () => {
      const id = await giveItems(1000);
      const some = await get(`/datasets/${id}/export-estimate?offset=10&limit=5&desc=1`);
      assert.deepEqual([some['count'], some['isExact']], [5, true]);
      const none = await get(`/datasets/${await giveItems(0)}/export-estimate?format=jsonl`);
      assert.deepEqual(none, { count: 0, bytes: 0, isExact: true });
    });

    test('others do not know of the dataset, and queries are checked', async () => {
      const id = await giveItems(1);
      const path = `${BASE}/datasets/${id}/export-estimate`;
      assert.equal((await server.call(path, { token: outsider })).status, 404);
      assert.equal((await server.call(`${BASE}/datasets/none/export-estimate`)).status, 404);
      for (const query of ['?format=pdf', '?limit=-1', '?view=none']) {
        const { status } = await server.call(path + query);
        assert.ok(status === 400 || status === 422, query);
      }
    });
  });
});

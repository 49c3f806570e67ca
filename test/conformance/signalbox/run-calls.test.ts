// The calls that runs make with their tokens, and what members used, over the Signalbox API.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runCallSweep } from '../../../src/actors/runs/run-calls.ts';
import { runFlagSweep } from '../../../src/actors/runs/run-flags.ts';
import { listRunCalls, MAX_CALLED_OPERATIONS } from '../../../src/actors/runs/store-calls.ts';
import { listRunFlags, MAX_READ_VALUES } from '../../../src/actors/runs/store-flags.ts';
import { createActor, finishedRun, startRun } from '../../actors.ts';
import { script } from '../../actor-sources.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { giveActor, giveRun } from '../actors/runs/run-rows.ts';
import { openProject, seenBy } from '../flags/delivery/keys-calls.ts';

const BASE = '/signalbox/v1';
const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

const CALLER = script(`
await pushData([{ n: 1 }]);
await pushData([{ n: 2 }]);
await api('/datasets/none');
await api('/no-such-thing');
`);

/** Reads flags as SDKs do that run in an Actor: by OFREP, and by events of an SDK that evaluates by itself. */
const FLAG_READER = script(`
const { url, sdk, mobile, client } = await getInput();
const tags = { 'x-launchdarkly-tags': 'application-id/' + env.ACTOR_RUN_ID + ' application-version/1' };
const ask = (path, key, body, headers = tags) =>
  fetch(url + path, { method: 'POST', headers: { authorization: key, 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
const evaluate = (flag, key, headers) => ask('/ofrep/v1/evaluate/flags/' + flag, key, { context: { targetingKey: 'u' } }, headers);
await evaluate('asked', sdk);
await evaluate('asked', mobile);
await evaluate('asked', client);
await evaluate('asked', sdk, {});
await evaluate('none', sdk);
await ask('/bulk', sdk, [
  { kind: 'summary', startDate: 1, endDate: 2, features: {
    sent: { default: 'no', contextKinds: ['user'], counters: [{ value: 'yes', variation: 0, version: 7, count: 3 }, { value: 'no', unknown: true, count: 1 }] },
  } },
  { kind: 'feature', creationDate: 2, key: 'sent', value: 'yes', variation: 0, version: 7, reason: { kind: 'RULE_MATCH', ruleIndex: 1, ruleId: 'r' } },
]);
await ask('/mobile', mobile, [{ kind: 'summary', startDate: 1, endDate: 2, features: { sent: { counters: [{ value: 'yes', variation: 0, version: 7, count: 1 }] } } }]);
await ask('/events/bulk/' + client, '', [{ kind: 'summary', startDate: 1, endDate: 2, features: { sent: { counters: [{ value: 'x', variation: 1, version: 7, count: 1 }] } } }]);
`);

onEachEngine((engine) => {
  let server: TestServer;
  let writer: string;
  let writerId: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    const olga = await join(server, 'olga', { role: 'writer' });
    writerId = olga.id;
    writer = (await giveToken(server, olga, { role: 'writer' })).value;
  });
  after(() => server.stop());

  const read = async (path: string, token?: string): Promise<Json> => {
    const { status, json, text } = await server.call(`${BASE}${path}`, {
      ...(token !== undefined && { token }),
    });
    assert.equal(status, 200, text);
    return json;
  };
  const statusOf = async (path: string, token?: string | null) =>
    (await server.call(`${BASE}${path}`, { ...(token !== undefined && { token }) })).status;

  test('what a run called stands with its run by operation, and goes with it', async () => {
    const actor = await createActor(server, CALLER);
    const { id } = (await startRun(server, actor['id'] as string)) as { id: string };
    await finishedRun(server, id);
    const { items, total, others, keptDays } = await read(`/runs/${id}/calls`);
    assert.equal(others, undefined);
    assert.equal(keptDays, 30);
    const found = items as Json[];
    const [first] = found;
    const { api, operation, title, detail, calls, refused, failed, lastStatus } = first!;
    assert.deepEqual(
      { api, operation, calls, refused, failed, lastStatus },
      { api: 'actors', operation: 'dataset_items_post', calls: 2, refused: 0, failed: 0, lastStatus: 201 },
    );
    assert.ok(title);
    assert.match(detail as string, /^POST \/v2\/datasets\/\{storageId\}\/items · /);
    const docs = await server.call(first!['docs'] as string, { token: null });
    assert.equal(docs.status, 200);
    assert.ok((first!['firstAt'] as number) <= (first!['lastAt'] as number));
    const missing = found.find((one) => one['operation'] === 'dataset_get')!;
    assert.deepEqual([missing['calls'], missing['refused'], missing['lastStatus']], [1, 1, 404]);
    const nowhere = found.find((one) => one['operation'] === undefined)!;
    assert.deepEqual([nowhere['api'], nowhere['refused'], nowhere['docs']], ['actors', 1, undefined]);
    assert.equal(total.refused, 2);
    assert.equal(
      total.calls,
      found.reduce((sum, one) => sum + (one['calls'] as number), 0),
    );
    assert.equal((await server.call(`/v2/actor-runs/${id}`, { method: 'DELETE' })).status, 204);
    assert.deepEqual(await listRunCalls(server.app.kernel.db, id), []);
    assert.equal(await statusOf(`/runs/${id}/calls`), 404);
  });

  test('a run that has called nothing has an empty list, which others and strangers do not see', async () => {
    const run = await giveRun(server, await giveActor(server));
    const { items, total } = await read(`/runs/${run.id}/calls`);
    assert.deepEqual([items, total], [[], { calls: 0, refused: 0, failed: 0 }]);
    assert.equal(await statusOf(`/runs/${run.id}/calls`, writer), 404);
    assert.equal(await statusOf(`/runs/${run.id}/calls`, null), 401);
    assert.equal(await statusOf('/runs/none/calls'), 404);
  });

  test('what a run reads of flags where it names itself stands with it, with why and what the flags are now', async () => {
    const home = await openProject(server);
    await home.flags.make('asked', seenBy(true, true));
    await home.flags.make('sent');
    const actor = await createActor(server, FLAG_READER);
    const { id } = (await startRun(server, actor['id'] as string, {
      input: { url: server.url, ...home.keys },
    })) as { id: string };
    await finishedRun(server, id);
    const { items, hidden, further, keptDays } = await read(`/runs/${id}/flags`);
    assert.deepEqual([hidden, further, keptDays], [0, 0, 30]);
    const shown = (items as Json[]).map(({ key, variation, value, reads, reason, version }) => ({
      key,
      variation,
      value,
      reads,
      reason,
      ...(key === 'sent' && { version }),
    }));
    assert.deepEqual(
      shown.toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
      [
        { key: 'asked', variation: 1, value: false, reads: 2, reason: { kind: 'OFF' } },
        { key: 'sent', value: 'no', reads: 1, reason: undefined, variation: undefined, version: undefined },
        {
          key: 'sent',
          variation: 0,
          value: 'yes',
          reads: 4,
          reason: { kind: 'RULE_MATCH', ruleIndex: 1, ruleId: 'r' },
          version: 7,
        },
      ].toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
    );
    const nowOf = async () =>
      ((await read(`/runs/${id}/flags`))['items'] as Json[]).find(({ key }) => key === 'asked')!;
    const off = await nowOf();
    assert.deepEqual([off['name'], off['environment'].key], ['asked', 'test']);
    assert.deepEqual(off['now'], {
      isOn: false,
      version: off['version'],
      hasChanged: false,
      isForEverybody: true,
      value: false,
    });
    await home.instruct('asked', [{ kind: 'turnFlagOn' }]);
    const { now } = await nowOf();
    assert.deepEqual([now.isOn, now.hasChanged, now.isForEverybody, now.value], [true, true, true, true]);

    // Who may see the run, and not the project, sees how many there are.
    const { json: given } = await server.call('/api/v2/tokens', {
      method: 'POST',
      body: {
        name: 'runs',
        inlineRole: [{ effect: 'allow', actions: ['viewRun'], resources: ['actor-run/*'] }],
      },
    });
    const token = given['token'] as string;
    const narrow = await read(`/runs/${id}/flags`, token);
    assert.deepEqual([narrow['items'], narrow['hidden']], [[], 3]);
    assert.equal(await statusOf(`/runs/${id}/flags`, writer), 404);

    assert.equal((await server.call(`/v2/actor-runs/${id}`, { method: 'DELETE' })).status, 204);
    assert.deepEqual(await listRunFlags(server.app.kernel.db, id), []);
  });

  test('of a run so many values of flags are told apart, those that are old are deleted, and one that is over gets none', async () => {
    const { kernel } = server.app;
    const { runFlags } = kernel.services;
    const now = server.clock.now();
    const actor = await giveActor(server);
    const run = await giveRun(server, actor, { status: 'RUNNING', startedAt: now - HOUR });
    const over = await giveRun(server, actor, { startedAt: now - HOUR, finishedAt: now - HOUR / 2 });
    const readOf = (at: number) => ({ flagKey: `f${at}`, variation: 0, version: 1, count: 2 });
    const some = (from: number, count: number) => Array.from({ length: count }, (_, at) => readOf(from + at));
    runFlags.note(run.id, 'e', some(0, MAX_READ_VALUES - 10), now);
    await runFlags.save();
    runFlags.note(run.id, 'e', some(0, MAX_READ_VALUES + 30), now);
    runFlags.note(over.id, 'e', some(0, 1), now);
    runFlags.note('gone', 'e', some(0, 1), now);
    await runFlags.save();
    const stored = await listRunFlags(kernel.db, run.id);
    assert.equal(stored.length, MAX_READ_VALUES + 1);
    assert.equal(stored.find(({ flagKey }) => flagKey === '')!.reads, 60);
    assert.equal(stored.find(({ flagKey }) => flagKey === 'f0')!.reads, 4);
    assert.deepEqual(await listRunFlags(kernel.db, over.id), []);
    assert.deepEqual(await listRunFlags(kernel.db, 'gone'), []);
    await kernel.db
      .updateTable('run_flags')
      .set({ last_at: now - 30 * DAY - HOUR })
      .where('run_id', '=', run.id)
      .where('flag_key', '<>', 'f7')
      .execute();
    await runFlagSweep(kernel).run(AbortSignal.timeout(60_000));
    assert.deepEqual(
      (await listRunFlags(kernel.db, run.id)).map(({ flagKey }) => flagKey),
      ['f7'],
    );
  });

  test('of a run so many operations are told apart, in one batch as in several, and all calls are counted', async () => {
    const { runCalls } = server.app.kernel.services;
    const run = await giveRun(server, await giveActor(server));
    const now = server.clock.now();
    for (let at = 0; at < MAX_CALLED_OPERATIONS - 10; at += 1)
      runCalls.count(run.id, 'actors', `o${at}`, 200, now);
    await runCalls.save();
    for (let at = 0; at < MAX_CALLED_OPERATIONS + 50; at += 1)
      runCalls.count(run.id, 'actors', `o${at}`, at % 2 === 0 ? 500 : 429, now + 5 - (at % 7));
    runCalls.count('gone', 'actors', 'o1', 200, now);
    await runCalls.save();
    const { items, others, total } = await read(`/runs/${run.id}/calls`);
    assert.equal(items.length, MAX_CALLED_OPERATIONS);
    assert.deepEqual([others.calls, others.refused, others.failed], [50, 25, 25]);
    assert.deepEqual(total, {
      calls: 2 * MAX_CALLED_OPERATIONS + 40,
      refused: MAX_CALLED_OPERATIONS / 2 + 25,
      failed: MAX_CALLED_OPERATIONS / 2 + 25,
    });
    const { firstAt, lastAt, lastStatus } = (items as Json[]).find((one) => one['operation'] === 'o3')!;
    assert.deepEqual([firstAt, lastAt, lastStatus], [now, now + 2, 429]);
    const early = (items as Json[]).find((one) => one['operation'] === 'o6')!;
    assert.deepEqual([early['firstAt'], early['lastAt'], early['lastStatus']], [now - 1, now, 200]);
    assert.deepEqual(await listRunCalls(server.app.kernel.db, 'gone'), []);
  });

  test('calls are deleted when they are older than the setting says', async () => {
    const { kernel } = server.app;
    const { runCalls } = kernel.services;
    const run = await giveRun(server, await giveActor(server));
    runCalls.count(run.id, 'actors', 'old', 200, server.clock.now() - 30 * DAY - HOUR);
    runCalls.count(run.id, 'actors', 'young', 200, server.clock.now() - 30 * DAY + HOUR);
    await runCalls.save();
    await runCallSweep(kernel).run(AbortSignal.timeout(60_000));
    const left = await listRunCalls(kernel.db, run.id);
    assert.deepEqual(
      left.map(({ operation }) => operation),
      ['young'],
    );
  });

  test('those who administer the server see what members used, the most first; others do not', async () => {
    const now = server.clock.now();
    const actor = await giveActor(server, { token: writer });
    const given = { token: writer, startedAt: now - 500 * HOUR, finishedAt: now - 400 * HOUR };
    const run = await giveRun(server, actor, { ...given, status: 'FAILED' });
    await giveRun(server, actor, { ...given, startedAt: now - 80 * DAY, finishedAt: now - 79 * DAY });
    const items = `/v2/datasets/${run.datasetId}/items`;
    assert.equal(
      (await server.call(items, { method: 'POST', body: [{ a: 1 }, { a: 2 }], token: writer })).status,
      201,
    );
    await server.call(items, { token: writer });
    const usage = await read('/runs/usage/members');
    const [most] = usage['members'] as Json[];
    assert.deepEqual(
      [most!['id'], most!['username'], most!['runs'], most!['failed'], most!['computeUnits']],
      [writerId, 'olga', 1, 1, 100],
    );
    assert.equal(most!['durationMs'], 100 * HOUR);
    assert.ok((most!['writes'] as number) > 0 && (most!['reads'] as number) > 0);
    assert.ok((most!['sentBytes'] as number) > 0);
    const sums = (usage['members'] as Json[]).reduce((sum, one) => sum + (one['runs'] as number), 0);
    assert.deepEqual([usage['total'].runs, usage['isPartial']], [sums, false]);
    const long = (await read('/runs/usage/members?days=90'))['members'] as Json[];
    assert.equal(long.find((one) => one['id'] === writerId)!['runs'], 2);
    assert.equal(await statusOf('/runs/usage/members', writer), 403);
    assert.equal(await statusOf('/runs/usage/members', null), 401);
    for (const query of ['days=0', 'days=91', 'days=x'])
      assert.equal(await statusOf(`/runs/usage/members?${query}`), 422, query);
  });
});

// Runs of Actors: real processes that use their storages, and how they end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor, finishedRun, logOf, runActor, startRun, statusOf } from '../../../actors.ts';
import { OBEDIENT, script } from '../../../actor-sources.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join, openBrowser } from '../../../people.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let obedient: Json;
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
    obedient ??= await createActor(server, OBEDIENT, { name: 'obedient' });
  });

  const call = (path: string, init?: CallInit) => server.call(`/v2${path}`, init);

  test('A6 a run is there at once, and a real process writes to its storages', async () => {
    const answer = await call('/actors/~obedient/runs', {
      method: 'POST',
      body: { push: [{ n: 1 }, { n: 2 }], output: { done: true }, log: 'hello from inside' },
    });
    assert.equal(answer.status, 201, answer.text);
    const begun = answer.json.data;
    assert.equal(answer.headers.get('location'), `${server.url}/v2/actor-runs/${begun.id}`);
    assert.equal(begun.status, 'READY');
    assert.equal(begun.meta.origin, 'API');
    const run = await finishedRun(server, begun.id as string);
    assert.equal(run['status'], 'SUCCEEDED', await logOf(server, run['id'] as string));
    assert.equal(run['exitCode'], 0);
    assert.ok(Date.parse(run['finishedAt'] as string) >= Date.parse(run['startedAt'] as string));
    const items = await call(`/datasets/${run['defaultDatasetId']}/items`);
    assert.deepEqual(items.json, [{ n: 1 }, { n: 2 }]);
    const output = await call(`/key-value-stores/${run['defaultKeyValueStoreId']}/records/OUTPUT`);
    assert.deepEqual(output.json, { done: true });
    assert.equal((await call(`/request-queues/${run['defaultRequestQueueId']}`)).status, 200);
    assert.match(await logOf(server, run['id'] as string), /^\d{4}-\d\d-\d\dT[\d:.]+Z hello from inside$/m);
  });

  test('A29 the exit code decides between SUCCEEDED and FAILED', async () => {
    const failed = await runActor(server, obedient['id'] as string, { input: { exit: 3 } });
    assert.deepEqual([failed['status'], failed['exitCode']], ['FAILED', 3]);
    assert.match(failed['statusMessage'] as string, /exit code 3/);
    const succeeded = await runActor(server, obedient['id'] as string);
    assert.deepEqual([succeeded['status'], succeeded['exitCode']], ['SUCCEEDED', 0]);
  });

  test('A29 a run that takes too long times out', async () => {
    const { id } = await startRun(server, obedient['id'] as string, {
      input: { sleep: 600_000 },
      query: 'timeout=3000',
    });
    await eventually(async () => (await statusOf(server, id as string)) === 'RUNNING');
    server.clock.ahead += 3_000_000;
    const run = await finishedRun(server, id as string);
    assert.equal(run['status'], 'TIMED-OUT');
    assert.equal(run['exitCode'], null);
    const listed = await call(`/actors/~obedient/runs?status=TIMED_OUT`);
    assert.deepEqual(
      listed.json.data.items.map((item: Json) => item['id']),
      [id],
    );
  });

  test('A29 an abort ends a run, and a finished run stays as it is', async () => {
    const { id } = await startRun(server, obedient['id'] as string, { input: { sleep: 600_000 } });
    await eventually(async () => (await statusOf(server, id as string)) === 'RUNNING');
    const aborting = await call(`/actor-runs/${id}/abort`, { method: 'POST' });
    assert.deepEqual([aborting.status, aborting.json.data.status], [200, 'ABORTING']);
    const run = await finishedRun(server, id as string);
    assert.equal(run['status'], 'ABORTED');
    const again = await call(`/actor-runs/${id}/abort`, { method: 'POST' });
    assert.deepEqual([again.status, again.json.data.status], [200, 'ABORTED']);
    const reboot = await call(`/actor-runs/${id}/reboot`, { method: 'POST' });
    assert.deepEqual([reboot.status, reboot.json.error.type], [403, 'job-finished']);
  });

  test('A5 run-sync answers with the record OUTPUT and its content type', async () => {
    const answer = await call('/actors/~obedient/run-sync', { method: 'POST', body: { output: { a: 1 } } });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.json, { a: 1 });
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    const empty = await call('/actors/~obedient/run-sync', { method: 'POST' });
    assert.deepEqual([empty.status, empty.text], [201, '']);
    await createActor(server, script(`await setValue('OUTPUT', { ready: true });`), { name: 'ready' });
    const without = await call('/actors/~ready/run-sync');
    assert.deepEqual([without.status, without.json], [201, { ready: true }]);
    const other = await call('/actors/~obedient/run-sync?outputRecordKey=INPUT', {
      method: 'POST',
      body: { log: 'x' },
    });
    assert.deepEqual(other.json, { log: 'x' });
  });

  test('A5 run-sync of a run that fails is 400 run-failed, and names the run', async () => {
    const answer = await call('/actors/~obedient/run-sync', { method: 'POST', body: { exit: 1 } });
    assert.deepEqual([answer.status, answer.json.error.type], [400, 'run-failed']);
    const last = await call('/actors/~obedient/runs/last');
    assert.ok(answer.json.error.message.includes(last.json.data.id));
  });

  test('A5 run-sync of a run that takes too long is 408, and the run lives on', async () => {
    const waiting = call('/actors/~obedient/run-sync', { method: 'POST', body: { sleep: 600_000 } });
    let id = '';
    await eventually(async () => {
      const last = (await call('/actors/~obedient/runs/last?status=RUNNING')).json.data as Json | undefined;
      id = (last?.['id'] as string | undefined) ?? '';
      return id !== '';
    });
    server.clock.ahead += 301_000;
    const answer = await waiting;
    assert.deepEqual([answer.status, answer.json.error.type], [408, 'run-timeout-exceeded']);
    assert.match(answer.json.error.message, new RegExp(id));
    assert.equal(await statusOf(server, id), 'RUNNING');
    await call(`/actor-runs/${id}/abort`, { method: 'POST' });
  });

  test('A5 run-sync-get-dataset-items answers with the items in any format', async () => {
    const body = { push: [{ a: 1, b: 'x' }] };
    const csv = await call('/actors/~obedient/run-sync-get-dataset-items?format=csv&bom=0', {
      method: 'POST',
      body,
    });
    assert.equal(csv.status, 201, csv.text);
    assert.equal(csv.text.trim(), 'a,b\r\n1,x');
    assert.equal(csv.headers.get('x-apify-pagination-total'), '1');
    const none = await call('/actors/~obedient/run-sync-get-dataset-items');
    assert.deepEqual([none.status, none.json], [201, []]);
  });

  test('A21 the last run is the newest one, or the newest of a status and origin', async () => {
    const failed = await runActor(server, obedient['id'] as string, {
      input: { exit: 1 },
      headers: { 'x-apify-request-origin': 'CLI' },
    });
    const good = await runActor(server, obedient['id'] as string);
    const last = async (query: string) =>
      (await call(`/actors/~obedient/runs/last${query}`)).json.data?.id as string;
    assert.equal(await last(''), good['id']);
    assert.equal(await last('?status=FAILED'), failed['id']);
    assert.equal(await last('?origin=CLI'), failed['id']);
    const wrong = await call('/actors/~obedient/runs/last?status=SLEEPING');
    assert.deepEqual([wrong.status, wrong.json.error.type], [400, 'invalid-request']);
    const none = await call('/actors/~obedient/runs/last?origin=WEBHOOK');
    assert.deepEqual([none.status, none.json.error.type], [404, 'record-not-found']);
  });

  test('A30 the origin comes from the way a run was started, and only some can be claimed', async () => {
    const originWith = async (headers: Record<string, string>) =>
      (await startRun(server, obedient['id'] as string, { headers }))['meta'].origin as string;
    assert.equal(await originWith({ 'x-apify-request-origin': 'CI' }), 'CI');
    assert.equal(await originWith({ 'x-platform-request-origin': 'DEVELOPMENT' }), 'DEVELOPMENT');
    for (const claimed of ['SCHEDULER', 'WEBHOOK', 'STANDBY', 'ACTOR', 'NONSENSE'])
      assert.equal(await originWith({ 'x-apify-request-origin': claimed }), 'API');
  });

  test('A30 a run that another run starts has the origin ACTOR, and both end', async () => {
    await createActor(
      server,
      script(`const { json } = await api('/actors/~obedient/runs', { method: 'POST', body: { output: 7 } });
      const { json: child } = await api('/actor-runs/' + json.data.id + '?waitForFinish=60');
      await setValue('OUTPUT', [child.data.meta.origin, child.data.status]);`),
      { name: 'parent' },
    );
    const answer = await call('/actors/~parent/run-sync', { method: 'POST' });
    assert.deepEqual(answer.json, ['ACTOR', 'SUCCEEDED'], answer.text);
  });

  test('a status message that is terminal stays when the run ends', async () => {
    const run = await runActor(server, obedient['id'] as string, {
      input: { message: 'Crawled it all', exit: 1 },
    });
    assert.deepEqual([run['status'], run['statusMessage']], ['FAILED', 'Crawled it all']);
    assert.equal(run['isStatusMessageTerminal'], true);
  });

  test('a later terminal message replaces an earlier one, and others do not', async () => {
    const { id } = await startRun(server, obedient['id'] as string, { input: { sleep: 600_000 } });
    const say = async (statusMessage: string, isStatusMessageTerminal?: boolean) =>
      (await call(`/actor-runs/${id}`, { method: 'PUT', body: { statusMessage, isStatusMessageTerminal } }))
        .json.data.statusMessage as string;
    assert.equal(await say('Begun'), 'Begun');
    assert.equal(await say('Nearly done', true), 'Nearly done');
    assert.equal(await say('Page 7'), 'Nearly done');
    assert.equal(await say('Page 8', false), 'Nearly done');
    assert.equal(await say('Done', true), 'Done');
    await call(`/actor-runs/${id}/abort`, { method: 'POST' });
    const run = await finishedRun(server, id as string);
    assert.deepEqual([run['statusMessage'], run['isStatusMessageTerminal']], ['Done', true]);
  });

  test('a run that has not finished cannot be deleted, and one that has goes with its storages and its log', async () => {
    const { id } = await startRun(server, obedient['id'] as string, { input: { sleep: 600_000 } });
    const early = await call(`/actor-runs/${id}`, { method: 'DELETE' });
    assert.deepEqual([early.status, early.json.error.type], [400, 'cannot-remove-running-run']);
    await call(`/actor-runs/${id}/abort`, { method: 'POST' });
    const run = await finishedRun(server, id as string);
    assert.equal((await call(`/actor-runs/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await call(`/actor-runs/${id}`)).status, 404);
    assert.equal((await call(`/logs/${id}`)).status, 404);
    assert.equal((await call(`/datasets/${run['defaultDatasetId']}`)).status, 404);
  });

  test('a reboot starts the process anew with the same storages', async () => {
    await createActor(
      server,
      script(`const before = (await getValue('STATE')) ?? 0;
      await setValue('STATE', String(before + 1));
      if (before === 0) { await api('/actor-runs/' + env.ACTOR_RUN_ID + '/reboot', { method: 'POST' }); await sleep(600_000); }
      await setValue('OUTPUT', String(before + 1));`),
      { name: 'rebooting' },
    );
    const answer = await call('/actors/~rebooting/run-sync', { method: 'POST' });
    assert.equal(answer.text, '2', answer.text);
    const { stats } = (await call('/actors/~rebooting/runs/last')).json.data;
    assert.deepEqual([stats.rebootCount, stats.migrationCount], [1, 0]);
  });

  test('the owner reboots a run and hands it to another Actor, from outside', async () => {
    const { id } = await startRun(server, obedient['id'] as string, { input: { sleep: 600_000 } });
    await eventually(async () => (await statusOf(server, id as string)) === 'RUNNING');
    const rebooted = await call(`/actor-runs/${id}/reboot`, { method: 'POST' });
    assert.deepEqual([rebooted.status, rebooted.json.data.status], [200, 'RUNNING']);
    await eventually(async () => (await call(`/actor-runs/${id}`)).json.data.stats.rebootCount === 1);
    const handed = await call(`/actor-runs/${id}/metamorph?targetActorId=${obedient['id']}`, {
      method: 'POST',
      body: { log: 'as another' },
    });
    assert.equal(handed.status, 200, handed.text);
    assert.equal((await finishedRun(server, id as string))['status'], 'SUCCEEDED');
    assert.match((await call(`/actor-runs/${id}/log`)).text, /as another/);
    const log = await call(`/actor-builds/${handed.json.data.buildId}/log`);
    assert.match(log.text, /ACTOR: /);
  });

  test('a metamorph hands the run to another Actor with a new input and the same storages', async () => {
    await createActor(
      server,
      script(`await pushData({ by: 'caterpillar' });
      await api('/actor-runs/' + env.ACTOR_RUN_ID + '/metamorph?targetActorId=~obedient', { method: 'POST', body: { push: { by: 'butterfly' } } });
      await sleep(600_000);`),
      { name: 'caterpillar' },
    );
    const answer = await call('/actors/~caterpillar/run-sync-get-dataset-items', { method: 'POST' });
    assert.deepEqual(answer.json, [{ by: 'caterpillar' }, { by: 'butterfly' }], answer.text);
    const run = (await call('/actors/~obedient/runs/last')).json.data;
    assert.equal(run.actId, obedient['id']);
    assert.equal(run.metamorphs.length, 1);
    assert.equal(run.metamorphs[0].inputKey, 'INPUT-METAMORPH-1');
    // A client that polls below the Actor that it started still finds it.
    assert.equal((await call(`/actors/~caterpillar/runs/${run.id}`)).status, 200);
  });

  test('a link of another site starts no run with the session of a viewer', async () => {
    const member = await join(server, `viewer-${engine.kind}`, { role: 'writer' });
    const { value: token } = await giveToken(server, member, { role: 'writer' });
    await createActor(server, OBEDIENT, { name: 'viewed', token });
    const browser = await openBrowser(server, member);
    for (const [site, status] of [
      ['cross-site', 403],
      ['same-site', 403],
      ['same-origin', 201],
      ['none', 201],
    ] as const) {
      const headers = { ...browser, 'sec-fetch-site': site };
      const answer = await call('/actors/~viewed/run-sync', { token: null, headers });
      assert.equal(answer.status, status, `${site}: ${answer.text}`);
    }
    assert.equal((await call('/actors/~viewed/runs', { token })).json.data.total, 2);
  });

  test('below an Actor there are its own runs only', async () => {
    const run = await runActor(server, obedient['id'] as string);
    await createActor(server, OBEDIENT, { name: 'another' });
    assert.equal((await call(`/actors/~obedient/runs/${run['id']}`)).status, 200);
    for (const [path, method] of [
      ['', 'GET'],
      ['/abort', 'POST'],
      ['/resurrect', 'POST'],
      ['/metamorph?targetActorId=~obedient', 'POST'],
    ] as const) {
      for (const actor of ['~another', '~missing']) {
        const answer = await call(`/actors/${actor}/runs/${run['id']}${path}`, { method });
        assert.deepEqual(
          [answer.status, answer.json.error.type],
          [404, 'record-not-found'],
          `${actor} ${path}`,
        );
      }
    }
  });

  test('A29 a resurrected run goes on with the same storages, and its time begins anew', async () => {
    const run = await runActor(server, obedient['id'] as string, { input: { push: { n: 1 }, exit: 1 } });
    const path = `/actor-runs/${run['id']}/resurrect`;
    const revived = await call(`${path}?timeout=500&memory=256`, { method: 'POST' });
    assert.equal(revived.status, 200, revived.text);
    assert.equal(revived.json.data.status, 'READY');
    const again = await finishedRun(server, run['id'] as string);
    assert.deepEqual(
      [
        again['status'],
        again['stats'].resurrectCount,
        again['options'].timeoutSecs,
        again['options'].memoryMbytes,
      ],
      ['FAILED', 1, 500, 256],
    );
    assert.equal((await call(`/datasets/${run['defaultDatasetId']}/items`)).json.length, 2);
    const { id } = await startRun(server, obedient['id'] as string, { input: { sleep: 600_000 } });
    const early = await call(`/actor-runs/${id}/resurrect`, { method: 'POST' });
    assert.equal(early.status, 400);
    await call(`/actor-runs/${id}/abort`, { method: 'POST' });
  });

  test('with restartOnError a failing process is started again, and given up after three times', async () => {
    await createActor(
      server,
      script(`const n = ((await getValue('N')) ?? 0) + 1;
      await setValue('N', String(n));
      process.exit(n < 3 ? 1 : 0);`),
      { name: 'failing' },
    );
    const healed = await runActor(server, '~failing', { query: 'restartOnError=1' });
    assert.deepEqual([healed['status'], healed['stats'].restartCount], ['SUCCEEDED', 2]);
    const given = await runActor(server, obedient['id'] as string, {
      input: { exit: 9 },
      query: 'restartOnError=1',
    });
    assert.deepEqual([given['status'], given['exitCode'], given['stats'].restartCount], ['FAILED', 9, 3]);
  });

  test('charged events are counted, once for each idempotency key', async () => {
    // As text, because an object in the source would take the name for its prototype.
    const prices = '{"page": {"eventPriceUsd": 0.01}, "__proto__": {"eventPriceUsd": 0.02}}';
    const priced = await createActor(server, OBEDIENT, {
      fields: {
        pricingInfos: [
          {
            pricingModel: 'PAY_PER_EVENT',
            pricingPerEvent: { actorChargeEvents: JSON.parse(prices) as Json },
          },
        ],
      },
    });
    const { id } = await startRun(server, priced['id'] as string, { input: { sleep: 600_000 } });
    const charge = (body: unknown, key?: string) =>
      call(`/actor-runs/${id}/charge`, {
        method: 'POST',
        body,
        ...(key !== undefined && { headers: { 'idempotency-key': key } }),
      });
    const first = await charge({ eventName: 'page', count: 5 }, 'k1');
    assert.deepEqual([first.status, first.text], [201, '{}']);
    await charge({ eventName: 'page', count: 5 }, 'k1');
    await charge({ eventName: 'page' }, 'k2');
    await charge({ eventName: '__proto__' });
    const { chargedEventCounts } = (await call(`/actor-runs/${id}`)).json.data;
    assert.deepEqual(
      Object.entries(chargedEventCounts).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      [
        ['__proto__', 1],
        ['page', 6],
      ],
    );
    const refused = await charge({ eventName: 'apify-start' });
    assert.deepEqual([refused.status, refused.json.error.type], [403, 'cannot-charge-apify-event']);
    await call(`/actor-runs/${id}/abort`, { method: 'POST' });
    await finishedRun(server, id as string);
    assert.equal((await charge({ eventName: 'page' })).json.error.type, 'job-finished');
  });

  test('the runs of others are not there, and a bad call starts nothing', async () => {
    const run = await runActor(server, obedient['id'] as string);
    const { value: token } = await giveToken(
      server,
      await join(server, `stranger-${engine.kind}`, { role: 'writer' }),
      { role: 'writer' },
    );
    for (const [path, method] of [
      [`/actor-runs/${run['id']}`, 'GET'],
      [`/actor-runs/${run['id']}/abort`, 'POST'],
      [`/actor-runs/${run['id']}/resurrect`, 'POST'],
      [`/actors/${obedient['id']}/runs`, 'POST'],
      [`/logs/${run['id']}`, 'GET'],
    ] as const) {
      const answer = await call(path, { method, token });
      assert.deepEqual([answer.status, answer.json.error.type], [404, 'record-not-found'], path);
      assert.equal((await call(path, { method, token: null })).status, 401, path);
    }
    const before = (await call('/actor-runs?desc=1&limit=1')).json.data.total as number;
    for (const [query, type] of [
      ['build=nonsense', 'unknown-build-tag'],
      ['memory=-5', 'invalid-input'],
      ['maxItems=0', 'max-items-must-be-greater-than-zero'],
      ['maxTotalChargeUsd=0', 'max-total-charge-usd-must-be-greater-than-zero'],
      ['timeout=soon', 'invalid-input'],
      ['forcePermissionLevel=ALL', 'invalid-input'],
    ]) {
      const answer = await call(`/actors/~obedient/runs?${query}`, { method: 'POST' });
      assert.deepEqual([answer.status, answer.json.error.type], [400, type], query);
    }
    assert.equal((await call('/actors/~nobody/runs', { method: 'POST' })).status, 404);
    assert.equal((await call('/actors/~obedient/run-sync', { method: 'HEAD' })).status, 405);
    assert.equal((await call('/actor-runs?desc=1&limit=1')).json.data.total, before);
  });
});

// The caller's account: limits, monthly usage, proxy, and the tools. Parts of rules A1, A2, A4 and A28.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join, openBrowser } from '../../people.ts';
import { ADMIN_TOKEN, type Json, type TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const DAY = 24 * 60 * 60 * 1000;
const NO_LIMIT = 999_999_999_999;

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    server.clock.goTo(Date.parse('2030-01-31T23:50:00.000Z'));
  });
  after(() => server.stop());

  async function newUser(username: string): Promise<string> {
    const member = await join(server, username, { role: 'writer' });
    return (await giveToken(server, member, { role: 'writer' })).value;
  }
  const limitsOf = async (token: string) =>
    (await server.call('/v2/users/me/limits', { token })).json['data'] as Json;
  const usageOf = async (token: string, date?: string) => {
    const query = date === undefined ? '' : `?date=${date}`;
    return (await server.call(`/v2/users/me/usage/monthly${query}`, { token })).json['data'] as Json;
  };
  const quantities = (usage: Json) =>
    Object.fromEntries(
      Object.entries(usage as Record<string, Json>).map(([name, item]) => [name, item['quantity']]),
    );

  test('A4 users/me has a proxy with a password of its own and no groups', async () => {
    const [one, other] = [await newUser('proxy-one'), await newUser('proxy-two')];
    const proxyOf = async (token: string) =>
      (await server.call('/v2/users/me', { token })).json['data'].proxy as Json;
    const { password, groups } = await proxyOf(one);
    assert.match(password as string, /^\w{20,}$/);
    assert.deepEqual(groups, []);
    assert.deepEqual(await proxyOf(one), { password, groups });
    assert.notEqual((await proxyOf(other))['password'], password);
    assert.notEqual(password, one);
    assert.doesNotMatch((await server.call('/v2/users/proxy-one')).text, /proxy"|password/);
  });

  test('A4 users/me names the features that are there, and why others are not', async () => {
    const token = await newUser('featured');
    const { plan, effectivePlatformFeatures } = (await server.call('/v2/users/me', { token })).json[
      'data'
    ] as Json;
    const features = Object.entries(effectivePlatformFeatures as Record<string, Json>);
    const there = features.filter(([, feature]) => feature['isEnabled'] === true).map(([name]) => name);
    assert.deepEqual(there.toSorted(), [
      'ACTORS',
      'ACTORS_PUBLIC_ALL',
      'ACTORS_PUBLIC_DEVELOPER',
      'SCHEDULER',
      'STORAGE',
      'WEBHOOKS',
    ]);
    assert.deepEqual(plan.enabledPlatformFeatures.toSorted(), there.toSorted());
    for (const [name, { isEnabled, disabledReason, disabledReasonType }] of features) {
      assert.equal(isEnabled, !name.startsWith('PROXY'), name);
      assert.equal(disabledReason === null, isEnabled, name);
      assert.equal(disabledReasonType === null, isEnabled, name);
    }
  });

  test('A4 where no Actor can be run, users/me says so in the words of the refusal', async () => {
    const { services, settings } = server.app.kernel;
    const { runner } = services;
    const { isExecuting } = settings.execution;
    const token = await newUser('refused');
    services.runner = { ...runner, refusal: 'There is no sandbox.' };
    settings.execution.isExecuting = true;
    try {
      const { data } = (await server.call('/v2/users/me', { token })).json;
      for (const name of ['ACTORS', 'ACTORS_PUBLIC_ALL', 'ACTORS_PUBLIC_DEVELOPER'])
        assert.deepEqual(data.effectivePlatformFeatures[name], {
          isEnabled: false,
          disabledReason: 'There is no sandbox.',
          disabledReasonType: 'DISABLED',
          isTrial: false,
          trialExpirationAt: null,
        });
      assert.deepEqual(data.plan.enabledPlatformFeatures.toSorted(), ['SCHEDULER', 'STORAGE', 'WEBHOOKS']);
    } finally {
      services.runner = runner;
      settings.execution.isExecuting = isExecuting;
    }
  });

  test('A4 the plan has the limits that this server holds accounts to', async () => {
    const token = await newUser('planned');
    const { plan } = (await server.call('/v2/users/me', { token })).json['data'] as Json;
    const { limits } = await limitsOf(token);
    for (const name of [
      'maxMonthlyUsageUsd',
      'maxMonthlyActorComputeUnits',
      'maxMonthlyExternalDataTransferGbytes',
      'maxMonthlyProxySerps',
      'maxMonthlyResidentialProxyGbytes',
      'maxActorMemoryGbytes',
      'maxActorCount',
      'maxActorTaskCount',
      'maxScheduleCount',
      'dataRetentionDays',
    ])
      assert.equal(plan[name], limits[name], name);
    assert.equal(plan.maxConcurrentActorRuns, limits.maxConcurrentActorJobs);
    assert.equal(plan.teamAccountSeatCount, limits.maxTeamAccountSeatCount);
    const prices = ['monthlyBasePriceUsd', 'monthlyUsageCreditsUsd', 'usageDiscountPercent'];
    assert.deepEqual(
      prices.map((name) => plan[name]),
      [0, 0, 0],
    );
    assert.deepEqual([plan.supportLevel, plan.availableAddOns, plan.availableProxyGroups], ['NONE', [], {}]);
  });

  test('A4 limits are a whole summary: the cycle, the limits and what is used of them', async () => {
    const { monthlyUsageCycle, limits, current } = await limitsOf(await newUser('limited'));
    assert.deepEqual(monthlyUsageCycle, {
      startAt: '2030-01-01T00:00:00.000Z',
      endAt: '2030-01-31T23:59:59.999Z',
    });
    assert.deepEqual(limits, {
      maxMonthlyUsageUsd: NO_LIMIT,
      maxMonthlyActorComputeUnits: 999_999_999_999,
      maxMonthlyExternalDataTransferGbytes: NO_LIMIT,
      maxMonthlyProxySerps: 0,
      maxMonthlyResidentialProxyGbytes: 0,
      maxActorMemoryGbytes: 256,
      maxActorCount: 500,
      maxActorTaskCount: 5000,
      maxConcurrentActorJobs: 1000,
      maxScheduleCount: 100,
      maxTeamAccountSeatCount: 1,
      dataRetentionDays: 7,
    });
    const { teamAccountSeatCount, ...nothing } = current;
    assert.equal(teamAccountSeatCount, 1);
    assert.deepEqual(new Set(Object.values(nothing as object)), new Set([0]));
  });

  test('A4 limits can be changed by who may write, each by itself, and others keep theirs', async () => {
    const [token, other] = [await newUser('changer'), await newUser('bystander')];
    const put = (body: unknown, as = token) =>
      server.call('/v2/users/me/limits', { method: 'PUT', token: as, body });
    const { status, text } = await put({ maxMonthlyUsageUsd: 12.5 });
    assert.deepEqual([status, text], [201, '{}']);
    assert.equal((await put({ dataRetentionDays: 30 })).status, 201);
    const { limits } = await limitsOf(token);
    assert.deepEqual([limits.maxMonthlyUsageUsd, limits.dataRetentionDays], [12.5, 30]);
    assert.equal((await limitsOf(other))['limits'].dataRetentionDays, 7);
    for (const body of [
      { maxMonthlyUsageUsd: -1 },
      { maxMonthlyUsageUsd: '5' },
      { dataRetentionDays: 0 },
      { dataRetentionDays: 1.5 },
      { dataRetentionDays: 36_501 },
      '[]',
      '{',
    ]) {
      const bad = await put(body);
      assert.deepEqual([bad.status, bad.json['error'].type], [400, 'invalid-input'], JSON.stringify(body));
    }
    const onlooker = await join(server, 'limit-reader', { role: 'reader' });
    const { value } = await giveToken(server, onlooker, { role: 'reader' });
    const refused = await put({ dataRetentionDays: 1 }, value);
    assert.deepEqual([refused.status, refused.json['error'].type], [403, 'insufficient-permissions']);
    assert.deepEqual((await limitsOf(token))['limits'], limits);
    const { json } = await server.call('/api/v2/auditlog?limit=20');
    const entries = (json['items'] as Json[]).filter((entry) =>
      JSON.stringify(entry['accesses']).includes('updateAccountLimits'),
    );
    assert.equal(entries.length, 2);
  });

  test('A4 unnamed storages stay as many days as their account says', async () => {
    const [short, long] = [await newUser('short'), await newUser('long')];
    await server.call('/v2/users/me/limits', { method: 'PUT', token: short, body: { dataRetentionDays: 1 } });
    await server.call('/v2/users/me/limits', { method: 'PUT', token: long, body: { dataRetentionDays: 20 } });
    const make = async (token: string) =>
      (await server.call('/v2/datasets', { method: 'POST', token })).json['data'].id as string;
    const [gone, kept] = [await make(short), await make(long)];
    const statusOf = async (token: string) => {
      const { json } = await server.call('/v2/datasets?unnamed=1', { token });
      return (json['data'].items as Json[]).map(({ id }) => id as string);
    };
    server.clock.ahead += 10 * DAY;
    await server.app.kernel.engine.notify('due');
    await eventually(async () => (await statusOf(short)).length === 0);
    assert.deepEqual(await statusOf(long), [kept]);
    assert.equal((await server.call(`/v2/datasets/${gone}`, { token: short })).status, 404);
    server.clock.ahead -= 10 * DAY;
  });

  test('A4 what is used of storages is told for the month, and day by day', async () => {
    const token = await newUser('busy');
    const call = (path: string, method = 'GET', body?: unknown, headers = {}) =>
      server.call(`/v2/${path}`, { method, token, body, headers });
    const make = async (kind: string) => (await call(kind, 'POST')).json['data'].id as string;
    const [dataset, store, queue] = [
      await make('datasets'),
      await make('key-value-stores'),
      await make('request-queues'),
    ];
    await call(`datasets/${dataset}/items`, 'POST', [{ a: 1 }, { a: 2 }, { a: 3 }]);
    assert.equal((await call(`datasets/${dataset}/items?limit=2`)).text.length, 18);
    await call(`key-value-stores/${store}/records/one`, 'PUT', 'hello', { 'content-type': 'text/plain' });
    assert.equal((await call(`key-value-stores/${store}/records/one`)).text, 'hello');
    await call(`key-value-stores/${store}/keys`);
    await call(`key-value-stores/${store}/records/one`, 'DELETE');
    await call(`request-queues/${queue}/requests/batch`, 'POST', [{ uniqueKey: 'a' }, { uniqueKey: 'b' }]);
    await call(`request-queues/${queue}/head`);
    const first = {
      DATASET_READS: 2,
      DATASET_WRITES: 3,
      KEY_VALUE_STORE_READS: 1,
      KEY_VALUE_STORE_WRITES: 2,
      KEY_VALUE_STORE_LISTS: 1,
      REQUEST_QUEUE_READS: 2,
      REQUEST_QUEUE_WRITES: 2,
      DATA_TRANSFER_EXTERNAL_GBYTES: 23e-9,
    };
    const january = await usageOf(token);
    assert.deepEqual(quantities(january['monthlyServiceUsage']), first);
    assert.deepEqual(january['usageCycle'], (await limitsOf(token))['monthlyUsageCycle']);
    assert.equal((await limitsOf(token))['current'].monthlyExternalDataTransferGbytes, 23e-9);
    assert.equal(january['totalUsageCreditsUsdAfterVolumeDiscount'], 0);
    assert.equal(january['dailyServiceUsages'].length, 1);
    const [{ date, serviceUsage }] = january['dailyServiceUsages'] as [Json];
    assert.equal(date, '2030-01-31T00:00:00.000Z');
    assert.deepEqual(quantities(serviceUsage), first);

    server.clock.ahead += 15 * 60_000;
    await call(`request-queues/${queue}/requests`, 'POST', { uniqueKey: 'c' });
    const february = await usageOf(token);
    assert.equal(february['usageCycle'].startAt, '2030-02-01T00:00:00.000Z');
    assert.equal(february['monthlyServiceUsage'].REQUEST_QUEUE_WRITES.quantity, 1);
    assert.deepEqual(await usageOf(token, '2030-01-05'), january, 'any day of the month asks for it');
    assert.deepEqual((await usageOf(token, '2029-12-31'))['dailyServiceUsages'], []);
    for (const bad of ['2030', '2030-13-01', '2030-02-31', 'today', '2030-1-5', '']) {
      const { status, json } = await call(`users/me/usage/monthly?date=${bad}`);
      assert.deepEqual([status, json['error'].type], [400, 'invalid-input'], bad);
    }
    const stranger = await newUser('idle');
    assert.deepEqual((await usageOf(stranger))['dailyServiceUsages'], []);
    server.clock.ahead -= 15 * 60_000;
  });

  test('A4 reading what others have opened is their use, not the reader’s', async () => {
    const [owner, reader] = [await newUser('giver'), await newUser('taker')];
    const { json } = await server.call('/v2/key-value-stores', { method: 'POST', token: owner });
    const path = `/v2/key-value-stores/${json['data'].id as string}`;
    const body = { generalAccess: 'ANYONE_WITH_ID_CAN_READ' };
    await server.call(path, { method: 'PUT', token: owner, body });
    await server.call(`${path}/records/one`, { method: 'PUT', token: owner, body: 'hello' });
    for (const token of [reader, null]) await server.call(`${path}/records/one`, { token });
    assert.equal((await usageOf(owner))['monthlyServiceUsage'].KEY_VALUE_STORE_READS.quantity, 2);
    assert.equal((await usageOf(reader))['monthlyServiceUsage'].KEY_VALUE_STORE_READS.quantity, 0);
  });

  test('A2 limits and usage need a token', async () => {
    for (const path of ['limits', 'usage/monthly']) {
      const { status, json } = await server.call(`/v2/users/me/${path}`, { token: null });
      assert.deepEqual([status, json['error'].type], [401, 'invalid-token'], path);
    }
  });

  test('A1 browser-info shows any request as it came, without an envelope and without credentials', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const init = method === 'GET' ? {} : { body: 'five!', headers: { 'content-type': 'text/odd' } };
      const { status, json } = await server.call('/v2/browser-info', { method, token: null, ...init });
      assert.equal(status, 200, method);
      const { headers, ...rest } = json;
      const bodyLength = method === 'GET' ? 0 : 5;
      assert.deepEqual(rest, { method, clientIp: '127.0.0.1', countryCode: null, bodyLength });
      assert.equal(headers.host, new URL(server.url).host);
    }
    const short = await server.call('/v2/browser-info?skipHeaders=1&rawHeaders=true');
    assert.deepEqual(Object.keys(short.json), [
      'method',
      'clientIp',
      'countryCode',
      'bodyLength',
      'rawHeaders',
    ]);
    const admin = await join(server, 'browsing', { role: 'reader' });
    const browser = await openBrowser(server, admin);
    for (const query of ['', '?rawHeaders=1']) {
      const mine = await server.call(`/v2/browser-info${query}`, {
        headers: { ...browser, 'x-more': 'kept' },
      });
      assert.ok(!mine.text.includes(browser.cookie.split('=')[1]!), 'no cookie');
      assert.ok(!mine.text.includes(browser['x-signalbox-session']), 'no second secret');
      assert.ok(!mine.text.includes(ADMIN_TOKEN), 'no token');
      assert.match(mine.text, /kept/);
    }
  });

  test('A28 browser-info takes no body above the limit', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request(`${server.url}/v2/browser-info`, { method: 'POST' }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      outgoing.on('error', reject);
      outgoing.end(Buffer.alloc(9_437_185));
    });
    assert.equal(status, 413);
  });

  test('A28 what encode-and-sign makes is read by anyone, and tells who made it', async () => {
    const token = await newUser('signer');
    const value = { deep: [{ a: 'ä😀\u2028' }], n: 1.5, nothing: null };
    const encode = (body: unknown, as: string | null = token) =>
      server.call('/v2/tools/encode-and-sign', { method: 'POST', token: as, body });
    const decode = (encoded: unknown) =>
      server.call('/v2/tools/decode-and-verify', { method: 'POST', token: null, body: { encoded } });
    const made = await encode(value);
    assert.equal(made.status, 200);
    const encoded = made.json['data'].encoded as string;
    const { id } = (await server.call('/v2/users/me', { token })).json['data'] as Json;
    const read = await decode(encoded);
    assert.deepEqual(read.json['data'], { decoded: value, encodedByUserId: id, isVerifiedUser: true });
    const inside = JSON.parse(Buffer.from(encoded, 'base64').toString()) as Json;
    const forge = (changes: object) =>
      Buffer.from(JSON.stringify({ ...inside, ...changes })).toString('base64');
    const other = (await server.call('/v2/users/me')).json['data'] as Json;
    await encode({}, ADMIN_TOKEN);
    for (const wrong of [
      forge({ payload: '{"n":2}' }),
      forge({ userId: other['id'] }),
      forge({ userId: 'nobody\0' }),
      forge({ signature: 'x' }),
      forge({ payload: 5 }),
      'bm90IEpTT04=',
      'W10=',
      '',
      '%%%',
      5,
    ]) {
      const { status, json } = await decode(wrong);
      assert.deepEqual([status, json['error'].type], [400, 'invalid-input'], String(wrong).slice(0, 40));
    }
    assert.equal((await encode('[]')).status, 400);
    assert.deepEqual((await encode({ a: 'x'.repeat(200_000) })).json['error'].type, 'request-too-large');
    assert.equal((await encode({}, null)).status, 401);
    const member = (await server.call('/api/v2/members?limit=100')).json['items'] as Json[];
    const memberId = member.find(({ _id }) => _id === id)!['_id'] as string;
    assert.equal((await server.call(`/api/v2/members/${memberId}`, { method: 'DELETE' })).status, 204);
    assert.deepEqual((await decode(encoded)).json['data'].isVerifiedUser, false);
  });
});

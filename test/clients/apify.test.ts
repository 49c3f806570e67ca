// The real `apify-client`, pointed at a running server by its base URL alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Actor } from 'apify';
import { ApifyApiError, ApifyClient } from 'apify-client';
import { eventually } from '../eventually.ts';
import { giveToken, join } from '../people.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

let server: TestServer;
before(async () => (server = await startServer()));
after(() => server.stop());

function clientWith(token: string, maxRetries = 0): ApifyClient {
  return new ApifyClient({ baseUrl: server.url, token, maxRetries, minDelayBetweenRetriesMillis: 1 });
}

test('the caller gets their own account, with dates as dates', async () => {
  const me = await clientWith(ADMIN_TOKEN).user('me').get();
  assert.equal(me.username, 'admin');
  assert.equal(me.email, 'admin@signalbox.example');
  // Python's client rejects an e-mail address without a dotted domain, or with a reserved one.
  assert.match(me.email, /@[a-z]+\.(?!local$|localhost$|test$|invalid$)[a-z]+$/);
  const { createdAt } = me as unknown as { createdAt: Date };
  assert.ok(createdAt instanceof Date && Math.abs(createdAt.getTime() - Date.now()) < 60_000);
});

test('limits, updateLimits and monthlyUsage tell and change what is the caller’s own', async () => {
  const member = await join(server, 'metered', { role: 'writer' });
  const client = clientWith((await giveToken(server, member, { role: 'writer' })).value);
  await client.user().updateLimits({ dataRetentionDays: 14 });
  await client.user().updateLimits({ maxMonthlyUsageUsd: 3 });
  const { limits, monthlyUsageCycle } = (await client.user().limits())!;
  assert.deepEqual([limits.dataRetentionDays, limits.maxMonthlyUsageUsd], [14, 3]);
  assert.ok(monthlyUsageCycle.startAt instanceof Date);
  const { id } = await client.datasets().getOrCreate();
  await client.dataset(id).pushItems([{ a: 1 }, { a: 2 }]);
  const usage = (await client.user().monthlyUsage())!;
  assert.equal(usage.monthlyServiceUsage['DATASET_WRITES']!.quantity, 2);
  assert.ok(usage.dailyServiceUsages[0]!.date instanceof Date);
});

test('the SDK builds a URL of the proxy without holes', async () => {
  const environment = { APIFY_TOKEN: ADMIN_TOKEN, APIFY_API_BASE_URL: server.url };
  Object.assign(process.env, environment);
  try {
    const configuration = await Actor.createProxyConfiguration({ checkAccess: false });
    const url = await configuration!.newUrl();
    assert.match(url!, /^http:\/\/auto:\w{20,}@/);
    assert.doesNotMatch(url!, /undefined/);
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name];
  }
});

test('without a name it is the caller, too', async () => {
  assert.equal((await clientWith(ADMIN_TOKEN).user().get()).username, 'admin');
});

test('anyone is found by name and by id, with only what is public', async () => {
  const ada = await join(server, 'ada', { firstName: 'Ada' });
  const client = clientWith(ADMIN_TOKEN);
  const byName = await client.user('ada').get();
  assert.deepEqual(byName, { username: 'ada', profile: { name: 'Ada' } });
  assert.deepEqual(await client.user(ada.id).get(), byName);
  assert.equal((await client.user('admin').get()).email, undefined);
});

test('public data needs no token', async () => {
  const client = new ApifyClient({ baseUrl: server.url });
  assert.equal((await client.user('admin').get()).username, 'admin');
});

test('an unknown user is an error of its own type', async () => {
  await assert.rejects(clientWith(ADMIN_TOKEN).user('nobody').get(), (error: unknown) => {
    assert.ok(error instanceof ApifyApiError);
    assert.deepEqual([error.statusCode, error.type, error.httpMethod], [404, 'user-not-found', 'get']);
    assert.match(error.message, /nobody/);
    return true;
  });
});

test('a wrong token is told at once, without retries', async () => {
  await assert.rejects(clientWith('api-wrong', 8).user('me').get(), (error: unknown) => {
    assert.ok(error instanceof ApifyApiError);
    assert.deepEqual([error.statusCode, error.type, error.attempt], [401, 'invalid-token', 1]);
    return true;
  });
});

test('the client waits out a limit and goes on', async () => {
  const small = await startServer({ limit: { 'actors.global': { known: 1, anonymous: 1, seconds: 60 } } });
  const client = new ApifyClient({ baseUrl: small.url, token: ADMIN_TOKEN, minDelayBetweenRetriesMillis: 1 });
  await client.user('me').get();
  const later = client.user('me').get();
  // Time passes after the first rejected call.
  await eventually(() => small.log.some(({ failure }) => failure === 'exhausted'));
  small.clock.ahead += 61_000;
  assert.equal((await later).username, 'admin');
  assert.equal(
    client.stats.rateLimitErrors.some((count) => count > 0),
    true,
  );
  await small.stop();
});

test('each client calls as the one whose token it has', async () => {
  const eva = await join(server, 'eva');
  const { value } = await giveToken(server, eva, { role: 'reader' });
  const [first, second] = await Promise.all([
    clientWith(value).user('me').get(),
    clientWith(ADMIN_TOKEN).user('me').get(),
  ]);
  assert.deepEqual([first.username, second.username], ['eva', 'admin']);
});

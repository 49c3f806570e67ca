// The real `apify-client`, pointed at a running server by its base URL alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApifyApiError, ApifyClient } from 'apify-client';
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
  // Python's client takes an address without a dotted domain, or of a reserved one, for no address.
  assert.match(me.email, /@[a-z]+\.(?!local$|localhost$|test$|invalid$)[a-z]+$/);
  const { createdAt } = me as unknown as { createdAt: Date };
  assert.ok(createdAt instanceof Date && Math.abs(createdAt.getTime() - Date.now()) < 60_000);
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
  // Once it has been refused, time passes.
  while (!small.log.some(({ failure }) => failure === 'exhausted')) await new Promise(setImmediate);
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

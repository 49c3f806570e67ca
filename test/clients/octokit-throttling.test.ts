// The real octokit with its throttling and retry plugins, against spent budgets and secondary limits.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Octokit, RequestError } from 'octokit';
import { checkingFetch } from '../host-contract/check-reply.ts';
import { joinHost } from '../host-people.ts';
import { startServer, type TestServer } from '../server.ts';

describe('octokit that meets limits', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({
      limit: { 'host.core': { known: 8, anonymous: 60, seconds: 60 } },
      secondaryLimitPoints: 5,
    });
  });
  after(() => server.stop());

  function connect(auth: string, maxRetries: number) {
    const told: { kind: string; seconds: number }[] = [];
    // Moves the server's clock instead of waiting a minute; the client itself waits for a moment only.
    const hear = (kind: string) => (seconds: number, _options: unknown, _octokit: unknown, tries: number) => {
      told.push({ kind, seconds });
      server.clock.ahead += (seconds + 1) * 1000;
      return tries < maxRetries;
    };
    const octokit = new Octokit({
      baseUrl: server.url,
      auth,
      request: { fetch: checkingFetch, log: { debug() {}, info() {}, error() {}, warn() {} } },
      throttle: {
        retryAfterBaseValue: 1,
        onRateLimit: hear('primary'),
        onSecondaryRateLimit: hear('secondary'),
      },
    });
    return { octokit, told };
  }

  test('H5 hears of a secondary limit, waits as long as it is asked to, and succeeds', async () => {
    const { token } = await joinHost(server, 'sue');
    const { octokit, told } = connect(token, 1);
    for (let call = 0; call < 6; call += 1)
      assert.equal((await octokit.rest.users.getAuthenticated()).data.login, 'sue');
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ['secondary'],
    );
    assert.ok(told[0]!.seconds >= 1 && told[0]!.seconds <= 60, `${told[0]!.seconds}`);
  });

  test('H5 hears of a spent budget apart from it', async () => {
    const { token } = await joinHost(server, 'pia');
    const { octokit, told } = connect(token, 0);
    // Two endpoints, so that neither has too many points.
    for (let call = 0; call < 4; call += 1) {
      await octokit.rest.users.getAuthenticated();
      await octokit.rest.meta.get();
    }
    await assert.rejects(octokit.rest.users.listEmailsForAuthenticatedUser(), (error: unknown) => {
      assert.ok(error instanceof RequestError);
      assert.equal(error.status, 403);
      assert.match(error.message, /^API rate limit exceeded for user ID \d+\./);
      return true;
    });
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ['primary'],
    );
  });

  test('its retry plugin does not repeat what is refused', async () => {
    const { token } = await joinHost(server, 'rex');
    const { octokit, told } = connect(token, 0);
    await assert.rejects(octokit.rest.users.getByUsername({ username: 'nobody' }), { status: 404 });
    await assert.rejects(octokit.request('POST /user/repos', { name: '' }), { status: 422 });
    const { data } = await octokit.rest.rateLimit.get();
    assert.equal(data.rate.used, 2, 'each call was made once');
    assert.deepEqual(told, []);
  });
});

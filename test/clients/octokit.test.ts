// The real octokit, unmodified, with its own throttling and retrying, pointed at this server by its base URL alone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Octokit, RequestError } from 'octokit';
import { checkingFetch } from '../host-contract/check-reply.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

const NEW = { headers: { 'x-github-api-version': '2026-03-10' } };

interface Client {
  octokit: Octokit;
  /** The seconds of each wait that its throttling plugin was asked for. */
  waits: number[];
  warnings: string[];
}

function connect(baseUrl: string, auth?: string, server?: TestServer): Client {
  const waits: number[] = [];
  const warnings: string[] = [];
  const octokit = new Octokit({
    baseUrl,
    ...(auth !== undefined && { auth }),
    request: {
      fetch: checkingFetch,
      log: { debug() {}, info() {}, error() {}, warn: (text: string) => void warnings.push(text) },
    },
    throttle: {
      onRateLimit(seconds: number) {
        waits.push(seconds);
        // Advances the server's clock by the wait, so that the window ends.
        if (server) server.clock.ahead += (seconds + 1) * 1000;
        return waits.length < 5;
      },
      onSecondaryRateLimit: () => false,
    },
  });
  return { octokit, waits, warnings };
}

async function failureOf(call: Promise<unknown>): Promise<RequestError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof RequestError);
  return error;
}

for (const prefix of ['', '/api/v3']) {
  describe(`octokit with the base URL ending in "${prefix}"`, () => {
    let server: TestServer;
    let client: Client;
    before(async () => {
      server = await startServer();
      client = connect(server.url + prefix, ADMIN_TOKEN);
    });
    after(() => server.stop());

    test('reads the rate-limit status, which costs nothing', async () => {
      const { octokit } = client;
      const { status, data, headers } = await octokit.rest.rateLimit.get();
      assert.equal(status, 200);
      assert.deepEqual(data.rate, data.resources.core);
      assert.equal(headers['x-ratelimit-resource'], 'core');
      const again = await octokit.rest.rateLimit.get();
      assert.deepEqual(again.data, data);
    });

    test('knows who it is, and finds others', async () => {
      const { octokit } = client;
      const { data: me } = await octokit.rest.users.getAuthenticated();
      assert.equal(me.login, 'admin');
      const { data: other } = await octokit.rest.users.getByUsername({ username: 'admin' });
      assert.equal(other.id, me.id);
      const { data: found } = await octokit.rest.search.users({ q: 'adm' });
      assert.equal(found.items[0]?.login, 'admin');
    });

    test('reads the versions, the root, meta and a line of zen', async () => {
      const { octokit } = client;
      assert.deepEqual((await octokit.rest.meta.getAllVersions()).data, ['2022-11-28', '2026-03-10']);
      const { data: root } = await octokit.rest.meta.root();
      assert.equal(root.current_user_url, `${server.url}${prefix}/user`);
      assert.equal(typeof (await octokit.rest.meta.getZen()).data, 'string');
      assert.equal((await octokit.rest.meta.get()).data.verifiable_password_authentication, false);
    });

    test('gets the default version by itself, and does not say that an operation goes where a property does', async () => {
      const { octokit, warnings } = client;
      warnings.length = 0;
      const { headers, data } = await octokit.rest.rateLimit.get();
      assert.equal(headers['x-github-api-version-selected'], '2022-11-28');
      assert.ok('rate' in data);
      assert.match(headers.link!, /\/docs\/host\/versions\/2026-03-10#[^>]+>; rel="deprecation"/);
      await octokit.rest.meta.root();
      await octokit.rest.repos.listForAuthenticatedUser();
      await octokit.rest.gists.listPublic();
      await octokit.rest.users.getAuthenticated();
      assert.deepEqual(warnings, []);
    });

    test('says so of an operation that goes, and of the version that it names', async () => {
      const { octokit, warnings } = client;
      warnings.length = 0;
      await failureOf(octokit.request('GET /organizations/{id}/custom_roles', { id: 1 }));
      const gone = /^\[@octokit\/request\] "GET .*custom_roles" is deprecated\. .*10 Mar 2028.*#removed/;
      assert.deepEqual([warnings.length, gone.test(warnings[0]!)], [1, true], warnings.join('\n'));
      warnings.length = 0;
      await octokit.request('GET /rate_limit', { headers: { 'x-github-api-version': '2022-11-28' } });
      assert.match(warnings.join('\n'), /deprecated.*2028.*\/docs\/host\/versions\/2026-03-10#/s);
    });

    test('gets another version by its header', async () => {
      const { octokit, warnings } = client;
      warnings.length = 0;
      const { headers, data } = await octokit.request('GET /rate_limit', NEW);
      assert.equal(headers['x-github-api-version-selected'], '2026-03-10');
      assert.equal('rate' in data, false);
      assert.deepEqual(warnings, []);
      const { data: root } = await octokit.request('GET /', NEW);
      assert.equal('authorizations_url' in root, false);
    });

    test('asks by GraphQL', async () => {
      const { octokit } = client;
      const { viewer, rateLimit } = await octokit.graphql<{
        viewer: { login: string };
        rateLimit: { cost: number };
      }>('query($dry: Boolean) { viewer { login } rateLimit(dryRun: $dry) { cost } }', { dry: false });
      assert.deepEqual([viewer.login, rateLimit.cost], ['admin', 1]);
      await assert.rejects(octokit.graphql('{ nope }'), {
        name: 'GraphqlResponseError',
        message: /Cannot query field "nope"/,
      });
    });

    test('is told by 304 that nothing changed, for free', async () => {
      const { octokit } = client;
      const { headers } = await octokit.rest.users.getAuthenticated();
      const error = await failureOf(
        octokit.request('GET /user', { headers: { 'if-none-match': headers.etag! } }),
      );
      assert.equal(error.status, 304);
      assert.equal(error.response?.headers['x-ratelimit-used'], headers['x-ratelimit-used']);
    });

    test('throws what is wrong, without trying again', async () => {
      const { octokit } = client;
      const missing = await failureOf(octokit.rest.users.getByUsername({ username: 'nobody' }));
      assert.equal(missing.status, 404);
      assert.match(missing.message, /^Not Found - http/);
      const invalid = await failureOf(octokit.rest.search.users({ q: '' }));
      assert.equal(invalid.status, 422);
      assert.match(invalid.message, /^Validation Failed: \{.*"code":"invalid"/);
      const stranger = connect(server.url + prefix, 'api-wrong').octokit;
      const refused = await failureOf(stranger.rest.users.getAuthenticated());
      assert.deepEqual([refused.status, refused.message.split(' - ')[0]], [401, 'Bad credentials']);
    });

    test('works without a token where none is needed', async () => {
      const { octokit } = connect(server.url + prefix);
      const { headers } = await octokit.rest.meta.get();
      assert.equal(headers['x-ratelimit-limit'], '60');
    });
  });

  describe(`octokit that has spent its budget at the base URL ending in "${prefix}"`, () => {
    const limit = {
      'host.core': { known: 3, anonymous: 3, seconds: 1 },
      'host.graphql': { known: 1, anonymous: 0, seconds: 1 },
    };
    let server: TestServer;
    before(async () => (server = await startServer({ limit })));
    after(() => server.stop());

    test('waits until the window resets, resumes and succeeds', async () => {
      const { octokit, waits } = connect(server.url + prefix, ADMIN_TOKEN, server);
      const started = performance.now();
      const logins: string[] = [];
      for (let call = 0; call < 4; call += 1) {
        logins.push((await octokit.rest.users.getAuthenticated()).data.login);
      }
      assert.equal(waits.length, 1);
      assert.ok(waits[0]! <= 3, `asked to wait ${waits[0]} s`);
      assert.ok(performance.now() - started >= waits[0]! * 1000);
      assert.deepEqual(new Set(logins), new Set(['admin']));
      const refused = server.log.filter(({ failure }) => failure === 'exhausted');
      assert.equal(refused.length, 1, 'it asked again once, when there was something left');
    });

    // Under /api/v3 octokit calls /api/graphql, which its throttling plugin does not recognize as GraphQL.
    if (prefix !== '') return;
    test('waits for GraphQL too', async () => {
      const { octokit, waits } = connect(server.url, ADMIN_TOKEN, server);
      const ask = () => octokit.graphql<{ viewer: { login: string } }>('{ viewer { login } }');
      await ask();
      assert.deepEqual(waits, []);
      assert.equal((await ask()).viewer.login, 'admin');
      assert.equal(waits.length, 1);
    });
  });
}

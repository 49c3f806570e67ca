// The real octokit, unmodified, with its throttling and retries: apps, their installations and tokens.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { App, Octokit, RequestError } from 'octokit';
import { findOwner } from '../../src/host/owners/store.ts';
import { insertRepositoryRows } from '../../src/host/repositories/fixture.ts';
import { makeApp, type TestApp } from '../app-people.ts';
import { createTestOrganization } from '../conformance/host-organization-calls.ts';
import { eventually } from '../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest } from '../git-tests.ts';
import { checkingFetch } from '../host-contract/check-reply.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

const silent = { debug() {}, info() {}, error() {}, warn() {} };

let server: TestServer;
let made: TestApp;
let app: App;
let admin: Octokit;
before(async () => {
  server = await startServer();
  const request = { fetch: checkingFetch, log: silent };
  const Own = Octokit.defaults({ baseUrl: server.url, request, log: silent });
  admin = new Own({ auth: ADMIN_TOKEN });
  await createTestOrganization(server, 'guild');
  await admin.rest.repos.createForAuthenticatedUser({ name: 'demo', auto_init: true, private: true });
  await admin.rest.repos.createInOrg({ org: 'guild', name: 'tools', auto_init: true, private: true });
  made = await makeApp(server, 'admin', {
    name: 'Helper',
    permissions: { contents: 'write', statuses: 'write' },
  });
  await made.install('admin');
  await made.install('guild');
  app = new App({ appId: made.app.number, privateKey: made.pem, Octokit: Own, log: silent });
});
after(() => server.stop());

gitTest('reads itself and goes through its installations and repositories', async () => {
  const { data } = await app.octokit.rest.apps.getAuthenticated();
  assert.equal(data!.slug, 'helper');
  const accounts: string[] = [];
  for await (const { installation } of app.eachInstallation.iterator())
    accounts.push((installation.account as { login: string }).login);
  assert.deepEqual(accounts, ['admin', 'guild']);
  const repositories: string[] = [];
  await app.eachRepository(({ repository }) => void repositories.push(repository.full_name));
  assert.deepEqual(repositories, ['admin/demo', 'guild/tools']);
});

gitTest('writes as an installation, with a token that it gets by itself', async () => {
  const { data: installation } = await app.octokit.rest.apps.getRepoInstallation({
    owner: 'guild',
    repo: 'tools',
  });
  const octokit = await app.getInstallationOctokit(installation.id);
  const { data } = await octokit.rest.repos.createOrUpdateFileContents({
    owner: 'guild',
    repo: 'tools',
    path: 'made.txt',
    message: 'Made',
    content: Buffer.from('x').toString('base64'),
  });
  const ref = data.commit.sha!;
  const { data: commit } = await octokit.rest.repos.getCommit({ owner: 'guild', repo: 'tools', ref });
  assert.equal(commit.author!.login, 'helper[bot]');
  await assert.rejects(
    octokit.rest.repos.get({ owner: 'admin', repo: 'demo' }),
    (error) => error instanceof RequestError && error.status === 404,
  );
  await assert.rejects(
    octokit.rest.users.getAuthenticated(),
    (error) =>
      error instanceof RequestError &&
      error.status === 403 &&
      error.message.startsWith('Resource not accessible by integration'),
  );
  const { data: narrowed } = await app.octokit.rest.apps.createInstallationAccessToken({
    installation_id: installation.id,
    repositories: ['tools'],
    permissions: { contents: 'read' },
  });
  assert.deepEqual(narrowed.permissions, { contents: 'read', metadata: 'read' });
  assert.equal((await octokit.rest.apps.listReposAccessibleToInstallation()).data.total_count, 1);
  assert.equal((await octokit.rest.apps.revokeInstallationAccessToken()).status, 204);
});

for (const minutes of [30, -30])
  gitTest(
    `signs anew by the time of the server where its own clock is wrong by ${minutes} minutes`,
    async () => {
      const aheadMs = minutes * 60 * 1000;
      const workerData = { url: server.url, appId: made.app.number, privateKey: made.pem, aheadMs };
      const worker = new Worker(new URL('wrong-clock-app.ts', import.meta.url), { workerData });
      const [answer] = await once(worker, 'message', { signal: AbortSignal.timeout(30_000) });
      await worker.terminate();
      // The first token is refused in words that the client knows; the second is good.
      assert.deepEqual(answer, { slug: 'helper', statuses: [401, 200] });
    },
  );

gitTest('suspends and deletes installations', async () => {
  const { data: installation } = await app.octokit.rest.apps.getOrgInstallation({ org: 'guild' });
  const one = { installation_id: installation.id };
  assert.equal((await app.octokit.rest.apps.suspendInstallation(one)).status, 204);
  assert.ok((await app.octokit.rest.apps.getInstallation(one)).data.suspended_at);
  assert.equal((await app.octokit.rest.apps.unsuspendInstallation(one)).status, 204);
  const { data: user } = await app.octokit.rest.apps.getUserInstallation({ username: 'admin' });
  assert.equal(user.target_type, 'User');
  const { data: own } = await admin.rest.apps.listInstallationsForAuthenticatedUser();
  assert.equal(own.total_count, 2);
  const { data: ofOrganization } = await admin.rest.orgs.listAppInstallations({ org: 'guild' });
  assert.equal(ofOrganization.installations[0]!.id, installation.id);
  assert.equal((await admin.rest.apps.getBySlug({ app_slug: 'helper' })).data!.slug, 'helper');
  assert.equal((await app.octokit.rest.apps.deleteInstallation(one)).status, 204);
  const headers = { 'x-github-api-version': '2026-03-10' };
  const last = { installation_id: user.id, headers };
  assert.equal(((await app.octokit.rest.apps.deleteInstallation(last)) as { status: number }).status, 202);
  await eventually(async () => (await app.octokit.rest.apps.listInstallations()).data.length === 0);
});

gitTest('an installation has a rate limit of its own, which grows with its repositories', async () => {
  await createTestOrganization(server, 'crowd');
  const { id: owner_id } = (await findOwner(server.app.kernel.db, 'crowd'))!;
  const many = Array.from({ length: 25 }, (_, index) => index);
  await insertRepositoryRows(server.app.kernel.db, many, server.clock.now(), (at) => ({
    owner_id,
    full_name: `crowd/repo-${at}`,
  }));
  const token = await made.token(await made.install('crowd'));
  const { headers } = await server.call('/installation/repositories', { token });
  assert.equal(headers.get('x-ratelimit-limit'), '5250');
  const ofApp = await made.call('/app');
  assert.equal(ofApp.headers.get('x-ratelimit-limit'), '5000');
});

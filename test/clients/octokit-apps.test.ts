// The real octokit as an app whose clock is wrong, and the rate limit of an installation.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { findOwner } from '../../src/host/owners/store.ts';
import { insertRepositoryRows } from '../../src/host/repositories/fixture.ts';
import { makeApp, type TestApp } from '../app-people.ts';
import { createTestOrganization } from '../conformance/host/organization-calls.ts';
import { inTime } from '../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest } from '../git-tests.ts';
import { startServer, type TestServer } from '../server.ts';

let server: TestServer;
let made: TestApp;
before(async () => {
  server = await startServer();
  made = await makeApp(server, 'admin', { name: 'Helper', permissions: { contents: 'write' } });
});
after(() => server.stop());

for (const minutes of [30, -30])
  gitTest(
    `signs anew by the time of the server where its own clock is wrong by ${minutes} minutes`,
    async () => {
      const aheadMs = minutes * 60 * 1000;
      const workerData = { url: server.url, appId: made.app.number, privateKey: made.pem, aheadMs };
      const worker = new Worker(new URL('wrong-clock-app.ts', import.meta.url), { workerData });
      const [answer] = await inTime(once(worker, 'message'), 'the answer of the app');
      await worker.terminate();
      // The first token is refused in words that the client knows; the second is good.
      assert.deepEqual(answer, { slug: 'helper', statuses: [401, 200] });
    },
  );

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

// The platform's own client on builds: every method of its build clients.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApifyClient } from 'apify-client';
import type { JobWorker } from '../../src/actors/jobs/job-worker.ts';
import { createActor, startBuilder, versionOf } from '../conformance/actors/builds/build-calls.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

describe('apify-client', () => {
  let server: TestServer;
  let builder: JobWorker;
  let client: ApifyClient;
  let actorId: string;
  before(async () => {
    server = await startServer({ limits: 'off', role: 'api' });
    builder = await startBuilder(server);
    client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN, maxRetries: 0 });
    const files = { 'package.json': { scripts: { start: 'node main.js' } }, 'main.js': '' };
    actorId = (await createActor(server, versionOf(files)))['id'] as string;
  });
  after(async () => {
    await builder.stop();
    await server.stop();
  });

  test('builds an Actor, waits, and gets what was built', async () => {
    const started = await client
      .actor(actorId)
      .build('0.1', { useCache: true, tag: 'beta', betaPackages: false });
    assert.equal(started.buildNumber, '0.1.1');
    assert.ok(started.startedAt instanceof Date);
    const finished = await client.build(started.id).waitForFinish({ waitSecs: 60 });
    assert.equal(finished.status, 'SUCCEEDED');
    assert.deepEqual(
      [finished.options?.useCache, finished.options?.memoryMbytes !== undefined],
      [true, true],
    );
    assert.ok(finished.finishedAt instanceof Date);
    const got = await client.build(started.id).get({ waitForFinish: 5 });
    assert.deepEqual(got, finished);
    const actor = await client.actor(actorId).get();
    assert.equal(actor?.taggedBuilds?.['beta']?.buildId, started.id);
    assert.equal(await client.build('0'.repeat(24)).get(), undefined);
  });

  test('lists the builds of an Actor, and of all Actors', async () => {
    const latest = await client.actor(actorId).build('0.1', { waitForFinish: 60 });
    assert.equal(latest.status, 'SUCCEEDED');
    for (const builds of [client.actor(actorId).builds(), client.builds()]) {
      const page = await builds.list({ desc: true, limit: 1 });
      assert.deepEqual([page.items[0]?.id, page.count, page.limit, page.desc], [latest.id, 1, 1, true]);
      const ids: string[] = [];
      for await (const { id } of builds.list()) ids.push(id);
      assert.equal(ids.length, page.total);
    }
  });

  test('finds the default build and its OpenAPI document', async () => {
    const build = await client.actor(actorId).defaultBuild({ waitForFinish: 1 });
    const found = await build.get();
    assert.equal(found?.status, 'SUCCEEDED');
    const document = await build.getOpenApiDefinition();
    assert.match(document.openapi, /^3\./);
  });

  test('reads the log, aborts and deletes', async () => {
    const { id } = await client.actor(actorId).build('0.1', { waitForFinish: 60, tag: 'unused' });
    assert.match((await client.build(id).log().get()) ?? '', /ACTOR: Build finished\./);
    const aborted = await client.build(id).abort();
    assert.equal(aborted.status, 'SUCCEEDED');
    await client.build(id).delete();
    assert.equal(await client.build(id).get(), undefined);
  });
});

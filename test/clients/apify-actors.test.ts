// The real `apify-client` on Actors: every method of its clients for Actors, versions and environment variables.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  ActorListSortBy,
  ActorSourceType,
  ApifyApiError,
  ApifyClient,
  type ActorVersionSourceFiles,
} from 'apify-client';
import { giveToken, join } from '../people.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';
import { giveBuild } from '../conformance/actors/runs/run-rows.ts';
import { findActorById } from '../../src/actors/actors/store.ts';

let server: TestServer;
let client: ApifyClient;
before(async () => {
  server = await startServer({ limits: 'off' });
  client = clientWith(ADMIN_TOKEN);
});
after(() => server.stop());

function clientWith(token: string): ApifyClient {
  return new ApifyClient({ baseUrl: server.url, token, maxRetries: 0 });
}

const VERSION: ActorVersionSourceFiles = {
  versionNumber: '0.1',
  sourceType: ActorSourceType.SourceFiles,
  buildTag: 'latest',
  sourceFiles: [{ name: 'main.js', format: 'TEXT', content: 'console.log("hello")' }],
};

function isApiError(status: number, type: string) {
  return (error: unknown) => {
    assert.ok(error instanceof ApifyApiError);
    assert.deepEqual([error.statusCode, error.type], [status, type]);
    return true;
  };
}

test('an Actor is created, found by id and by name, changed and deleted', async () => {
  const actor = await client.actors().create({
    name: 'my-first',
    title: 'First',
    description: 'Does something',
    isPublic: false,
    categories: ['TOOLS'],
    defaultRunOptions: { build: 'latest', memoryMbytes: 256, timeoutSecs: 60 },
    exampleRunInput: { body: '{"a":1}', contentType: 'application/json' },
    versions: [VERSION],
  });
  assert.ok(actor.createdAt instanceof Date);
  assert.deepEqual([actor.username, actor.defaultRunOptions.memoryMbytes], ['admin', 256]);
  assert.deepEqual(actor.exampleRunInput, { body: '{"a":1}', contentType: 'application/json' });
  for (const reference of [actor.id, 'admin/my-first', 'admin~my-first', '~my-first']) {
    assert.equal((await client.actor(reference).get())?.id, actor.id, reference);
  }
  const changed = await client.actor(actor.id).update({ title: 'Other', isDeprecated: true, seoTitle: 'S' });
  assert.deepEqual([changed.title, changed.isDeprecated, changed.seoTitle], ['Other', true, 'S']);
  assert.equal(changed.versions.length, 1);
  await client.actor(actor.id).delete();
  assert.equal(await client.actor(actor.id).get(), undefined);
  await client.actor(actor.id).delete();
});

test('Actors are listed, by creation or by their last run, and iterated', async () => {
  const lister = clientWith(
    (await giveToken(server, await join(server, 'lister', { role: 'writer' }), { role: 'writer' })).value,
  );
  const names = ['one', 'two', 'three'].map((name) => `list-${name}`);
  for (const name of names) {
    server.clock.goTo(server.clock.now() + 1000);
    await lister.actors().create({ name });
  }
  const { items, total } = await lister.actors().list({ my: true, desc: true, limit: 2 });
  assert.deepEqual([total, items.map(({ name }) => name)], [3, ['list-three', 'list-two']]);
  const sorted = await lister.actors().list({ sortBy: ActorListSortBy.LAST_RUN_STARTED_AT });
  assert.equal(sorted.count, 3);
  const seen: string[] = [];
  for await (const { name } of lister.actors().list({ limit: 3 })) seen.push(name);
  assert.deepEqual(seen, names);
});

test('versions are added, read, listed, changed and deleted', async () => {
  const { id } = await client.actors().create({ name: 'versioned', versions: [VERSION] });
  const versions = client.actor(id).versions();
  const added = await versions.create({
    versionNumber: '0.2',
    sourceType: ActorSourceType.GitRepo,
    gitRepoUrl: 'https://example.com/repo.git',
    buildTag: 'beta',
  });
  assert.equal(added.buildTag, 'beta');
  const { items, total } = await versions.list();
  assert.deepEqual([total, items.map(({ versionNumber }) => versionNumber)], [2, ['0.1', '0.2']]);
  const version = client.actor(id).version('0.1');
  const read = await version.get();
  assert.deepEqual((read as ActorVersionSourceFiles).sourceFiles, VERSION.sourceFiles);
  const changed = await version.update({
    sourceType: ActorSourceType.Tarball,
    tarballUrl: 'https://example.com/a.tar.gz',
  });
  assert.deepEqual([changed.sourceType, changed.buildTag], ['TARBALL', 'latest']);
  const gist = await client.actor(id).version('0.2').update({
    sourceType: ActorSourceType.GitHubGist,
    gitHubGistUrl: 'https://gist.github.com/somebody/1234',
  });
  assert.equal(gist.sourceType, 'GITHUB_GIST');
  await version.delete();
  assert.equal(await version.get(), undefined);
  await assert.rejects(client.actor(id).version('0.2').delete(), isApiError(400, 'too-few-versions'));
  await assert.rejects(
    versions.create({ ...VERSION, versionNumber: '0.2' }),
    isApiError(409, 'version-already-exists'),
  );
});

test('environment variables are added, read, listed, changed and deleted', async () => {
  const { id } = await client.actors().create({ name: 'with-variables', versions: [VERSION] });
  const variables = client.actor(id).version('0.1').envVars();
  assert.deepEqual(await variables.create({ name: 'PLAIN', value: 'a' }), {
    name: 'PLAIN',
    value: 'a',
    isSecret: false,
  });
  const secret = await variables.create({ name: 'SECRET', value: 'hunter2', isSecret: true });
  assert.deepEqual(secret, { name: 'SECRET', isSecret: true });
  const { items, total } = await variables.list();
  assert.deepEqual(
    [total, items.map(({ name, value }) => [name, value])],
    [
      2,
      [
        ['PLAIN', 'a'],
        ['SECRET', undefined],
      ],
    ],
  );
  const variable = client.actor(id).version('0.1').envVar('PLAIN');
  assert.equal((await variable.get())?.value, 'a');
  assert.equal((await variable.update({ name: 'PLAIN', value: 'b' })).value, 'b');
  await assert.rejects(
    variable.update({ name: 'OTHER', value: 'b' }),
    isApiError(400, 'cannot-rename-env-var'),
  );
  await assert.rejects(
    variables.create({ name: 'PLAIN', value: 'c' }),
    isApiError(409, 'env-var-already-exists'),
  );
  await variable.delete();
  assert.equal(await variable.get(), undefined);
});

test('tags are assigned to builds and removed', async () => {
  const { id } = await client.actors().create({ name: 'tagged', versions: [VERSION] });
  const buildId = await giveBuild(server, (await findActorById(server.app.kernel.db, id))!, {});
  const changed = await client.actor(id).update({ taggedBuilds: { stable: { buildId } } });
  assert.deepEqual(Object.keys(changed.taggedBuilds!).sort(), ['latest', 'stable']);
  assert.equal(changed.taggedBuilds!['stable']!.buildNumber, '0.0.1');
  assert.ok(changed.taggedBuilds!['stable']!.finishedAt instanceof Date);
  // The type of the client has no null, though the API takes it.
  const removed = await client.actor(id).update({ taggedBuilds: { latest: null as never } });
  assert.deepEqual(Object.keys(removed.taggedBuilds!), ['stable']);
});

test('the Actor of another account is not there', async () => {
  const stranger = clientWith(
    (await giveToken(server, await join(server, 'stranger', { role: 'writer' }), { role: 'writer' })).value,
  );
  const { id } = await client.actors().create({ name: 'private-one', versions: [VERSION] });
  assert.equal(await stranger.actor(id).get(), undefined);
  assert.equal(await stranger.actor(id).version('0.1').get(), undefined);
  await assert.rejects(stranger.actor(id).update({ title: 'Mine' }), isApiError(404, 'record-not-found'));
  await assert.rejects(
    client.actors().create({ name: 'private-one' }),
    isApiError(409, 'actor-name-not-unique'),
  );
});

test('the limits of the account count its Actors', async () => {
  const limits = await client.user('me').limits();
  assert.equal(limits?.limits.maxActorCount, 500);
  assert.ok(limits.current.actorCount > 0);
});

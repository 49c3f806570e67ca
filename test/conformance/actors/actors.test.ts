// Actors, versions and environment variables over HTTP.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openEnvVars } from '../../../src/actors/actors/env-vars.ts';
import { takeBuildNumber } from '../../../src/actors/actors/store.ts';
import { findVersion } from '../../../src/actors/actors/store-versions.ts';
import { newId } from '../../../src/kernel/id.ts';
import { onEachEngine } from '../../engines.ts';
import { giveToken, join } from '../../people.ts';
import type { CallInit, Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let other: string;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    other = await newUser('other');
  });
  after(() => server.stop());

  async function newUser(name: string): Promise<string> {
    const member = await join(server, name, { role: 'writer' });
    return (await giveToken(server, member, { role: 'writer' })).value;
  }

  async function call(path: string, init: CallInit = {}): Promise<{ status: number; json: Json }> {
    const answer = await server.call(`/v2${path}`, init);
    return { status: answer.status, json: answer.text === '' ? {} : answer.json };
  }

  async function expectError(path: string, init: CallInit, status: number, type: string): Promise<string> {
    const answer = await call(path, init);
    assert.deepEqual(
      [answer.status, answer.json['error']?.type],
      [status, type],
      JSON.stringify(answer.json),
    );
    return answer.json['error'].message as string;
  }

  let made = 0;
  async function createActor(fields: Record<string, unknown> = {}, token?: string): Promise<Json> {
    const body = { name: `actor-${(made += 1)}`, ...fields };
    const { status, json } = await call('/actors', { method: 'POST', body, ...(token && { token }) });
    assert.equal(status, 201, JSON.stringify(json));
    return json['data'] as Json;
  }
  const VERSION = {
    versionNumber: '0.1',
    sourceType: 'SOURCE_FILES',
    sourceFiles: [{ name: 'main.js', format: 'TEXT', content: 'console.log(1)' }],
  };

  describe('Actors', () => {
    test('an Actor has a default for everything, and its own name', async () => {
      const { status, json } = await call('/actors', { method: 'POST' });
      assert.equal(status, 201);
      const { data } = json;
      assert.match(data.id, /^[0-9a-f]{24}$/);
      assert.equal(data.username, 'admin');
      assert.match(data.name, /^my-actor(-\d+)?$/);
      assert.deepEqual(data.defaultRunOptions, {
        build: 'latest',
        timeoutSecs: 3600,
        memoryMbytes: 1024,
        restartOnError: false,
        maxItems: null,
        forcePermissionLevel: null,
      });
      assert.deepEqual([data.isPublic, data.versions, data.taggedBuilds], [false, [], {}]);
      assert.deepEqual(data.stats, {
        totalBuilds: 0,
        totalRuns: 0,
        totalMetamorphs: 0,
        totalUsers: 0,
        totalUsers7Days: 0,
        totalUsers30Days: 0,
        totalUsers90Days: 0,
      });
      const second = await call('/actors', { method: 'POST', body: {} });
      assert.notEqual(second.json['data'].name, data.name);
    });

    test('A3 an Actor is named by its id, username~name, ~name and its plain name, below /actors and /acts', async () => {
      const { id, name } = await createActor({ title: 'Mine' });
      for (const reference of [
        id,
        `admin~${name}`,
        `~${name}`,
        name,
        `ADMIN~${name}`.toLowerCase(),
        name.toUpperCase(),
      ]) {
        for (const base of ['actors', 'acts']) {
          const { status, json } = await call(`/${base}/${reference}`);
          assert.deepEqual([status, json['data']?.id], [200, id], `${base} ${reference}`);
        }
      }
      const encoded = await call(`/actors/admin%2F${name}`);
      assert.equal(encoded.json['data'].id, id);
    });

    test('a change keeps what it does not name', async () => {
      const actor = await createActor({ description: 'Old', categories: ['TOOLS'], versions: [VERSION] });
      const { status, json } = await call(`/actors/${actor['id']}`, {
        method: 'PUT',
        body: { title: 'New', defaultRunOptions: { memoryMbytes: 512 }, restartOnError: true, unknown: 1 },
      });
      assert.equal(status, 200);
      const { data } = json;
      assert.deepEqual([data.title, data.description, data.categories], ['New', 'Old', ['TOOLS']]);
      assert.deepEqual(
        [data.defaultRunOptions.memoryMbytes, data.defaultRunOptions.timeoutSecs, data.restartOnError],
        [512, 3600, true],
      );
      assert.equal(data.versions.length, 1);
      const cleared = await call(`/actors/${actor['id']}`, {
        method: 'PUT',
        body: { description: null, categories: null },
      });
      assert.equal(cleared.json['data'].description, null);
      assert.equal('categories' in cleared.json['data'], false);
    });

    test('the versions of a change are added, or change those of their number', async () => {
      const actor = await createActor({ versions: [VERSION, { ...VERSION, versionNumber: '0.0' }] });
      const { json } = await call(`/actors/${actor['id']}`, {
        method: 'PUT',
        body: {
          versions: [
            { versionNumber: '0.1', buildTag: 'beta' },
            { ...VERSION, versionNumber: '1.0' },
          ],
        },
      });
      assert.deepEqual(
        json['data'].versions.map((one: Json) => [
          one['versionNumber'],
          one['buildTag'],
          one['sourceFiles'].length,
        ]),
        [
          ['0.1', 'beta', 1],
          ['0.0', 'latest', 1],
          ['1.0', 'latest', 1],
        ],
      );
    });

    test('lists are sorted by creation or by the last run, and paged', async () => {
      const token = await newUser('lister');
      const ids: string[] = [];
      for (const name of ['one', 'two', 'three']) {
        server.clock.goTo(server.clock.now() + 1000);
        ids.push((await createActor({ name: `list-${name}` }, token))['id']);
      }
      const { db } = server.app.kernel;
      await db.updateTable('actors').set({ last_run_started_at: 5 }).where('id', '=', ids[0]!).execute();
      const idsOf = async (query: string) => {
        const { json } = await call(`/actors?${query}`, { token });
        return json['data'].items.map((item: Json) => ids.indexOf(item['id']));
      };
      assert.deepEqual(await idsOf('my=1'), [0, 1, 2]);
      assert.deepEqual(await idsOf('desc=1'), [2, 1, 0]);
      assert.deepEqual(await idsOf('offset=1&limit=1'), [1]);
      assert.deepEqual(await idsOf('sortBy=stats.lastRunStartedAt&desc=1'), [0, 2, 1]);
      assert.deepEqual(await idsOf('sortBy=stats.lastRunStartedAt'), [1, 2, 0]);
      const { json } = await call('/actors?limit=99999', { token });
      assert.deepEqual([json['data'].total, json['data'].count, json['data'].limit], [3, 3, 1000]);
      assert.equal(json['data'].items[0].stats.lastRunStartedAt, new Date(5).toISOString());
      await expectError('/actors?sortBy=name', { token }, 400, 'invalid-input');
    });

    test('a name is unique in its account, in any case', async () => {
      const { name } = await createActor();
      await expectError(
        '/actors',
        { method: 'POST', body: { name: String(name).toUpperCase() } },
        409,
        'actor-name-not-unique',
      );
      const second = await createActor();
      await expectError(
        `/actors/${second['id']}`,
        { method: 'PUT', body: { name } },
        409,
        'actor-name-not-unique',
      );
      const upper = String(second['name']).toUpperCase();
      const renamed = await call(`/actors/${second['id']}`, { method: 'PUT', body: { name: upper } });
      assert.equal(renamed.json['data'].name, upper);
      await createActor({ name }, other);
    });

    test('a deleted Actor is gone, with its versions', async () => {
      const { id } = await createActor({ versions: [VERSION] });
      const { status } = await call(`/actors/${id}`, { method: 'DELETE' });
      assert.equal(status, 204);
      await expectError(`/actors/${id}`, {}, 404, 'record-not-found');
      await expectError(`/actors/${id}`, { method: 'DELETE' }, 404, 'record-not-found');
      await expectError(`/actors/${id}/versions/0.1`, {}, 404, 'record-not-found');
    });
  });

  describe('versions', () => {
    test('a version is added, read, changed and deleted', async () => {
      const { id } = await createActor({ versions: [VERSION] });
      const path = `/acts/${id}/versions`;
      const added = await call(path, {
        method: 'POST',
        body: {
          versionNumber: '1.20',
          sourceType: 'GIT_REPO',
          gitRepoUrl: 'https://example.com/a.git#main:dir',
          buildTag: null,
        },
      });
      assert.deepEqual(
        [added.status, added.json['data']],
        [
          201,
          {
            versionNumber: '1.20',
            sourceType: 'GIT_REPO',
            envVars: [],
            applyEnvVarsToBuild: false,
            buildTag: null,
            gitRepoUrl: 'https://example.com/a.git#main:dir',
          },
        ],
      );
      assert.deepEqual((await call(`${path}/1.20`)).json, added.json);
      const listed = await call(path);
      assert.deepEqual(
        [listed.json['data'].total, listed.json['data'].items.map((one: Json) => one['versionNumber'])],
        [2, ['0.1', '1.20']],
      );
      for (const method of ['PUT', 'POST']) {
        const changed = await call(`${path}/1.20`, { method, body: { buildTag: `by-${method}` } });
        assert.deepEqual(
          [changed.status, changed.json['data'].buildTag, changed.json['data'].gitRepoUrl],
          [200, `by-${method}`, 'https://example.com/a.git#main:dir'],
        );
      }
      const body = { sourceType: 'TARBALL', tarballUrl: 'https://example.com/a.zip' };
      const tarball = await call(`${path}/1.20`, { method: 'PUT', body });
      assert.deepEqual(
        [tarball.json['data'].sourceType, tarball.json['data'].tarballUrl, tarball.json['data'].gitRepoUrl],
        ['TARBALL', 'https://example.com/a.zip', undefined],
      );
      assert.equal((await call(`${path}/0.1`, { method: 'DELETE' })).status, 204);
      await expectError(`${path}/1.20`, { method: 'DELETE' }, 400, 'too-few-versions');
      await expectError(`${path}/0.1`, {}, 404, 'record-not-found');
      await expectError(`${path}/0.1`, { method: 'PUT', body: VERSION }, 404, 'record-not-found');
      await expectError(
        path,
        { method: 'POST', body: { ...body, versionNumber: '1.20' } },
        409,
        'version-already-exists',
      );
      await expectError(
        `${path}/1.20`,
        { method: 'PUT', body: { versionNumber: '2.0' } },
        400,
        'invalid-input',
      );
    });

    test('an Actor and a version changed by it tell when', async () => {
      const { id, modifiedAt } = await createActor({ versions: [VERSION] });
      server.clock.goTo(server.clock.now() + 60_000);
      await call(`/actors/${id}/versions/0.1`, { method: 'PUT', body: { buildTag: 'beta' } });
      const { json } = await call(`/actors/${id}`);
      assert.ok(Date.parse(json['data'].modifiedAt) > Date.parse(modifiedAt));
    });

    test('source files keep their bytes', async () => {
      const sourceFiles = [
        { name: '.actor/actor.json', format: 'TEXT', content: '{"a":"\\u0000 \u0000 ě 🎭 \ud800"}' },
        { name: 'logo.png', format: 'BASE64', content: Buffer.from([0, 1, 255]).toString('base64') },
        { name: 'src', folder: true },
        { name: 'src/ spaces and ě.js', format: 'TEXT', content: '' },
      ];
      const { id } = await createActor({ versions: [{ ...VERSION, sourceFiles }] });
      const { json } = await call(`/actors/${id}/versions/0.1`);
      assert.deepEqual(json['data'].sourceFiles, sourceFiles);
      assert.deepEqual((await call(`/actors/${id}`)).json['data'].versions[0].sourceFiles, sourceFiles);
    });

    test('source files of more than three megabytes are refused, and so are files outside the folder', async () => {
      const put = (sourceFiles: unknown) => ({ method: 'POST', body: { ...VERSION, sourceFiles } });
      const { id } = await createActor();
      const path = `/actors/${id}/versions`;
      const half = 'x'.repeat(1_572_864);
      const files = (more: string) => [
        { name: 'a', format: 'TEXT', content: half },
        { name: 'b', format: 'BASE64', content: Buffer.from(half + more).toString('base64') },
      ];
      assert.match(await expectError(path, put(files('x')), 413, 'request-too-large'), /3,145,729 bytes/);
      assert.equal((await call(path, put(files('')))).status, 201);
      for (const name of [
        '/etc/passwd',
        '../a',
        'a/../../b',
        'a\\b',
        'C:/a',
        'a\nb',
        'a\u0000b',
        '',
        '.',
        'a/',
        'x'.repeat(1001),
        `${'y'.repeat(256)}/a`,
      ]) {
        const file = { name, format: 'TEXT', content: '' };
        await expectError(path, put([file]), 400, 'invalid-input');
      }
      for (const sourceFiles of [
        [{ name: 'a', format: 'BASE64', content: '***' }],
        [{ name: 'a', content: 5 }],
        [{ name: 'a' }, { name: './a' }],
        [{ format: 'TEXT', content: '' }],
        [{ name: 'a', format: 'HEX', content: '' }],
        'main.js',
        { name: 'a' },
      ]) {
        await expectError(path, put(sourceFiles), 400, 'invalid-input');
      }
    });

    test('a version with a wrong number, tag, type or URL is refused', async () => {
      const { id } = await createActor();
      for (const change of [
        { versionNumber: undefined },
        { versionNumber: '1' },
        { versionNumber: '0.100' },
        { versionNumber: '01.1' },
        { versionNumber: '0.1.2' },
        { versionNumber: 0.1 },
        { sourceType: 'SOURCE_CODE' },
        { sourceType: undefined },
        { sourceType: 'GIT_REPO' },
        { sourceType: 'GIT_REPO', gitRepoUrl: 'git@example.com:a/b.git' },
        { sourceType: 'GIT_REPO', gitRepoUrl: 'ext::sh -c id' },
        { sourceType: 'TARBALL', tarballUrl: 'file:///etc/passwd' },
        { buildTag: 'a,b' },
        { buildTag: '1.2.3' },
        { buildTag: '' },
        { envVars: 'A=1' },
        {
          envVars: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
          ],
        },
      ]) {
        const body = { ...VERSION, ...change };
        await expectError(`/actors/${id}/versions`, { method: 'POST', body }, 400, 'invalid-input');
      }
    });

    test('an Actor has at most 100 versions, and 32 megabytes of sources', async () => {
      const versions = (from: number, count: number) =>
        Array.from({ length: count }, (_, at) => ({ ...VERSION, versionNumber: `${from}.${at}` }));
      const { id } = await createActor({ versions: versions(0, 60) });
      const body = { versions: versions(1, 41) };
      await expectError(`/actors/${id}`, { method: 'PUT', body }, 403, 'limit-reached');
      assert.equal((await call(`/actors/${id}`)).json['data'].versions.length, 60);
      const large = { name: 'a', format: 'TEXT', content: `x${'🎭'.repeat(750_000)}` };
      const big = await createActor();
      for (let at = 0; at < 11; at += 1) {
        const version = { ...VERSION, versionNumber: `0.${at}`, sourceFiles: [large] };
        const { status } = await call(`/actors/${big['id']}/versions`, { method: 'POST', body: version });
        assert.equal(status, 201, String(at));
      }
      const { json } = await call(`/actors/${big['id']}`);
      assert.deepEqual(
        json['data'].versions.map((one: Json) => [
          one['versionNumber'],
          one['sourceFiles'][0].content === large.content,
        ]),
        Array.from({ length: 11 }, (_, at) => [`0.${at}`, true]),
      );
      const listed = await call(`/actors/${big['id']}/versions`);
      assert.deepEqual([listed.json['data'].total, listed.json['data'].items.length], [11, 11]);
      const last = { ...VERSION, versionNumber: '1.0', sourceFiles: [large] };
      await expectError(
        `/actors/${big['id']}/versions`,
        { method: 'POST', body: last },
        403,
        'limit-reached',
      );
    });
  });

  describe('environment variables', () => {
    const SECRET = 'hunter2-is-secret';

    test('variables are added, read, changed and deleted, in the order in which they were added', async () => {
      const { id } = await createActor({ versions: [VERSION] });
      const path = `/actors/${id}/versions/0.1/env-vars`;
      const added = await call(path, { method: 'POST', body: { name: 'B', value: '1' } });
      assert.deepEqual([added.status, added.json['data']], [201, { name: 'B', value: '1', isSecret: false }]);
      await call(path, { method: 'POST', body: { name: 'A', value: '2' } });
      const { json } = await call(path);
      assert.deepEqual(
        [json['data'].total, json['data'].items.map((one: Json) => one['name'])],
        [2, ['B', 'A']],
      );
      for (const method of ['PUT', 'POST']) {
        const changed = await call(`${path}/B`, { method, body: { name: 'B', value: method } });
        assert.deepEqual([changed.status, changed.json['data'].value], [200, method]);
      }
      await expectError(
        path,
        { method: 'POST', body: { name: 'B', value: '' } },
        409,
        'env-var-already-exists',
      );
      await expectError(
        `${path}/B`,
        { method: 'PUT', body: { name: 'C', value: '' } },
        400,
        'cannot-rename-env-var',
      );
      assert.equal((await call(`${path}/B`, { method: 'DELETE' })).status, 204);
      for (const method of ['GET', 'DELETE'])
        await expectError(`${path}/B`, { method }, 404, 'record-not-found');
      await expectError(`${path}/B`, { method: 'PUT', body: { value: '' } }, 404, 'record-not-found');
      await expectError(`/actors/${id}/versions/9.9/env-vars`, {}, 404, 'record-not-found');
    });

    test('a secret is sealed at rest, is in no reply, log line or audit entry, and is opened for programs', async () => {
      const { id } = await createActor({
        versions: [{ ...VERSION, envVars: [{ name: 'FIRST', value: SECRET, isSecret: true }] }],
      });
      const version = `/actors/${id}/versions/0.1`;
      const body = { name: 'SECOND', value: SECRET, isSecret: true };
      const replies = [
        await call(`${version}/env-vars`, { method: 'POST', body }),
        await call(`${version}/env-vars/FIRST`),
        await call(`${version}/env-vars`),
        await call(version),
        await call(`/actors/${id}`),
        await call(`/actors/${id}`, { method: 'PUT', body: { title: 'T' } }),
        await call(`/actors/${id}/versions`),
      ];
      for (const { json } of replies) assert.doesNotMatch(JSON.stringify(json), /hunter2/);
      assert.deepEqual(replies[1]!.json['data'], { name: 'FIRST', isSecret: true });
      const { db, secrets } = server.app.kernel;
      const [row] = await db.selectFrom('actor_versions').selectAll().where('actor_id', '=', id).execute();
      assert.doesNotMatch(JSON.stringify(row), /hunter2/);
      const opened = openEnvVars({ secrets }, (await findVersion(db, id, '0.1'))!);
      assert.deepEqual(opened, { FIRST: SECRET, SECOND: SECRET });
      const entries = await db.selectFrom('events').selectAll().execute();
      assert.ok(entries.some((entry) => JSON.stringify(entry).includes(id)));
      assert.doesNotMatch(JSON.stringify(entries), /hunter2/);
      assert.doesNotMatch(JSON.stringify(server.log), /hunter2/);
    });

    test('a secret stays when it is sent back without its value, and nobody reads it by making it public', async () => {
      const envVars = [
        { name: 'KEEP', value: SECRET, isSecret: true },
        { name: 'PLAIN', value: 'p' },
      ];
      const { id } = await createActor({ versions: [{ ...VERSION, envVars }] });
      const version = `/actors/${id}/versions/0.1`;
      const values = async () => {
        const { db, secrets } = server.app.kernel;
        return openEnvVars({ secrets }, (await findVersion(db, id, '0.1'))!);
      };
      const { json } = await call(version);
      await call(version, { method: 'PUT', body: json['data'] });
      assert.deepEqual(await values(), { KEEP: SECRET, PLAIN: 'p' });
      await call(version, { method: 'PUT', body: { buildTag: 'beta' } });
      assert.deepEqual(await values(), { KEEP: SECRET, PLAIN: 'p' });
      const reveal = { name: 'KEEP', isSecret: false };
      await expectError(`${version}/env-vars/KEEP`, { method: 'PUT', body: reveal }, 400, 'invalid-input');
      await expectError(version, { method: 'PUT', body: { envVars: [reveal] } }, 400, 'invalid-input');
      const changed = await call(`${version}/env-vars/KEEP`, {
        method: 'PUT',
        body: { name: 'KEEP', value: 'new' },
      });
      assert.deepEqual(changed.json['data'], { name: 'KEEP', isSecret: true });
      const hidden = await call(`${version}/env-vars/PLAIN`, {
        method: 'PUT',
        body: { name: 'PLAIN', isSecret: true },
      });
      assert.deepEqual(hidden.json['data'], { name: 'PLAIN', isSecret: true });
      assert.deepEqual(await values(), { KEEP: 'new', PLAIN: 'p' });
      await call(version, { method: 'PUT', body: { envVars: [] } });
      assert.deepEqual(await values(), {});
    });

    test('wrong names and values are refused, and so are too many', async () => {
      const { id } = await createActor({ versions: [VERSION] });
      const path = `/actors/${id}/versions/0.1/env-vars`;
      for (const body of [
        { name: 'A=B', value: '' },
        { name: '', value: '' },
        { name: '1A', value: '' },
        { name: 'A B', value: '' },
        { name: 'A\nB', value: '' },
        { name: 'x'.repeat(201), value: '' },
        { name: 'A' },
        { name: 'A', value: 1 },
        { name: 'A', value: 'a\u0000b' },
        { name: 'A', value: 'x'.repeat(32_769) },
        { value: 'x' },
        [],
        '{',
      ]) {
        await expectError(path, { method: 'POST', body }, 400, 'invalid-input');
      }
      const many = Array.from({ length: 100 }, (_, at) => ({ name: `V${at}`, value: '' }));
      assert.equal(
        (await call(`/actors/${id}/versions/0.1`, { method: 'PUT', body: { envVars: many } })).status,
        200,
      );
      await expectError(path, { method: 'POST', body: { name: 'A', value: '' } }, 403, 'limit-reached');
      const long = many.slice(0, 12).map(({ name }) => ({ name, value: 'x'.repeat(30_000) }));
      const body = { envVars: long };
      await expectError(`/actors/${id}/versions/0.1`, { method: 'PUT', body }, 403, 'limit-reached');
    });
  });

  describe('tags', () => {
    async function insertBuild(actorId: string, status: string): Promise<string> {
      const { db, clock } = server.app.kernel;
      const id = newId(clock.now());
      await db
        .insertInto('builds')
        .values({
          id,
          actor_id: actorId,
          user_id: 'nobody',
          version_number: '0.1',
          build_number: `0.1.${await takeBuildNumber(db, actorId, '0.1')}`,
          status,
          meta: '{}',
          options: '{}',
          stats: '{}',
          started_at: 1,
          finished_at: 2,
          source_type: 'SOURCE_FILES',
        })
        .execute();
      return id;
    }

    test('a change assigns the tags that it names, removes those that are null, and keeps others', async () => {
      const { id } = await createActor({ versions: [VERSION] });
      const [one, two] = [await insertBuild(id, 'SUCCEEDED'), await insertBuild(id, 'SUCCEEDED')];
      const put = (taggedBuilds: unknown) => call(`/actors/${id}`, { method: 'PUT', body: { taggedBuilds } });
      await put({ latest: { buildId: one }, beta: { buildId: one } });
      const { json } = await put({ beta: { buildId: two }, latest: null, ['__proto__']: { buildId: one } });
      assert.deepEqual(Object.keys(json['data'].taggedBuilds).sort(), ['__proto__', 'beta']);
      assert.deepEqual(json['data'].taggedBuilds.beta, {
        buildId: two,
        buildNumber: '0.1.2',
        buildNumberInt: 100_002,
        finishedAt: new Date(2).toISOString(),
      });
      assert.equal(json['data'].stats.totalBuilds, 2);
    });

    test('a tag of an unknown or unfinished build, or of another Actor, is refused', async () => {
      const { id } = await createActor({ versions: [VERSION] });
      const foreign = await insertBuild((await createActor({}, other))['id'], 'SUCCEEDED');
      const failed = await insertBuild(id, 'FAILED');
      const put = (taggedBuilds: unknown) => ({ method: 'PUT', body: { taggedBuilds } });
      await expectError(`/actors/${id}`, put({ a: { buildId: foreign } }), 404, 'build-not-found');
      await expectError(`/actors/${id}`, put({ a: { buildId: 'none' } }), 404, 'build-not-found');
      await expectError(`/actors/${id}`, put({ a: { buildId: failed } }), 400, 'invalid-input');
      await expectError(`/actors/${id}`, put({ 'a,b': { buildId: failed } }), 400, 'invalid-input');
      await expectError(`/actors/${id}`, put({ a: 'latest' }), 400, 'invalid-input');
      assert.deepEqual((await call(`/actors/${id}`)).json['data'].taggedBuilds, {});
    });
  });

  describe('access', () => {
    test('a private Actor of another account does not exist, whatever one does with it', async () => {
      const { id, name } = await createActor({ versions: [VERSION] });
      for (const reference of [id, `admin~${name}`, name]) {
        for (const [path, method] of [
          ['', 'GET'],
          ['', 'PUT'],
          ['', 'DELETE'],
          ['/versions', 'GET'],
          ['/versions', 'POST'],
          ['/versions/0.1', 'GET'],
          ['/versions/0.1', 'PUT'],
          ['/versions/0.1', 'DELETE'],
          ['/versions/0.1/env-vars', 'GET'],
          ['/versions/0.1/env-vars', 'POST'],
          ['/versions/0.1/env-vars/A', 'GET'],
          ['/versions/0.1/env-vars/A', 'PUT'],
          ['/versions/0.1/env-vars/A', 'DELETE'],
        ] as const) {
          const body =
            method === 'PUT' || method === 'POST' ? { body: { ...VERSION, name: 'A', value: '' } } : {};
          const init = { method, token: other, ...body };
          const message = await expectError(`/actors/${reference}${path}`, init, 404, 'record-not-found');
          assert.doesNotMatch(message, new RegExp(id));
        }
      }
      assert.equal((await call(`/actors/${id}`)).status, 200);
    });

    test('others see a public Actor without variables, and its sources only where the owner shows them', async () => {
      const envVars = [{ name: 'PLAIN', value: 'private' }];
      const git = {
        versionNumber: '0.2',
        sourceType: 'GIT_REPO',
        gitRepoUrl: 'https://user:pass@example.com/a.git#main',
      };
      const { id, name } = await createActor({ isPublic: true, versions: [{ ...VERSION, envVars }, git] });
      const hidden = await call(`/actors/admin~${name}`, { token: other });
      assert.deepEqual(
        [hidden.status, hidden.json['data'].username, hidden.json['data'].versions],
        [
          200,
          'admin',
          [
            {
              versionNumber: '0.1',
              sourceType: 'SOURCE_FILES',
              applyEnvVarsToBuild: false,
              buildTag: 'latest',
            },
            { versionNumber: '0.2', sourceType: 'GIT_REPO', applyEnvVarsToBuild: false, buildTag: 'latest' },
          ],
        ],
      );
      await call(`/actors/${id}`, { method: 'PUT', body: { isSourceCodeHidden: false } });
      const { json } = await call(`/actors/${id}`, { token: other });
      const [files, url] = json['data'].versions;
      assert.deepEqual([files.sourceFiles, files.envVars], [VERSION.sourceFiles, undefined]);
      assert.equal(url.gitRepoUrl, 'https://example.com/a.git#main');
      for (const [path, method] of [
        ['', 'PUT'],
        ['', 'DELETE'],
        ['/versions', 'GET'],
        ['/versions/0.1/env-vars', 'GET'],
      ] as const) {
        const body = method === 'PUT' ? { body: {} } : {};
        await expectError(`/actors/${id}${path}`, { method, token: other, ...body }, 404, 'record-not-found');
      }
    });

    test('a call without a token, with a wrong verb or an unknown path is refused, below /acts too', async () => {
      for (const base of ['/actors', '/acts']) {
        await expectError(base, { token: null }, 401, 'invalid-token');
        await expectError(`${base}/x`, { method: 'PUT', token: null, body: {} }, 401, 'invalid-token');
        const message = await expectError(
          `${base}/x/versions/0.1`,
          { method: 'PATCH' },
          405,
          'method-not-allowed',
        );
        assert.match(message, /OPTIONS, HEAD, GET, POST, PUT, DELETE/);
        const missing = await expectError(`${base}/x/nothing`, {}, 404, 'page-not-found');
        assert.match(missing, new RegExp(`/v2${base}/x/nothing`));
      }
      await expectError('/acts/x?method=DELETE', {}, 404, 'record-not-found');
    });

    test('the description has Actors once, without the older beginning of their paths', async () => {
      const { json } = await call('/openapi.json');
      const paths = Object.keys(json['paths'] as object);
      assert.ok(paths.some((path) => path.endsWith('/actors/{actorId}/versions/{versionNumber}')));
      assert.ok(paths.every((path) => !path.includes('/acts')));
      const version = paths.find((path) => path.endsWith('/versions/{versionNumber}'))!;
      assert.deepEqual(Object.keys(json['paths'][version] as object).sort(), [
        'delete',
        'get',
        'post',
        'put',
      ]);
    });
  });

  describe('bad input', () => {
    test('fields of a wrong type or size are refused, and nothing is stored', async () => {
      const token = await newUser('careless');
      for (const body of [
        { name: 'ab' },
        { name: 'x'.repeat(64) },
        { name: '-abc' },
        { name: 'a_b' },
        { name: 'a/b' },
        { name: '../..' },
        { name: 'a\u0000b' },
        { name: 5 },
        { title: {} },
        { title: 'x'.repeat(201) },
        { title: 'a\u0000' },
        { description: 'x'.repeat(10_001) },
        { isPublic: 'yes' },
        { actorPermissionLevel: 'ROOT' },
        { defaultRunOptions: { memoryMbytes: 1000 } },
        { defaultRunOptions: { memoryMbytes: 64 } },
        { defaultRunOptions: { memoryMbytes: 65_536 } },
        { defaultRunOptions: { timeoutSecs: -1 } },
        { defaultRunOptions: { timeoutSecs: 1.5 } },
        { defaultRunOptions: { build: '' } },
        { defaultRunOptions: [] },
        { categories: 'TOOLS' },
        { exampleRunInput: { body: 1, contentType: 'text/plain' } },
        { versions: {} },
        { versions: [VERSION, { ...VERSION, versionNumber: 'x' }] },
        { versions: Array.from({ length: 101 }, () => VERSION) },
        '[]',
        '"text"',
        '{',
      ]) {
        await expectError('/actors', { method: 'POST', token, body }, 400, 'invalid-input');
      }
      const { json } = await call('/actors', { token });
      assert.equal(json['data'].total, 0);
    });

    test('a reference without a name, or with one that cannot be, is refused or unknown', async () => {
      await expectError('/actors/admin~', {}, 400, 'invalid-request');
      await expectError('/actors/~', {}, 400, 'invalid-request');
      await expectError('/actors/a%00b', {}, 400, 'invalid-input');
      for (const reference of ['..%2f..', '%25', `~${'x'.repeat(500)}`, 'nobody~nothing', '0'.repeat(24)]) {
        await expectError(`/actors/${reference}`, {}, 404, 'record-not-found');
      }
    });

    test('a body above the limit is refused', async () => {
      const body = JSON.stringify({ description: 'x'.repeat(9_500_000) });
      await expectError('/actors', { method: 'POST', body }, 413, 'request-too-large');
    });
  });

  test('an account has at most 500 Actors, and sees its limits', async () => {
    const token = await newUser('collector');
    const { id } = (await call('/users/me', { token })).json['data'];
    const { db } = server.app.kernel;
    const { data } = (await call('/actors', { method: 'POST', token })).json;
    const row = await db.selectFrom('actors').selectAll().where('id', '=', data.id).executeTakeFirstOrThrow();
    const rows = Array.from({ length: 498 }, (_, at) => ({
      ...row,
      id: `${data.id}-${at}`,
      name: `more-${at}`,
    }));
    for (let at = 0; at < rows.length; at += 100)
      await db
        .insertInto('actors')
        .values(rows.slice(at, at + 100))
        .execute();
    assert.equal((await call('/actors', { method: 'POST', token })).status, 201);
    await expectError('/actors', { method: 'POST', token }, 403, 'too-many-actors');
    const limits = (await call('/users/me/limits', { token })).json['data'];
    assert.deepEqual([limits.limits.maxActorCount, limits.current.actorCount], [500, 500]);
    const me = (await call('/users/me', { token })).json['data'];
    assert.equal(me.effectivePlatformFeatures.ACTORS.isEnabled, true);
    assert.equal(me.id, id);
  });

  test('eight clients that change one Actor at once lose nothing of each other', async () => {
    const { id } = await createActor({ versions: [VERSION] });
    const clients = Array.from({ length: 8 }, (_, at) => at);
    await Promise.all(
      clients.map(async (client) => {
        for (let round = 0; round < 3; round += 1) {
          const name = `V_${client}_${round}`;
          const statuses = [
            (
              await call(`/actors/${id}/versions/0.1/env-vars`, {
                method: 'POST',
                body: { name, value: 'x', isSecret: round === 1 },
              })
            ).status,
            (
              await call(`/actors/${id}/versions`, {
                method: 'POST',
                body: { ...VERSION, versionNumber: `${client + 1}.${round}` },
              })
            ).status,
            (await call(`/actors/${id}`, { method: 'PUT', body: { title: name } })).status,
          ];
          assert.deepEqual(statuses, [201, 201, 200]);
        }
      }),
    );
    const { data } = (await call(`/actors/${id}`)).json;
    assert.equal(data.versions.length, 25);
    assert.equal(data.versions[0].envVars.length, 24);
    const twins = await Promise.all(
      clients.map(() =>
        call(`/actors/${id}/versions`, { method: 'POST', body: { ...VERSION, versionNumber: '50.0' } }),
      ),
    );
    assert.deepEqual(
      twins.map(({ status }) => status).sort((a, b) => a - b),
      [201, 409, 409, 409, 409, 409, 409, 409],
    );
    const named = await Promise.all(
      clients.map(() => call('/actors', { method: 'POST', body: { name: 'same-name' } })),
    );
    assert.equal(named.filter(({ status }) => status === 201).length, 1);
  });
});

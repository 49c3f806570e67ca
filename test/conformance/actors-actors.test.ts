// Actors, versions and environment variables over HTTP.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onEachEngine } from '../engines.ts';
import { giveToken, join } from '../people.ts';
import type { CallInit, Json, TestServer } from '../server.ts';
import { startServerOn } from '../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let other: string;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    other = (await giveToken(server, await join(server, 'other', { role: 'writer' }), {})).value;
  });
  after(() => server.stop());

  async function call(path: string, init: CallInit = {}): Promise<{ status: number; json: Json }> {
    const { status, json } = await server.call(`/v2${path}`, init);
    if (status === 500) console.log(JSON.stringify(server.log.at(-1)));
    return { status, json };
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
      assert.deepEqual(data.stats, { totalBuilds: 0, totalRuns: 0, totalMetamorphs: 0 });
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
      const token = (
        await giveToken(server, await join(server, `lister-${engine.kind}`, { role: 'writer' }), {})
      ).value;
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
});

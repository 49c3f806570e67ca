// Builds over HTTP: their life, numbers, tags, results and access.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { abortBuild } from '../../../../src/actors/builds/change-build.ts';
import { deleteBuild } from '../../../../src/actors/builds/store.ts';
import type { JobWorker } from '../../../../src/actors/jobs/job-worker.ts';
import { readLog } from '../../../../src/actors/logs/stored-log.ts';
import type { Db } from '../../../../src/kernel/storage/tables.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually, inTime } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import { insertBuildRow } from '../../../run-rows.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import {
  build,
  createActor,
  startBuilder,
  versionOf,
  waitForBuild,
  type SourceTexts,
} from './build-calls.ts';

const PLAIN: SourceTexts = {
  'package.json': { scripts: { start: 'node main.js' } },
  'main.js': 'console.log("hi")',
};

/** A dependency inside the sources: tests use no registry. */
const WITH_DEPENDENCY: SourceTexts = {
  'package.json': {
    name: 'a',
    version: '1.0.0',
    type: 'module',
    scripts: { start: 'node main.js' },
    dependencies: { greeting: 'file:greeting' },
  },
  'main.js': 'import greeting from "greeting"; console.log(greeting)',
  'greeting/package.json': { name: 'greeting', version: '1.0.0', type: 'module', main: 'index.js' },
  'greeting/index.js': 'export default "hello from a package"',
};

onEachEngine((engine) => {
  let server: TestServer;
  let builder: JobWorker;
  let other: string;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', role: 'api' });
    other = (await giveToken(server, await join(server, 'other', { role: 'admin' }), { role: 'admin' }))
      .value;
    builder = await startBuilder(server);
  });
  after(async () => {
    await builder.stop();
    await server.stop();
  });

  async function call(
    path: string,
    init: CallInit = {},
  ): Promise<{ status: number; json: Json; text: string }> {
    const answer = await server.call(`/v2${path}`, init);
    if (answer.status === 500)
      console.log(JSON.stringify(server.log.filter(({ err }) => err !== undefined).at(-1)));
    return answer;
  }

  async function expectError(path: string, init: CallInit, status: number, type: string): Promise<void> {
    const { status: given, text } = await call(path, init);
    assert.equal(given, status, text);
    assert.equal((JSON.parse(text) as Json)['error'].type, type);
  }

  async function logOf(id: string): Promise<string> {
    const pieces = await Array.fromAsync(readLog(server.app.kernel, id));
    return Buffer.concat(pieces.map(({ content }) => content)).toString();
  }

  describe('a build', () => {
    test('A7 succeeds, has the next number of its version, and gets the tag', async () => {
      const actor = await createActor(server, versionOf(PLAIN));
      const first = await build(server, actor['id']);
      assert.equal(first['status'], 'SUCCEEDED', JSON.stringify(first));
      assert.equal(first['buildNumber'], '0.1.1');
      assert.equal(first['buildNumberInt'], 100_001);
      assert.equal(first['actId'], actor['id']);
      assert.equal(first['meta'].origin, 'API');
      assert.ok(first['stats'].durationMillis > 0);
      assert.equal(first['exitCode'], 0);
      const second = await build(server, actor['id'], 'version=0.1&waitForFinish=60&tag=beta');
      assert.equal(second['buildNumber'], '0.1.2');
      const { json } = await call(`/actors/${actor['id']}`);
      const tags = json['data'].taggedBuilds as Json;
      assert.deepEqual([tags['latest'].buildId, tags['beta'].buildId], [first['id'], second['id']]);
      const { json: byDefault } = await call(`/actors/${actor['id']}/builds/default`);
      assert.equal(byDefault['data'].id, first['id']);
    });

    test('is for other nodes where this server only answers calls, whatever its own machine offers', async () => {
      const actor = await createActor(server, versionOf(PLAIN));
      const { services } = server.app.kernel;
      const { runner } = services;
      Object.assign(services, { runner: { ...runner, refusal: 'There is no sandbox here.' } });
      try {
        assert.equal(
          (await call(`/actors/${actor['id']}/builds?version=0.1`, { method: 'POST' })).status,
          201,
        );
      } finally {
        Object.assign(services, { runner });
      }
    });

    test('shows the definition, the input schema and the texts', async () => {
      const schema = {
        title: 'In',
        type: 'object',
        schemaVersion: 1,
        properties: { url: { title: 'U', type: 'string', description: 'd', editor: 'textfield' } },
      };
      const actor = await createActor(
        server,
        versionOf({
          ...PLAIN,
          '.actor/actor.json': {
            actorSpecification: 1,
            name: 'x',
            version: '0.1',
            input: './in.json',
            minMemoryMbytes: 256,
          },
          '.actor/in.json': schema,
          'README.md': '# Read me',
        }),
      );
      const built = await build(server, actor['id']);
      assert.equal(built['status'], 'SUCCEEDED', built['statusMessage']);
      assert.deepEqual(JSON.parse(built['inputSchema']), schema);
      assert.equal(built['readme'], '# Read me');
      assert.deepEqual(built['actorDefinition'].input, schema);
      assert.equal(built['actorDefinition'].minMemoryMbytes, 256);
      const { status, json } = await call(`/actor-builds/${built['id']}/openapi.json`);
      assert.equal(status, 200);
      assert.match(json['openapi'], /^3\./);
    });

    test('has its final status when its log ends, and says which options have no effect', async () => {
      const actor = await createActor(server, versionOf(PLAIN));
      const { id } = await build(server, actor['id'], 'version=0.1&betaPackages=1');
      const { text } = await call(`/logs/${id}?stream=1`);
      const { json } = await call(`/actor-builds/${id}`);
      assert.equal(json['data'].status, 'SUCCEEDED');
      assert.match(text, /betaPackages has no effect[^]*Build finished\.\n$/);
    });

    test('fails with a message that names the file, and moves no tag', async () => {
      const actor = await createActor(server, versionOf({ ...PLAIN, '.actor/actor.json': '{' }));
      const built = await build(server, actor['id']);
      assert.equal(built['status'], 'FAILED');
      assert.match(built['statusMessage'], /\.actor\/actor\.json is not valid JSON/);
      assert.match(await logOf(built['id']), /\.actor\/actor\.json is not valid JSON/);
      const { json } = await call(`/actors/${actor['id']}`);
      assert.deepEqual(json['data'].taggedBuilds, {});
      await expectError(`/actors/${actor['id']}/builds/default`, {}, 400, 'unknown-build-tag');
    });

    test('without an existing version is 404, and without a version 400', async () => {
      const actor = await createActor(server, versionOf(PLAIN));
      await expectError(
        `/actors/${actor['id']}/builds?version=9.9`,
        { method: 'POST' },
        404,
        'record-not-found',
      );
      await expectError(`/actors/${actor['id']}/builds`, { method: 'POST' }, 400, 'invalid-input');
    });

    test('is aborted while it waits and while it is executed, and stays finished afterwards', async () => {
      const slow = {
        ...WITH_DEPENDENCY,
        'greeting/package.json': {
          name: 'greeting',
          version: '1.0.0',
          scripts: { install: 'echo installing; sleep 600' },
        },
      };
      const actor = await createActor(server, versionOf(slow));
      const running = await build(server, actor['id'], 'version=0.1');
      assert.equal(running['status'], 'READY');
      await eventually(async () => (await logOf(running['id'])).includes('npm install'), 'the installation');
      await expectError(
        `/actor-builds/${running['id']}`,
        { method: 'DELETE' },
        400,
        'deleting-unfinished-build',
      );
      const { json } = await call(`/actor-builds/${running['id']}/abort`, { method: 'POST' });
      assert.ok(['ABORTING', 'ABORTED'].includes(json['data'].status), json['data'].status);
      const aborted = await inTime(waitForBuild(server, running['id']), 'the end of the build');
      assert.equal(aborted['status'], 'ABORTED');
      const { json: later } = await call(`/actor-builds/${running['id']}/abort`, { method: 'POST' });
      assert.deepEqual(later['data'], aborted);
    });

    test('an abort is answered as it was written, even if the build is deleted before the reply', async (t) => {
      const { kernel } = server.app;
      const { db } = kernel;
      // Nobody executes it.
      const id = await insertBuildRow(kernel, { userId: 'user' });
      const mocked = t.mock.method(db, 'transaction', () => ({
        async execute(work: (tx: Db) => Promise<unknown>) {
          mocked.mock.restore();
          const result = await db.transaction().execute(work);
          await db.transaction().execute((tx) => deleteBuild(tx, id));
          return result;
        },
      }));
      const { status } = await abortBuild(kernel, id, kernel.clock.now());
      assert.equal(status, 'ABORTING');
    });
  });

  describe('builds', () => {
    test('A21 are listed by Actor and for all Actors, with clamped limits', async () => {
      const actor = await createActor(server, versionOf(PLAIN));
      const ids = [];
      for (let count = 0; count < 3; count += 1) ids.push((await build(server, actor['id']))['id']);
      const { json } = await call(`/actors/${actor['id']}/builds?limit=5000`);
      const { data } = json;
      assert.deepEqual([data.total, data.count, data.limit, data.offset, data.desc], [3, 3, 1000, 0, false]);
      assert.deepEqual(
        (data.items as Json[]).map(({ id }) => id),
        ids,
      );
      const { json: newest } = await call(`/actors/${actor['id']}/builds?limit=1&desc=1`);
      assert.deepEqual(
        (newest['data'].items as Json[]).map(({ id }) => id),
        [ids[2]],
      );
      const { json: all } = await call('/actor-builds?desc=1&limit=3');
      assert.deepEqual(
        (all['data'].items as Json[]).map(({ id }) => id),
        ids.toReversed(),
      );
      assert.equal(all['data'].items[0].usageTotalUsd, 0);
    });

    test('are deleted, but not the default one', async () => {
      const actor = await createActor(server, versionOf(PLAIN));
      const first = await build(server, actor['id']);
      const second = await build(server, actor['id']);
      await expectError(`/actor-builds/${second['id']}`, { method: 'DELETE' }, 400, 'deleting-default-build');
      assert.equal(
        (
          await call(`/actor-builds/${first['id']}`, { method: 'DELETE' }).catch((error: unknown) => ({
            status: String(error),
          }))
        ).status,
        204,
      );
      await expectError(`/actor-builds/${first['id']}`, {}, 404, 'record-not-found');
      await expectError(`/actor-builds/${first['id']}/abort`, { method: 'POST' }, 404, 'record-not-found');
    });

    test('answer on the deprecated paths too, below their own Actor', async () => {
      const actor = await createActor(server, versionOf(PLAIN));
      const elsewhere = await createActor(server, versionOf(PLAIN));
      const built = await build(server, actor['id']);
      for (const root of ['actors', 'acts']) {
        const { json } = await call(`/${root}/${actor['id']}/builds/${built['id']}`);
        assert.equal(json['data'].id, built['id']);
        const { status } = await call(`/${root}/~${actor['name']}/builds/${built['id']}/abort`, {
          method: 'POST',
        });
        assert.equal(status, 200);
        await expectError(`/${root}/${elsewhere['id']}/builds/${built['id']}`, {}, 404, 'record-not-found');
      }
    });

    test('of others are missing, unless the Actor is public', async () => {
      const hidden = await createActor(server, versionOf(PLAIN));
      const shown = await createActor(
        server,
        versionOf({ ...PLAIN, '.actor/actor.json': { environmentVariables: { A: 'secret' } } }),
        { isPublic: true },
      );
      const [one, two] = [await build(server, hidden['id']), await build(server, shown['id'])];
      const init = { token: other };
      await expectError(`/actor-builds/${one['id']}`, init, 404, 'record-not-found');
      await expectError(`/actors/${hidden['id']}/builds`, init, 404, 'record-not-found');
      await expectError(
        `/actors/${hidden['id']}/builds?version=0.1`,
        { ...init, method: 'POST' },
        404,
        'record-not-found',
      );
      const { json, text } = await call(`/actor-builds/${two['id']}`, init);
      assert.deepEqual(json['data'].meta, { origin: 'API' });
      assert.doesNotMatch(text, /secret/);
      for (const [path, method] of [
        [`/actor-builds/${two['id']}/abort`, 'POST'],
        [`/actor-builds/${two['id']}`, 'DELETE'],
      ])
        await expectError(path!, { ...init, method: method! }, 404, 'record-not-found');
    });
  });
});

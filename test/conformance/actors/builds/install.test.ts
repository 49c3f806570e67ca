// What builds install, how nodes get it, and that accounts cannot reach what others run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join as joinPath } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findSnapshot } from '../../../../src/actors/builds/store-snapshots.ts';
import { findBuild } from '../../../../src/actors/builds/store.ts';
import type { Toolchain } from '../../../../src/actors/builds/execution/toolchain.ts';
import type { JobWorker } from '../../../../src/actors/jobs/job-worker.ts';
import { writeZip } from '../../../../src/actors/export/zip.ts';
import { onEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import {
  build,
  buildAgain,
  createActor,
  greeter,
  logOfBuild,
  runBuild,
  startBuilder,
  succeedToBuild,
  versionOf,
  waitForBuild,
  type SourceTexts,
} from './build-calls.ts';

const hasNpm = spawnSync('npm', ['--version']).status === 0;
const hasPython = spawnSync('python3', ['-c', 'import venv, pip']).status === 0;

async function zipOf(files: Record<string, string>): Promise<Buffer> {
  const parts = Object.entries(files).map(([name, text]) => ({ name, content: [text] }));
  return Buffer.concat(await Array.fromAsync(writeZip(parts)));
}

// One engine: the database plays no part in this.
onEngine('sqlite', (engine) => {
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

  const logOf = (id: string) => logOfBuild(server, id);
  const succeed = (version: object, query = '', token?: string) =>
    succeedToBuild(server, version, query, token);
  const succeedAgain = (actorId: string, query = '') => buildAgain(server, actorId, query);
  const run = (built: Json) => runBuild(server, built);
  const work = () => server.app.kernel.settings.execution.work;

  describe('npm', { skip: !hasNpm && 'needs npm' }, () => {
    test('installs packages, which runs find, also on a node that has not built them', async () => {
      const built = await succeed(versionOf(greeter('hello')));
      assert.equal(await run(built), 'hello\n');
      for (const folder of ['sources', 'dependencies'])
        await rm(joinPath(work(), folder), { recursive: true });
      assert.equal(await run(built), 'hello\n');
      // By the lockfile that the build has written.
      assert.match(await logOf(built['id']), /npm install[\s\S]*npm ci/);
    });

    test('installs again only where it must', async () => {
      const actor = await createActor(server, versionOf(greeter('again')));
      const isReused = async (query: string) =>
        (await logOf((await succeedAgain(actor['id'], query))['id'])).includes('installed already');
      assert.equal(await isReused('&useCache=1'), false);
      assert.equal(await isReused('&useCache=1'), true);
      // Without a lockfile nothing says which versions are meant.
      assert.equal(await isReused(''), false);
      assert.equal(await isReused('&useCache=0'), false);
    });

    test('leaves nothing of the installation behind', async () => {
      await succeed(versionOf(greeter('clean')));
      await eventually(
        async () => (await readdir(joinPath(work(), 'builds'))).length === 0,
        'the folder being empty',
      );
    });

    test('of one account cannot change what another runs', async () => {
      const victim = await succeed(versionOf(greeter('good')), '&useCache=1');
      assert.equal(await run(victim), 'good\n');
      // It looks for files of others everywhere that it can see.
      const script = `for f in $(find "$PWD" "$HOME/../../../../.." / -path '*greeting/index.js' 2>/dev/null); do echo 'export default "evil"' > "$f"; done; true`;
      const evil = await succeed(
        versionOf(greeter('good', { scripts: { install: script } })),
        '&useCache=1',
        other,
      );
      assert.equal(await run(victim), 'good\n');
      const again = await succeed(versionOf(greeter('good')), '&useCache=1');
      assert.match(await logOf(again['id']), /installed already/);
      assert.equal(await run(again), 'good\n');
      // The same sources of another account are installed anew.
      const theirs = await succeed(versionOf(greeter('good')), '&useCache=1', other);
      assert.doesNotMatch(await logOf(theirs['id']), /installed already/);
      assert.equal(await run(evil), 'evil\n');
    });

    test('gets the variables of the version only where they apply, and never those of the server', async () => {
      process.env['SERVER_SECRET'] = 'do not show';
      const scripts = { install: 'env' };
      const envVars = [{ name: 'MINE', value: 'shown' }];
      const logs: string[] = [];
      for (const applyEnvVarsToBuild of [true, false]) {
        const source = greeter('env', { scripts });
        // Scripts of packages print only to npm's own log.
        const version = versionOf(
          {
            ...source,
            'package.json': {
              ...(source['package.json'] as object),
              scripts: { start: 'node main.js', postinstall: 'env' },
            },
          },
          { envVars, applyEnvVarsToBuild },
        );
        logs.push(await logOf((await succeed(version))['id']));
      }
      delete process.env['SERVER_SECRET'];
      assert.deepEqual(
        logs.map((log) => log.includes('MINE=shown')),
        [true, false],
      );
      for (const log of logs) assert.doesNotMatch(log, /do not show|SIGNALBOX|DATABASE_URL/);
    });

    test('keeps what the scripts of the Actor itself write', async () => {
      const built = await succeed(
        versionOf({
          'package.json': {
            name: 'a',
            version: '1.0.0',
            scripts: { postinstall: 'echo "console.log(7)" > made.js', start: 'node made.js' },
          },
        }),
      );
      assert.equal(await run(built), '7\n');
    });

    test('fails the build when a package cannot be installed', async () => {
      const actor = await createActor(server, versionOf(greeter('x', { scripts: { install: 'exit 3' } })));
      const failed = await build(server, actor['id']);
      assert.deepEqual([failed['status'], failed['exitCode']], ['FAILED', 3]);
      assert.match(failed['statusMessage'], /exit code 3/);
    });
  });

  test('a program of any language runs by its start command', async () => {
    const files = {
      '.actor/actor.json': { startCommand: ['./run.sh', 'a b'] },
      'run.sh': '#!/bin/sh\necho "got $1"\n',
    };
    assert.equal(await run(await succeed(versionOf(files))), 'got a b\n');
    const shell = { '.actor/actor.json': { startCommand: 'echo one | tr o 0' } };
    assert.equal(await run(await succeed(versionOf(shell))), '0ne\n');
  });

  test(
    'a Python module runs with its packages',
    { skip: !hasPython && 'needs python3 with pip' },
    async () => {
      const parts = {
        'words.py': 'GREETING = "hello from Python"',
        'words-1.dist-info/METADATA': 'Metadata-Version: 2.1\nName: words\nVersion: 1\n',
        'words-1.dist-info/WHEEL':
          'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        'words-1.dist-info/RECORD': '',
      };
      const wheel = await zipOf(parts);
      const version = versionOf({
        'requirements.txt': './words-1-py3-none-any.whl\n',
        'src/__main__.py': 'from words import GREETING\nprint(GREETING)',
      }) as { sourceFiles: object[] };
      version.sourceFiles.push({
        name: 'words-1-py3-none-any.whl',
        format: 'BASE64',
        content: wheel.toString('base64'),
      });
      assert.equal(await run(await succeed(version)), 'hello from Python\n');
      assert.equal(await run(await succeed(versionOf({ 'main.py': 'print("plain")' }))), 'plain\n');
    },
  );

  test(
    'a Python Actor is started as its Dockerfile says, and fails where its packages cannot be fetched',
    { skip: !hasPython && 'needs python3 with pip' },
    async () => {
      const files = {
        '.actor/Dockerfile': 'FROM apify/actor-python:3.13\nCMD ["python3", "-m", "my_actor"]\n',
        'my_actor/__main__.py': 'print("by its module")',
        'other/__main__.py': '',
      };
      assert.equal(await run(await succeed(versionOf(files))), 'by its module\n');
      // Nothing listens there.
      const requirements = '--index-url http://127.0.0.1:9/simple\nno-such-package==1.0\n';
      const actor = await createActor(server, versionOf({ ...files, 'requirements.txt': requirements }));
      const failed = await build(server, actor['id']);
      assert.equal(failed['status'], 'FAILED');
      assert.match(failed['statusMessage'], /index of Python packages.*cannot be reached.*PIP_INDEX_URL/);
    },
  );

  test('without Python on the machine, a build that needs it says so', async (t) => {
    const { buildFolders } = server.app.kernel.services;
    const toolchain = await buildFolders.toolchain();
    const program = toolchain.python?.program ?? '/usr/bin/python3';
    const failWith = async (python: Toolchain['python'], files: SourceTexts): Promise<string> => {
      const mocked = t.mock.method(buildFolders, 'toolchain', async () => ({ ...toolchain, python }));
      const actor = await createActor(server, versionOf(files));
      const failed = await build(server, actor['id']);
      mocked.mock.restore();
      assert.equal(failed['status'], 'FAILED');
      return failed['statusMessage'] as string;
    };
    const sources = { 'src/__main__.py': 'print(1)' };
    const needsAll = { ...sources, 'requirements.txt': 'apify\n' };
    const none = /^This Actor needs Python 3, and this server has none\. Install/;
    assert.match(await failWith(undefined, sources), none);
    assert.match(await failWith(undefined, needsAll), none);
    assert.match(await failWith(undefined, { ...sources, Dockerfile: 'FROM apify/actor-python:3.13' }), none);
    const bare = { program, hasPip: false, readable: [] };
    assert.match(await failWith(bare, needsAll), /^requirements\.txt needs pip and venv/);
  });

  describe('the sources', () => {
    test('are read from a key-value store of the same account, whatever the host in the URL', async () => {
      const { json } = await server.call('/v2/key-value-stores', { method: 'POST' });
      const id = json['data'].id as string;
      const zip = await zipOf({ 'main.js': 'console.log("zipped")', 'package.json': '{}' });
      const put = { method: 'PUT', body: zip, headers: { 'content-type': 'application/zip' } };
      await server.call(`/v2/key-value-stores/${id}/records/version-0.1.zip`, put);
      const tarballUrl = `http://localhost:1/v2/key-value-stores/${id}/records/version-0.1.zip?disableRedirect=true`;
      const version = { versionNumber: '0.1', sourceType: 'TARBALL', tarballUrl };
      assert.equal(await run(await succeed(version)), 'zipped\n');
      const actor = await createActor(server, version, { token: other });
      const foreign = await build(server, actor['id'], 'version=0.1', { token: other });
      const { db } = server.app.kernel;
      await eventually(
        async () => (await findBuild(db, foreign['id']))?.finishedAt != null,
        'the end of the build',
      );
      assert.equal((await findBuild(db, foreign['id']))!.status, 'FAILED');
    });

    test('are not fetched from the machine itself', async () => {
      for (const version of [
        { sourceType: 'TARBALL', tarballUrl: `${server.url}/healthz` },
        { sourceType: 'GIT_REPO', gitRepoUrl: `${server.url}/x.git` },
        { sourceType: 'GITHUB_GIST', gitHubGistUrl: 'http://169.254.169.254/x' },
      ]) {
        const actor = await createActor(server, { versionNumber: '0.1', ...version });
        const failed = await build(server, actor['id']);
        assert.equal(failed['status'], 'FAILED');
        assert.match(failed['statusMessage'], /is refused: .* address/);
      }
    });
  });

  describe('the end', () => {
    const slow = (): SourceTexts => greeter('slow', { scripts: { install: 'sleep 600' } });

    test('comes when the time is over', { skip: !hasNpm && 'needs npm' }, async () => {
      await builder.stop();
      builder = await startBuilder(server, { timeoutMs: 1500 });
      const actor = await createActor(server, versionOf(slow()));
      const late = await build(server, actor['id']);
      assert.equal(late['status'], 'TIMED-OUT');
      await builder.stop();
      builder = await startBuilder(server);
    });

    test(
      'of a node lets another build from the start, with the same number and the same version',
      { skip: !hasNpm && 'needs npm' },
      async (t) => {
        let calls = 0;
        const http = createServer((_request, response) => {
          calls += 1;
          if (calls > 1) response.end();
        });
        t.after(() => http.close().closeAllConnections());
        http.listen(0, '127.0.0.1');
        await once(http, 'listening');
        const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
        const install = `node -e 'fetch("${url}")'`;
        const actor = await createActor(server, versionOf(greeter('first', { scripts: { install } })));
        const started = await build(server, actor['id'], 'version=0.1');
        await eventually(() => calls === 1, 'the installation');
        await builder.stop();
        const { db } = server.app.kernel;
        assert.equal((await findBuild(db, started['id']))!.status, 'RUNNING');
        const { status } = await server.call(`/v2/actors/${actor['id']}/versions/0.1`, {
          method: 'PUT',
          body: versionOf({ 'package.json': {}, 'main.js': 'console.log("second")' }),
        });
        assert.equal(status, 200);
        builder = await startBuilder(server);
        const built = await waitForBuild(server, started['id']);
        assert.deepEqual([built['status'], built['buildNumber']], ['SUCCEEDED', '0.1.1']);
        assert.equal(await run(built), 'first\n');
        // The last good build keeps its files, for the difference to those of today.
        assert.match((await findSnapshot(db, started['id']))!.source!, /first/);
      },
    );

    test('comes at once for a build that no node has begun', async () => {
      await builder.stop();
      const actor = await createActor(server, versionOf({ 'package.json': {}, 'main.js': '' }));
      const waiting = await build(server, actor['id'], 'version=0.1');
      const { json } = await server.call(`/v2/actor-builds/${waiting['id']}/abort`, { method: 'POST' });
      assert.equal(json['data'].status, 'ABORTED');
      assert.notEqual(json['data'].finishedAt, null);
      builder = await startBuilder(server);
    });
  });
});

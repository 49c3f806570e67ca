// The build commands of Actors: compilers, the packages that they need, and what runs get of them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findBuild } from '../../../../src/actors/builds/store.ts';
import type { JobWorker } from '../../../../src/actors/jobs/job-worker.ts';
import { packFolder } from '../../../../src/actors/sources/pack.ts';
import { onEngine } from '../../../engines.ts';
import type { TestServer } from '../../../server.ts';
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
  type SourceTexts,
} from './build-calls.ts';

const hasNpm = spawnSync('npm', ['--version']).status === 0;

/** Compiles `src/main.ts` by adding a line. */
const COMPILER: SourceTexts = {
  'package.json': { name: 'compiler', version: '1.0.0', bin: { compile: 'compile.mjs' } },
  'compile.mjs': [
    '#!/usr/bin/env node',
    'import { mkdirSync, readFileSync, writeFileSync } from "node:fs";',
    'mkdirSync("dist", { recursive: true });',
    'writeFileSync("dist/main.js", `${readFileSync("src/main.ts", "utf8")}\nconsole.log("compiled")`);',
    'console.log("compiling");',
  ].join('\n'),
};

function inFolder(folder: string, files: SourceTexts): SourceTexts {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

/** Shaped like the platform's templates for TypeScript. */
function typed(text: string, from: { compiler: string; greeting: string }): SourceTexts {
  return {
    'package.json': {
      name: 'a',
      version: '1.0.0',
      type: 'module',
      scripts: {
        build: 'compile',
        start: 'npm run start:dev',
        'start:dev': 'tsx src/main.ts',
        'start:prod': 'node dist/main.js',
      },
      dependencies: { greeting: from.greeting },
      devDependencies: { compiler: from.compiler },
    },
    'src/main.ts': `import greeting from "greeting"; console.log(greeting, ${JSON.stringify(text)})`,
    Dockerfile: 'FROM apify/actor-node',
  };
}

/** Serves each package as an archive, as a registry does. */
async function servePackages<Name extends string>(packages: Record<Name, SourceTexts>) {
  const parent = await mkdtemp(join(tmpdir(), 'packages-'));
  for (const [name, files] of Object.entries<SourceTexts>(packages)) {
    for (const [path, text] of Object.entries(files)) {
      const file = join(parent, name, 'package', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, typeof text === 'string' ? text : JSON.stringify(text), { mode: 0o755 });
    }
    await packFolder(join(parent, name), join(parent, `${name}.tgz`));
  }
  const http = createServer((request, response) => {
    createReadStream(join(parent, request.url!)).pipe(response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const urlOf = (name: string) => [name, `http://127.0.0.1:${port}/${name}.tgz`];
  return {
    urls: Object.fromEntries(Object.keys(packages).map(urlOf)) as Record<Name, string>,
    async close() {
      http.close();
      http.closeAllConnections();
      await rm(parent, { recursive: true });
    },
  };
}

// One engine: the database plays no part in this.
onEngine('sqlite', (engine) => {
  let server: TestServer;
  let builder: JobWorker;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', role: 'api' });
    builder = await startBuilder(server);
  });
  after(async () => {
    await builder.stop();
    await server.stop();
  });

  const work = () => server.app.kernel.settings.execution.work;

  describe('a build compiles', { skip: !hasNpm && 'needs npm' }, () => {
    const local = { compiler: 'file:compiler', greeting: 'file:greeting' };
    const packages = (): SourceTexts => {
      const { 'package.json': _own, 'main.js': _main, ...greeting } = greeter('hello');
      return { ...greeting, ...inFolder('compiler', COMPILER) };
    };

    test('TypeScript with packages for development, of which runs get none', async () => {
      const built = await succeedToBuild(server, versionOf({ ...typed('one', local), ...packages() }));
      assert.match(
        await logOfBuild(server, built['id']),
        /those for development too, by npm install[^]*compiling[^]*Installing dependencies by npm ci/,
      );
      assert.equal(await runBuild(server, built), 'hello one\ncompiled\n');
      const { dependencies } = (await findBuild(server.app.kernel.db, built['id']))!;
      for (const folder of ['sources', 'dependencies']) await rm(join(work(), folder), { recursive: true });
      assert.equal(await runBuild(server, built), 'hello one\ncompiled\n');
      const [folder] = await readdir(join(work(), 'dependencies'));
      assert.equal(folder!.split('-')[0], dependencies);
      assert.deepEqual(
        (await readdir(join(work(), 'dependencies', folder!, 'node_modules'))).filter(
          (name) => !name.startsWith('.'),
        ),
        ['greeting'],
      );
    });

    test('by the build command of actor.json where there is one', async () => {
      const buildCommand = 'mkdir -p dist && echo "console.log(process.argv.length)" > dist/main.js';
      const files = { 'package.json': { scripts: { build: 'exit 1', 'start:prod': 'node dist/main.js' } } };
      assert.equal(
        await runBuild(
          server,
          await succeedToBuild(server, versionOf({ ...files, '.actor/actor.json': { buildCommand } })),
        ),
        '2\n',
      );
    });

    test('with packages of a registry, which the next build finds installed', async (t) => {
      const served = await servePackages({
        compiler: COMPILER,
        greeting: {
          'package.json': { name: 'greeting', version: '1.0.0', type: 'module', main: 'index.js' },
          'index.js': 'export default "served"',
        },
      });
      t.after(() => served.close());
      const actor = await createActor(server, versionOf(typed('one', served.urls)));
      const first = await buildAgain(server, actor['id'], '&useCache=1');
      assert.doesNotMatch(await logOfBuild(server, first['id']), /installed already/);
      assert.equal(await runBuild(server, first), 'served one\ncompiled\n');
      await server.call(`/v2/actors/${actor['id']}/versions/0.1`, {
        method: 'PUT',
        body: versionOf(typed('two', served.urls)),
      });
      const second = await buildAgain(server, actor['id'], '&useCache=1');
      assert.equal((await logOfBuild(server, second['id'])).match(/installed already/g)?.length, 2);
      assert.equal(await runBuild(server, second), 'served two\ncompiled\n');
    });

    test('or fails with the name of the command', async () => {
      const files = { 'package.json': { scripts: { build: 'echo broken; exit 5' } }, 'main.js': '' };
      const actor = await createActor(server, versionOf(files));
      const failed = await build(server, actor['id']);
      assert.deepEqual([failed['status'], failed['exitCode']], ['FAILED', 5]);
      assert.equal(failed['statusMessage'], 'The build command "npm run build" failed with exit code 5.');
      assert.match(await logOfBuild(server, failed['id']), /broken/);
    });

    test('and reads nothing through links that the command has made', async () => {
      const buildCommand = 'rm -r .actor && ln -s /etc .actor && ln -s /etc/passwd main.js';
      const files = { 'package.json': {}, '.actor/actor.json': { buildCommand } };
      const actor = await createActor(server, versionOf(files));
      const failed = await build(server, actor['id']);
      assert.match(failed['statusMessage'], /no way to start/);
    });
  });
});

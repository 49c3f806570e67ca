// The npm package: packed from a copy of the sources, installed without a network in an empty folder, and started.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { buildConsole } from '../scripts/console.ts';
import { makeStartBundle } from '../scripts/start-bundle.ts';
import { bundlesFolder, findBundle } from '../scripts/start-bundle.mjs';
import { makeFolder, start, statusOf, whenListening } from '../src/cli/fixture.ts';
import { PATIENCE_MS } from './eventually.ts';
import manifest from '../package.json' with { type: 'json' };
import { FAKE_NPM, PRETEND_NODE_20 } from './old-node.ts';

const ROOT = dirname(import.meta.dirname);
const folder = makeFolder();
const clone = join(folder, 'clone');
const place = join(folder, 'place');
const installed = join(place, 'node_modules/signalbox');
const program = join(place, 'node_modules/.bin/signalbox');

/** `npm pack` modifies package.json temporarily, so it must not run in the folder of other tests. */
before(async () => {
  mkdirSync(clone);
  mkdirSync(place);
  await buildConsole();
  const files = [
    'src',
    'tools',
    'scripts',
    'docs/guide',
    'docs/openapi/examples',
    'actors-library',
    'launch.mjs',
    'package.json',
    'package-lock.json',
    'README.md',
    'LICENSE',
  ];
  for (const file of files) cpSync(join(ROOT, file), join(clone, file), { recursive: true });
  // As it was built: the copy has no packages to build it with.
  const filter = (from: string) => !from.endsWith('/console/node_modules');
  cpSync(join(ROOT, 'console'), join(clone, 'console'), { recursive: true, filter });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  await npm(clone, 'pack', '--pack-destination', place);
  writeFileSync(join(place, 'package.json'), '{}');
  await npm(place, 'install', '--offline', join(place, `signalbox-${manifest.version}.tgz`));
});

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const options = ['--no-audit', '--no-fund', '--cache', join(folder, 'cache'), '--loglevel', 'error'];
  const { stdout } = await promisify(execFile)('npm', [...args, ...options], { cwd, timeout: PATIENCE_MS });
  return stdout;
}

/** Without arguments, like `npx signalbox`. */
async function serve(data: string, env: NodeJS.ProcessEnv = {}, file = program) {
  const cache = join(folder, 'user-cache');
  return await whenListening(
    start([], { PORT: '0', SIGNALBOX_DATA: data, XDG_CACHE_HOME: cache, ...env }, file),
  );
}

test('the package starts a server without further output, and its hints name npx', async () => {
  const server = await serve(join(folder, 'data'));
  const { status, version } = (await (await fetch(`${server.url}/healthz`)).json()) as Record<string, string>;
  assert.deepEqual([status, version], ['ok', manifest.version]);
  assert.equal(server.banner.login, 'npx signalbox status --login');
  assert.equal(await statusOf(server.url, server.banner.token!), 200);
  // Loads the schema compiler, which the sources import lazily.
  const wrong = await fetch(`${server.url}/api/v2/projects`, {
    method: 'POST',
    headers: { authorization: server.banner.token!, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(wrong.status, 400);
  assert.match(await wrong.text(), /key/);
  // The examples are files beside the bundle.
  const described = await (await fetch(`${server.url}/v2/openapi.json`)).text();
  assert.match(described, /"example":\{"data":/);
  // The Actors that come with it are files beside the bundle, with their lockfiles.
  const ran = await fetch(`${server.url}/v2/actors/apify~hello-world/run-sync`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.banner.token}`, 'content-type': 'application/json' },
    body: '{"name":"Ada"}',
  });
  assert.deepEqual([ran.status, await ran.json()], [201, { greeting: 'Hello Ada!' }]);
  assert.ok(existsSync(join(installed, 'dist/actors-library/web-crawler/package-lock.json')));
  assert.ok(!existsSync(join(installed, 'dist/actors-library/web-crawler/test')));
  assert.match(readFileSync(join(installed, 'dist/signalbox.1'), 'utf8'), /^\.TH SIGNALBOX 1 /);
  server.kill('SIGTERM');
  assert.equal((await server.ended).code, 0);
});

test('on an old Node it runs on one that it keeps in the cache of its user', async () => {
  const cli = join(folder, 'npm-cli.js');
  writeFileSync(cli, FAKE_NPM);
  const env = {
    PATH: process.env['PATH'],
    NODE_OPTIONS: `--import=${PRETEND_NODE_20.replaceAll(' ', '%20')}`,
    npm_execpath: cli,
    NPM_CALLS: join(folder, 'calls'),
  };
  const server = await serve(join(folder, 'old'), env);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  server.kill('SIGTERM');
  const { code, err } = await server.ended;
  assert.equal(code, 0);
  assert.match(err, /^Setting up: fetching Node \S+ \(about 50 MB\), once…\n$/);
  assert.equal(readFileSync(join(folder, 'calls'), 'utf8'), 'install --ignore-scripts\n');
});

test('a clone starts from a bundle of its sources, which finds the files beside them', async () => {
  assert.equal(findBundle(clone), undefined);
  await makeStartBundle(clone);
  const bundle = findBundle(clone)!;
  await makeStartBundle(clone);
  assert.deepEqual(readdirSync(bundlesFolder(clone)), [basename(dirname(bundle))]);
  const server = await serve(join(folder, 'from-clone'), {}, join(clone, 'launch.mjs'));
  const read = async (path: string) => await (await fetch(server.url + path)).text();
  assert.match(await read('/v2/openapi.json'), /"example":\{"data":/);
  assert.match(await read('/docs/guide/install'), /npm start/);
  const headers = { authorization: `Bearer ${server.banner.token}` };
  const actor = await fetch(`${server.url}/v2/actors/apify~hello-world`, { headers });
  assert.equal(actor.status, 200);
  const licence = await fetch(`${server.url}/licenses/mit`, { headers });
  assert.match(await licence.text(), /Permission is hereby granted/);
  server.kill('SIGTERM');
  assert.equal((await server.ended).code, 0);
});

test('it has the console, compressed', () => {
  const page = readFileSync(join(installed, 'dist/console/index.html'), 'utf8');
  const [, script = ''] = /src="\.\/(assets\/[\w.-]+\.js)"/.exec(page) ?? [];
  assert.ok(existsSync(join(installed, 'dist/console', `${script}.br`)), script);
});

test('npx finds its program', async () => {
  assert.equal(
    (await npm(place, 'exec', '--offline', '--', 'signalbox', '--version')).trim(),
    manifest.version,
  );
});

test('it has no dependencies, and the clone it was packed from is unchanged', () => {
  const published = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as typeof manifest;
  assert.deepEqual([published.dependencies, published.devDependencies], [undefined, undefined]);
  const read = (root: string) => readFileSync(join(root, 'package.json'), 'utf8');
  assert.equal(read(clone), read(ROOT));
});

test('the licence of every package inside is there', () => {
  const [, ...notices] = readFileSync(join(installed, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8').split(
    /\n-{80}\n/,
  );
  const names = notices.map((notice) => /^(\S+) \d/m.exec(notice)?.[1]);
  // A licence in a file, in the description, and only by name.
  for (const name of ['fastify', 'pg-types', 'abstract-logging']) assert.ok(names.includes(name), name);
  for (const [index, notice] of notices.entries()) {
    assert.ok(/permission|redistribution/i.test(notice) && /copyright/i.test(notice), names[index]);
  }
});

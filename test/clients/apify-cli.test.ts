// The real `apify-cli` as a program, pointed at a running server by its base URL alone.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { ApifyClient } from 'apify-client';
import { script } from '../actor-sources.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';
import { runApifyCli, type CliOutput } from './apify-cli.ts';
import { APIFY, INSTALLED_APIFY } from './apify-program.ts';

const LARGE_BYTES = 4 * 1024 * 1024;

let server: TestServer;
let client: ApifyClient;
/** Its home, with a folder for each Actor. */
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-cli-'));
  server = await startServer({ limits: 'off' });
  client = new ApifyClient({ baseUrl: server.url, token: ADMIN_TOKEN, maxRetries: 0 });
  await apify(['login', '--token', ADMIN_TOKEN], folder, INSTALLED_APIFY);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Logs begin with what this machine cannot enforce, if there is anything. */
function withoutWarnings(text: string): string {
  const { warnings } = server.app.kernel.services.runner;
  return text
    .split('\n')
    .filter((line) => !warnings.some((warning) => line.includes(warning)))
    .join('\n');
}

/** Fails on a wrong exit code, and on anything printed that looks like an error. */
async function apify(args: string[], cwd = folder, program = APIFY): Promise<CliOutput> {
  const output = await runApifyCli(args, { url: server.url, home: folder, cwd, program });
  const { stdout, stderr } = output;
  if (/error|fail|warn|can ?not|undefined|NaN\b|invalid/i.test(withoutWarnings(stdout + stderr)))
    throw new Error(`This looks like an error: apify ${args.join(' ')}\n${stdout}\n${stderr}`);
  return output;
}

/** An Actor on the server without any version, and a folder with its sources, which is newer. */
async function giveActor(name: string, more: Record<string, string | Uint8Array> = {}): Promise<string> {
  await client.actors().create({ name });
  const own = join(folder, name);
  const definition = { actorSpecification: 1, name, version: '0.1', buildTag: 'latest' };
  const sources = script(`
const input = await getInput();
console.log('the input is', JSON.stringify(input));
await pushData([{ doubled: input.n * 2 }]);
`);
  const files = { '.actor/actor.json': JSON.stringify(definition), ...sources, ...more };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(own, path)), { recursive: true });
    writeFileSync(join(own, path), content);
  }
  return own;
}

test('login stores the token in its home, for the account', async () => {
  const stored = JSON.parse(readFileSync(join(folder, '.apify', 'auth.json'), 'utf8')) as {
    username: string;
  };
  assert.equal(stored.username, 'admin');
});

test('push builds, call runs with its log and output, and runs, builds and sources are there afterwards', async () => {
  const own = await giveActor('small');
  const pushed = await apify(['push'], own);
  assert.match(pushed.stdout, /Build: SUCCEEDED/);
  assert.match(pushed.stderr, /Z ACTOR: Build finished/);
  const { taggedBuilds } = (await client.actor('admin/small').get())!;
  assert.equal(taggedBuilds!['latest']!.buildNumber, '0.1.1');

  const called = await apify(['call', '--input', '{"n":21}', '--output-dataset'], own);
  assert.match(called.stderr, /Z the input is \{"n":21\}/);
  assert.match(called.stdout, /"doubled": ?42/);
  const run = (await client.actor('admin/small').lastRun().get())!;
  assert.deepEqual([run.status, run.meta.origin], ['SUCCEEDED', 'CLI']);

  assert.match((await apify(['runs', 'ls'], own)).stdout, new RegExp(`${run.id}.*SUCCEEDED`, 'i'));
  assert.match((await apify(['builds', 'ls'], own)).stdout, new RegExp(`0\\.1\\.1.*${run.buildId}`));

  await apify(['actors', 'pull', 'admin/small', '--dir', 'pulled']);
  for (const file of ['main.js', 'package.json'])
    assert.equal(readFileSync(join(folder, 'pulled', file), 'utf8'), readFileSync(join(own, file), 'utf8'));
});

test('call reads its input from a file, and with --json prints nothing else', async () => {
  const own = join(folder, 'small');
  writeFileSync(join(own, 'input.json'), '{"n": 4}');
  const called = await apify(['call', '--input-file', 'input.json', '--json'], own);
  const { ok, run, storage } = JSON.parse(called.stdout) as {
    ok: boolean;
    run: { id: string; status: string };
    storage: { defaultDatasetId: string };
  };
  assert.deepEqual([ok, run.status], [true, 'SUCCEEDED']);
  assert.deepEqual((await client.dataset(storage.defaultDatasetId).listItems()).items, [{ doubled: 8 }]);

  // A run that fails is an answer, too, with an exit code.
  writeFileSync(join(own, 'input.json'), '{"n": ');
  await assert.rejects(apify(['call', '--input-file', 'input.json', '--json'], own), /JSON/);
});

test('task run runs a task by its name, with its log and output', async () => {
  const { id } = await client.tasks().create({
    actId: 'admin/small',
    name: 'nightly',
    input: { n: 4 },
    options: { memoryMbytes: 256 },
  });
  for (const [reference, memory] of [
    ['nightly', ['--memory', '512']],
    ['admin/nightly', ['--timeout', '60']],
  ] as const) {
    const ran = await apify(['task', 'run', reference, ...memory]);
    assert.match(ran.stderr, /Z the input is \{"n":4\}/, reference);
    const run = (await client.task(id).lastRun().get())!;
    assert.deepEqual([run.status, run.meta.origin, run.actorTaskId], ['SUCCEEDED', 'CLI', id]);
    assert.equal(run.options.memoryMbytes, reference === 'nightly' ? 512 : 256);
    assert.deepEqual((await client.run(run.id).dataset().listItems()).items, [{ doubled: 8 }]);
  }
  assert.equal((await client.task(id).get())!.stats.totalRuns, 2);
  // The details of a run name its task.
  const { id: runId } = (await client.task(id).lastRun().get())!;
  assert.match((await apify(['runs', 'info', runId])).stdout, new RegExp(`Task: Nightly \\(${id}\\)`));
  assert.match((await apify(['task', 'publish', 'nightly'])).stdout, /has been published/);
  assert.equal((await client.task(id).get())!.isPublic, true);
});

test('push goes over the version that is there', async () => {
  const own = join(folder, 'small');
  writeFileSync(join(own, 'main.js'), "console.log('second edition');\n");
  assert.match((await apify(['push'], own)).stdout, /Build number: 0\.1\.2/);
});

// This version of the CLI unpacks only the first entry of an archive, and which one comes first differs from push to
// push. So the run says what the server received, and whichever file is pulled is compared with the pushed one.
test('push sends a large Actor as an archive in a key-value store, and pull gets it from there', async () => {
  const large = randomBytes(LARGE_BYTES);
  const hashing = script(`
const { createHash } = await import('node:crypto');
const { readFileSync } = await import('node:fs');
await pushData([{ sha256: createHash('sha256').update(readFileSync('large.bin')).digest('hex') }]);
`);
  const own = await giveActor('large', { ...hashing, 'large.bin': large });
  const pushed = await apify(['push'], own);
  assert.match(pushed.stdout, /Build: SUCCEEDED/);
  const version = (await client.actor('admin/large').version('0.1').get())!;
  assert.equal(version.sourceType, 'TARBALL');
  const called = await apify(['call', 'admin/large', '--json']);
  const result = JSON.parse(called.stdout) as { ok: boolean; run: { id: string } };
  assert.equal(result.ok, true);
  assert.deepEqual((await client.run(result.run.id).dataset().listItems()).items, [
    { sha256: createHash('sha256').update(large).digest('hex') },
  ]);
  await apify(['pull', 'admin/large', '--dir', 'pulled-large']);
  const [first, ...others] = readdirSync(join(folder, 'pulled-large'));
  assert.deepEqual(others, []);
  const source = join(own, first === 'actor.json' ? '.actor/actor.json' : first!);
  assert.deepEqual(readFileSync(join(folder, 'pulled-large', first!)), readFileSync(source));
});

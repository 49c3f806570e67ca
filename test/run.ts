// A test run: one PostgreSQL for all, every test file that is asked for, and a summary line at the end.
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildConsole } from '../scripts/console.ts';
import { findBundle } from '../scripts/start-bundle.mjs';
import { startPostgres } from './postgres.ts';
import { enginesInTurn, isLong, isOnSqlite, longTests, TEST_FOLDERS } from './quick-run.ts';
import { memoryFolder } from './runner/memory-folder.ts';
import type { TestFile } from './runner/messages.ts';
import { runFiles } from './runner/pool.ts';
import { RunProgress } from './runner/progress.ts';
import { createTemplate, dropTemplate, migratedFile } from './templates.ts';

const ROOT = dirname(import.meta.dirname);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** With the long files. */
    all: { type: 'boolean', default: false },
    /** With all suites on both engines. */
    'both-engines': { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string', multiple: true },
    // More than the cores, because tests of crashes, runs and webhooks wait much of the time.
    processes: { type: 'string', default: String(Math.min(availableParallelism() + 2, 6)) },
    /** The time limit of one file, in seconds. */
    'time-limit': { type: 'string', default: '900' },
  },
});
const isWhole = positionals.length === 0;
const patterns = isWhole ? TEST_FOLDERS.map((folder) => `${folder}/**/*.test.ts`) : positionals;
/** Long files first, so that none is left alone at the end. */
const rank = (file: string) => Number(isLong(file));
/** These look at the console, so it must have been built. */
const isConsoleTest = (file: string) => /\/e2e\/|console/.test(file);
/** Files that are asked for by name run whole. */
const isQuick = isWhole && !values.all;
const files = [...new Set(patterns.flatMap((pattern) => findFiles(pattern)))]
  .filter((path) => !isQuick || !isLong(path))
  .toSorted((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1));
const inTurn = enginesInTurn(files);
/** Undefined for both. Files that are asked for by name run on both. */
function engineOf(path: string): TestFile['engine'] {
  if (!isWhole || values['both-engines']) return undefined;
  return isQuick ? (isOnSqlite(path) ? 'sqlite' : undefined) : inTurn.get(path);
}

function findFiles(pattern: string): string[] {
  const found = globSync(pattern).map((file) => resolve(file));
  if (found.length === 0) throw new Error(`There is no file ${pattern}`);
  return found;
}

// An aborted run leaves no processes or files behind, even if its parent process is gone.
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => interruption.abort());
const starter = process.ppid;
const watch = setInterval(() => process.ppid === starter || interruption.abort(), 500);

// What a program calls itself in its hints is the same, however the run was started.
delete process.env['SIGNALBOX_STARTED_AS'];

// All files of tests are in one folder, which PostgreSQL can enter when it runs as another user.
const memory = memoryFolder();
if (memory !== undefined) process.env['TMPDIR'] ??= memory;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-run-'));
chmodSync(folder, 0o755);
const [server] = await Promise.all([
  process.env['DATABASE_URL'] ? undefined : startPostgres(),
  isWhole && prepareServers(),
  isWhole && values.all && prepareClient(),
  files.some((file) => isConsoleTest(file)) && buildConsole(),
]);
if (server) process.env['DATABASE_URL'] = server.url;
process.env['TMPDIR'] = folder;
const database = process.env['DATABASE_URL']!;
const template = isWhole ? await createTemplate(database) : undefined;
if (template !== undefined) {
  process.env['SIGNALBOX_TEST_TEMPLATE'] = template;
  const file = join(folder, 'template.db');
  writeFileSync(file, await migratedFile());
  process.env['SIGNALBOX_TEST_TEMPLATE_FILE'] = file;
}

/** Tests start many servers and commands as child processes, which start twice as fast from a bundle: the one that `launch.mjs` finds. */
async function prepareServers(): Promise<void> {
  const { makeStartBundle } = await import('../scripts/start-bundle.ts');
  await makeStartBundle(ROOT);
  const bin = findBundle(ROOT);
  if (bin !== undefined) process.env['SIGNALBOX_TEST_BIN'] = bin;
  // Fills the compile cache for the processes of the pool.
  await import('../src/cli/serve.ts');
  flushCompileCache();
}

async function prepareClient(): Promise<void> {
  const { bundleApify } = await import('./clients/apify-program.ts');
  process.env['SIGNALBOX_TEST_APIFY'] = await bundleApify(folder);
}

const progress = new RunProgress(process.stdout, files.length, () => performance.now());
const tick = setInterval(() => progress.show(), 1000);
const ordered = files.map((path) => ({ path, engine: engineOf(path) }));
await runFiles(ordered, {
  processes: Number(values.processes),
  limitMs: Number(values['time-limit']) * 1000,
  flags: [
    ...(values['test-name-pattern'] ?? []).map((name) => `--test-name-pattern=${name}`),
    ...(isQuick ? longTests : []).map((name) => `--test-skip-pattern=/^${RegExp.escape(name)}$/`),
  ],
  signal: interruption.signal,
  tell: (path, report, spent) => progress.add(path, report, spent),
});
clearInterval(tick);
if (template !== undefined) await dropTemplate(database, template);
await server?.stop();
// Programs of a test file that was cut off may write for a moment more.
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
clearInterval(watch);

progress.end(interruption.signal.aborted);
process.exitCode = progress.failed > 0 || progress.passed === 0 || interruption.signal.aborted ? 1 : 0;

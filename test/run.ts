// A test run: one PostgreSQL for all, every test file that is asked for, and a summary line at the end.
import { chmodSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from './postgres.ts';
import { memoryFolder } from './runner/memory-folder.ts';
import { runFiles } from './runner/pool.ts';
import { createTemplate, dropTemplate, migratedFile } from './templates.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** With the long files, which take more time than all others together. */
    all: { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string', multiple: true },
    // More than the cores, because tests of crashes, runs and webhooks wait much of the time.
    processes: { type: 'string', default: String(Math.min(availableParallelism() + 2, 6)) },
    /** The time limit of one file, in seconds. */
    'time-limit': { type: 'string', default: '300' },
  },
});
const isWhole = positionals.length === 0;
const FOLDERS = ['src', 'test', 'scripts', 'tools', 'actors-library'];
const patterns = isWhole ? FOLDERS.map((folder) => `${folder}/**/*.test.ts`) : positionals;
/** Files that start many processes: real clients, runs of Actors, crashes, guides. They are begun first, so that none is left alone at the end. */
const LONG = [
  /\/test\/(clients|crash|runner|together)\//,
  /memory\.test\.ts$/,
  /\/(contributing|first-crawl|guides|host-guides|import-(actors|repo)|isolations|launch|log-writer|openapi-lint|package|serve|whole-account)\.test\.ts$/,
  /\/actors-(actors|builds-\w+|datasets-streams|from-host|interruptions|library|records-large|runs|standby[\w-]*|task-runs|tasks|webhook-\w+)\.test\.ts$/,
];
const isLong = (file: string) => LONG.some((names) => names.test(file));
/** These start git hundreds of times, which costs more the larger a process has become: so they come before others. */
const startsGit = (file: string) => /host|git|repositor/.test(relative('.', file));
const rank = (file: string) => 2 * Number(isLong(file)) + Number(startsGit(file));
const files = patterns
  .flatMap((pattern) => findFiles(pattern))
  .filter((file) => !isWhole || values.all || !isLong(file))
  .toSorted((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1));

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

// All files of tests are in one folder, which PostgreSQL can enter when it runs as another user.
const memory = memoryFolder();
if (memory !== undefined) process.env['TMPDIR'] ??= memory;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-run-'));
chmodSync(folder, 0o755);
const [server] = await Promise.all([
  process.env['DATABASE_URL'] ? undefined : startPostgres(),
  isWhole && prepareServers(),
  isWhole && values.all && prepareClient(),
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

/** Tests start many servers as child processes, which start twice as fast from a bundle. */
async function prepareServers(): Promise<void> {
  const { bundleInto } = await import('../scripts/bundle.ts');
  const { bin } = await bundleInto(join(folder, 'bundle'));
  // Otherwise Node parses each file twice to detect its format.
  writeFileSync(join(folder, 'bundle/package.json'), '{"type":"module"}');
  process.env['SIGNALBOX_TEST_BIN'] = bin;
  // Fills the compile cache for the processes of the pool, and for those that tests kill before they can save theirs.
  await import('../src/cli/serve.ts');
  flushCompileCache();
}

async function prepareClient(): Promise<void> {
  const { bundleApify } = await import('./clients/apify-program.ts');
  process.env['SIGNALBOX_TEST_APIFY'] = await bundleApify(folder);
}

let passed = 0;
let failed = 0;
let failures = '';
await runFiles([...new Set(files)], {
  processes: Number(values.processes),
  limitMs: Number(values['time-limit']) * 1000,
  flags: (values['test-name-pattern'] ?? []).map((name) => `--test-name-pattern=${name}`),
  signal: interruption.signal,
  tell(file, report, { seconds, cpuSeconds }) {
    passed += report.passed;
    failed += report.failed;
    if (report.failed > 0) failures += report.failures;
    const cpu = cpuSeconds === undefined ? '' : `, ${cpuSeconds.toFixed(1)} s of CPU`;
    process.stdout.write(`${relative('.', file)} (${seconds.toFixed(1)} s${cpu})\n${report.text}\n`);
  },
});
if (template !== undefined) await dropTemplate(database, template);
await server?.stop();
// Programs of a test file that was cut off may write for a moment more.
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
clearInterval(watch);

if (failures !== '') process.stdout.write(`failed:\n${failures}\n`);
if (interruption.signal.aborted) process.stdout.write('The run was interrupted.\n');
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || passed === 0 || interruption.signal.aborted ? 1 : 0;

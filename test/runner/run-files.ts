// One of the processes that run the test files that the parent sends, one after another.
import { createRequire } from 'node:module';
import { suite } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { closeLauncher } from '../../src/host/git/process/start-program.ts';
import { cleanUp } from '../cleanup.ts';
import { followPromises, forgetPromises } from './light-test.ts';
import { beginFile, endFile } from './reporter.ts';
import type { FileReport, Message, Order, TestFile } from './messages.ts';

/** The time for stopped processes and servers to end after a file. */
const GRACE_MS = 10_000;
/** A larger process is replaced. */
const MAX_BYTES = 1_000_000_000;
/** Resources that a file must not leave open. */
const LEFTOVERS = ['ProcessWrap', 'TCPServerWrap', 'PipeServerWrap'];

/**
 * With a pattern each file has a process of its own: of later files, node:test would decide before they are loaded that nothing in
 * them matches, and run none of it.
 */
const isFiltered = process.execArgv.some((flag) => flag.startsWith('--test-name-pattern'));

const require = createRequire(import.meta.url);
const env = { ...process.env };
const folder = process.cwd();

let uncaught: unknown[] = [];
process.on('uncaughtException', note);
process.on('unhandledRejection', note);

/** Printed at once as well, since the test that waits for the failed work may never end. */
function note(error: unknown): void {
  uncaught.push(error);
  console.error(error);
}

async function runFile(file: string, engine?: TestFile['engine']): Promise<FileReport> {
  restoreSurroundings();
  if (engine !== undefined) process.env['SIGNALBOX_TEST_ENGINES'] = engine;
  beginFile(file);
  followPromises();
  // Hooks at the top level of the file belong to this suite, and so to no other file. Its name matches no usual pattern.
  await suite(' ', async () => {
    await load(file);
    forgetPromises();
  });
  cleanUp();
  const left = await findLeftovers();
  const report = await endFile();
  const faults = left.map((name) => `left a ${name} open`);
  // node:test reports an error outside of all tests only by the exit code.
  if (process.exitCode && report.failed === 0)
    faults.push(uncaught.map((error) => inspect(error)).join('\n'));
  return {
    ...report,
    failures: report.failures + faults.map((fault) => `✖ ${file}\n  ${fault}\n`).join(''),
    failed: report.failed + faults.length,
    isTidy: left.length === 0 && !isFiltered && process.memoryUsage.rss() < MAX_BYTES,
  };
}

/**
 * Synchronously, unless a module awaits something at its top level: `import` creates promises for each of the hundreds of modules that
 * a file uses, also for those that are loaded, and node:test keeps a note of each as long as the process lives.
 */
async function load(file: string): Promise<void> {
  try {
    require(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_REQUIRE_ASYNC_MODULE') throw error;
    await import(pathToFileURL(file).href);
  }
}

/** Undoes the changes of an earlier file. */
function restoreSurroundings(): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(folder);
  process.exitCode = undefined;
  uncaught = [];
}

async function findLeftovers(): Promise<string[]> {
  for (const deadline = Date.now() + GRACE_MS; ; await delay(5)) {
    const left = process.getActiveResourcesInfo().filter((name) => LEFTOVERS.includes(name));
    if (left.length === 0 || Date.now() > deadline) return left;
  }
}

/** The system counts the time of a process for the run only if it is waited for. */
async function exit(): Promise<void> {
  await closeLauncher();
  process.exit();
}

process.on('message', (order: Order) => {
  if (order.file === undefined) {
    void exit();
    return;
  }
  void runFile(order.file, order.engine).then((report) => process.send?.({ report } satisfies Message));
});
process.on('disconnect', () => process.exit());

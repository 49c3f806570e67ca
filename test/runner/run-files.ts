// One of the processes that run test files, one file after another, as the parent names them.
import { suite } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { cleanUp } from '../cleanup.ts';
import { followPromises, forgetPromises } from './light-test.ts';
import { beginFile, endFile } from './reporter.ts';
import type { FileReport, Message, Order } from './messages.ts';

/** How long what was stopped at the end of a file may take to be gone. */
const GRACE_MS = 10_000;
/** A process that has grown larger makes room for a new one. */
const MAX_BYTES = 1_000_000_000;
/** What no file may leave running. */
const LEFTOVERS = ['ProcessWrap', 'TCPServerWrap', 'PipeServerWrap'];

const env = { ...process.env };
const folder = process.cwd();

let uncaught: unknown[] = [];
process.on('uncaughtException', note);
process.on('unhandledRejection', note);

/** Shown at once too, since the test that waits for what has failed may never end. */
function note(error: unknown): void {
  uncaught.push(error);
  console.error(error);
}

async function runFile(file: string): Promise<FileReport> {
  restoreSurroundings();
  beginFile(file);
  followPromises();
  // Hooks at the top of the file belong to this suite, and so to no other file. Its name is none that a pattern means.
  await suite(' ', async () => {
    await import(pathToFileURL(file).href);
    forgetPromises();
  });
  cleanUp();
  const left = await findLeftovers();
  const report = await endFile();
  const faults = left.map((name) => `left a ${name} open`);
  // So node:test marks an error that belongs to no test.
  if (process.exitCode && report.failed === 0)
    faults.push(uncaught.map((error) => inspect(error)).join('\n'));
  return {
    ...report,
    failures: report.failures + faults.map((fault) => `✖ ${file}\n  ${fault}\n`).join(''),
    failed: report.failed + faults.length,
    isTidy: left.length === 0 && process.memoryUsage.rss() < MAX_BYTES,
  };
}

/** What an earlier file has set is gone. */
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

process.on('message', (order: Order) => {
  if (order.file === undefined) process.exit();
  void runFile(order.file).then((report) => process.send?.({ report } satisfies Message));
});
process.on('disconnect', () => process.exit());

// The whole test run: one PostgreSQL for all, every test file, and a line at the end that says how it went.
import { globSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { startPostgres } from './postgres.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true } },
});
const patterns =
  positionals.length > 0 ? positionals : ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'];
/** What takes longest goes first, so that nothing runs alone at the end. */
const isLong = (file: string) => /\/test\/(crash|clients)\//.test(file);
const files = globSync(patterns)
  .map((file) => resolve(file))
  .toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)) || (a < b ? -1 : 1));
const server = process.env['DATABASE_URL'] ? undefined : await startPostgres();
if (server) process.env['DATABASE_URL'] = server.url;

// The first tests start servers and kill them, and a process that is killed leaves no compiled code to the next one.
await import('../src/cli/serve.ts');
flushCompileCache();

// Test files run in processes of their own, which would outlive this one.
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interruption.abort());

const names = values['test-name-pattern'];
const { signal } = interruption;
// One more than the two cores that are meant: tests of crashes and webhooks wait for a good part of their time.
const events = run({ files, signal, concurrency: 3, ...(names && { testNamePatterns: names }) });
let passed = 0;
let failed = 0;
events.on('test:pass', ({ name, file }) => {
  if (name === file) passed -= 1; // so node:test reports a file in which no test ran
});
events.on('test:summary', ({ file, counts, success }) => {
  if (file !== undefined) return; // each file has one; the last is of all
  passed += counts.passed;
  failed = counts.tests - counts.passed - counts.skipped - counts.todo;
  if (!success) failed = Math.max(failed, 1); // a hook may fail where all tests pass
});
await pipeline(events, new spec(), process.stdout, { end: false });
await server?.stop();

process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

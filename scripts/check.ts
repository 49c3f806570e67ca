// Runs every check of the project, two at a time, one line each, with the output of those that fail: `npm run check`.
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findRecordProblems } from './decision-records.ts';
import { findConsoleViolations } from './console-law.ts';
import { findDoubleNames } from './exported-names.ts';
import { findViolations } from './import-law.ts';

/** Returns the output of a failed check, or nothing. */
type Check = () => Promise<string | undefined> | string | undefined;

const ROOT = dirname(import.meta.dirname);

const { values } = parseArgs({
  options: {
    'no-tests': { type: 'boolean' },
    /** Repeats randomized tests, such as crashes, many more times. */
    long: { type: 'boolean' },
    /** Programs, joined by commas, without which tests would be skipped. */
    need: { type: 'string', default: '' },
  },
});
if (values.long) process.env['SIGNALBOX_LONG_TESTS'] = '1';

/** The linter needs the types of the console's packages. */
const FIRST = ['needed', 'console'];

const needed = values.need.split(',').filter((name) => name !== '');

const checks: Record<string, Check> = {
  ...(needed.length > 0 && { needed: () => checkPrograms(needed) }),
  console: async () => (await runNode('scripts/console.ts')) ?? (await checkTypes('console')),
  lint: () => runWith(FEW_COLLECTIONS, 'node_modules/oxlint/bin/oxlint', '--format=unix'),
  types: () => checkTypes('tsconfig.json'),
  format: () => runNode('node_modules/oxfmt/bin/oxfmt', '--check'),
  'import law': checkImports,
  names: checkNames,
  records: checkRecords,
  'dead code': () => runNode('node_modules/knip/bin/knip.js'),
  ledger: () => runNode('scripts/ledger.ts'),
  openapi: () => runNode('scripts/openapi.ts', '--check'),
  'console types': () => runNode('scripts/console-types.ts', '--check'),
  'openapi lint': () => runNode('scripts/openapi-lint.ts'),
  rooms: () => runNode('scripts/rooms.ts', '--check'),
  settings: () => runNode('scripts/settings.ts', '--check'),
  contract: () => runNode('scripts/contract.ts'),
  ...(!values['no-tests'] && {
    tests: () => runNode('test/run.ts', '--all', ...(values.long ? ['--time-limit=3000'] : [])),
  }),
};

const runNode = (...args: string[]) => runWith({}, ...args);

/** With the usual garbage collection, compilers of Go spend a fifth of their time on it. */
const FEW_COLLECTIONS = { GOGC: '400' };

function runWith(env: NodeJS.ProcessEnv, ...args: string[]): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const options = { cwd: ROOT, maxBuffer: 2 ** 28, env: { ...process.env, ...env } };
  execFile(process.execPath, args, options, (error, stdout, stderr) =>
    resolve(error === null ? undefined : stdout + stderr),
  );
  return promise;
}

/** Several threads check shared types again in each. The next check begins with what this one has found out. */
function checkTypes(project: string): Promise<string | undefined> {
  const known = join('.runtime', `${project.replace(/\W/g, '-')}.tsbuildinfo`);
  const flags = ['--singleThreaded', '--incremental', '--tsBuildInfoFile', known];
  return runWith(FEW_COLLECTIONS, 'node_modules/typescript/bin/tsc', '-p', project, ...flags);
}

function checkPrograms(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const missing = names.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return missing.length === 0
    ? undefined
    : `Not on the PATH: ${missing.join(', ')}. Tests that need them are skipped.`;
}

function readSources(...globs: string[]): Map<string, string> {
  const paths = globSync(globs, { cwd: ROOT });
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

function checkNames(): string | undefined {
  const doubles = findDoubleNames(readSources('src/**/*.ts'));
  return doubles.length === 0
    ? undefined
    : doubles.map(({ name, paths }) => `${name} is exported by ${paths.join(' and ')}`).join('\n');
}

function checkRecords(): string | undefined {
  const texts = readSources('{src,test,scripts,bench,tools}/**/*.{ts,mjs}', 'docs/**/*.md', '*.md');
  // Its examples name records that do not exist.
  texts.delete(join('scripts', 'decision-records.test.ts'));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const problems = findRecordProblems(texts, Object.keys(dependencies));
  return problems.length === 0 ? undefined : problems.join('\n');
}

function checkImports(): string | undefined {
  const ofConsole = readSources('console/!(node_modules|dist)/**/*.{ts,tsx}');
  const violations = [...findViolations(readSources('src/**/*.ts')), ...findConsoleViolations(ofConsole)];
  return violations.length === 0
    ? undefined
    : violations.map(({ path, line, rule }) => `${path}:${line}: ${rule}`).join('\n');
}

/** Prints the line of a check when it has ended. */
async function runCheck(name: string, check: Check): Promise<void> {
  const startedAt = performance.now();
  const words = await check();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${name.padEnd(13)} ${words === undefined ? 'ok' : 'failed'} (${seconds} s)`);
  if (words === undefined) return;
  console.log(words.trim());
  process.exitCode = 1;
}

// The tests have the machine for themselves, and what is in FIRST is needed by others.
const isAlone = (name: string) => FIRST.includes(name) || name === 'tests';
const waiting = Object.entries(checks).filter(([name]) => !isAlone(name));
for (const name of FIRST) if (checks[name]) await runCheck(name, checks[name]);
await Promise.all(
  Array.from({ length: Math.min(availableParallelism(), 2) }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runCheck(...next);
  }),
);
if (checks['tests']) await runCheck('tests', checks['tests']);

// Runs every check of the project in order, one line each, with the output of those that fail: `npm run check`.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findRecordProblems } from './decision-records.ts';
import { findConsoleViolations } from './console-law.ts';
import { findDoubleNames } from './exported-names.ts';
import { findViolations } from './import-law.ts';

/** Returns the output of a failed check, or nothing. */
type Check = () => string | undefined;

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

const needed = values.need.split(',').filter((name) => name !== '');

const checks: Record<string, Check> = {
  ...(needed.length > 0 && { needed: () => checkPrograms(needed) }),
  // First, because the linter needs the types of its packages.
  console: () => runNode('scripts/console.ts') ?? runNode('node_modules/typescript/bin/tsc', '-p', 'console'),
  format: () => runNode('node_modules/oxfmt/bin/oxfmt', '--check'),
  lint: () => runNode('node_modules/oxlint/bin/oxlint', '--format=unix'),
  'import law': checkImports,
  names: checkNames,
  records: checkRecords,
  'dead code': () => runNode('node_modules/knip/bin/knip.js'),
  ledger: () => runNode('scripts/ledger.ts'),
  types: () => runNode('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'),
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

function runNode(...args: string[]): string | undefined {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return status === 0 ? undefined : stdout + stderr;
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

for (const [name, check] of Object.entries(checks)) {
  const startedAt = performance.now();
  const words = check();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${name.padEnd(12)} ${words === undefined ? 'ok' : 'failed'} (${seconds} s)`);
  if (words === undefined) continue;
  console.log(words.trim());
  process.exitCode = 1;
}

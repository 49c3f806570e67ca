// Runs every check of the project in order, one line each, with the output of those that fail: `npm run check`.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findViolations } from './import-law.ts';

/** Returns the output of a failed check, or nothing. */
type Check = () => string | undefined;

const ROOT = dirname(import.meta.dirname);

const { values } = parseArgs({
  options: {
    'no-tests': { type: 'boolean' },
    /** Repeats randomized tests, such as crashes, many more times. */
    long: { type: 'boolean' },
  },
});
if (values.long) process.env['SIGNALBOX_LONG_TESTS'] = '1';

const checks: Record<string, Check> = {
  format: () => runNode('node_modules/oxfmt/bin/oxfmt', '--check'),
  lint: () => runNode('node_modules/oxlint/bin/oxlint', '--format=unix'),
  'import law': checkImports,
  'dead code': () => runNode('node_modules/knip/bin/knip.js'),
  types: () => runNode('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'),
  openapi: () => runNode('scripts/openapi.ts', '--check'),
  settings: () => runNode('scripts/settings.ts', '--check'),
  contract: () => runNode('scripts/contract.ts'),
  ...(!values['no-tests'] && {
    tests: () => runNode('test/run.ts', ...(values.long ? ['--time-limit=3000'] : [])),
  }),
};

function runNode(...args: string[]): string | undefined {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return status === 0 ? undefined : stdout + stderr;
}

function checkImports(): string | undefined {
  const paths = globSync('src/**/*.ts', { cwd: ROOT });
  const breaches = findViolations(
    new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])),
  );
  return breaches.length === 0
    ? undefined
    : breaches.map(({ path, line, rule }) => `${path}:${line}: ${rule}`).join('\n');
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

// Prints how many rules of the ledger are held by tests and which are not: `npm run ledger -- [--json] [--require F1,F2]`.
// Fails where a rule is held only by tests that `npm test` leaves to `--all`.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isLong, longTests } from '../test/quick-run.ts';
import { findCoverage, findLongOnly, type Ledger } from './ledger-coverage.ts';

const CONFORMANCE = join(import.meta.dirname, '../test/conformance');

const { values } = parseArgs({ options: { json: { type: 'boolean' }, require: { type: 'string' } } });
const ledger = JSON.parse(readFileSync(join(CONFORMANCE, 'ledger.json'), 'utf8')) as Ledger;
const paths = globSync('**/*.test.ts', { cwd: CONFORMANCE });
const tests = new Map(paths.map((path) => [path, readFileSync(join(CONFORMANCE, path), 'utf8')]));
const coverage = findCoverage(ledger, tests);
const longOnly = findLongOnly(ledger, tests, {
  isLong: (path) => isLong(join(CONFORMANCE, path)),
  longTests,
});

if (values.json) {
  console.log(JSON.stringify(coverage, null, 2));
} else {
  for (const { api, total, covered, missing } of coverage.apis) {
    console.log(`${api.padEnd(8)} ${covered.length} of ${total}`);
    for (const [id, title] of ledger[api] ?? [])
      if (missing.includes(id)) console.log(`  ${id.padEnd(4)} ${title}`);
  }
}

const covered = new Set(coverage.apis.flatMap((api) => api.covered));
const required = values.require?.split(',').filter((id) => !covered.has(id)) ?? [];
if (required.length > 0) console.error(`Required but not held by a test: ${required.join(', ')}.`);
for (const { path, id } of coverage.unknown)
  console.error(`${path} names ${id}, which is not in the ledger.`);
if (longOnly.length > 0)
  console.error(`Held by no test without --all (test/quick-run.ts): ${longOnly.join(', ')}.`);
if (required.length > 0 || longOnly.length > 0 || coverage.unknown.length > 0) process.exitCode = 1;

// What `npm test` leaves to `npm test -- --all`, and why. `npm run ledger` checks that every rule stays in both.
import { matchesGlob, relative } from 'node:path';

const ROOT = new URL('..', import.meta.url).pathname;

/** Files by glob, with the reason. A file that costs more than five seconds of CPU belongs here, if it cannot be made cheaper. */
export const LONG_FILES: Readonly<Record<string, string>> = {
  'test/clients/**': 'real clients are large programs',
  'test/crash/**': 'servers in processes of their own are killed, again and again',
  'test/together/**': 'several servers work at once, until they are killed',
  'test/runner/run.test.ts': 'the runner is started a dozen times',
  '**/*memory.test.ts': 'memory is measured in a process of its own, after many calls',
};

/**
 * Tests of the whole server, which are declared for both engines and run on SQLite: what differs between engines is held by the
 * suites of stores, which run on both.
 */
export const ON_SQLITE: readonly string[] = ['test/conformance/**'];

const matches = (file: string, globs: readonly string[]) =>
  globs.some((glob) => matchesGlob(relative(ROOT, file), glob));

export function isLong(file: string): boolean {
  return matches(file, Object.keys(LONG_FILES));
}

export function isOnSqlite(file: string): boolean {
  return matches(file, ON_SQLITE);
}

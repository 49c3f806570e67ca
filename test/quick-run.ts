// What `npm test` leaves to `npm test -- --all`, and why. `npm run ledger` checks that every rule stays in both. ADR 0081.
import { join, matchesGlob, relative } from 'node:path';

/** Where test files are. */
export const TEST_FOLDERS = ['src', 'test', 'scripts', 'tools', 'actors-library'];

const ROOT = join(import.meta.dirname, '..');

/** Globs of files by the reason. A file that costs more than five seconds of CPU is made cheaper, split, or named here. */
const LONG_FILES: Readonly<Record<string, readonly string[]>> = {
  'Real clients and browsers are large programs.': ['test/clients/**', 'test/e2e/**'],
  'Servers are started as processes, and killed.': [
    'test/crash/**',
    'test/together/**',
    'test/repository-nodes.test.ts',
    '**/cli/serve.test.ts',
  ],
  'The runner, the launcher or npm is started again and again.': [
    'test/runner/run.test.ts',
    'test/launch.test.ts',
    'test/package.test.ts',
  ],
  'Everything that a page of the documentation shows is done.': [
    'test/contributing.test.ts',
    'test/first-crawl.test.ts',
    'test/{flag-,host-,}guides.test.ts',
  ],
  'Actors are built and run; those of other files do what every rule needs.': [
    'test/demo.test.ts',
    '**/runner/isolations.test.ts',
    'test/conformance/actors-{actors,builds-*,from-host,interruptions,library,standby,standby-*}.test.ts',
  ],
  'Large bodies are streamed, and whole accounts imported.': [
    '**/import-{actors,repo}.test.ts',
    '**/whole-account.test.ts',
    '**/log-writer.test.ts',
    'test/conformance/actors-{datasets-streams,records-large}.test.ts',
  ],
  'Memory is measured, in a process of its own.': ['**/*memory.test.ts'],
};

/** Names of tests by the reason, where the others of their file are quick. */
const LONG_TESTS: Readonly<Record<string, readonly string[]>> = {
  'Hostile input is stopped when its time is used up.': [
    'texts that take too long are refused, and do not keep others waiting in turn',
    'an endless pattern is stopped, and not started again',
    'a pattern that takes for ever is stopped, and other inputs are validated',
    'A9 a hostile pattern in a schema costs its owner the push, and nobody else their time',
    'hostile documents are compared or refused, without delay',
    'documents are rendered together, up to the limits of one',
    'any number of addresses take bounded memory, and displace neither members nor open calls',
    'no expression holds the event loop for 50 ms',
    'an item that unwinds to more than five million is refused',
  ],
  'Several processes or clients write to the same at once.': [
    'of several processes, exactly one claims each piece of work',
    'several processes write to one database at once, and tell each other',
    'two processes share the work and double none of it',
    'a firing whose lease is lost again and again starts each action once',
    'of concurrent moves none is lost',
    'of siblings that are pushed at once one wins, and none of the others passes as no force push',
    'eight clients that fork one gist at once get one fork',
    'eight clients that change one gist at once lose nothing',
    'eight clients that delete the same analysis at once delete it once',
  ],
  'Bodies, repositories or tables are as large as they may be.': [
    'is written and read, also as a delta of another',
    'a push of long commits lists the newest that fit, and is none by force',
    'a large blob is uploaded in parts, and appears when it is complete',
    'the most severe 5,000 results are kept, with a warning',
    'a new environment has all flags, however many',
    'of a tree with too many entries the first are shown',
    'a blob of some megabytes is streamed in both forms',
    'a page of large requests ends early, and the next continues there',
    'A28 a large request that is good is kept',
    'stops a repack when a push begins, and goes on later',
  ],
  'Dozens of uploads or runs are needed for one statement.': [
    'a document that breaks a rule fails the upload, and says what to do',
    'every address in a reply leads to something, or to what this server says it does not have',
    'with restartOnError a failing process is started again, and given up after three times',
    'A30 a chain of runs that start each other ends after ten',
    'accounts take turns, whatever one of them has queued',
  ],
};

/**
 * Declared for both engines, these run on SQLite: tests of the whole server, because what differs between engines is held by the
 * suites of stores, and query plans, because PostgreSQL takes most of the time to fill the tables.
 */
export const filesOnSqlite: readonly string[] = [
  'test/conformance/**',
  '**/{query-plans,*-query-plans,plans}.test.ts',
  '**/record-pushes.test.ts',
];

export const longFiles = Object.values(LONG_FILES).flat();
export const longTests = Object.values(LONG_TESTS).flat();

const matches = (file: string, globs: readonly string[]) =>
  globs.some((glob) => matchesGlob(relative(ROOT, file), glob));

export function isLong(file: string): boolean {
  return matches(file, longFiles);
}

export function isOnSqlite(file: string): boolean {
  return matches(file, filesOnSqlite);
}

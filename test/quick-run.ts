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
  'The runner, the launcher, npm or the compiler is started again and again.': [
    'test/runner/run.test.ts',
    'test/launch.test.ts',
    'test/package.test.ts',
    'scripts/openapi-client.test.ts',
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
    'test/conformance/actors-{private-network,run-tokens,schedules-nodes}.test.ts',
    'src/actors/jobs/jobs.test.ts',
    'src/actors/runner/isolation/{bubblewrap,private-network,uid}.test.ts',
  ],
  'One rule is held for every role, every place or every shape; other files hold it for some.': [
    'test/conformance/flags-every-role.test.ts',
    'test/conformance/flags-{bad-routes,segments-import-access}.test.ts',
    'test/conformance/host-{app-pages,code-scanning-bad-input,private-forks}.test.ts',
    '**/*.property.test.ts',
    'src/flags/evaluation/official.test.ts',
  ],
  'Many clients, nodes or receivers, or whole repositories, are kept busy.': [
    'test/hostile/**',
    '**/doctor-repositories.test.ts',
    '**/maintenance.test.ts',
    '**/many-receivers.test.ts',
  ],
  'Large bodies are streamed, and whole accounts imported.': [
    '**/import-{actors,repo}.test.ts',
    'test/conformance/host-imports.test.ts',
    'src/cli/import/actors/{automation,conflicts,faults}.test.ts',
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
    'any number of addresses take bounded memory, and displace neither members nor open calls',
    'no expression holds the event loop for 50 ms',
    'an item that unwinds to more than five million is refused',
    'a text that takes too long is kept as such, and the others are rendered',
    'a document that takes too long is not rendered',
    'a document whose HTML is many times as long is not rendered',
    'a document that takes too much memory or time fails the upload, and the next one is read',
    'with a tree that stands for billions of files is refused, and leaves nothing behind',
    'that are too large as text are refused before the first byte',
    'is not shown as a diff or patch',
    'references that multiply are stopped too',
    'many rules of names cost little for each file',
    'F28 no login form is too strange to be refused',
    'F33 no size is too large to be refused, as sent or as inflated',
  ],
  'Several processes or clients write to the same at once.': [
    'of several processes, exactly one claims each piece of work',
    'several processes write to one database at once, and tell each other',
    'of concurrent moves none is lost',
    'of merges at once none is lost',
    'pull requests of one repository are checked one at a time',
    'one that fails keeps no other waiting, and is tried again',
    'of siblings that are pushed at once one wins, and none of the others passes as no force push',
    'eight clients that fork one gist at once get one fork',
    'eight clients that change one gist at once lose nothing',
    'eight who open the same pull request at once open one',
    'pushes that are followed out of their order end with what the branch has',
    'uploads of one repository are processed in their order',
    'neither calls nor firings fail because of each other',
    'eight clients that merge into one branch at once lose nothing',
    'of eight changes of a password at once one is made',
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
    'thirty texts of 65,536 characters come whole, and are rendered once',
    'a file that is too large is refused by its length, or when it has come so far',
    'a large file is cut in JSON, and whole at its address',
    'of 25,000 hunks is taken, and read again',
    'a large one is stored and merged',
    'a huge value goes through',
    'while a large text is parsed, others have their turn',
    'a long string is written piece by piece as it is at once',
    'a value is written piece by piece as it is at once',
    'a long string that is cut everywhere has the value that it has as a whole',
  ],
  'Forks or apps are made; other tests hold most of the rule without.': [
    'the branch of a fork is updated by who may push there, and by maintainers where it is allowed',
    'maintainers do not update the branch of a fork that does not allow it, and conflicts copy nothing',
    'a pull request of a fork follows its branch to a new name',
    'an app needs to write contents for it, whatever it may do with pull requests',
  ],
  'Several branches are made and merged for one statement.': [
    'titles and messages are those of the settings, in both versions, or those of the call',
    'methods that the repository switches off are refused',
    'closing words of the pull request close issues where the base is the default branch',
    'the branch is deleted where the setting says so, and others that were to be merged into it go on',
    'the branch of a fork is deleted by those who may write there',
    'what was merged counts, though the pull request was pushed to, closed and given another base before its end',
    'a base or a head that moves after the commit was made refuses the merge, and leaves no intent',
    'a merge or squash takes three processes of git at most until the branch has moved, a rebase three and two for each commit',
  ],
  'Dozens of uploads, pushes or runs are needed for one statement.': [
    'alerts of other refs, categories and tools are apart',
    'whatever order uploads and deletions of two categories come in, alerts are as the newest analyses say',
    'names of any characters fit, up to their limits, and longer ones are refused',
    'settings of the repository say whether and by whom pull requests are opened',
    'lists are narrowed and sorted',
    'the base is changed to another branch, which no other pull request of the branch has',
    'branches without anything to merge, and such that do not exist, are refused',
    'a deleted branch closes the pull request, which keeps its commits and is reopened with the branch',
    'each payload has the shape that receivers know',
    'a commit that comes to the branch again does nothing again',
    'pull requests are named, not closed, and archived repositories stay as they are',
    'the gists of a removed member are gone at once, and removed with their folders',
    'restrictions concern creations where the rule says so, and a rule outlives its branch',
    'linear history has no merges among the new commits, and required signatures let no new commit in',
    'below a commit there is nothing at an unknown path, and a name with slashes is a name',
    'branches are listed by whether they are protected, and a rule follows its branch to another name',
    'every address in a reply leads to something, or to what this server says it does not have',
    'with restartOnError a failing process is started again, and given up after three times',
    'A30 a chain of runs that start each other ends after ten',
    'accounts take turns, whatever one of them has queued',
    'A5 A32 run-sync and run-sync-get-dataset-items of a task, with input or without',
    'A25 webhooks of one run come along with its start, on every way to start one',
    'A25 a program adds webhooks to its own run, and to no other',
    'is stopped, refused to the account that used it, and harms nobody else',
    'more than an account may have waiting are put off',
    'a private repository has no comments for others, and an app needs its permission',
    'lists of comments on lines have their order, and what changed since a time',
    'what is private does not exist for others by GraphQL, and an app needs its permission',
  ],
};

/**
 * Declared for both engines, these run on SQLite: tests of the whole server, and of work that goes through many stores, because what
 * differs between engines is held by the suites of stores; and query plans, because PostgreSQL takes most of the time to fill the tables.
 */
export const filesOnSqlite: readonly string[] = [
  'test/conformance/**',
  '**/{query-plans,*-query-plans,plans}.test.ts',
  '**/record-pushes.test.ts',
  '**/check-merge.test.ts',
  '**/check-merges.test.ts',
  'src/host/pulls/follow-pushes.test.ts',
  'src/host/texts/{read-commits,record-references,render-texts}.test.ts',
  'src/host/code-scanning/applying.test.ts',
  'src/kernel/webhooks/{in-order,independent}.test.ts',
  'src/actors/input/secret-keys.test.ts',
  'test/service-accounts.test.ts',
];

/** The complete run has these on one of the engines, taken in turn by the order of their names, unless it is asked for both. */
const FILES_IN_TURN: readonly string[] = ['test/conformance/**'];

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

/** Of the complete run, by file. */
export function enginesInTurn(files: readonly string[]): Map<string, 'sqlite' | 'postgres'> {
  const inTurn = files.filter((file) => matches(file, FILES_IN_TURN)).toSorted();
  return new Map(inTurn.map((file, index) => [file, index % 2 === 0 ? 'sqlite' : 'postgres']));
}

// What `npm test` leaves to `npm test -- --all`, and why. `npm run ledger` checks that every rule stays in both. ADR 0081.
import { join, matchesGlob, relative } from 'node:path';

/** Where test files are. */
export const TEST_FOLDERS = ['src', 'test', 'scripts', 'tools', 'actors-library'];

const ROOT = join(import.meta.dirname, '..');

/** Globs of files by the reason. A file that costs more than five seconds of CPU is made cheaper, split, or named here. */
const LONG_FILES: Readonly<Record<string, readonly string[]>> = {
  'What is shown by calls of other files is shown once more, with more cases.': [
    'test/conformance/host/kept-replies.test.ts',
    'test/conformance/host/versions/pages.test.ts',
    'test/conformance/signalbox/{actor-work,attention,blame,budgets,content-origin,dispatches,docs-search,expired-locks,log-lines,merge-check,run-timeline,storages,webhooks}.test.ts',
    'test/conformance/signalbox/flags/{flag-copies,flag-states,flag-usage}.test.ts',
    'test/conformance/signalbox/people/{allowed-actions,password,policies,token-tasks}.test.ts',
    'test/console/to-instructions.test.ts',
    'test/conformance/actors/narrow-tokens.test.ts',
    'test/conformance/actors/runs/{adjusted-values,charges,null-input}.test.ts',
    'test/conformance/actors/storages/{aliased-storages,records-s3}.test.ts',
    'test/conformance/flags/events/nodes.test.ts',
    'test/conformance/flags/segments/import.test.ts',
    'test/conformance/host/{absent-parts,gist-comments}.test.ts',
    'test/conformance/host/apps/{app-manifests,app-settings}.test.ts',
    'test/conformance/host/code-scanning/limits.test.ts',
    'test/conformance/host/issues/{issue-assignees,issue-labels,sub-issues}.test.ts',
    'test/conformance/host/pulls/{branch-merges,protected-merges,pull-pushes,review-comments,review-requests,review-threads}.test.ts',
    'test/conformance/host/repositories/{forks,hook-deliveries}.test.ts',
    'test/conformance/host/versions/impact-callers.test.ts',
    'scripts/version-examples.test.ts',
    'src/actors/builds/execution/build-folders.test.ts',
    'src/actors/export/formats/xml.test.ts',
    'src/actors/jobs/retention.test.ts',
    'src/actors/sources/fetch.test.ts',
    'src/flags/evaluation/bucket-hash.test.ts',
    'test/nodes.test.ts',
    'test/round-trips.test.ts',
    'src/actors/input/secret-keys.test.ts',
    'src/actors/sources/archive.test.ts',
    'src/cli/api/api-impact.test.ts',
    'src/kernel/identity/first-start.test.ts',
    'src/kernel/threads/thread-runner.test.ts',
    'src/kernel/webhooks/independent.test.ts',
  ],
  'Real clients and browsers are large programs.': ['test/clients/**', 'test/e2e/**'],
  'Servers are started as processes, and killed.': [
    'test/crash/**',
    'test/together/**',
    'test/repository-nodes.test.ts',
    'test/deploy.test.ts',
    'src/cli/{postgres,serve,status,token}.test.ts',
    'src/cli/backup/backup.test.ts',
    'test/conformance/signalbox/backups.test.ts',
    'src/cli/{member/member,remote/remote,secrets/secrets}.test.ts',
    'src/cli/doctor/doctor.test.ts',
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
    'test/conformance/signalbox/demo.test.ts',
    '**/runner/isolations.test.ts',
    'test/conformance/actors/{actors,from-host,library}.test.ts',
    'test/conformance/actors/builds/{compile,install,isolation}.test.ts',
    'test/conformance/actors/runs/interruptions.test.ts',
    'test/conformance/actors/standby/*.test.ts',
    'test/conformance/actors/runs/{private-network,run-tokens}.test.ts',
    'test/conformance/actors/schedules/nodes.test.ts',
    'test/conformance/signalbox/run-timeline.test.ts',
    'src/actors/jobs/jobs.test.ts',
    'src/actors/runner/isolation/{bubblewrap,private-network,uid}.test.ts',
  ],
  'One rule is held for every role, every place or every shape; other files hold it for some.': [
    'test/conformance/docs-reference.test.ts',
    'test/conformance/actors/error-type-table.test.ts',
    'test/conformance/flags/bad-routes.test.ts',
    'test/conformance/flags/access/every-role.test.ts',
    'test/conformance/flags/feature-flags/instructions.test.ts',
    'test/conformance/flags/segments/import-access.test.ts',
    'test/conformance/host/served-operations.test.ts',
    'test/conformance/host/apps/app-pages.test.ts',
    'test/conformance/host/code-scanning/bad-input.test.ts',
    'test/conformance/host/issues/catalogue-issues.test.ts',
    'test/conformance/host/repositories/private-forks.test.ts',
    'test/conformance/host/versions/headers.test.ts',
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
    'test/conformance/host/repositories/imports.test.ts',
    'src/cli/import/actors/{automation,conflicts,faults}.test.ts',
    '**/whole-account.test.ts',
    '**/log-writer.test.ts',
    'test/conformance/actors/storages/{datasets-streams,records-large}.test.ts',
  ],
  'Memory is measured, in a process of its own.': ['**/*memory.test.ts'],
  'Tables are filled so that planners choose indexes; new queries come with the plans of their store, which run by name.':
    ['**/{query-plans,*-query-plans,plans}.test.ts'],
  'What calls show of pushes, merges and rules is repeated below the API, for more cases.': [
    'src/host/pulls/follow-pushes.test.ts',
    'src/host/pulls/merge-checks/check-merges.test.ts',
    'src/host/pull-merges/merge-pull.test.ts',
    'src/host/protection/{check-merge,check-ref-changes}.test.ts',
    'src/host/pushes/record-pushes.test.ts',
    'src/kernel/webhooks/in-order.test.ts',
    'src/host/texts/read-commits.test.ts',
    'src/host/code-scanning/applying.test.ts',
    'src/host/git/merge/{merge-trees,rebase}.test.ts',
  ],
  'One subject has several files: who may not, what is refused, and what receivers get are in these.': [
    'test/conformance/actors/storages/{datasets-bad-input,queues-bad-input}.test.ts',
    'test/conformance/actors/webhooks/webhook-runs.test.ts',
    'test/conformance/flags/delivery/stream-limits.test.ts',
    'test/conformance/flags/events/{bad-input,limits}.test.ts',
    'test/conformance/host/owner-requests.test.ts',
    'test/conformance/host/apps/{app-endings,app-hooks,app-races,app-refusals,app-restrictions}.test.ts',
    'test/conformance/host/code-scanning/organizations.test.ts',
    'test/conformance/host/issues/issue-payloads.test.ts',
    'test/conformance/host/limits/secondary.test.ts',
    'test/conformance/host/pulls/{pull-branches,pull-feeds,review-access,review-payloads,stale-reviews}.test.ts',
    'test/conformance/host/repositories/{hook-payloads,protection-enforcement}.test.ts',
    'test/conformance/host/versions/impact-nodes.test.ts',
    'scripts/openapi-lint.test.ts',
  ],
};

/** Names of tests by the reason, where the others of their file are quick. */
const LONG_TESTS: Readonly<Record<string, readonly string[]>> = {
  'Hostile input is stopped when its time is used up.': [
    'texts that take too long are refused, and do not keep others waiting in turn',
    'an endless pattern is stopped, and not started again',
    'a pattern that takes for ever is stopped, and other inputs are validated',
    'hostile documents are compared or refused, without delay',
    'any number of addresses take bounded memory, and displace neither members nor open calls',
    'no expression holds the event loop for 50 ms',
    'an item that unwinds to more than five million is refused',
    'a text that takes too long is kept as such, and the others are rendered',
    'a document that takes too long is not rendered',
    'a document whose HTML is many times as long is not rendered',
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
    'eight clients that fork one gist at once get one fork',
    'eight clients that change one gist at once lose nothing',
    'eight who open the same pull request at once open one',
    'uploads of one repository are processed in their order',
    'neither calls nor firings fail because of each other',
    'eight clients that merge into one branch at once lose nothing',
  ],
  'Bodies, repositories or tables are as large as they may be.': [
    'a file that is larger than other bodies is written as it arrives, and git finds no fault',
    'is written and read, also as a delta of another',
    'a large blob is uploaded in parts, and appears when it is complete',
    'the most severe 5,000 results are kept, with a warning',
    'a new environment has all flags, however many',
    'of a tree with too many entries the first are shown',
    'a blob of some megabytes is streamed in both forms',
    'a page of large requests ends early, and the next continues there',
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
  'Several branches are made and merged for one statement.': [
    'titles and messages are those of the settings, in both versions, or those of the call',
    'methods that the repository switches off are refused',
    'closing words of the pull request close issues where the base is the default branch',
    'the branch is deleted where the setting says so, and others that were to be merged into it go on',
    'the branch of a fork is deleted by those who may write there',
  ],
  'Many random values or slices of time are needed for one statement.': [
    'that is valid is returned as compact JSON',
    'a stored request is read unchanged',
    'an item that takes longer than a time slice is checked by a thread, with the same result',
    'property: rendered headers are ones that can be sent',
    'H8 a version does not differ from itself, whatever its sentences say',
    'what cannot be rendered is refused with an error in JSON',
    'A2 whatever else is wrong, who shows no token cannot tell a closed storage from none',
    'F33 there are at most 200',
    'F33 there are at most 100 of all integrations',
  ],
  'The others of their file hold the subject.': [
    'a stream breaks off on every node when its token or member ends, or may not read any more',
    'a worker without public routes executes builds and runs, and their logs are live on the other node',
    'an ordinary user has the same sandbox, with a cap on processes',
    'a program may see and run the tasks of its owner, and change none',
    'a task of a public Actor of others runs in the account of its owner, as long as the Actor is public',
    'a large input is merged',
    'eight clients that run one task at once while it changes: every run counts',
    'a review is submitted at once with an event, whatever became of the pull request',
    'feeds show reviews that are submitted, to those who may see them',
    'merging is for those who may write, and a private repository does not exist for others',
    'an app merges with write access to contents, and not with that to pull requests',
    'a merge takes what was pushed a moment ago',
    'eight clients that merge one pull request at once merge it once',
  ],
  'Dozens of uploads, pushes or runs are needed for one statement.': [
    'alerts of other refs, categories and tools are apart',
    'names of any characters fit, up to their limits, and longer ones are refused',
    'settings of the repository say whether and by whom pull requests are opened',
    'lists are narrowed and sorted',
    'the base is changed to another branch, which no other pull request of the branch has',
    'branches without anything to merge, and such that do not exist, are refused',
    'the gists of a removed member are gone at once, and removed with their folders',
    'below a commit there is nothing at an unknown path, and a name with slashes is a name',
    'branches are listed by whether they are protected, and a rule follows its branch to another name',
    'every address in a reply leads to something, or to what this server says it does not have',
    'with restartOnError a failing process is started again, and given up after three times',
    'accounts take turns, whatever one of them has queued',
    'A5 A32 run-sync and run-sync-get-dataset-items of a task, with input or without',
    'A25 webhooks of one run come along with its start, on every way to start one',
    'A25 a program adds webhooks to its own run, and to no other',
    'is stopped, refused to the account that used it, and harms nobody else',
    'more than an account may have waiting are put off',
  ],
};

/**
 * Declared for both engines, these run on SQLite: tests of the whole server, and of work that goes through many stores, because what
 * differs between engines is held by the suites of stores.
 */
export const filesOnSqlite: readonly string[] = [
  'test/conformance/**',
  'src/host/texts/{record-references,render-texts}.test.ts',
  'src/kernel/webhooks/independent.test.ts',
  'src/actors/input/secret-keys.test.ts',
  'test/{kept-replies,service-accounts}.test.ts',
];

/** The complete run has these on one of the engines, taken in turn by the order of their names, unless it is asked for both. */
const FILES_IN_TURN: readonly string[] = [
  'test/conformance/**',
  'test/crash/**',
  'test/clients/octokit-import.test.ts',
  'test/demo.test.ts',
  'src/actors/jobs/jobs.test.ts',
  'src/actors/logs/log-writer.test.ts',
  'src/cli/import/actors/*.test.ts',
  'src/host/{protection/check-merge,pull-merges/merge-pull,pushes/record-pushes}.test.ts',
  'src/host/pulls/{follow-pushes,merge-checks/check-merges}.test.ts',
  'src/host/texts/{read-commits,render-texts}.test.ts',
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

/** Of the complete run, by file. */
export function enginesInTurn(files: readonly string[]): Map<string, 'sqlite' | 'postgres'> {
  const inTurn = files.filter((file) => matches(file, FILES_IN_TURN)).toSorted();
  return new Map(inTurn.map((file, index) => [file, index % 2 === 0 ? 'sqlite' : 'postgres']));
}

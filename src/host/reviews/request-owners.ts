// Requests reviews from the owners of changed files, when a pull request is opened or made ready for reviews.
import { systemActor } from '../../kernel/identity/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findOwners } from '../codeowners/find-owners.ts';
import { findOwnerRules } from '../codeowners/match.ts';
import { parseCodeowners } from '../codeowners/parse.ts';
import { findCodeowners } from '../codeowners/read-codeowners.ts';
import { listChangedPaths } from '../git/history/changed-files.ts';
import { findMergeBase } from '../git/merge/pull-changes.ts';
import { GitLimitExceeded } from '../git/process/process-limits.ts';
import { readRepositories } from '../issues/issue-work.ts';
import { listIssuesById } from '../issues/store.ts';
import { endsOf } from '../pulls/pull-git.ts';
import type { Pull } from '../pulls/pull.ts';
import { REQUEST_OWNERS } from '../pulls/schedule-work.ts';
import { findPull } from '../pulls/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { listTeamsByNumber } from '../teams/store.ts';
import { requestCodeOwners } from './change-requests.ts';
import type { Reviewer } from './review.ts';
import { listLatestReviews } from './store.ts';

/** What was requested already is not requested again. */
export async function requestOwners(kernel: Kernel, { issueId }: { issueId: number }): Promise<void> {
  const { db, changes, clock } = kernel;
  const issue = (await listIssuesById(db, [issueId])).get(issueId);
  const pull = await findPull(db, issueId);
  if (issue?.state !== 'open' || pull === undefined || pull.isDraft) return;
  const found = (await readRepositories(db, [pull.repositoryNumber])).get(pull.repositoryNumber);
  if (found === undefined) return;
  const owners = await findPullOwners(kernel, found, pull);
  const settled = new Set([issue.author.id, ...(await listReviewerIds(db, issueId))]);
  const wanted = owners.filter(({ kind, reviewer }) => kind === 'team' || !settled.has(reviewer));
  if (wanted.length === 0) return;
  await changes.run(systemActor({ now: clock.now(), id: REQUEST_OWNERS }), (tx) =>
    requestCodeOwners(tx, found, issueId, wanted),
  );
}

/** Whoever has decided already is not asked again. */
async function listReviewerIds(db: Db, issueId: number): Promise<string[]> {
  return (await listLatestReviews(db, issueId)).flatMap(({ author }) => author.id ?? []);
}

/** By the CODEOWNERS of the base branch, in the order of the files. Secret teams own nothing that others may know. */
async function findPullOwners(
  { db, services }: Kernel,
  found: FoundRepository,
  pull: Pull,
): Promise<Reviewer[]> {
  const git = services.git.repository(pull.repositoryNumber);
  const ends = await endsOf(git, pull, true);
  const file = await findCodeowners(git, ends.base);
  const { rules } = await parseCodeowners(file?.text ?? '');
  if (rules.length === 0) return [];
  const paths: string[] = [];
  try {
    paths.push(...(await listChangedPaths(git, { from: await findMergeBase(git, ends), to: ends.head })));
  } catch (error) {
    // Nobody is asked to review so many files.
    if (!(error instanceof GitLimitExceeded)) throw error;
  }
  const lines = new Set(await findOwnerRules(rules, paths));
  const named = [...lines].flatMap((rule) => rule?.owners ?? []);
  const { accounts, teams } = await findOwners(db, found, named);
  const known = await listTeamsByNumber(db, [...new Set(teams.values())]);
  const closed = [...known.values()].filter(({ privacy }) => privacy === 'closed');
  return [
    ...[...new Set(accounts.values())].map((reviewer) => ({ kind: 'user' as const, reviewer })),
    ...closed.map(({ number }) => ({ kind: 'team' as const, reviewer: String(number) })),
  ];
}

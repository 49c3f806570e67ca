// What the rule of a branch has against merging a pull request into it: asked before each merge, with the facts of the pull request.
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findMissingOwners } from '../codeowners/find-missing-owners.ts';
import { isAncestor } from '../git/history/history.ts';
import type { GitRepository } from '../git/repository.ts';
import type { Issue } from '../issues/issue.ts';
import type { Pull } from '../pulls/pull.ts';
import { findHeadPusher } from '../pulls/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { listLatestReviews } from '../reviews/store.ts';
import { findOpenChecks, type Pusher } from './check-ref-changes.ts';
import type { PullFacts, Verdict } from './pull-rule.ts';
import { findViolations, type ChangeFacts, type RuleViolation } from './rule.ts';
import { listPurposesOf } from './store-actors.ts';
import { hasOpenConversations } from './store-conversations.ts';
import { findProtection } from './store.ts';
import { listReviewersWhoWrite } from './writers.ts';

interface PlannedMerge {
  issue: Issue;
  pull: Pull;
  /** The commit that the base branch has. */
  from: string;
  /** Whether the method makes a merge commit. */
  hasMerges: boolean;
}

/** Nothing where it may be merged: one indexed read where the base branch has no rule. */
export async function findMergeViolations(
  { db }: Kernel,
  found: FoundRepository,
  { caller, role }: Pusher,
  merge: PlannedMerge,
  git: GitRepository,
): Promise<RuleViolation[]> {
  const { repository } = found;
  const protection = await findProtection(db, repository.number, merge.pull.baseRef);
  if (protection === undefined) return [];
  let purposes: Promise<Set<string>> | undefined;
  return await findViolations(protection.rule, {
    ...mergeFacts(db, found, merge, git),
    isAdmin: (role ?? (await roleOn(db, caller, repository))) === 'admin',
    purposes: () => (purposes ??= listPurposesOf(db, protection.number, repository, accountOf(caller).id)),
  });
}

/** What does not depend on who merges. */
export function mergeFacts(
  db: Db,
  found: FoundRepository,
  { issue, pull, from, hasMerges }: PlannedMerge,
  git: GitRepository,
): Omit<ChangeFacts, 'isAdmin' | 'purposes'> {
  const { headSha } = pull;
  const { number } = found.repository;
  const facts: PullFacts = {
    isBehind: async () => !(await isAncestor(git, from, headSha)),
    verdicts: () => listVerdicts(db, found, issue, headSha),
    lastPusherId: () => findHeadPusher(db, issue.id),
    missingOwners: (approverIds) =>
      findMissingOwners(db, found, git, { base: from, head: headSha }, approverIds),
    hasOpenConversations: () => hasOpenConversations(db, issue.id),
  };
  return {
    kind: 'update',
    // A merge adds commits to those that the branch has.
    isForced: () => Promise.resolve(false),
    hasNewCommits: () => Promise.resolve(true),
    hasNewMerges: () => Promise.resolve(hasMerges),
    openChecks: (checks) => findOpenChecks(db, { repository: number, sha: headSha }, checks),
    pull: facts,
  };
}

async function listVerdicts(
  db: Db,
  found: FoundRepository,
  { id, author }: Issue,
  headSha: string,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const { author: reviewer, state, commitId } of await listLatestReviews(db, id))
    if (state !== 'DISMISSED' && reviewer.id !== null && reviewer.id !== author.id)
      verdicts.push({
        reviewerId: reviewer.id,
        isApproval: state === 'APPROVED',
        isOfHead: commitId === headSha,
      });
  const writers = await listReviewersWhoWrite(
    db,
    found,
    verdicts.map(({ reviewerId }) => reviewerId),
  );
  return verdicts.filter(({ reviewerId }) => writers.has(reviewerId));
}

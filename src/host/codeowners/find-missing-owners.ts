// Finds the owners of changed files who have to approve a pull request and have not.
import type { Db } from '../../kernel/storage/tables.ts';
import { listChangedPaths } from '../git/history/changed-files.ts';
import { findMergeBase, type PullEnds } from '../git/merge/pull-changes.ts';
import { GitLimitExceeded } from '../git/process/process-limits.ts';
import type { GitRepository } from '../git/repository.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { findOwners, ownerKey } from './find-owners.ts';
import { findOwnerRules } from './match.ts';
import { parseCodeowners, type CodeOwner, type OwnerRule } from './parse.ts';
import { findCodeowners } from './read-codeowners.ts';
import { listTeamsOfAccounts } from './store.ts';

/**
 * The names of the owners, by the CODEOWNERS of the base: each changed file needs an approval of one owner of the last line that
 * matches it. Lines of which no owner exists and may write need none, as nobody could give it. Undefined where nothing is missing; no
 * names where there are too many changed files to look for their owners.
 */
export async function findMissingOwners(
  db: Db,
  found: FoundRepository,
  git: GitRepository,
  ends: PullEnds,
  approverIds: readonly string[],
): Promise<string[] | undefined> {
  const file = await findCodeowners(git, ends.base);
  const { rules } = await parseCodeowners(file?.text ?? '');
  if (rules.length === 0) return undefined;
  const paths = await listPaths(git, ends);
  if (paths === undefined) return [];
  const lines = ownedLines(await findOwnerRules(rules, paths));
  const { accounts, teams } = await findOwners(
    db,
    found,
    lines.flatMap(({ owners }) => owners),
  );
  const approvers = new Set(approverIds);
  const approvingTeams = teams.size === 0 ? new Set() : await listTeamsOfAccounts(db, approverIds);
  const isKnown = (owner: CodeOwner) => accounts.has(ownerKey(owner)) || teams.has(ownerKey(owner));
  const hasApproved = (owner: CodeOwner) =>
    approvers.has(accounts.get(ownerKey(owner)) ?? '') || approvingTeams.has(teams.get(ownerKey(owner)));
  const missing = lines.filter(({ owners }) => owners.some(isKnown) && !owners.some(hasApproved));
  const names = missing.flatMap(({ owners }) => owners.filter(isKnown).map(({ name }) => name));
  return names.length === 0 ? undefined : [...new Set(names)];
}

function ownedLines(rules: readonly (OwnerRule | undefined)[]): OwnerRule[] {
  return [...new Set(rules)].filter((rule) => rule !== undefined && rule.owners.length > 0) as OwnerRule[];
}

/** Undefined where they are too many. */
async function listPaths(git: GitRepository, ends: PullEnds): Promise<string[] | undefined> {
  const from = await findMergeBase(git, ends);
  try {
    return await listChangedPaths(git, { from, to: ends.head });
  } catch (error) {
    if (error instanceof GitLimitExceeded) return undefined;
    throw error;
  }
}

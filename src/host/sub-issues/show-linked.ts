// Prepares issues of any repositories for replies: those that the caller sees, with their texts in the form that the call asks for.
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { replyShownIssues } from '../issues/reply-issues.ts';
import type { Issue } from '../issues/issue.ts';
import type { IssueReply, ShownIssue } from '../issues/model.ts';
import { showIssuesOf } from '../issues/show-issues.ts';
import { toNestedRepository, type ShownRepository } from '../repositories/model.ts';
import { showRepositories } from '../repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';

/** What showing asks of a call. */
export interface ShowingCall {
  caller: Caller;
  headers: Record<string, string | string[] | undefined>;
  base: string;
}

/** By number; those that the caller does not see are missing. */
export async function showPlaces(
  db: Db,
  caller: Caller,
  issues: readonly Issue[],
): Promise<Map<number, ShownRepository>> {
  if (issues.length === 0) return new Map();
  const numbers = [...new Set(issues.map(({ repositoryNumber }) => repositoryNumber))];
  const found = await listRepositoriesByNumber(db, numbers);
  const shown = await showRepositories(db, caller, [...found.values()]);
  return new Map(shown.map((one) => [one.repository.number, one]));
}

interface LinkedIssues {
  places: Map<number, ShownRepository>;
  shown: ShownIssue[];
}

/** In their order, without those of repositories that the caller does not see. */
export async function showLinkedIssues(
  db: Db,
  caller: Caller,
  issues: readonly Issue[],
): Promise<LinkedIssues> {
  const places = await showPlaces(db, caller, issues);
  const seen = issues.filter(({ repositoryNumber }) => places.has(repositoryNumber));
  return { places, shown: await showIssuesOf(db, caller, [...places.values()], seen) };
}

/** Those that the caller sees. Each names its repository. Not for use in a transaction, because texts are rendered. */
export async function replyLinkedIssues(
  kernel: Kernel,
  call: ShowingCall,
  issues: readonly Issue[],
): Promise<Static<typeof IssueReply>[]> {
  return await replyShownLinkedIssues(kernel, call, await showLinkedIssues(kernel.db, call.caller, issues));
}

/** The same for those that have been read already. */
export async function replyShownLinkedIssues(
  kernel: Kernel,
  call: ShowingCall,
  { places, shown }: LinkedIssues,
): Promise<Static<typeof IssueReply>[]> {
  const replies = await replyShownIssues(kernel, call, [...places.values()], shown);
  return replies.map((reply, index) => ({
    ...reply,
    repository: toNestedRepository(places.get(shown[index]!.issue.repositoryNumber)!, call.base),
  }));
}

// Prepares issues of any repositories for replies: those that the caller sees, with their texts in the form that the call asks for.
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import { replyIssues } from '../issues/reply-issues.ts';
import type { Issue } from '../issues/issue.ts';
import type { IssueReply } from '../issues/model.ts';
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
  { db }: Kernel,
  caller: Caller,
  issues: readonly Issue[],
): Promise<Map<number, ShownRepository>> {
  if (issues.length === 0) return new Map();
  const numbers = [...new Set(issues.map(({ repositoryNumber }) => repositoryNumber))];
  const found = await listRepositoriesByNumber(db, numbers);
  const shown = await showRepositories(db, caller, [...found.values()]);
  return new Map(shown.map((one) => [one.repository.number, one]));
}

/** In their order, without those of repositories that the caller does not see. Each names its repository. */
export async function showLinkedIssues(
  kernel: Kernel,
  call: ShowingCall,
  issues: readonly Issue[],
): Promise<Static<typeof IssueReply>[]> {
  const places = await showPlaces(kernel, call.caller, issues);
  const seen = issues.filter(({ repositoryNumber }) => places.has(repositoryNumber));
  const replies = await replyIssues(kernel, call, [...places.values()], seen);
  return replies.map((reply, index) => ({
    ...reply,
    repository: toNestedRepository(places.get(seen[index]!.repositoryNumber)!, call.base),
  }));
}

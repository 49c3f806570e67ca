// Finds the other issue of a link, which may be in another repository, and decides whether the caller may change it there.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { openIssues, requireIssues, type IssueUse, type OpenedIssue } from '../issues/access.ts';
import type { Issue } from '../issues/issue.ts';
import { listIssuesById } from '../issues/store.ts';
import type { RepositoryCall } from '../repositories/access.ts';

/** Of all issues of the server, not of the repository. */
export const IssueId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** Throws `missing` where there is none, or where the caller does not see it. */
export async function openOtherIssue(
  kernel: Kernel,
  call: RepositoryCall,
  own: OpenedIssue,
  { id, use, missing }: { id: number; use: IssueUse; missing: () => Failure },
): Promise<Issue> {
  const issue = (await listIssuesById(kernel.db, [id])).get(id);
  if (issue === undefined) throw missing();
  if (issue.repositoryNumber === own.repository.number) return issue;
  const { caller, now, url } = call;
  const can: RepositoryCall['can'] = (...asked) => call.can(...asked);
  try {
    const params = { repository_id: issue.repositoryNumber };
    requireIssues(await openIssues(kernel, { caller, now, url, can, params }, use));
  } catch (error) {
    if (error instanceof Failure && ['not-found', 'retired'].includes(error.kind)) throw missing();
    throw error;
  }
  return issue;
}

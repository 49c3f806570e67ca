// Issues as replies of routes: shown, with bodies in the form that the caller asks for.
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import { renderBodies } from '../contents/render-bodies.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { Issue } from './issue.ts';
import { toIssue, type IssueReply, type ShownIssue } from './model.ts';
import { showIssuesOf } from './show-issues.ts';

interface ReplyCall {
  caller: Caller;
  headers: Record<string, string | string[] | undefined>;
  base: string;
}

type ShownReply = Static<typeof IssueReply>;

export async function replyIssue(
  kernel: Kernel,
  call: ReplyCall,
  found: FoundRepository,
  issue: Issue,
): Promise<ShownReply> {
  return (await replyIssues(kernel, call, [found], [issue]))[0]!;
}

/** In their order. Their repositories are all given. */
export async function replyIssues(
  kernel: Kernel,
  call: ReplyCall,
  found: readonly FoundRepository[],
  issues: readonly Issue[],
): Promise<ShownReply[]> {
  const shown = await showIssuesOf(kernel.db, call.caller, found, issues);
  return await replyShownIssues(kernel, call, found, shown);
}

/** The same for those that have been read already. */
export async function replyShownIssues(
  kernel: Kernel,
  { headers, base }: Omit<ReplyCall, 'caller'>,
  found: readonly FoundRepository[],
  shown: readonly ShownIssue[],
): Promise<ShownReply[]> {
  const names = new Map(
    found.map(({ repository, owner }) => [repository.number, `${owner.login}/${repository.name}`]),
  );
  const bodies = await renderBodies(
    kernel,
    shown.map(({ issue }) => issue.body),
    headers['accept'],
    { base, fullName: shown.map(({ issue }) => names.get(issue.repositoryNumber)!) },
  );
  return shown.map((one, index) => {
    const fullName = names.get(one.issue.repositoryNumber)!;
    return toIssue(one, { fullName, base }, bodies[index]!);
  });
}

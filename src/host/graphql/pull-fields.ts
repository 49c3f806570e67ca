// Repositories and pull requests as GraphQL shows them.
import type { OpenedIssues } from '../issues/access.ts';
import { findIssue } from '../issues/store.ts';
import { nodeId } from '../node-id.ts';
import type { OpenedPull } from '../pulls/access.ts';
import { pullNotFound } from '../pulls/pull.ts';
import { findPull } from '../pulls/store.ts';
import { repositoryNotFound } from '../repositories/access.ts';
import { accountIdOf } from '../reviews/access.ts';
import { listThreads } from '../review-comments/store-threads.ts';
import { connectionOf, idSliceOf, type PageArguments } from './id-pages.ts';
import { asField, openNamed } from './open-pulls.ts';
import type { GraphqlContext } from './context.ts';
import { listThreadNodes } from './thread-fields.ts';
import { siteOf } from '../site.ts';

export async function repositoryField(
  { owner, name }: { owner: string; name: string },
  context: GraphqlContext,
) {
  const missing = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
  return await asField(missing, async () => {
    // PostgreSQL cannot store NUL in text.
    if (`${owner}${name}`.includes('\0')) throw repositoryNotFound();
    return toRepositoryNode(await openNamed(context, { owner, repo: name }, 'read'), context);
  });
}

function toRepositoryNode(opened: OpenedIssues, context: GraphqlContext) {
  const { repository, owner } = opened;
  const fullName = `${owner.login}/${repository.name}`;
  return {
    __typename: 'Repository',
    id: nodeId('Repository', repository.number),
    databaseId: repository.number,
    name: repository.name,
    nameWithOwner: fullName,
    url: `${siteOf(context.base)}/${fullName}`,
    isPrivate: repository.isPrivate,
    pullRequest: async ({ number }: { number: number }) => {
      const missing = `Could not resolve to a PullRequest with the number of ${number}.`;
      return await asField(missing, async () => {
        const { db } = context.kernel;
        const issue = await findIssue(db, repository.number, number);
        const pull = issue?.isPull === true ? await findPull(db, issue.id) : undefined;
        if (issue === undefined || pull === undefined) throw pullNotFound();
        return toPullNode({ ...opened, issue, pull }, context);
      });
    },
  };
}

export function toPullNode(opened: OpenedPull, context: GraphqlContext) {
  const { issue, pull, repository, owner } = opened;
  const isMerged = pull.mergedAt !== null;
  return {
    __typename: 'PullRequest',
    id: nodeId('PullRequest', issue.id),
    databaseId: issue.id,
    number: issue.number,
    title: issue.title,
    url: `${siteOf(context.base)}/${owner.login}/${repository.name}/pull/${issue.number}`,
    state: isMerged ? 'MERGED' : issue.state.toUpperCase(),
    isDraft: pull.isDraft,
    merged: isMerged,
    baseRefName: pull.baseRef,
    headRefName: pull.headRef,
    headRefOid: pull.headSha,
    createdAt: new Date(issue.createdAt).toISOString(),
    updatedAt: new Date(issue.updatedAt).toISOString(),
    reviewThreads: async (page: PageArguments) => {
      const accountId = accountIdOf(context.caller);
      const threads = await listThreads(context.kernel.db, issue.id, idSliceOf(page), accountId);
      const nodes = await listThreadNodes<unknown>(threads, opened, context, toPullNode);
      return connectionOf(page, threads, ({ id }) => nodes.get(id) ?? null);
    },
  };
}

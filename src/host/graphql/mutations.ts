// The changes that only GraphQL has: threads are resolved, and pull requests become drafts or ready for reviews.
import { Failure } from '../../kernel/failure.ts';
import { isAuthor } from '../issues/access.ts';
import type { OpenedPull } from '../pulls/access.ts';
import { changeDraft } from '../pulls/change-pull.ts';
import { pullNotFound, pullRefused } from '../pulls/pull.ts';
import { findPull } from '../pulls/store.ts';
import { includesRole } from '../repositories/repository.ts';
import { changeResolution, threadNotFound } from '../review-comments/resolve-thread.ts';
import { missingNode, numberedNode, openThread } from './node-fields.ts';
import { asField, openPullById } from './open-pulls.ts';
import { toPullNode } from './pull-fields.ts';
import type { GraphqlContext } from './context.ts';
import { listThreadNodes } from './thread-fields.ts';

interface ThreadInput {
  input: { threadId: string; clientMutationId?: string | null };
}

interface PullInput {
  input: { pullRequestId: string; clientMutationId?: string | null };
}

export const mutations = {
  resolveReviewThread: (sent: ThreadInput, context: GraphqlContext) => resolve(sent, context, true),
  unresolveReviewThread: (sent: ThreadInput, context: GraphqlContext) => resolve(sent, context, false),
  markPullRequestReadyForReview: (sent: PullInput, context: GraphqlContext) =>
    changeReadiness(sent, context, false),
  convertPullRequestToDraft: (sent: PullInput, context: GraphqlContext) =>
    changeReadiness(sent, context, true),
};

async function resolve({ input }: ThreadInput, context: GraphqlContext, isResolved: boolean) {
  const { threadId: id, clientMutationId = null } = input;
  return await asField(missingNode(id), async () => {
    const { type, number } = numberedNode(id);
    if (type !== 'PullRequestReviewThread') throw threadNotFound();
    const { opened } = await openThread(context, number, { writes: 'read' });
    const thread = await context.kernel.changes.run(context.call, (tx) =>
      changeResolution(tx, opened, number, isResolved),
    );
    const nodes = await listThreadNodes([thread], opened, context, toPullNode);
    return { clientMutationId, thread: nodes.get(number) ?? null };
  });
}

async function changeReadiness({ input }: PullInput, context: GraphqlContext, isDraft: boolean) {
  const { pullRequestId: id, clientMutationId = null } = input;
  return await asField(missingNode(id), async () => {
    const { type, number } = numberedNode(id);
    if (type !== 'PullRequest') throw pullNotFound();
    const opened = await openPullById(context, number, { writes: 'read' });
    requireReadinessChange(opened, context);
    const issue = await context.kernel.changes.run(context.call, (tx) =>
      changeDraft(tx, opened, number, isDraft),
    );
    const pull = await findPull(context.kernel.db, number);
    if (pull === undefined) throw pullNotFound();
    return { clientMutationId, pullRequest: toPullNode({ ...opened, issue, pull }, context) };
  });
}

function requireReadinessChange({ issue, role }: OpenedPull, { caller }: GraphqlContext): void {
  if (!isAuthor(caller, issue.author) && !includesRole(role, 'write'))
    throw new Failure('denied', 'You may not change a pull request of somebody else.');
  if (issue.state !== 'open') throw pullRefused('The pull request is closed.');
}

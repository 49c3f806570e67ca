// Finds the pull request that a call names, and decides what its caller may do there.
import { Failure } from '../../kernel/failure.ts';
import {
  route,
  type Call,
  type HandlerResult,
  type Route,
  type RouteShape,
} from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { openIssues, type IssueUse, type OpenedIssue, type OpenedIssues } from '../issues/access.ts';
import { findIssue } from '../issues/store.ts';
import {
  readOpened,
  RepositoryParams,
  type FoundRepository,
  type RepositoryCall,
} from '../repositories/access.ts';
import { pullNotFound, type Pull } from './pull.ts';
import { findPull } from './store.ts';

/** For the `access` of routes that change something about pull requests. Those that read have `READ_REPOSITORY`. */
export const CREATE_PULL = { action: 'createPullRequest', ofOwner: true } as const;
export const UPDATE_PULL = { action: 'updatePullRequest', ofOwner: true } as const;

export const PullParams = Type.Object({
  ...RepositoryParams,
  pull_number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

export interface OpenedPull extends OpenedIssue {
  pull: Pull;
}

/** A route about the pull requests of a repository: its handler gets the repository, where the caller has the role. */
export function pullsRoute<const S extends RouteShape>(
  shape: S,
  use: IssueUse,
  handle: (
    call: Call<S>,
    kernel: Kernel,
    opened: OpenedIssues,
  ) => HandlerResult<S> | Promise<HandlerResult<S>>,
): Route<S> {
  return route(
    shape,
    async (call, kernel) => {
      const opened = await openIssues(kernel, call, use);
      requirePulls(opened);
      return await readOpened(kernel, opened, () => handle(call, kernel, opened));
    },
    async (call, kernel) => void (await openIssues(kernel, call, use)),
  );
}

/** A route below a pull request, which the parameter `pull_number` names. */
export function pullRoute<const S extends RouteShape>(
  shape: S,
  use: IssueUse,
  handle: (call: Call<S>, kernel: Kernel, opened: OpenedPull) => HandlerResult<S> | Promise<HandlerResult<S>>,
): Route<S> {
  return route(
    shape,
    async (call, kernel) => {
      const opened = await openPull(kernel, call, use);
      return await readOpened(kernel, opened, () => handle(call, kernel, opened));
    },
    async (call, kernel) => void (await openIssues(kernel, call, use)),
  );
}

async function openPull(kernel: Kernel, call: RepositoryCall, use: IssueUse): Promise<OpenedPull> {
  const opened = await openIssues(kernel, call, use);
  requirePulls(opened);
  const { pull_number: number } = call.params as { pull_number: number };
  const issue = await findIssue(kernel.db, opened.repository.number, number);
  const pull = issue?.isPull === true ? await findPull(kernel.db, issue.id) : undefined;
  if (issue === undefined || pull === undefined) throw pullNotFound();
  return { ...opened, issue, pull };
}

function requirePulls({ repository }: FoundRepository): void {
  if (!repository.settings.hasPullRequests)
    throw new Failure('retired', 'Pull requests are disabled for this repository.', {
      code: 'pull-requests-disabled',
    });
}

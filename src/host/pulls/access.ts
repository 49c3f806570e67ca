// Finds the pull request that a call names, and decides what its caller may do there.
import { Failure } from '../../kernel/failure.ts';
import type { Route, RouteShape } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import {
  openedRoute,
  openIssues,
  type IssueUse,
  type OpenedHandler,
  type OpenedIssue,
  type OpenedIssues,
} from '../issues/access.ts';
import { findIssue } from '../issues/store.ts';
import { RepositoryParams, type FoundRepository, type RepositoryCall } from '../repositories/access.ts';
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
  handle: OpenedHandler<S, OpenedIssues>,
): Route<S> {
  return openedRoute(shape, use, openPulls, handle);
}

/** A route below a pull request, which the parameter `pull_number` names. */
export function pullRoute<const S extends RouteShape>(
  shape: S,
  use: IssueUse,
  handle: OpenedHandler<S, OpenedPull>,
): Route<S> {
  return openedRoute(shape, use, openNamedPull, handle);
}

export async function openPulls(kernel: Kernel, call: RepositoryCall, use: IssueUse): Promise<OpenedIssues> {
  const opened = await openIssues(kernel, call, use);
  requirePulls(opened);
  return opened;
}

export async function openNamedPull(
  kernel: Kernel,
  call: RepositoryCall,
  use: IssueUse,
): Promise<OpenedPull> {
  const opened = await openPulls(kernel, call, use);
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

// Finds repositories and pull requests for GraphQL, and decides what the caller may do there, as the routes over REST do.
import { Failure, type FailureKind } from '../../kernel/failure.ts';
import { includesLevel } from '../apps/permissions.ts';
import { installationOf, notAccessible } from '../apps/program.ts';
import type { IssueUse, OpenedIssues } from '../issues/access.ts';
import { listIssuesById } from '../issues/store.ts';
import { openPulls, UPDATE_PULL, type OpenedPull } from '../pulls/access.ts';
import { pullNotFound } from '../pulls/pull.ts';
import { findPull } from '../pulls/store.ts';
import { READ_REPOSITORY } from '../repositories/access.ts';
import { typedError } from './cost.ts';
import type { GraphqlContext } from './context.ts';

type RepositoryName = { owner: string; repo: string } | { repository_id: number };

/** Throws unless the caller may. */
export async function openNamed(
  { call, kernel }: GraphqlContext,
  params: RepositoryName,
  use: IssueUse,
): Promise<OpenedIssues> {
  const { action } = use === 'read' ? READ_REPOSITORY : UPDATE_PULL;
  const { caller, now, url } = call;
  const can = (resource: string, asked = action) => call.can(resource, asked);
  const opened = await openPulls(kernel, { caller, now, url, params, can }, use);
  requireLevel(call.caller, opened, use === 'read' ? 'read' : 'write');
  return opened;
}

/** The route lets every program pass; here it is known what it is about. What everybody sees, programs see too. */
function requireLevel(
  caller: GraphqlContext['caller'],
  { repository }: OpenedIssues,
  level: 'read' | 'write',
): void {
  const installation = installationOf(caller);
  if (installation === undefined || (level === 'read' && !repository.isPrivate)) return;
  if (!includesLevel(installation.permissions['pull_requests'], level))
    throw notAccessible(`pull_requests:${level}`);
}

/** By the id of the issue that it is. */
export async function openPullById(
  context: GraphqlContext,
  issueId: number,
  use: IssueUse,
): Promise<OpenedPull> {
  const { db } = context.kernel;
  const issue = (await listIssuesById(db, [issueId])).get(issueId);
  const pull = issue?.isPull === true ? await findPull(db, issueId) : undefined;
  if (issue === undefined || pull === undefined) throw pullNotFound();
  const opened = await openNamed(context, { repository_id: issue.repositoryNumber }, use);
  return { ...opened, issue, pull };
}

const TYPES: Partial<Record<FailureKind, string>> = {
  'not-found': 'NOT_FOUND',
  moved: 'NOT_FOUND',
  retired: 'NOT_FOUND',
  denied: 'FORBIDDEN',
  forbidden: 'FORBIDDEN',
  invalid: 'UNPROCESSABLE',
  conflict: 'UNPROCESSABLE',
};

/** What rules refuse is an error of the field, and the reply is 200. `missing` says what is not there, or must look as if it were not. */
export async function asField<Result>(missing: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const type = error instanceof Failure ? TYPES[error.kind] : undefined;
    if (type === undefined) throw error;
    throw typedError(type, type === 'NOT_FOUND' ? missing : (error as Failure).message);
  }
}

// Finds the issue that a call names, and decides what its caller may do there.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type Caller, type KnownCaller } from '../../kernel/identity/caller.ts';
import {
  route,
  type Call,
  type HandlerResult,
  type Route,
  type RouteShape,
} from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { installationOf, notAccessible } from '../apps/program.ts';
import { includesLevel } from '../apps/permissions.ts';
import {
  archivedRepository,
  isReadOnly,
  openRepository,
  readOpened,
  repositoryDenied,
  type FoundRepository,
  type RepositoryCall,
  RepositoryParams,
} from '../repositories/access.ts';
import { reachesRepository, roleOn } from '../repositories/caller-roles.ts';
import { includesRole, repositoryResource, type RepositoryRole } from '../repositories/repository.ts';
import type { Issue } from './issue.ts';
import { findIssue } from './store.ts';

/** For the `access` of routes that change something about issues. Those that read have `READ_REPOSITORY`. */
export const CREATE_ISSUE = { action: 'createIssue', ofOwner: true } as const;
export const UPDATE_ISSUE = { action: 'updateIssue', ofOwner: true } as const;
export const COMMENT_ON_ISSUE = { action: 'commentOnIssue', ofOwner: true } as const;

export const IssueParams = Type.Object({
  ...RepositoryParams,
  issue_number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

/** A repository whose issues a call is about, and the caller's role there. */
export interface OpenedIssues extends FoundRepository {
  /** Absent for callers without a credential. An installation that may write issues has `write`. */
  role: RepositoryRole | undefined;
}

export interface OpenedIssue extends OpenedIssues {
  issue: Issue;
}

/** What a route does: reads, or changes something, which needs a role at least. */
export type IssueUse = 'read' | { writes: RepositoryRole };

/** What a handler gets besides the call: what its route has opened. */
export type OpenedHandler<S extends RouteShape, Opened> = (
  call: Call<S>,
  kernel: Kernel,
  opened: Opened,
) => HandlerResult<S> | Promise<HandlerResult<S>>;

/** Finds what a route is about, or throws. */
type Opening<Opened> = (kernel: Kernel, call: RepositoryCall, use: IssueUse) => Promise<Opened>;

/** A route about something below a repository, which `open` finds. Whether the caller may is decided before the rest of the call is checked. */
export function openedRoute<const S extends RouteShape, Opened extends FoundRepository>(
  shape: S,
  use: IssueUse,
  open: Opening<Opened>,
  handle: OpenedHandler<S, Opened>,
): Route<S> {
  return route(
    shape,
    async (call, kernel) => {
      const opened = await open(kernel, call, use);
      return await readOpened(kernel, opened, () => handle(call, kernel, opened));
    },
    async (call, kernel) => void (await openIssues(kernel, call, use)),
  );
}

/** A route about the issues of a repository: its handler gets the repository, where the caller has the role. */
export function issuesRoute<const S extends RouteShape>(
  shape: S,
  use: IssueUse,
  handle: OpenedHandler<S, OpenedIssues>,
): Route<S> {
  return openedRoute(
    shape,
    use,
    async (kernel, call) => {
      const opened = await openIssues(kernel, call, use);
      requireIssues(opened);
      return opened;
    },
    handle,
  );
}

/** A route about labels or milestones. Pull requests have them too, so it goes on where issues are switched off. */
export function planningRoute<const S extends RouteShape>(
  shape: S,
  use: IssueUse,
  handle: OpenedHandler<S, OpenedIssues>,
): Route<S> {
  return openedRoute(shape, use, openIssues, handle);
}

/** A route below an issue or a pull request, which the parameter `issue_number` names. */
export function issueRoute<const S extends RouteShape>(
  shape: S,
  use: IssueUse,
  handle: OpenedHandler<S, OpenedIssue>,
): Route<S> {
  return openedRoute(shape, use, openIssue, handle);
}

/** Throws unless the caller may. A repository that the caller may not see is reported as missing. */
export async function openIssues(kernel: Kernel, call: RepositoryCall, use: IssueUse): Promise<OpenedIssues> {
  const { caller } = call;
  const found = await openRepository(kernel, call, 'read');
  if (use === 'read') return { ...found, role: await roleForIssues(kernel, caller, found) };
  if (!call.can(repositoryResource(found)))
    throw new Failure('denied', 'Your token may not change issues here.');
  if (installationOf(caller) !== undefined && !(await reaches(kernel, caller, found))) throw notAccessible();
  const role = await roleForIssues(kernel, caller, found);
  if (!includesRole(role, use.writes)) throw repositoryDenied(use.writes);
  if (await isReadOnly(kernel.db, found.repository)) throw archivedRepository();
  return { ...found, role };
}

async function openIssue(kernel: Kernel, call: RepositoryCall, use: IssueUse): Promise<OpenedIssue> {
  const opened = await openIssues(kernel, call, use);
  const { issue_number: number } = call.params as { issue_number: number };
  const issue = await findIssue(kernel.db, opened.repository.number, number);
  if (issue === undefined) {
    requireIssues(opened);
    throw issueNotFound();
  }
  requireUse(call.caller, opened, issue, use);
  return { ...opened, issue };
}

/** Where they are switched off, pull requests go on. */
export function requireIssues({ repository }: FoundRepository): void {
  if (!repository.settings.hasIssues)
    throw new Failure('retired', 'Issues are disabled for this repository.', { code: 'issues-disabled' });
}

/** For an issue or a pull request that the repository has: what it is decides which switch and which permission counts. */
export function requireUse(
  caller: Caller,
  found: FoundRepository,
  { isPull }: Pick<Issue, 'isPull'>,
  use: IssueUse,
): void {
  if (!isPull) requireIssues(found);
  if (mayUse(caller, found, isPull, use)) return;
  throw notAccessible(`${isPull ? 'pull_requests' : 'issues'}:${use === 'read' ? 'read' : 'write'}`);
}

/** Whether lists about issues and pull requests have both, or pull requests alone. */
export function includesIssues(caller: Caller, found: FoundRepository): boolean {
  return found.repository.settings.hasIssues && mayUse(caller, found, false, 'read');
}

/** The table of routes lets a program pass that has either permission; here it is known which of the two it is about. */
export function mayUse(
  caller: Caller,
  { repository }: FoundRepository,
  isPull: boolean,
  use: IssueUse,
): boolean {
  const installation = installationOf(caller);
  // What everybody sees, programs without permissions see too.
  if (installation === undefined || (use === 'read' && !repository.isPrivate)) return true;
  const level = use === 'read' ? 'read' : 'write';
  return (isPull ? ['issues', 'pull_requests'] : ['issues']).some((name) =>
    includesLevel(installation.permissions[name], level),
  );
}

async function roleForIssues(
  { db }: Kernel,
  caller: Caller,
  { repository }: FoundRepository,
): Promise<RepositoryRole | undefined> {
  if (caller.kind === 'anonymous') return undefined;
  return installationOf(caller) === undefined ? await roleOn(db, caller, repository) : 'write';
}

async function reaches({ db }: Kernel, caller: Caller, { repository }: FoundRepository): Promise<boolean> {
  return await reachesRepository(db, installationOf(caller)?.reach, repository);
}

export function isAuthor(caller: KnownCaller, author: { id: string | null }): boolean {
  return accountOf(caller).id === author.id;
}

/** A locked conversation is open to those who may write. */
export function requireOpenConversation({
  issue,
  role,
}: Pick<OpenedIssues, 'role'> & { issue: Pick<Issue, 'isLocked'> }): void {
  if (issue.isLocked && !includesRole(role, 'write'))
    throw new Failure('denied', 'The conversation is locked: only those who may write go on with it.');
}

export function issueNotFound(): Failure {
  return new Failure('not-found', 'There is no such issue');
}

// Which changes of references a repository refuses, by their names and by its rules: asked by every write, before the references are moved.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { listAccounts, type Account } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import { findAppBySlug } from '../apps/store.ts';
import { GitError } from '../git/process/git-process.ts';
import { type GitTarget, runGit } from '../git/git-target.ts';
import { checkedObjectId } from '../git/objects/object-id.ts';
import { readRefValues } from '../git/refs/list-refs.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import type { RepositoryRole } from '../repositories/repository.ts';
import type { StatusTarget } from '../statuses/store.ts';
import {
  findViolations,
  type ChangeFacts,
  type RuleViolation,
  type OpenCheck,
  type RequiredCheck,
} from './rule.ts';
import { listPurposesOf } from './store-actors.ts';
import {
  listProtectionsOf,
  type BranchProtection,
  listReportedStatuses,
  type ReportedStatus,
} from './store.ts';

const BRANCHES = 'refs/heads/';

/** Full names, such as `refs/heads/main`. Undefined where the reference is created or deleted. */
export interface RefChange {
  name: string;
  from: string | undefined;
  to: string | undefined;
  /** For one that is deleted because it goes on under this name. */
  renamedTo?: string;
}

/** A sentence for each new name that differs from another only in case: for many people both would be one file. */
export async function findCaseCollisions(
  git: Parameters<typeof readRefValues>[0],
  changes: readonly RefChange[],
): Promise<string[]> {
  const creates = changes.some(({ from, to }) => from === undefined && to !== undefined);
  return creates ? collisionsAmong(changes, (await readRefValues(git)).keys()) : [];
}

function collisionsAmong(changes: readonly RefChange[], existing: Iterable<string>): string[] {
  const deleted = new Set(changes.filter(({ to }) => to === undefined).map(({ name }) => name));
  const names = new Map<string, string>();
  for (const name of existing) if (!deleted.has(name)) names.set(foldCase(name), name);
  return changes.flatMap(({ name, from, to }) => {
    if (to === undefined || from !== undefined) return [];
    const other = names.get(foldCase(name));
    names.set(foldCase(name), name);
    if (other === undefined || other === name) return [];
    return [`${name} differs from ${other} only in upper and lower case.`];
  });
}

interface RefusedRef {
  name: string;
  /** Plain words for the pusher; several lines. */
  message: string;
  violations: readonly RuleViolation[];
}

/** Who changes references. Without the role, it is read where a rule asks for it. */
export interface Pusher {
  caller: KnownCaller;
  role?: RepositoryRole;
  /** For rules of forks that allow it to be brought up to date. */
  isForkSync?: boolean;
}

/** `git` reads the new objects too: during a push, with its `quarantine`. */
export async function checkRefChanges(
  kernel: Kernel,
  found: FoundRepository,
  pusher: Pusher,
  changes: readonly RefChange[],
  git: GitTarget,
): Promise<RefusedRef[]> {
  return await checkChanges(kernel, found, pusher, changes, historyOf(git));
}

/** For changes over REST: throws where rules refuse one. The new objects are in the repository, or `git` reads them elsewhere. */
export function checkOnGit(
  kernel: Kernel,
  found: FoundRepository,
  caller: KnownCaller,
  {
    git = kernel.services.git.repository(found.repository.number),
    isForkSync = false,
  }: { git?: GitTarget } & Pick<Pusher, 'isForkSync'> = {},
): (change: RefChange) => Promise<void> {
  const history = historyOf(git);
  return (change) => requireRefChange(kernel, found, caller, change, { history, isForkSync });
}

/** Throws what REST answers, where rules refuse a change. `failed` begins the message of a refused file. */
export async function requireRefChange(
  kernel: Kernel,
  found: FoundRepository,
  caller: KnownCaller,
  change: RefChange,
  { history, failed, isForkSync = false }: { history: ChangedHistory; failed?: string; isForkSync?: boolean },
): Promise<void> {
  const [refused] = await checkChanges(kernel, found, { caller, isForkSync }, [change], history);
  if (refused === undefined) return;
  const reasons = refused.violations.map(({ message }) => message).join(' ');
  if (failed !== undefined) throw new Failure('conflict', `${failed}: ${reasons}`);
  const isDenied = refused.violations.every(({ code }) => code === 'restricted' || code === 'locked');
  throw new Failure(isDenied ? 'denied' : 'invalid', reasons);
}

/** One indexed read where no branch has a rule. */
async function checkChanges(
  kernel: Kernel,
  found: FoundRepository,
  pusher: Pusher,
  changes: readonly RefChange[],
  history: ChangedHistory,
): Promise<RefusedRef[]> {
  const moved = changes.filter(({ name, from, to }) => name.startsWith(BRANCHES) && from !== to);
  if (moved.length === 0) return [];
  const names = moved.map(({ name }) => name.slice(BRANCHES.length));
  const protections = await listProtectionsOf(kernel.db, found.repository.number, names);
  if (protections.size === 0) return [];
  const role = pusher.role ?? (await roleOn(kernel.db, pusher.caller, found.repository));
  const refused: RefusedRef[] = [];
  for (const change of moved) {
    const protection = protections.get(change.name.slice(BRANCHES.length));
    if (protection === undefined) continue;
    const facts = factsOf(kernel, found, protection, { ...pusher, ...(role && { role }) }, change, history);
    const violations = await findViolations(protection.rule, facts);
    if (violations.length > 0)
      refused.push({ name: change.name, message: describe(change, violations), violations });
  }
  return refused;
}

function factsOf(
  { db }: Kernel,
  { repository }: FoundRepository,
  protection: BranchProtection,
  { caller, role, isForkSync = false }: Pusher,
  { from, to }: RefChange,
  history: ChangedHistory,
): ChangeFacts {
  const { number } = repository;
  let purposes: Promise<Set<string>> | undefined;
  return {
    kind: from === undefined ? 'create' : to === undefined ? 'delete' : 'update',
    isAdmin: role === 'admin',
    isForkSync,
    purposes: () => (purposes ??= listPurposesOf(db, protection.number, repository, accountOf(caller).id)),
    isForced: () => history.isForced(from!, to!),
    hasNewCommits: () => history.hasNewCommits(from!, to!),
    hasNewMerges: () => history.hasNewMerges(from!, to!),
    openChecks: (checks) => findOpenChecks(db, { repository: number, sha: to! }, checks),
  };
}

function describe({ name }: RefChange, violations: readonly RuleViolation[]): string {
  const reasons = violations.map(({ message }) => `- ${message}`);
  return [`GH006: Protected branch update failed for ${name}.`, ...reasons].join('\n');
}

const TIMEOUT_MS = 60_000;

interface ChangedHistory {
  /** Whether the new value does not descend from the old one. */
  isForced(from: string, to: string): Promise<boolean>;
  hasNewCommits(from: string, to: string): Promise<boolean>;
  hasNewMerges(from: string, to: string): Promise<boolean>;
}

/** The new commit has one parent, which is the present one. */
export const ONE_COMMIT: ChangedHistory = {
  isForced: () => Promise.resolve(false),
  hasNewCommits: () => Promise.resolve(true),
  hasNewMerges: () => Promise.resolve(false),
};

/** What is no commit, or cannot be read, breaks every rule: git itself refuses it later. */
function historyOf(git: GitTarget): ChangedHistory {
  const hasAny = async (options: readonly string[], to: string, from: string) => {
    const range = [checkedObjectId(to), `^${checkedObjectId(from)}`, '--'];
    return (await outputOf(git, ['rev-list', '--max-count=1', ...options, ...range])) !== '';
  };
  return {
    isForced: (from, to) => hasAny([], from, to),
    hasNewCommits: (from, to) => hasAny([], to, from),
    hasNewMerges: (from, to) => hasAny(['--merges'], to, from),
  };
}

async function outputOf(git: GitTarget, args: readonly string[]): Promise<string> {
  try {
    return (await runGit(git, args, { timeoutMs: TIMEOUT_MS, maxOutput: 1024 })).toString('latin1').trim();
  } catch (error) {
    if (error instanceof GitError) return 'unreadable';
    throw error;
  }
}

/**
 * The required ones that the commit lacks. The newest status of a context counts: where an app is required, that of
 * the app.
 */
export async function findOpenChecks(
  db: Db,
  target: StatusTarget,
  checks: readonly RequiredCheck[],
): Promise<OpenCheck[]> {
  const contexts = [...new Set(checks.map(({ context }) => context))];
  const statuses = await listReportedStatuses(db, target, contexts);
  const creators = statuses.map(({ creatorId }) => creatorId);
  const accounts = await listAccounts(db, [...new Set(creators)]);
  const numbers = await listAppNumbers(db, [...accounts.values()]);
  return checks.flatMap(({ context, appId }): OpenCheck[] => {
    const own = statuses.filter(
      (status) => status.context === context && (appId === null || numbers.get(status.creatorId) === appId),
    );
    const state = newestOf(own)?.state;
    if (state === 'success') return [];
    return [{ context, state: state === undefined ? 'expected' : state === 'pending' ? state : 'failing' }];
  });
}

/** By account: bots have the number of their app, and service tokens their own. */
async function listAppNumbers(db: Db, accounts: readonly Account[]): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const { id, number, username, isBot } of accounts) {
    const app = isBot ? await findAppBySlug(db, username.replace(/\[bot\]$/, '')) : undefined;
    numbers.set(id, app?.number ?? number);
  }
  return numbers;
}

function newestOf(statuses: readonly ReportedStatus[]): ReportedStatus | undefined {
  return statuses.reduce<ReportedStatus | undefined>(
    (newest, one) => (newest === undefined || one.number > newest.number ? one : newest),
    undefined,
  );
}

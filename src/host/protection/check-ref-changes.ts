// Which changes of references the rules of a repository refuse: asked by every write, before the references are moved.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { GitTarget } from '../git/git-target.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import type { RepositoryRole } from '../repositories/repository.ts';
import { historyOf, type ChangedHistory } from './changed-history.ts';
import { findOpenChecks } from './open-checks.ts';
import { findViolations, type ChangeFacts, type RuleViolation } from './rule.ts';
import { listProtectionsOf, type BranchProtection } from './store.ts';
import { listPurposesOf } from './store-actors.ts';

const BRANCHES = 'refs/heads/';

/** Full names, such as `refs/heads/main`. Undefined where the reference is created or deleted. */
export interface RefChange {
  name: string;
  from: string | undefined;
  to: string | undefined;
}

export interface RefusedRef {
  name: string;
  /** Plain words for the pusher; several lines. */
  message: string;
  violations: readonly RuleViolation[];
}

/** Who changes references. Without the role, it is read where a rule asks for it. */
export interface Pusher {
  caller: KnownCaller;
  role?: RepositoryRole;
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

/** For changes over REST: throws where rules refuse one. The new objects are in the repository. */
export function checkOnGit(
  kernel: Kernel,
  found: FoundRepository,
  caller: KnownCaller,
): (change: RefChange) => Promise<void> {
  const history = historyOf(kernel.services.git.repository(found.repository.number));
  return (change) => requireRefChange(kernel, found, caller, change, { history });
}

/** Throws what REST answers, where rules refuse a change. `failed` begins the message of a refused file. */
export async function requireRefChange(
  kernel: Kernel,
  found: FoundRepository,
  caller: KnownCaller,
  change: RefChange,
  { history, failed }: { history: ChangedHistory; failed?: string },
): Promise<void> {
  const [refused] = await checkChanges(kernel, found, { caller }, [change], history);
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
  { caller, role }: Pusher,
  { from, to }: RefChange,
  history: ChangedHistory,
): ChangeFacts {
  const { number } = repository;
  let purposes: Promise<Set<string>> | undefined;
  return {
    kind: from === undefined ? 'create' : to === undefined ? 'delete' : 'update',
    isAdmin: role === 'admin',
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

// Finds the branch that a new pull request comes from, and decides whether the caller may open it.
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { findInFamily, sourceNumberOf } from '../forks/store.ts';
import type { GitRepository } from '../git/repository.ts';
import type { OpenedIssues } from '../issues/access.ts';
import { findOwner } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { includesRole, type Repository } from '../repositories/repository.ts';
import { findRepositoryByName } from '../repositories/store.ts';
import { mayRead } from '../repositories/visibility.ts';
import { pullRefused } from './pull.ts';
import { readBranch } from './pull-git.ts';

export interface PullHead {
  found: FoundRepository;
  git: GitRepository;
  branch: string;
  sha: string;
  /** The owner and the branch, as clients write it. */
  label: string;
  /** Whether the caller may push to the branch's repository. */
  isWritable: boolean;
}

export interface NamedHead {
  /** `branch` or `owner:branch`. */
  head: string;
  /** `owner/name`, or the name of a repository of the owner. */
  headRepo?: string | undefined;
}

/**
 * Opening needs to read both repositories and to write one. A repository that the caller may not read is refused in the same words as one that
 * does not exist.
 */
export async function findHead(
  { db, services }: Kernel,
  caller: KnownCaller,
  opened: OpenedIssues,
  named: NamedHead,
): Promise<PullHead> {
  const [branch = '', login, ...others] = named.head.split(':').reverse();
  if (others.length > 0) throw pullRefused('is invalid', 'head', 'invalid');
  const found = await findHeadRepository(db, opened, named, login);
  if (found === undefined || !(await mayRead(db, caller, found)))
    throw pullRefused('not all refs are readable');
  const isSame = found.repository.number === opened.repository.number;
  const role = isSame ? opened.role : await roleOn(db, caller, found.repository);
  requireCollaborator(opened, includesRole(role, 'write'));
  const git = services.git.repository(found.repository.number);
  const sha = await readBranch(git, branch);
  if (sha === undefined) throw pullRefused('is invalid', 'head', 'invalid');
  const label = `${found.owner.login}:${branch}`;
  return { found, git, branch, sha, label, isWritable: includesRole(role, 'write') };
}

function requireCollaborator({ repository, role }: OpenedIssues, isHeadWritable: boolean): void {
  const isWriter = includesRole(role, 'write');
  const isEnough =
    repository.settings.pullRequestCreationPolicy === 'collaborators_only'
      ? isWriter
      : isWriter || isHeadWritable;
  if (!isEnough) throw pullRefused('must be a collaborator');
}

/** In the family of the base repository, whose objects are related. */
async function findHeadRepository(
  db: Kernel['db'],
  { repository, owner }: FoundRepository,
  { headRepo }: NamedHead,
  login: string | undefined,
): Promise<FoundRepository | undefined> {
  const [name, ownerName = login] = headRepo?.split('/').reverse() ?? [undefined];
  if (ownerName === undefined && name === undefined) return { repository, owner };
  const headOwner = ownerName === undefined ? owner : await findOwner(db, ownerName);
  if (headOwner === undefined) return undefined;
  const source = sourceNumberOf(repository);
  const find = async (): Promise<Repository | undefined> => {
    if (name !== undefined) return await findRepositoryByName(db, headOwner, name);
    return headOwner.id === owner.id ? repository : await findInFamily(db, headOwner.id, source);
  };
  const head = await find();
  if (head === undefined || sourceNumberOf(head) !== source) return undefined;
  return { repository: head, owner: headOwner };
}

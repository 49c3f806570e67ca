// Finds the two commits of a comparison, which may be in two repositories of one family.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { GitCommit } from '../git/commit-object.ts';
import type { GitTarget } from '../git/git-target.ts';
import { findMergeBases } from '../git/history.ts';
import type { GitRepository } from '../git/repository.ts';
import { findInFamily, sourceNumberOf } from '../forks/store.ts';
import { findOwner } from '../owners/store.ts';
import { mayRead, type FoundRepository, type RepositoryCall } from '../repositories/access.ts';
import { findRepositoryByName } from '../repositories/store.ts';

export interface ComparedSide {
  found: FoundRepository;
  git: GitRepository;
  commit: GitCommit;
}

export interface Compared {
  base: ComparedSide;
  head: ComparedSide;
  mergeBase: GitCommit;
  /** Where git finds the objects of both. */
  target: GitTarget;
}

/** Everything that the caller may not see is reported as missing. */
export async function openComparison(
  kernel: Kernel,
  call: RepositoryCall,
  opened: FoundRepository,
  basehead: string,
): Promise<Compared> {
  const [first, second, ...others] = basehead.split('...');
  if (!first || !second || others.length > 0) throw notComparable(basehead);
  const base = await findSide(kernel, call, opened, first);
  const head = await findSide(kernel, call, opened, second);
  const { git } = base;
  const isOne = git.number === head.git.number;
  const target = isOne ? git : { program: git.program, folder: git.folder, alternates: [head.git.folder] };
  const [oid] = await findMergeBases(target, base.commit.oid, head.commit.oid);
  const mergeBase = oid === undefined ? undefined : await git.readCommit(oid);
  if (mergeBase === undefined)
    throw new Failure('not-found', `No common ancestor between ${first} and ${second}.`);
  return { base, head, mergeBase, target };
}

/** `revision`, `owner:revision` or `owner:repository:revision`. A name of a branch has no colon. */
async function findSide(
  kernel: Kernel,
  call: RepositoryCall,
  opened: FoundRepository,
  text: string,
): Promise<ComparedSide> {
  const words = text.split(':');
  const revision = words.at(-1)!;
  const [login, name] = words.slice(0, -1);
  if (words.length > 3) throw notComparable(text);
  const found = login === undefined ? opened : await findRelative(kernel, call, opened, login, name);
  const git = found && kernel.services.git.repository(found.repository.number);
  const commit = await git?.resolveCommit(revision);
  if (found === undefined || git === undefined || commit === undefined) throw notComparable(text);
  return { found, git, commit };
}

/** The repository of the owner that has the same source. */
async function findRelative(
  { db }: Kernel,
  call: RepositoryCall,
  { repository }: FoundRepository,
  login: string,
  name: string | undefined,
): Promise<FoundRepository | undefined> {
  const owner = await findOwner(db, login);
  if (owner === undefined) return undefined;
  const source = sourceNumberOf(repository);
  const isOwn = repository.ownerId === owner.id;
  const relative =
    name === undefined
      ? isOwn
        ? repository
        : await findInFamily(db, owner.id, source)
      : await findRepositoryByName(db, owner, name);
  if (relative === undefined || sourceNumberOf(relative) !== source) return undefined;
  const found = { repository: relative, owner };
  return (await mayRead(db, call, found)) ? found : undefined;
}

function notComparable(text: string): Failure {
  return new Failure('not-found', `There is no commit ${text} that can be compared`);
}

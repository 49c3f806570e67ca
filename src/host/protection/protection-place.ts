// What routes below the protection of a branch share: their path, and the check that the branch exists.
import { Type } from '../../kernel/schema/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { branchNotFound } from '../branches/branch-not-found.ts';
import { isBranchName } from '../git/revision.ts';
import { gitUrlsOf } from '../git-data/urls.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { RepositoryParams } from '../repositories/repository-params.ts';
import { branchNotProtected, readProtection, type FullProtection } from './change-protection.ts';

const params = Type.Object({ ...RepositoryParams, branch: Type.String() });

const VIEW = { action: 'viewBranchProtection', ofOwner: true } as const;
const UPDATE = { action: 'updateBranchProtection', ofOwner: true } as const;

function pathTo(below: string): string {
  return `/repos/{owner}/{repo}/branches/{branch}/protection${below}`;
}

export const viewAt = (below = '') => ({ path: pathTo(below), params, access: VIEW });
export const updateAt = (below = '') => ({ path: pathTo(below), params, access: UPDATE });

/** A branch that exists. */
export interface ProtectionPlace {
  found: FoundRepository;
  branch: string;
  /** Of its protection in this API. */
  url: string;
}

export async function openProtectedBranch(
  { services }: Kernel,
  found: FoundRepository,
  { params: { branch }, base }: { params: { branch: string }; base: string },
): Promise<ProtectionPlace> {
  const git = services.git.repository(found.repository.number);
  const oid = isBranchName(branch) ? await git.readRef(`refs/heads/${branch}`) : undefined;
  if (oid === undefined) throw branchNotFound();
  const url = `${gitUrlsOf(found, base).api}/branches/${encodeURIComponent(branch)}/protection`;
  return { found, branch, url };
}

/** Throws where the branch has no rule. */
export async function openProtection(
  kernel: Kernel,
  found: FoundRepository,
  call: { params: { branch: string }; base: string },
): Promise<ProtectionPlace & { protection: FullProtection }> {
  const place = await openProtectedBranch(kernel, found, call);
  const protection = await readProtection(kernel.db, found, place.branch);
  if (protection === undefined) throw branchNotProtected();
  return { ...place, protection };
}

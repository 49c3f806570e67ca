// What routes below the protection of a branch share: their path, and the checks that the branch and the named apps exist.
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type, problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { findApp } from '../apps/store.ts';
import { branchNotFound } from '../commits/find-commit.ts';
import { gitUrlsOf } from '../git-data/model.ts';
import { isBranchName } from '../git/refs/revision.ts';
import { RepositoryParams, type FoundRepository } from '../repositories/access.ts';
import { branchNotProtected, readProtection, type FullProtection } from './change-protection.ts';
import type { RequiredCheck } from './rule.ts';

const params = Type.Object({ ...RepositoryParams, branch: Type.String() });

const VIEW = { action: 'viewBranchProtection', ofOwner: true } as const;
const UPDATE = { action: 'updateBranchProtection', ofOwner: true } as const;

function pathTo(below: string): string {
  return `/repos/{owner}/{repo}/branches/{branch}/protection${below}`;
}

export const viewAt = (below = '') => ({ path: pathTo(below), params, access: VIEW });
export const updateAt = (below = '') => ({ path: pathTo(below), params, access: UPDATE });

/** A branch that exists. */
interface ProtectionPlace {
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

/** Throws for a number that is no app's: nobody could ever report the check. */
export async function checkApps(db: Db, checks: readonly RequiredCheck[], field: string): Promise<void> {
  const numbers = new Set(checks.flatMap(({ appId }) => appId ?? []));
  for (const number of numbers) {
    if ((await findApp(db, number)) !== undefined) continue;
    const account = await findAccount(db, { number });
    if (account?.isService !== true) throw problem(field, `must name apps that exist: ${number} does not`);
  }
}

// Pull requests as callers may see them: what was found out about merging is shown only while it holds for the branches as they are.
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Issue } from '../issues/issue.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { requestMergeCheck } from './merge-checks/check-merges.ts';
import type { ShownPull } from './model.ts';
import { isChecked, UNCHECKED } from './pull.ts';
import { readBranch } from './pull-git.ts';
import { showPulls } from './show-pulls.ts';

export async function showCurrentPulls(
  kernel: Kernel,
  caller: Caller,
  found: FoundRepository,
  issues: readonly Issue[],
): Promise<ShownPull[]> {
  return await withoutOldChecks(kernel, found, await showPulls(kernel.db, caller, found, issues));
}

/** A push is recorded after it has moved a branch, so git is asked: one read of a small file for each base. */
export async function withoutOldChecks(
  { services }: Kernel,
  found: FoundRepository,
  all: readonly ShownPull[],
): Promise<ShownPull[]> {
  const bases = new Map<string, string | undefined>();
  const isKnown = ({ pull }: ShownPull) => pull.mergeable !== null;
  const git = all.some(isKnown) ? services.git.repository(found.repository.number) : undefined;
  for (const { pull } of all.filter(isKnown))
    if (!bases.has(pull.baseRef)) bases.set(pull.baseRef, await readBranch(git!, pull.baseRef));
  return all.map((one) => {
    const { pull } = one;
    return isChecked(pull, bases.get(pull.baseRef)) ? one : { ...one, pull: { ...pull, ...UNCHECKED } };
  });
}

/** Somebody who looks at an open one wants to know. Where the database cannot be written, they see what there is. */
export async function requestUnknown(kernel: Kernel, { shown: { issue }, pull }: ShownPull): Promise<void> {
  if (issue.state !== 'open' || pull.mergeable !== null) return;
  try {
    await requestMergeCheck(kernel, pull);
  } catch (error) {
    kernel.log.warn(
      { err: error, pull: pull.issueId },
      'a pull request is to be checked when it is next read',
    );
  }
}

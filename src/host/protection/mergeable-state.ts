// Whether an open pull request can be merged, in the one word of `mergeable_state`: by git, by the rule of its base and by the statuses of its head.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Issue } from '../issues/issue.ts';
import { mergeableStateOf, type MergeableState, type Pull } from '../pulls/pull.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { hasUnsuccessfulStatus } from '../statuses/store.ts';
import { mergeFacts } from './check-merge.ts';
import { findViolations } from './rule.ts';
import { findProtection } from './store.ts';

/**
 * The same for everybody: as for somebody who may push there and is no administrator. Two reads by an index where the base has no
 * rule, and none where the branches alone decide.
 */
export async function readMergeableState(
  kernel: Kernel,
  found: FoundRepository,
  { issue, pull }: { issue: Issue; pull: Pull },
): Promise<MergeableState> {
  const state = mergeableStateOf(pull);
  if (state !== 'clean' || issue.state !== 'open') return state;
  const ruled = await readRuledState(kernel, found, issue, pull);
  if (ruled !== undefined) return ruled;
  const { number } = found.repository;
  return (await hasUnsuccessfulStatus(kernel.db, { repository: number, sha: pull.headSha }))
    ? 'unstable'
    : state;
}

const MAY_PUSH: ReadonlySet<string> = new Set(['push']);

/** Undefined where the rule has nothing against a merge. */
async function readRuledState(
  { db, services }: Kernel,
  found: FoundRepository,
  issue: Issue,
  pull: Pull,
): Promise<MergeableState | undefined> {
  const { number, settings } = found.repository;
  const protection = await findProtection(db, number, pull.baseRef);
  if (protection === undefined) return undefined;
  const from = pull.checkedBase ?? pull.baseSha;
  // A linear history is no obstacle where another method is allowed.
  const hasMerges = !settings.allowSquashMerge && !settings.allowRebaseMerge;
  const violations = await findViolations(protection.rule, {
    ...mergeFacts(db, found, { issue, pull, from, hasMerges }, services.git.repository(number)),
    isAdmin: false,
    purposes: () => Promise.resolve(MAY_PUSH),
  });
  if (violations.length === 0) return undefined;
  return violations.every(({ code }) => code === 'behind') ? 'behind' : 'blocked';
}

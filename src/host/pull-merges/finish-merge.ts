// What follows from a merge: issues that the pull request names with closing words are closed, and its branch is deleted.
import { Failure } from '../../kernel/failure.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import { cancel, type DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { RefUpdateRefused } from '../git/refs/update-refs.ts';
import { editIssue } from '../issues/change-issue.ts';
import { listIssuesById } from '../issues/store.ts';
import { listOwners } from '../owners/store.ts';
import { checkOnGit } from '../protection/check-ref-changes.ts';
import { branchRef, type Pull } from '../pulls/pull.ts';
import { readBranch } from '../pulls/pull-git.ts';
import { FINISH_MERGE, finishId, type FinishedMerge } from '../pulls/schedule-work.ts';
import { findPull, listPullsFrom } from '../pulls/store.ts';
import { changeRefs } from '../pushes/push.ts';
import { isReadOnly, PUSH_REPOSITORY, type FoundRepository } from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { includesRole, repositoryResource } from '../repositories/repository.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { listIssuesToClose } from '../texts/referenced-issues.ts';
import { findMerger } from './settle-merge.ts';

/** After a crash, and for what was merged by a push. What is done already is not done again. */
export function finishMergeHandler(kernel: Kernel): DueHandler {
  return async ({ payload }) => {
    const merge = JSON.parse(payload) as FinishedMerge;
    const pull = await findPull(kernel.db, merge.issueId);
    const id = pull?.mergedById ?? undefined;
    const caller = id === undefined ? undefined : await findMerger(kernel, id, kernel.clock.now());
    if (caller !== undefined) await finishMerge(kernel, caller, merge);
  };
}

/** By the call that has merged, with what its caller may do. Where it fails, due work does it later. */
export async function finishOwnMerge(kernel: Kernel, caller: KnownCaller, issueId: number): Promise<void> {
  const { db, log } = kernel;
  try {
    await finishMerge(kernel, caller, { issueId, deletesHead: true });
    await cancel(db, finishId(issueId));
  } catch (error) {
    log.warn({ err: error, issue: issueId }, 'What follows from a merge is to be done later');
  }
}

async function finishMerge(
  kernel: Kernel,
  caller: KnownCaller,
  { issueId, deletesHead }: FinishedMerge,
): Promise<void> {
  const pull = await findPull(kernel.db, issueId);
  const found = await findFound(kernel, pull?.repositoryNumber ?? null);
  if (pull === undefined || found === undefined || pull.mergedAt === null) return;
  await closeNamedIssues(kernel, caller, found, pull);
  if (deletesHead && found.repository.settings.deleteBranchOnMerge)
    await deleteHead(kernel, caller, found, pull);
}

async function findFound({ db }: Kernel, number: number | null): Promise<FoundRepository | undefined> {
  const repository = number === null ? undefined : await findRepositoryByNumber(db, number);
  const owner = repository && (await listOwners(db, [repository.ownerId])).get(repository.ownerId);
  return owner && { repository, owner };
}

/** Words count where work ends: on the default branch. Those in commits are read when these are pushed. */
async function closeNamedIssues(
  { db, changes, clock }: Kernel,
  caller: KnownCaller,
  found: FoundRepository,
  { issueId, baseRef }: Pull,
): Promise<void> {
  const issue = (await listIssuesById(db, [issueId])).get(issueId);
  if (issue === undefined || baseRef !== found.repository.defaultBranch) return;
  const named = await listIssuesToClose(db, caller, found, [issue.title, issue.body ?? '']);
  for (const one of named) {
    const actor = systemActor({ now: clock.now(), caller, id: FINISH_MERGE });
    await changes.run(actor, (tx) => editIssue(tx, one.found, one.issue.id, { state: 'closed' }));
  }
}

/** It stays where it is the default branch, protected, in another open pull request, or was pushed to since. */
async function deleteHead(
  kernel: Kernel,
  caller: KnownCaller,
  found: FoundRepository,
  { repositoryNumber, headRepositoryNumber: number, headRef, headSha }: Pull,
): Promise<void> {
  const { db, services, clock } = kernel;
  const head = number === repositoryNumber ? found : await findFound(kernel, number);
  if (head === undefined || headRef === head.repository.defaultBranch) return;
  if (number !== repositoryNumber && !(await mayDelete(kernel, caller, head))) return;
  const sha = await readBranch(services.git.repository(head.repository.number), headRef);
  if (sha !== headSha || (await listPullsFrom(db, head.repository.number, headRef)).length > 0) return;
  const deletion = { name: branchRef(headRef), from: headSha, to: undefined };
  try {
    await checkOnGit(kernel, head, caller)(deletion);
    await changeRefs(kernel, { caller, now: clock.now() }, head, [deletion]);
  } catch (error) {
    const isRefused = error instanceof Failure && (error.kind === 'denied' || error.kind === 'invalid');
    if (!isRefused && !(error instanceof RefUpdateRefused)) throw error;
  }
}

/** In a fork. Who merges may write to the repository of the base, and perhaps not there. */
async function mayDelete({ db }: Kernel, caller: KnownCaller, head: FoundRepository): Promise<boolean> {
  if (!can(caller, PUSH_REPOSITORY.action, repositoryResource(head))) return false;
  if (await isReadOnly(db, head.repository)) return false;
  return includesRole(await roleOn(db, caller, head.repository), 'write');
}

// Brings the branch of a pull request up to date: its base is merged into it, in whichever repository it is.
import { Failure } from '../../kernel/failure.ts';
import { reply } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { PlainText, Type } from '../../kernel/schema/schema.ts';
import { isAncestor } from '../git/history/history.ts';
import { mergeTrees } from '../git/merge/merge-trees.ts';
import { mergeIntoBranch, retryMoved } from '../merges/merge-branch.ts';
import {
  findRepositoryNamed,
  isReadOnly,
  PUSH_REPOSITORY,
  type FoundRepository,
} from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { includesRole, repositoryResource } from '../repositories/repository.ts';
import { PullParams, pullRoute, type OpenedPull } from './access.ts';
import { branchRef } from './pull.ts';
import { bringCommits, readBranch, targetOf } from './pull-git.ts';

const putUpdateBranch = pullRoute(
  {
    id: 'pulls/update-branch',
    method: 'PUT',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/update-branch',
    summary: 'Merge the base into the branch of a pull request',
    description:
      'For who may push to the branch: that of a fork also for those who may push to the base, where the pull request allows it.',
    access: PUSH_REPOSITORY,
    params: PullParams,
    body: Type.Object({
      expected_head_sha: Type.Optional(
        PlainText({ description: 'The commit that the branch must have, else nothing is changed' }),
      ),
    }),
    bodyIsOptional: true,
    reply: { 202: Type.Object({ message: Type.String(), url: Type.String() }) },
    isData: true,
  },
  { writes: 'read' },
  async (call, kernel, opened) => {
    const { issue, owner, repository } = opened;
    if (issue.state === 'closed') throw refused('The pull request is closed.');
    const head = await findHeadRepository(kernel, call, opened);
    const isAllowed = call.can(repositoryResource(head));
    if (!isAllowed || !(await mayPushHead(kernel, call.caller, opened, head)))
      throw new Failure('denied', 'You may not push to the branch of this pull request.');
    if (await isReadOnly(kernel.db, head.repository))
      throw new Failure('denied', 'The repository of the branch is archived, and read-only.');
    const expected = call.body?.expected_head_sha;
    await retryMoved(() => updateBranch(kernel, call, opened, { head, expected }));
    const url = `${call.base}/repos/${owner.login}/${repository.name}/pulls/${issue.number}`;
    return reply(202, { message: 'Updating pull request branch.', url });
  },
);

function refused(message: string): Failure {
  return new Failure('invalid', message);
}

async function findHeadRepository(
  kernel: Kernel,
  { now }: { now: number },
  { repository, owner, pull: { headRepositoryNumber: number } }: OpenedPull,
): Promise<FoundRepository> {
  if (number === repository.number) return { repository, owner };
  const params = { repository_id: number };
  const head = number === null ? undefined : await findRepositoryNamed(kernel, { params, now });
  if (head === undefined) throw refused('The repository of the branch has been deleted.');
  return head;
}

async function mayPushHead(
  { db }: Kernel,
  caller: KnownCaller,
  { repository, pull }: OpenedPull,
  head: FoundRepository,
): Promise<boolean> {
  if (includesRole(await roleOn(db, caller, head.repository), 'write')) return true;
  return pull.mayMaintainerModify && includesRole(await roleOn(db, caller, repository), 'write');
}

interface BranchUpdate {
  head: FoundRepository;
  expected: string | undefined;
}

/** Nothing is copied to a fork before it is known that it can be merged. */
async function updateBranch(
  kernel: Kernel,
  actor: { caller: KnownCaller; now: number },
  { repository, pull: { baseRef, headRef } }: OpenedPull,
  { head, expected }: BranchUpdate,
): Promise<void> {
  const git = kernel.services.git.repository(repository.number);
  const headGit = kernel.services.git.repository(head.repository.number);
  const from = await readBranch(headGit, headRef);
  const base = await readBranch(git, baseRef);
  if (from === undefined || base === undefined)
    throw refused(`The ${from === undefined ? headRef : baseRef} branch has been deleted.`);
  if (expected !== undefined && expected !== from)
    throw refused("expected head sha didn't match current head ref.");
  const both = targetOf(headGit, git);
  if (await isAncestor(both, base, from)) throw refused('There are no new commits on the base branch.');
  if (git.number !== headGit.number) {
    if ((await mergeTrees(both, from, base)).kind !== 'clean') throw conflict();
    await bringCommits(kernel, headGit, git, { head: base, base: from });
  }
  const message = `Merge branch '${baseRef}' into ${headRef}\n`;
  const merge = { ref: branchRef(headRef), from, head: base, message };
  const { kind } = await mergeIntoBranch(kernel, actor, head, merge);
  if (kind !== 'created') throw conflict();
}

function conflict(): Failure {
  return refused('merge conflict between base and head');
}

export const updateBranchRoutes = [putUpdateBranch];

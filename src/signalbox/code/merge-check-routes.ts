// Every reason why the caller cannot merge a pull request now, by the rules that a merge goes by.
import { isReadOnly, READ_REPOSITORY } from '../../host/repositories/access.ts';
import { includesRole, type RepositorySettings } from '../../host/repositories/repository.ts';
import { countAheadBehind } from '../../host/git/history/history.ts';
import type { GitRepository } from '../../host/git/repository.ts';
import { findMergeViolations } from '../../host/protection/check-merge.ts';
import { PullParams, pullRoute, type OpenedPull } from '../../host/pulls/access.ts';
import { MERGE_METHODS, type MergeMethod } from '../../host/pull-merges/create-commit.ts';
import { requestUnknown, showCurrentPulls } from '../../host/pulls/current-pulls.ts';
import { pullNotFound } from '../../host/pulls/pull.ts';
import { readBranch } from '../../host/pulls/pull-git.ts';
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';

const MergeReason = Type.Object(
  {
    code: Type.String({
      description:
        '`merged`, `closed`, `draft`, `unchecked`, `conflicts`, `baseGone`, `rebase`, `method`, `role`, `archived`, or what the rule of the base branch asks for: ' +
        '`reviews`, `checks`, `conversations`, `behind`, `restricted`, `locked`, `merges`, `signatures`',
    }),
    message: Type.String(),
  },
  { $id: 'MergeReason' },
);

const MergeCheck = Type.Object(
  {
    isMergeable: Type.Boolean({ description: 'Whether a merge by this caller would go through now' }),
    method: OneOf(MERGE_METHODS),
    methods: Type.Array(OneOf(MERGE_METHODS), { description: 'Those that the repository allows' }),
    behindBy: Type.Integer({
      description: 'How many commits of its base an open one does not have; 0 where the base is gone',
    }),
    headSha: Type.String({ description: 'What was looked at: send it as `sha` with the merge' }),
    reasons: Type.Array(MergeReason, { description: 'Why not; empty where it can be merged' }),
  },
  { $id: 'MergeCheck' },
);

type Reason = Static<typeof MergeReason>;

const checkMerge = pullRoute(
  {
    id: 'checkMerge',
    method: 'GET',
    path: '/repos/{owner}/{repo}/pulls/{pull_number}/merge-check',
    summary: 'List every reason why a pull request cannot be merged',
    description:
      'By the rules that a merge by the caller goes by: its branches, its state, the settings of the repository, and the rule of the base branch. Nothing is changed.',
    access: READ_REPOSITORY,
    params: PullParams,
    query: Type.Object({
      method: Type.Optional(
        OneOf(MERGE_METHODS, { description: 'The first that the repository allows, if absent' }),
      ),
    }),
    reply: { 200: MergeCheck },
  },
  'read',
  async (call, kernel, found) => {
    const opened = await withCurrentChecks(kernel, call.caller, found);
    const { settings } = opened.repository;
    const methods = MERGE_METHODS.filter((one) => settings[SWITCHES[one]]);
    const method = call.query.method ?? methods[0] ?? 'merge';
    const { issue, pull, repository } = opened;
    const git = kernel.services.git.repository(repository.number, call.signal);
    const base = issue.state === 'open' ? await readBranch(git, pull.baseRef) : undefined;
    const reasons = [
      ...(await listPlainReasons(kernel, opened, method)),
      ...(await listRuleReasons(kernel, call.caller, opened, { method, git, base })),
    ];
    return {
      isMergeable: reasons.length === 0,
      method,
      methods,
      behindBy: await countMissing(git, base, pull.headSha),
      headSha: pull.headSha,
      reasons,
    };
  },
);

const SWITCHES = {
  merge: 'allowMergeCommit',
  squash: 'allowSquashMerge',
  rebase: 'allowRebaseMerge',
} as const satisfies Record<MergeMethod, keyof RepositorySettings>;

/** What was found out about merging counts only while the branches are as they were. Somebody who asks wants to know. */
async function withCurrentChecks(kernel: Kernel, caller: Caller, opened: OpenedPull): Promise<OpenedPull> {
  const [shown] = await showCurrentPulls(kernel, caller, opened, [opened.issue]);
  if (shown === undefined) throw pullNotFound();
  await requestUnknown(kernel, shown);
  return { ...opened, pull: shown.pull };
}

/** Those that no rule has to ask for. */
async function listPlainReasons(
  { db }: Kernel,
  { repository, issue, pull, role }: OpenedPull,
  method: MergeMethod,
): Promise<Reason[]> {
  const reasons: Reason[] = [];
  const add = (code: string, message: string) => void reasons.push({ code, message });
  if (pull.mergedAt !== null) add('merged', 'It is merged already.');
  else if (issue.state !== 'open') add('closed', 'It is closed.');
  else if (pull.mergeable === null)
    add('unchecked', 'Whether its branches can be merged is still being found out.');
  else if (!pull.mergeable) add('conflicts', `It has conflicts with \`${pull.baseRef}\`.`);
  else if (method === 'rebase' && pull.rebaseable === false)
    add('rebase', `Its commits cannot be repeated on \`${pull.baseRef}\` one by one.`);
  if (pull.isDraft) add('draft', 'It is still a draft.');
  if (!repository.settings[SWITCHES[method]])
    add('method', 'The settings of the repository do not allow this way of merging.');
  if (await isReadOnly(db, repository)) add('archived', 'The repository is archived or locked.');
  if (!includesRole(role, 'write')) add('role', 'Merging needs the role write on the repository.');
  return reasons;
}

async function listRuleReasons(
  kernel: Kernel,
  caller: Caller,
  opened: OpenedPull,
  { method, git, base: from }: { method: MergeMethod; git: GitRepository; base: string | undefined },
): Promise<Reason[]> {
  const { issue, pull, role } = opened;
  if (caller.kind === 'anonymous' || issue.state !== 'open') return [];
  if (from === undefined) return [{ code: 'baseGone', message: `The branch \`${pull.baseRef}\` is gone.` }];
  const merge = { issue, pull, from, hasMerges: method === 'merge' };
  return await findMergeViolations(kernel, opened, { caller, ...(role && { role }) }, merge, git);
}

/** Of what was imported, the source may not have had all commits. */
async function countMissing(git: GitRepository, base: string | undefined, head: string): Promise<number> {
  if (base === undefined || (await git.infos([base, head])).includes(undefined)) return 0;
  return (await countAheadBehind(git, base, head)).behind;
}

export const mergeCheckRoutes = [checkMerge];

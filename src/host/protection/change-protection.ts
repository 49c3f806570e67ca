// Creates, changes and removes the rule of a branch, in one transaction with its audit entry and its event.
import { isDeepStrictEqual } from 'node:util';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { listAccounts } from '../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { recordEvent } from '../events/record-event.ts';
import { type FoundRepository, entryOwnerOf } from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { listTeamsByNumber } from '../teams/store.ts';
import { isoSeconds } from '../times.ts';
import { listPresentActors, type ActorsByPurpose } from './actors.ts';
import { slugOfApp, contextsOf } from './model.ts';
import { ACTOR_PURPOSES, type BranchRule, enforcementLevel } from './rule.ts';
import { replaceActors, type NamedActors } from './store-actors.ts';
import {
  countProtections,
  deleteProtection,
  findProtection,
  lockProtections,
  upsertProtection,
  type BranchProtection,
} from './store.ts';

const MAX_RULES = 1000;

/** A rule, and who it names. */
export interface FullProtection extends BranchProtection {
  actors: ActorsByPurpose;
}

/** What a request makes of a rule. Purposes that are absent stay. */
export interface EditedProtection {
  rule: BranchRule;
  actors?: Partial<ActorsByPurpose>;
}

type Edit = (tx: Db, before: FullProtection | undefined) => Promise<EditedProtection>;

export async function readProtection(
  db: Db,
  found: FoundRepository,
  branch: string,
): Promise<FullProtection | undefined> {
  const known = await findProtection(db, found.repository.number, branch);
  return known && { ...known, actors: await listPresentActors(db, found, known.number) };
}

/** `edit` gets the present rule, and nobody else changes it meanwhile. */
export async function changeProtection(
  { changes }: Kernel,
  actor: ChangeActor,
  found: FoundRepository,
  branch: string,
  edit: Edit,
): Promise<FullProtection> {
  refuseArchived(found);
  return await changes.run(actor, async (tx) => {
    const { db } = tx;
    const { number } = found.repository;
    await lockProtections(db, number);
    const before = await readProtection(db, found, branch);
    const { rule, actors = {} } = await edit(db, before);
    const edited = inOrder({ ...(before?.actors ?? NOBODY), ...actors });
    if (before !== undefined && isDeepStrictEqual([rule, edited], [before.rule, inOrder(before.actors)]))
      return before;
    if (before === undefined && (await countProtections(db, number)) >= MAX_RULES)
      throw new Failure('invalid', `A repository has at most ${MAX_RULES} rules for branches`);
    const saved = await upsertProtection(db, number, branch, rule, tx.actor.now);
    for (const purpose of ACTOR_PURPOSES) await replaceActors(db, saved.number, purpose, edited[purpose]);
    const after = { ...saved, actors: edited };
    await recordProtection(tx, found, before, after);
    return after;
  });
}

/** So that the same actors are equal in comparisons and in the audit log. */
function inOrder({ push, dismiss, bypass }: ActorsByPurpose): ActorsByPurpose {
  const sorted = ({ accounts, teams }: NamedActors) => ({
    accounts: accounts.toSorted(),
    teams: teams.toSorted((a, b) => a - b),
  });
  return { push: sorted(push), dismiss: sorted(dismiss), bypass: sorted(bypass) };
}

export async function removeProtection(
  { changes }: Kernel,
  actor: ChangeActor,
  found: FoundRepository,
  branch: string,
): Promise<void> {
  refuseArchived(found);
  await changes.run(actor, async (tx) => {
    await lockProtections(tx.db, found.repository.number);
    const before = await readProtection(tx.db, found, branch);
    if (before === undefined) throw branchNotProtected();
    await deleteProtection(tx.db, before.number);
    await recordProtection(tx, found, before, undefined);
  });
}

export const NOBODY: ActorsByPurpose = {
  push: { accounts: [], teams: [] },
  dismiss: { accounts: [], teams: [] },
  bypass: { accounts: [], teams: [] },
};

export function branchNotProtected(): Failure {
  return new Failure('not-found', 'Branch not protected', { code: 'not-protected' });
}

/** One of the two may be absent. */
export async function recordProtection(
  tx: ChangeTransaction,
  found: FoundRepository,
  before: FullProtection | undefined,
  after: FullProtection | undefined,
): Promise<void> {
  const { db } = tx;
  const named = (one: FullProtection) => listActorNames(db, one.actors.push);
  const inEvent = {
    before: before && toRuleInEvent(before, await named(before)),
    after: after && toRuleInEvent(after, await named(after)),
  };
  const [action, verb] =
    after === undefined
      ? (['deleted', 'removed'] as const)
      : before === undefined
        ? (['created', 'created'] as const)
        : (['edited', 'changed'] as const);
  const { branch } = (after ?? before)!;
  tx.record({
    accesses: [{ action: 'updateBranchProtection', resource: repositoryResource(found) }],
    kind: 'repository',
    name: found.repository.name,
    verb: `${verb} the protection of the branch ${branch} of`,
    ...entryOwnerOf(found),
    ...(before && { before: audited(before) }),
    ...(after && { after: audited(after) }),
  });
  const changes = inEvent.before && inEvent.after && changesBetween(inEvent.before, inEvent.after);
  const details = { rule: inEvent.after ?? inEvent.before, ...(changes && { changes }) };
  await recordEvent(tx, { name: 'branch_protection_rule', action, details }, { found });
}

function audited({ branch, rule, actors }: FullProtection) {
  return { branch, ...rule, actors: inOrder(actors) };
}

/** Logins of users, and slugs of teams and apps. */
async function listActorNames(db: Db, { accounts, teams }: NamedActors): Promise<string[]> {
  const [known, knownTeams] = await Promise.all([listAccounts(db, accounts), listTeamsByNumber(db, teams)]);
  return [
    ...[...known.values()].map(({ username }) => slugOfApp(username)),
    ...[...knownTeams.values()].map(({ slug }) => slug),
  ];
}

function refuseArchived({ repository }: FoundRepository): void {
  if (!repository.isArchived) return;
  throw new Failure('denied', 'The repository is archived, and read-only. Unarchive it first.');
}

/** The members of a rule whose former values the event of a change has. */
const COMPARED = [
  'admin_enforced',
  'allow_deletions_enforcement_level',
  'allow_force_pushes_enforcement_level',
  'authorized_actors_only',
  'authorized_actor_names',
  'authorized_dismissal_actors_only',
  'dismiss_stale_reviews_on_push',
  'linear_history_requirement_enforcement_level',
  'pull_request_reviews_enforcement_level',
  'require_code_owner_review',
  'required_approving_review_count',
  'required_conversation_resolution_level',
  'required_status_checks',
  'required_status_checks_enforcement_level',
  'signature_requirement_enforcement_level',
] as const;

type RuleInEvent = ReturnType<typeof toRuleInEvent>;

/** `names` are those who may push: logins of users, slugs of teams and apps. */
function toRuleInEvent(
  { number, repositoryNumber, branch, rule, createdAt, updatedAt }: BranchProtection,
  names: readonly string[],
) {
  const { reviews, statusChecks } = rule;
  const level = (isOn: boolean) => enforcementLevel(isOn, rule);
  return {
    id: number,
    repository_id: repositoryNumber,
    name: branch,
    created_at: isoSeconds(createdAt),
    updated_at: isoSeconds(updatedAt),
    pull_request_reviews_enforcement_level: level(reviews !== null),
    required_approving_review_count: reviews?.requiredApprovingReviewCount ?? 0,
    dismiss_stale_reviews_on_push: reviews?.dismissStaleReviews ?? false,
    require_code_owner_review: reviews?.requireCodeOwnerReviews ?? false,
    require_last_push_approval: reviews?.requireLastPushApproval ?? false,
    authorized_dismissal_actors_only: reviews?.restrictsDismissals ?? false,
    ignore_approvals_from_contributors: false,
    required_status_checks: contextsOf(statusChecks?.checks ?? []),
    required_status_checks_enforcement_level: level(statusChecks !== null),
    strict_required_status_checks_policy: statusChecks?.strict ?? false,
    signature_requirement_enforcement_level: level(rule.requiredSignatures),
    linear_history_requirement_enforcement_level: level(rule.requiredLinearHistory),
    admin_enforced: rule.enforceAdmins,
    create_protected: rule.blockCreations,
    // They are allowed for everyone, or for nobody.
    allow_force_pushes_enforcement_level: rule.allowForcePushes ? 'everyone' : 'off',
    allow_deletions_enforcement_level: rule.allowDeletions ? 'everyone' : 'off',
    merge_queue_enforcement_level: 'off',
    required_deployments_enforcement_level: 'off',
    required_conversation_resolution_level: level(rule.requiredConversationResolution),
    authorized_actors_only: rule.isRestricted,
    authorized_actor_names: names,
  };
}

function changesBetween(before: RuleInEvent, after: RuleInEvent): Record<string, { from: unknown }> {
  const changed = COMPARED.filter((member) => !isDeepStrictEqual(before[member], after[member]));
  return Object.fromEntries(changed.map((member) => [member, { from: before[member] }]));
}

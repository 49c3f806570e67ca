// Creates approval requests for plans that could be applied now.
import { systemActor } from '../../kernel/identity/actor.ts';
import { newId } from '../../kernel/id.ts';
import { recordedAs } from '../../kernel/identity/identity.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Flag } from '../feature-flags/flag.ts';
import { findMemberIds, findTeamKeys } from '../feature-flags/store-references.ts';
import { inPostedBody } from '../patch/instructions.ts';
import { checkPlan } from '../planned-changes/apply-plan.ts';
import { readFlagInEnvironment } from '../planned-changes/find-flag-in-environment.ts';
import { refOf, type ByFlagInEnvironment, recordFlagChange } from '../planned-changes/flag-in-environment.ts';
import type { Plan } from '../planned-changes/plan.ts';
import { requireFuture } from '../scheduled-changes/model.ts';
import { type ApprovalRequest, MAX_OPEN } from './model.ts';
import type { ShownRequest } from './find-request.ts';
import { toApprovalRequest, type ApprovalPath } from './representation.ts';
import { countOpenRequests, insertApprovalRequest } from './store.ts';

export interface RequestDraft {
  plan: Plan;
  description: string;
  comment?: string;
  notifyMemberIds?: string[];
  notifyTeamKeys?: string[];
  executionDate?: number;
  operatingOnId?: string;
}

type RequestCall = Pick<Call, 'id' | 'now' | 'can' | 'requirePermission'> & { caller: KnownCaller };

const action = 'createApprovalRequest';

export async function createRequest(
  { changes }: Kernel,
  call: RequestCall,
  at: Static<typeof ByFlagInEnvironment>,
  wanted: RequestDraft,
  via: ApprovalPath,
): Promise<ShownRequest> {
  const { description, comment, executionDate, operatingOnId } = wanted;
  if (executionDate !== undefined) requireFuture(executionDate, call.now);
  const shown = await changes.run(call, async (tx) => {
    const { db } = tx;
    const target = await readFlagInEnvironment(call, db, at, 'hold');
    call.requirePermission(target.resource, action);
    const reviewers = {
      notifyMemberIds: [...new Set(wanted.notifyMemberIds)],
      notifyTeamKeys: [...new Set(wanted.notifyTeamKeys)],
    };
    await requireReviewers(db, reviewers);
    const plan = pinCopy(wanted.plan, target.flag);
    // The requestor does not need the permissions of the change: the member who applies it does.
    const options = { comment: description || action, approvedIn: '*', ignoreConflicts: true };
    await inPostedBody(() => checkPlan(tx.as(systemActor(call)), target, plan, options));
    if ((await countOpenRequests(db, refOf(target))) >= MAX_OPEN)
      throw problem('body', `would be one more than ${MAX_OPEN} open approval requests`);
    const request: ApprovalRequest = {
      id: newId(call.now),
      projectId: target.project.id,
      ...refOf(target),
      requestor: recordedAs(call.caller),
      description,
      ...(comment !== undefined && { comment }),
      plan,
      ...(executionDate !== undefined && { executionAt: executionDate }),
      ...(operatingOnId !== undefined && { operatingOnId }),
      reviews: [],
      reviewStatus: 'pending',
      status: 'pending',
      ...reviewers,
      conflicts: [],
      version: 1,
      createdAt: call.now,
    };
    await insertApprovalRequest(db, request);
    const after = toApprovalRequest(request, target, via);
    recordFlagChange(tx, target, action, { verb: 'requested approval of a change of', after, comment });
    return after;
  });
  return shown;
}

/** Stores the version of the source that the reviewers see: when the source changes, a new request is needed. */
function pinCopy(plan: Plan, { environments }: Flag): Plan {
  const { copy } = plan;
  if (copy === undefined || copy.source.currentVersion !== undefined) return plan;
  const { key } = copy.source;
  const config = Object.hasOwn(environments, key) ? environments[key] : undefined;
  if (config === undefined) return plan;
  return { ...plan, copy: { ...copy, source: { key, currentVersion: config.version }, isPinned: true } };
}

type Reviewers = Pick<ApprovalRequest, 'notifyMemberIds' | 'notifyTeamKeys'>;

export async function requireReviewers(
  db: Db,
  { notifyMemberIds, notifyTeamKeys }: Reviewers,
): Promise<void> {
  const members = await findMemberIds(db, notifyMemberIds);
  const unknownId = notifyMemberIds.find((id) => !members.has(id));
  if (unknownId !== undefined) throw problem('notifyMemberIds', `names no member: "${unknownId}"`);
  const teams = await findTeamKeys(db, notifyTeamKeys);
  const unknown = notifyTeamKeys.find((key) => !teams.has(key));
  if (unknown !== undefined) throw problem('notifyTeamKeys', `names no team: "${unknown}"`);
}

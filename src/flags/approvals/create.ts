// Makes approval requests, of changes that could be made as things are.
import { systemActor } from '../../kernel/change/actor.ts';
import { newId } from '../../kernel/id.ts';
import { initiatorOf } from '../../kernel/identity/identity.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/route.ts';
import type { Static } from '../../kernel/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { problem } from '../../kernel/schema.ts';
import type { Flag } from '../feature-flags/flag.ts';
import { findMemberIds, findTeamKeys } from '../feature-flags/store-maintainers.ts';
import { inPostedBody } from '../instructions/reading.ts';
import { rehearse } from '../planned-changes/apply-plan.ts';
import { openPlace } from '../planned-changes/find-flag-in-environment.ts';
import { whereaboutsOf, type ByPlace } from '../planned-changes/flag-in-environment.ts';
import type { Plan } from '../planned-changes/plan.ts';
import { recordAt } from '../planned-changes/record-change.ts';
import { requireFuture } from '../scheduled-changes/model.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { MOST_OPEN } from './model.ts';
import type { Shown } from './open.ts';
import { toApprovalRequest, type Family } from './representation.ts';
import { countOpen, createApprovalRequest } from './store.ts';

export interface Wanted {
  plan: Plan;
  description: string;
  comment?: string;
  notifyMemberIds?: string[];
  notifyTeamKeys?: string[];
  executionDate?: number;
  operatingOnId?: string;
}

type Asking = Pick<Call, 'id' | 'now' | 'can' | 'demand'> & { caller: KnownCaller };

const action = 'createApprovalRequest';

export async function makeRequest(
  { changes }: Kernel,
  call: Asking,
  at: Static<typeof ByPlace>,
  wanted: Wanted,
  family: Family,
): Promise<Shown> {
  const { description, comment, executionDate, operatingOnId } = wanted;
  if (executionDate !== undefined) requireFuture(executionDate, call.now);
  const shown = await changes.run(call, async (on) => {
    const { db: tx } = on;
    const place = await openPlace(call, tx, at, 'hold');
    call.demand(place.resource, action);
    const reviewers = {
      notifyMemberIds: [...new Set(wanted.notifyMemberIds)],
      notifyTeamKeys: [...new Set(wanted.notifyTeamKeys)],
    };
    await requireReviewers(tx, reviewers);
    const plan = pinCopy(wanted.plan, place.flag);
    // Who asks need not be allowed to make the change: whoever applies it is.
    const how = { comment: description || action, approvedIn: '*', ignoreConflicts: true };
    await inPostedBody(() => rehearse(on.as(systemActor(call)), place, plan, how));
    if ((await countOpen(tx, whereaboutsOf(place))) >= MOST_OPEN)
      throw problem('body', `would be one more than ${MOST_OPEN} open approval requests`);
    const request: ApprovalRequest = {
      id: newId(call.now),
      projectId: place.project.id,
      ...whereaboutsOf(place),
      requestor: initiatorOf(call.caller),
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
    await createApprovalRequest(tx, request);
    const after = toApprovalRequest(request, place, family);
    recordAt(on, place, action, { verb: 'requested approval of a change of', after, comment });
    return after;
  });
  return shown;
}

/** What is copied is what the reviewers saw: a source that has changed since then takes another request. */
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
  const stranger = notifyMemberIds.find((id) => !members.has(id));
  if (stranger !== undefined) throw problem('notifyMemberIds', `names no member: "${stranger}"`);
  const teams = await findTeamKeys(db, notifyTeamKeys);
  const unknown = notifyTeamKeys.find((key) => !teams.has(key));
  if (unknown !== undefined) throw problem('notifyTeamKeys', `names no team: "${unknown}"`);
}

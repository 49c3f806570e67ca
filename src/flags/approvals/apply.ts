// Applies approval requests: at once for a call, or later, exactly once, in the name of whoever had it applied.
import { finish, type Due, type Handler } from '../../kernel/due.ts';
import { Failure } from '../../kernel/failure.ts';
import { callerOf, type Doer } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { recordChange } from '../change.ts';
import { listEnvironments } from '../environments/store.ts';
import { demandApproval } from '../feature-flags/approval.ts';
import type { FlagActor, FlagChange } from '../feature-flags/change.ts';
import { flagKinds } from '../feature-flags/instructions/table.ts';
import { actorOf, carryOut, isLasting } from '../pending/carry-out.ts';
import { findPlace } from '../pending/find-place.ts';
import type { Place } from '../pending/place.ts';
import { conflictOf } from '../pending/plan.ts';
import { environmentalResource } from '../resources.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { requireApproved, toCompleted } from './model.ts';
import { toApprovalRequest } from './representation.ts';
import { findApprovalRequest, saveApprovalRequest, WORK } from './store.ts';

export const APPLY = 'applyApprovalRequest';

/** In a transaction that holds the flag and the request. */
export async function applyRequest(
  kernel: Kernel,
  tx: Db,
  actor: FlagActor,
  place: Place,
  request: ApprovalRequest,
  { by, comment }: { by: Doer; comment?: string | undefined },
): Promise<ApprovalRequest> {
  requireApproved(request, place.environment.approvalSettings);
  const applied = toCompleted(request, by, actor.now);
  await saveApprovalRequest(tx, request, applied);
  const change = await carryOut(kernel, tx, approved(actor), place, request.plan, {
    comment: comment ?? request.comment ?? (request.description || `Approval request ${request.id}`),
    bypass: 'approval',
  });
  await checkElsewhere(tx, actor, place, change);
  await recordChange(tx, actor, {
    accesses: [{ action: APPLY, resource: place.resource }],
    kind: 'flag',
    name: place.flag.name,
    verb: 'applied an approval request for',
    before: toApprovalRequest(request, place),
    after: toApprovalRequest(applied, place),
    comment,
  });
  return applied;
}

/** What instructions do in one environment. */
const LOCAL: ReadonlySet<string | undefined> = new Set([
  ...[...flagKinds.values()].filter(({ level }) => level === 'environment').map(({ action }) => action),
  'copyFlagConfigTo',
  'copyFlagConfigFrom',
]);

/**
 * In the environment of the request it takes no more than the permission to apply it: others have looked at the change.
 * What it does in all environments at once still takes the permissions for that.
 */
function approved(actor: FlagActor): FlagActor {
  return {
    ...(actor.id !== undefined && { id: actor.id }),
    ...(actor.caller !== undefined && { caller: actor.caller }),
    now: actor.now,
    can: (resource, action) => LOCAL.has(action) || actor.can(resource, action),
    demand(resource, action) {
      if (!LOCAL.has(action)) actor.demand(resource, action);
    },
  };
}

/** The reviewers were those of one environment: what changes in another is not approved there. */
async function checkElsewhere(
  tx: Db,
  actor: FlagActor,
  { project, environment }: Place,
  { before, flag }: FlagChange,
): Promise<void> {
  for (const other of await listEnvironments(tx, project.id)) {
    if (other.id === environment.id || before.environments[other.key] === flag.environments[other.key])
      continue;
    demandApproval(actor, other, before, environmentalResource(project, other, 'flag', before));
  }
}

export function approvalHandlers(kernel: Kernel): Record<string, Handler> {
  return {
    [WORK]: async (due) => {
      try {
        await take(kernel, due, (tx, request, place) => applyNow(kernel, tx, request, place));
      } catch (error) {
        if (!isLasting(error, due)) throw error;
        await take(kernel, due, (tx, request, place) => giveUp(kernel, tx, request, place, error));
      }
    },
  };
}

type Doing = (tx: Db, request: ApprovalRequest, place: Place) => Promise<void>;

/** The work is settled in the transaction of what is done, so that both happen or neither. */
async function take({ db, engine }: Kernel, due: Due, run: Doing): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const known = await findApprovalRequest(tx, due.payload);
    const place = known && (await findPlace(tx, known, engine));
    const request = place && (await findApprovalRequest(tx, due.payload, engine));
    if (!(await finish(tx, due))) throw new Error('The work is no longer ours.');
    if (place !== undefined && request?.status === 'scheduled') await run(tx, request, place);
  });
}

async function applyNow(kernel: Kernel, tx: Db, request: ApprovalRequest, place: Place): Promise<void> {
  const now = kernel.clock.now();
  const by = request.appliedBy!;
  const caller = await callerOf(tx, by, now);
  if (caller === undefined)
    throw new Failure('denied', 'Whoever has had the request applied is no longer here.');
  const actor = actorOf(caller, now);
  // Else the environment itself says that what is approved is applied.
  if (!place.environment.approvalSettings.autoApplyApprovedChanges) actor.demand(place.resource, APPLY);
  await applyRequest(kernel, tx, actor, place, request, { by, comment: request.applyComment });
}

async function giveUp(
  { clock }: Kernel,
  tx: Db,
  before: ApprovalRequest,
  place: Place,
  failure: Failure,
): Promise<void> {
  const now = clock.now();
  const caller = await callerOf(tx, before.appliedBy!, now);
  const after: ApprovalRequest = {
    ...before,
    status: 'failed',
    conflicts: [conflictOf(failure, before.plan.instructions)],
    version: before.version + 1,
  };
  await saveApprovalRequest(tx, before, after);
  await recordChange(
    tx,
    { now, ...(caller && { caller }) },
    {
      accesses: [{ action: APPLY, resource: place.resource }],
      kind: 'flag',
      name: place.flag.name,
      verb: 'failed to apply an approval request for',
      description: failure.message,
      before: toApprovalRequest(before, place),
      after: toApprovalRequest(after, place),
    },
  );
}

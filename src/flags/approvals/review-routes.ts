// Routes that review, apply, patch and delete an approval request, on both paths.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { newId } from '../../kernel/id.ts';
import { recordedAs } from '../../kernel/identity/identity.ts';
import { reply, route } from '../../kernel/http/route.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Change } from '../../kernel/change/change.ts';
import { listKinds } from '../patch/instructions.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readSemanticPatch, requireEnvironment, updateOf } from '../patch/patch.ts';
import { ByFlagInEnvironmentAndId, recordFlagChange } from '../planned-changes/flag-in-environment.ts';
import { requireBeta } from '../version.ts';
import { APPLY, applyRequest, couldApply, checkRequest } from './apply-request.ts';
import { requireReviewers } from './create-request.ts';
import {
  addReview,
  approvalKinds,
  editRequest,
  laterOf,
  requireApplicable,
  whyNotApproved,
  type ApprovalRequest,
} from './model.ts';
import { ById, openRequest, showRequest, type RequestWithTarget } from './find-request.ts';
import {
  ApplyPost,
  ApprovalRequestSchema,
  ReviewPost,
  toApprovalRequest,
  type ApprovalPath,
} from './representation.ts';
import { ALL_REQUESTS, FLAG_REQUESTS } from './routes.ts';
import { scheduleApproval, deleteApprovalRequest, updateApprovalRequest } from './store.ts';

interface Names {
  review: string;
  apply: string;
  patch: string;
  del: string;
}

function routesOf(via: ApprovalPath, names: Names) {
  const path = via === 'all' ? (`${ALL_REQUESTS}/{id}` as const) : (`${FLAG_REQUESTS}/{id}` as const);
  const params = via === 'all' ? ById : ByFlagInEnvironmentAndId;

  const review = route(
    {
      id: names.review,
      method: 'POST',
      path: `${path}/reviews`,
      summary: 'Approve or decline an approval request, or comment on it',
      access: { action: 'reviewApprovalRequest' },
      params,
      body: ReviewPost,
      reply: { 200: ApprovalRequestSchema },
    },
    async (call, { changes, identity }) => {
      const { kind = 'comment', comment } = call.body;
      if (kind === 'comment' && (comment ?? '').trim() === '')
        throw problem('comment', 'is required, or a kind: approve or decline');
      const shown = await changes.run(call, async (tx) => {
        const { db } = tx;
        const { request: before, target } = await openRequest(call, db, via, 'hold');
        call.requirePermission(target.resource);
        const by = recordedAs(call.caller);
        const { approvalSettings: settings } = target.environment;
        const one = {
          id: newId(call.now),
          kind,
          at: call.now,
          by,
          ...(comment !== undefined && { comment }),
        };
        let request = addReview(before, one, settings);
        const isReady = kind === 'approve' && whyNotApproved(request, settings) === undefined;
        const isNext = settings.autoApplyApprovedChanges && isReady && request.status === 'pending';
        // A change that the reviewer may not apply waits for somebody who may.
        if (isNext && (await couldApply(tx, { request, target }))) {
          const appliedBy = await identity.initiatorIn(db, call.caller, call.now);
          request = { ...request, status: 'scheduled', appliedBy };
          await scheduleApproval(db, request.id, laterOf(request, call.now) ?? call.now, call.now);
        }
        await updateApprovalRequest(db, before, request);
        record(tx, before, { target, request }, { verb: VERBS[kind], action: REVIEW, comment });
        return await showRequest(db, { request, target }, via, call.now);
      });
      return shown;
    },
  );

  const apply = route(
    {
      id: names.apply,
      method: 'POST',
      path: `${path}/apply`,
      summary: 'Apply an approval request that has been approved',
      description: 'One with a time that is still to come is scheduled for it.',
      access: { action: APPLY },
      params,
      body: ApplyPost,
      bodyIsOptional: true,
      reply: { 200: ApprovalRequestSchema },
    },
    async (call, { changes, identity }) => {
      const { comment } = call.body ?? {};
      const shown = await changes.run(call, async (tx) => {
        const { db } = tx;
        const { request: before, target } = await openRequest(call, db, via, 'hold');
        call.requirePermission(target.resource);
        requireApplicable(before, target.environment.approvalSettings);
        const by = await identity.initiatorIn(db, call.caller, call.now);
        const later = laterOf(before, call.now);
        if (later === undefined)
          return toApprovalRequest(await applyRequest(tx, target, before, { by, comment }), target, via);
        await checkRequest(tx, { request: before, target }, comment);
        const request: ApprovalRequest = {
          ...before,
          status: 'scheduled',
          conflicts: [],
          appliedBy: by,
          ...(comment !== undefined && { applyComment: comment }),
          version: before.version + 1,
        };
        await updateApprovalRequest(db, before, request);
        await scheduleApproval(db, request.id, later, call.now);
        const verb = 'scheduled an approval request for';
        record(tx, before, { target, request }, { verb, action: APPLY, comment });
        return await showRequest(db, { request, target }, via, call.now);
      });
      return shown;
    },
  );

  const patch = route(
    {
      id: names.patch,
      method: 'PATCH',
      path,
      summary: 'Change who is asked for a review, or the description',
      description: `Takes the header \`LD-API-Version: beta\`. Instructions:\n\n${listKinds(approvalKinds)}`,
      access: { action: UPDATE },
      params,
      ...takesPatches('Approval', { instructions: approvalKinds }),
      reply: { 200: ApprovalRequestSchema },
    },
    async (call, { changes }) => {
      requireBeta(call);
      const asked = readSemanticPatch(call);
      const shown = await changes.run(call, async (tx) => {
        const { db } = tx;
        const { request: before, target } = await openRequest(call, db, via, 'hold');
        call.requirePermission(target.resource);
        requireEnvironment(asked, target.environment);
        const request = editRequest(before, asked.instructions);
        if (request !== before) {
          await requireReviewers(db, request);
          await updateApprovalRequest(db, before, request);
          const details = { comment: asked.comment, update: updateOf(asked) };
          const verb = 'changed an approval request for';
          record(tx, before, { target, request }, { verb, action: UPDATE, ...details });
        }
        return await showRequest(db, { request, target }, via, call.now);
      });
      return shown;
    },
  );

  const del = route(
    {
      id: names.del,
      method: 'DELETE',
      path,
      summary: 'Delete an approval request',
      access: { action: DELETE },
      params,
      reply: { 204: null },
    },
    async (call, { changes }) => {
      await changes.run(call, async (tx) => {
        const { db } = tx;
        const { request, target } = await openRequest(call, db, via, 'hold');
        call.requirePermission(target.resource);
        await deleteApprovalRequest(db, request);
        const verb = 'deleted an approval request for';
        record(tx, request, { target }, { verb, action: DELETE });
      });
      return reply(204);
    },
  );

  return [review, apply, patch, del];
}

const REVIEW = 'reviewApprovalRequest';
const UPDATE = 'updateApprovalRequest';
const DELETE = 'deleteApprovalRequest';

const VERBS = {
  approve: 'approved a request for a change of',
  decline: 'declined a request for a change of',
  comment: 'commented on a request for a change of',
};

function record(
  tx: ChangeTransaction,
  before: ApprovalRequest,
  { target, request }: Pick<RequestWithTarget, 'target'> & Partial<RequestWithTarget>,
  { action, ...details }: Pick<Change, 'verb' | 'comment' | 'update'> & { action: string },
): void {
  recordFlagChange(tx, target, action, {
    before: toApprovalRequest(before, target),
    ...(request !== undefined && { after: toApprovalRequest(request, target) }),
    ...details,
  });
}

export const approvalReviewRoutes = [
  ...routesOf('all', {
    review: 'postApprovalRequestReview',
    apply: 'postApprovalRequestApply',
    patch: 'patchApprovalRequest',
    del: 'deleteApprovalRequest',
  }),
  ...routesOf('flag', {
    review: 'postApprovalRequestReviewForFlag',
    apply: 'postApprovalRequestApplyForFlag',
    patch: 'patchFlagConfigApprovalRequest',
    del: 'deleteApprovalRequestForFlag',
  }),
];

// What is done with an approval request: review, apply, patch, delete; among all or for a flag in an environment.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { newId } from '../../kernel/id.ts';
import { initiatorOf } from '../../kernel/identity/identity.ts';
import { reply, route } from '../../kernel/route.ts';
import { problem } from '../../kernel/schema.ts';
import type { Change } from '../../kernel/change/change.ts';
import { listKinds, takesInstructions } from '../instructions/document.ts';
import { readSemanticPatch, requireEnvironment, updateOf } from '../resource-patch.ts';
import { ByPlaceAndId } from '../planned-changes/flag-in-environment.ts';
import { recordAt } from '../planned-changes/record-change.ts';
import { demandBeta } from '../version.ts';
import { APPLY, applyRequest, couldApply, rehearseRequest } from './apply.ts';
import { requireReviewers } from './create.ts';
import {
  addReview,
  approvalKinds,
  editRequest,
  laterOf,
  requireApplicable,
  whyNotApproved,
} from './model.ts';
import { ById, openRequest, showRequest, type Opened } from './open.ts';
import {
  ApplyPost,
  ApprovalRequestSchema,
  ReviewPost,
  toApprovalRequest,
  type Family,
} from './representation.ts';
import { ALL, OF_FLAG } from './routes.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { applyLater, deleteApprovalRequest, saveApprovalRequest } from './store.ts';

interface Names {
  review: string;
  apply: string;
  patch: string;
  del: string;
}

function routesOf(family: Family, names: Names) {
  const path = family === 'all' ? (`${ALL}/{id}` as const) : (`${OF_FLAG}/{id}` as const);
  const params = family === 'all' ? ById : ByPlaceAndId;

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
    async (call, { changes }) => {
      const { kind = 'comment', comment } = call.body;
      if (kind === 'comment' && (comment ?? '').trim() === '')
        throw problem('comment', 'is required, or a kind: approve or decline');
      const shown = await changes.run(call, async (on) => {
        const { db: tx } = on;
        const { request: before, place } = await openRequest(call, tx, family, 'hold');
        call.demand(place.resource);
        const by = initiatorOf(call.caller);
        const { approvalSettings: settings } = place.environment;
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
        // What the reviewer could not do now waits for somebody who can.
        if (isNext && (await couldApply(on, { request, place }))) {
          request = { ...request, status: 'scheduled', appliedBy: by };
          await applyLater(tx, request.id, laterOf(request, call.now) ?? call.now, call.now);
        }
        await saveApprovalRequest(tx, before, request);
        record(on, before, { place, request }, { verb: VERBS[kind], action: REVIEW, comment });
        return await showRequest(tx, { request, place }, family, call.now);
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
    async (call, { changes }) => {
      const { comment } = call.body ?? {};
      const shown = await changes.run(call, async (on) => {
        const { db: tx } = on;
        const { request: before, place } = await openRequest(call, tx, family, 'hold');
        call.demand(place.resource);
        requireApplicable(before, place.environment.approvalSettings);
        const by = initiatorOf(call.caller);
        const later = laterOf(before, call.now);
        if (later === undefined)
          return toApprovalRequest(await applyRequest(on, place, before, { by, comment }), place, family);
        await rehearseRequest(on, { request: before, place }, comment);
        const request: ApprovalRequest = {
          ...before,
          status: 'scheduled',
          conflicts: [],
          appliedBy: by,
          ...(comment !== undefined && { applyComment: comment }),
          version: before.version + 1,
        };
        await saveApprovalRequest(tx, before, request);
        await applyLater(tx, request.id, later, call.now);
        const verb = 'scheduled an approval request for';
        record(on, before, { place, request }, { verb, action: APPLY, comment });
        return await showRequest(tx, { request, place }, family, call.now);
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
      ...takesInstructions(['semantic'], approvalKinds.values()),
      reply: { 200: ApprovalRequestSchema },
    },
    async (call, { changes }) => {
      demandBeta(call);
      const asked = readSemanticPatch(call);
      const shown = await changes.run(call, async (on) => {
        const { db: tx } = on;
        const { request: before, place } = await openRequest(call, tx, family, 'hold');
        call.demand(place.resource);
        requireEnvironment(asked, place.environment);
        const request = editRequest(before, asked.instructions);
        if (request !== before) {
          await requireReviewers(tx, request);
          await saveApprovalRequest(tx, before, request);
          const told = { comment: asked.comment, update: updateOf(asked) };
          const verb = 'changed an approval request for';
          record(on, before, { place, request }, { verb, action: UPDATE, ...told });
        }
        return await showRequest(tx, { request, place }, family, call.now);
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
      await changes.run(call, async (on) => {
        const { db: tx } = on;
        const { request, place } = await openRequest(call, tx, family, 'hold');
        call.demand(place.resource);
        await deleteApprovalRequest(tx, request);
        const verb = 'deleted an approval request for';
        record(on, request, { place }, { verb, action: DELETE });
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
  on: ChangeTransaction,
  before: ApprovalRequest,
  { place, request }: Pick<Opened, 'place'> & Partial<Opened>,
  { action, ...told }: Pick<Change, 'verb' | 'comment' | 'update'> & { action: string },
): void {
  recordAt(on, place, action, {
    before: toApprovalRequest(before, place),
    ...(request !== undefined && { after: toApprovalRequest(request, place) }),
    ...told,
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

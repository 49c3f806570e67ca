// The schemas of approval requests in bodies and replies.
import type { Initiator } from '../../kernel/identity/identity.ts';
import { OneOf, PlainText, Type } from '../../kernel/schema/schema.ts';
import { ApprovalSettingsRep } from '../environments/approval-settings.ts';
import { EnvironmentRep } from '../environments/model.ts';
import { FlagCopy } from '../feature-flags/change/copy-config.ts';
import { flagPath } from '../feature-flags/representation.ts';
import { FlagSchema } from '../feature-flags/schemas.ts';
import { Description, Instant } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { flagInEnvironmentPath, type FlagInEnvironment } from '../planned-changes/flag-in-environment.ts';
import {
  ConflictSchema,
  Instructions,
  ShownInstructions,
  type PlanConflict,
} from '../planned-changes/plan.ts';
import { ProjectSchema } from '../projects/model.ts';
import { withoutTags } from '../../kernel/change/change.ts';
import {
  REVIEW_KINDS,
  REVIEW_STATUSES,
  APPROVAL_STATUSES,
  type ApprovalRequest,
  MemberIds,
  TeamKeys,
} from './model.ts';

const Comment = Type.Optional(PlainText({ maxLength: 10_000 }));

const POST = {
  description: Description,
  comment: Comment,
  notifyMemberIds: Type.Optional(MemberIds),
  notifyTeamKeys: Type.Optional(TeamKeys),
};

export const FlagRequestPost = Type.Object(
  {
    ...POST,
    instructions: Instructions,
    executionDate: Type.Optional(Instant('When to make the change, if not as soon as it is applied')),
    operatingOnId: Type.Optional(PlainText({ maxLength: 64 })),
  },
  { $id: 'CreateFlagConfigApprovalRequestRequest' },
);

export const RequestPost = Type.Object(
  {
    ...POST,
    resourceId: PlainText({ maxLength: 1000, description: 'As in proj/web:env/production:flag/banner' }),
    instructions: Instructions,
  },
  { $id: 'CreateApprovalRequestRequest' },
);

export const CopyRequestPost = Type.Object(
  {
    ...POST,
    source: Type.Object({
      key: Type.String({ description: 'The key of the environment to copy from' }),
      version: Type.Optional(Type.Integer({ description: 'Copy only if this is still its version' })),
    }),
    includedActions: FlagCopy.properties.includedActions,
    excludedActions: FlagCopy.properties.excludedActions,
  },
  { $id: 'CreateCopyFlagConfigApprovalRequestRequest' },
);

export const ReviewPost = Type.Object(
  { kind: Type.Optional(OneOf(REVIEW_KINDS)), comment: Comment },
  { $id: 'PostApprovalRequestReviewRequest' },
);

export const ApplyPost = Type.Object({ comment: Comment }, { $id: 'PostApprovalRequestApplyRequest' });

const ReviewSchema = Type.Object(
  {
    _id: Type.String(),
    kind: OneOf(REVIEW_KINDS),
    creationDate: Type.Integer(),
    comment: Type.Optional(Type.String()),
    memberId: Type.Optional(Type.String()),
    serviceTokenId: Type.Optional(Type.String()),
  },
  { $id: 'ReviewResponse' },
);

export const APPROVAL_EXPANDABLE = ['flag', 'project', 'environments', 'resource'] as const;

export const ApprovalRequestSchema = Type.Object(
  {
    _id: Type.String(),
    _version: Type.Integer(),
    creationDate: Type.Integer(),
    serviceKind: Type.String(),
    requestorId: Type.String(),
    description: Type.String(),
    comment: Type.Optional(Type.String()),
    reviewStatus: OneOf(REVIEW_STATUSES),
    allReviews: Type.Array(ReviewSchema),
    notifyMemberIds: Type.Array(Type.String()),
    notifyTeamKeys: Type.Array(Type.String()),
    appliedDate: Type.Optional(Type.Integer()),
    appliedByMemberId: Type.Optional(Type.String()),
    appliedByServiceTokenId: Type.Optional(Type.String()),
    status: OneOf(APPROVAL_STATUSES),
    instructions: ShownInstructions,
    conflicts: Type.Array(ConflictSchema, {
      description: 'Why it has failed, or would fail with the flag as it is now; in lists only the former',
    }),
    executionDate: Type.Optional(Type.Integer()),
    operatingOnId: Type.Optional(Type.String()),
    source: Type.Optional(
      Type.Object({ key: Type.String(), version: Type.Optional(Type.Integer()) }, { $id: 'CopiedFromEnv' }),
    ),
    resourceId: Type.String(),
    approvalSettings: ApprovalSettingsRep,
    _links: Links,
    flag: Type.Optional(FlagSchema),
    project: Type.Optional(ProjectSchema),
    environments: Type.Optional(Type.Array(EnvironmentRep)),
    resource: Type.Optional(Type.Object({ kind: Type.String(), flag: FlagSchema })),
  },
  { $id: 'ApprovalRequestResponse' },
);

/** The path that a request is reached by: among all requests, or below its flag. */
export type ApprovalPath = 'all' | 'flag';

/** `conflicts` replaces the stored ones while the change is still to be applied. */
export function toApprovalRequest(
  request: ApprovalRequest,
  target: FlagInEnvironment,
  via: ApprovalPath = 'flag',
  conflicts: readonly PlanConflict[] = request.conflicts,
) {
  const { comment, executionAt, operatingOnId, appliedBy, appliedAt, plan } = request;
  const { project, environment, flag } = target;
  const parent = via === 'all' ? '/approval-requests' : `${flagInEnvironmentPath(target)}/approval-requests`;
  const self = `${parent}/${request.id}`;
  return {
    _id: request.id,
    _version: request.version,
    creationDate: request.createdAt,
    serviceKind: environment.approvalSettings.serviceKind,
    requestorId: request.requestor.memberId,
    description: request.description,
    ...(comment !== undefined && { comment }),
    reviewStatus: request.reviewStatus,
    allReviews: request.reviews.map((review) => ({
      _id: review.id,
      kind: review.kind,
      creationDate: review.at,
      ...(review.comment !== undefined && { comment: review.comment }),
      ...toBy(review.by),
    })),
    notifyMemberIds: request.notifyMemberIds,
    notifyTeamKeys: request.notifyTeamKeys,
    ...(appliedAt !== undefined && { appliedDate: appliedAt, ...toApplier(appliedBy!) }),
    status: request.status,
    instructions: plan.instructions,
    conflicts: [...conflicts],
    ...(executionAt !== undefined && { executionDate: executionAt }),
    ...(operatingOnId !== undefined && { operatingOnId }),
    ...(plan.copy !== undefined && { source: toSource(plan.copy.source) }),
    resourceId: withoutTags(target.resource),
    approvalSettings: environment.approvalSettings,
    _links: {
      self: linkTo(self),
      parent: linkTo(parent),
      apply: linkTo(`${self}/apply`),
      reviews: linkTo(`${self}/reviews`),
      flag: linkTo(flagPath(project.key, flag.key)),
    },
  };
}

function toBy({ memberId, serviceTokenId }: Initiator) {
  return serviceTokenId === undefined ? { memberId } : { serviceTokenId };
}

function toApplier({ memberId, serviceTokenId }: Initiator) {
  return serviceTokenId === undefined
    ? { appliedByMemberId: memberId }
    : { appliedByServiceTokenId: serviceTokenId };
}

function toSource({ key, currentVersion }: { key: string; currentVersion?: number }) {
  return { key, ...(currentVersion !== undefined && { version: currentVersion }) };
}

// Approval settings of an environment: which changes need a review.
import type { RoleStatements } from '../../kernel/identity/base-roles.ts';
import { OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { Tags, normalizeTags } from '../fields.ts';
import type { ApprovalSettings } from '../projects/project.ts';

/** Writers may not change approval settings: otherwise they could switch approvals off. */
export const approvalRoleStatements: RoleStatements = {
  writer: [{ effect: 'deny', actions: ['updateApprovalSettings'], resources: ['proj/*:env/*'] }],
};

const MEMBERS = {
  required: Type.Boolean({ description: 'All changes need a review' }),
  requiredApprovalTags: Type.Unsafe<string[]>({
    ...Tags,
    description: 'Only changes of what has one of these tags do; not together with `required`',
  }),
  bypassApprovalsForPendingChanges: Type.Boolean(),
  minNumApprovals: Type.Integer({ minimum: 1, maximum: 5 }),
  canReviewOwnRequest: Type.Boolean(),
  canApplyDeclinedChanges: Type.Boolean(),
  autoApplyApprovedChanges: Type.Boolean(),
  serviceKind: OneOf(['launchdarkly'], { description: 'Where reviews happen: only here' }),
  serviceConfig: Type.Record(Type.String(), PlainText({ maxLength: 2000 }), { maxProperties: 50 }),
};

export const ApprovalSettingsRep = Type.Object(
  { ...MEMBERS, serviceKind: Type.String(), serviceConfig: Type.Record(Type.String(), Type.Unknown()) },
  { $id: 'ApprovalSettings' },
);

/** The settings after a patch. Removed ones return to their defaults. */
export const ApprovalSettingsInput = Type.Partial(Type.Object(MEMBERS), { additionalProperties: false });

/** Pointers that a patch may remove, relative to the settings. */
export const SETTINGS_POINTER = new RegExp(`^/(?:${Object.keys(MEMBERS).join('|')})$`);

export function defaultApprovalSettings(): ApprovalSettings {
  return {
    required: false,
    bypassApprovalsForPendingChanges: false,
    minNumApprovals: 1,
    canReviewOwnRequest: false,
    canApplyDeclinedChanges: true,
    autoApplyApprovedChanges: false,
    serviceKind: 'launchdarkly',
    serviceConfig: {},
    requiredApprovalTags: [],
  };
}

/** `field` is the path for error messages. */
export function readApprovalSettings(
  wanted: Static<typeof ApprovalSettingsInput> | undefined,
  field: string,
): ApprovalSettings {
  const settings = { ...defaultApprovalSettings(), ...wanted };
  const requiredApprovalTags = normalizeTags(settings.requiredApprovalTags);
  if (settings.required && requiredApprovalTags.length > 0) {
    throw problem(`${field}.required`, 'cannot be combined with requiredApprovalTags');
  }
  return { ...settings, requiredApprovalTags };
}

// Approval settings of an environment: which changes need a review, and who may delete an environment that requires approvals.
import type { RoleStatements } from '../../kernel/identity/role-policies.ts';
import { OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { Tags, normalizeTags } from '../fields.ts';
import type { ApprovalSettings, Environment, Project } from '../projects/project.ts';
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import { mayBypass } from '../policy/policy-rules.ts';
import { environmentResource } from '../policy/resources.ts';

const UPDATE_SETTINGS = 'updateApprovalSettings';

/** Writers may not change approval settings: otherwise they could switch approvals off. */
export const approvalRoleStatements: RoleStatements = {
  writer: [{ effect: 'deny', actions: [UPDATE_SETTINGS], resources: ['proj/*:env/*'] }],
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

/** In addition to `deleteEnvironment`: deleting the environment would otherwise be a way around its approvals. */
export function requireDeletable(caller: KnownCaller, project: Project, environment: Environment): void {
  if (!requiresApproval(environment)) return;
  const resource = environmentResource(project, environment);
  const isFree = [resource, `${resource}:flag/*`].some((one) => mayBypass(caller, one));
  if (isFree || can(caller, UPDATE_SETTINGS, resource)) return;
  throw new Failure(
    'denied',
    `Approval is required in ${environment.name}: to delete it takes bypassRequiredApproval or ${UPDATE_SETTINGS} on it.`,
    { access: { action: UPDATE_SETTINGS, resource } },
  );
}

function requiresApproval({ approvalSettings, resourceApprovalSettings }: Environment): boolean {
  return [approvalSettings, resourceApprovalSettings?.segment].some(
    (settings) => settings !== undefined && (settings.required || settings.requiredApprovalTags.length > 0),
  );
}

// The approval settings of a project, by kind of resource and environment.
import { checker, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import type { JsonObject } from '../../kernel/json/json-value.ts';
import {
  ApprovalSettingsRep,
  defaultApprovalSettings,
  ApprovalSettingsInput,
} from '../environments/approval-settings.ts';
import { Links, linkTo } from '../links.ts';
import type { ApprovalSettings, Environment, Project } from '../projects/project.ts';

export const RESOURCE_KINDS = ['flag', 'segment'] as const;
export type ApprovalResourceKind = (typeof RESOURCE_KINDS)[number];

export const SETTINGS_EXPANDABLE = ['default', 'strict'] as const;

const SettingsOfKind = Type.Object({
  environments: Type.Record(Type.String(), ApprovalSettingsRep),
  _default: Type.Optional(ApprovalSettingsRep),
  _strict: Type.Optional(ApprovalSettingsRep),
});

export const ProjectApprovalSettings = Type.Object(
  { flag: Type.Optional(SettingsOfKind), segment: Type.Optional(SettingsOfKind), _links: Links },
  { $id: 'ProjectApprovalSettings' },
);

export interface SettingsSelection {
  kinds: readonly ApprovalResourceKind[];
  expand: ReadonlySet<(typeof SETTINGS_EXPANDABLE)[number]>;
}

/** `_default` is that of a new environment; `_strict` combines the strictest values of these environments. */
export function toApprovalSettings(
  project: Project,
  environments: readonly Environment[],
  { kinds, expand }: SettingsSelection,
): Static<typeof ProjectApprovalSettings> {
  const entries = kinds.map((kind) => {
    const settings = environments.map((environment) => settingsOf(environment, kind));
    const ofKind = {
      environments: Object.fromEntries(environments.map(({ key }, index) => [key, settings[index]!])),
      ...(expand.has('default') && { _default: defaultApprovalSettings() }),
      ...(expand.has('strict') && { _strict: strictestOf(settings) }),
    };
    return [kind, ofKind];
  });
  const self = linkTo(`/approval-requests/projects/${project.key}/settings`);
  const _links = { self, parent: linkTo(`/projects/${project.key}`) };
  return { ...Object.fromEntries(entries), _links } as Static<typeof ProjectApprovalSettings>;
}

function settingsOf(environment: Environment, kind: ApprovalResourceKind): ApprovalSettings {
  if (kind === 'flag') return environment.approvalSettings;
  return environment.resourceApprovalSettings?.segment ?? defaultApprovalSettings();
}

function strictestOf(all: readonly ApprovalSettings[]): ApprovalSettings {
  const usual = defaultApprovalSettings();
  const required = all.some((settings) => settings.required);
  const tags = [...new Set(all.flatMap(({ requiredApprovalTags }) => requiredApprovalTags))].toSorted();
  return {
    ...usual,
    required,
    requiredApprovalTags: required ? [] : tags,
    minNumApprovals: Math.max(usual.minNumApprovals, ...all.map(({ minNumApprovals }) => minNumApprovals)),
    canReviewOwnRequest: all.every(({ canReviewOwnRequest }) => canReviewOwnRequest),
    canApplyDeclinedChanges: all.every(({ canApplyDeclinedChanges }) => canApplyDeclinedChanges),
    bypassApprovalsForPendingChanges: all.every((settings) => settings.bypassApprovalsForPendingChanges),
    autoApplyApprovedChanges: all.every(({ autoApplyApprovedChanges }) => autoApplyApprovedChanges),
  };
}

const SettingsSelector = Type.Object({
  environmentKey: PlainText({ minLength: 1, maxLength: 256 }),
  resourceKind: OneOf(RESOURCE_KINDS),
  serviceKindConfigurationId: Type.Optional(
    Type.Null({ description: 'Reviews happen only here: there is no other service to configure' }),
  ),
});
/** What the merge patch of the settings may have. */
export const EditableApprovalSettings = Type.Object({
  ...SettingsSelector.properties,
  ...ApprovalSettingsInput.properties,
});
const checkSelector = checker(SettingsSelector, 'body', 'bad-patch');

/** Splits a merge patch into its target and the merge patch of the environment. */
export function readSettingsPatch(fields: JsonObject): {
  environmentKey: string;
  kind: ApprovalResourceKind;
  fields: JsonObject;
} {
  checkSelector(fields);
  const { environmentKey, resourceKind, serviceKindConfigurationId: _, ...settings } = fields;
  const kind = resourceKind as ApprovalResourceKind;
  return {
    environmentKey: environmentKey as string,
    kind,
    fields:
      kind === 'flag' ? { approvalSettings: settings } : { resourceApprovalSettings: { segment: settings } },
  };
}

// The approval settings of a project, by kind of resource and environment, and the routes that read and patch them.
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { OneOf, Type, checker, PlainText, type Static } from '../../kernel/schema/schema.ts';
import { changeEnvironment } from '../environments/change-environment.ts';
import { listEnvironments } from '../environments/store.ts';
import { ExpandQuery, readExpand } from '../lists/list-query.ts';
import { ByProject, openProject, unknownThing } from '../find-project.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch } from '../patch/patch.ts';
import type { JsonObject } from '../../kernel/json/json-value.ts';
import {
  ApprovalSettingsRep,
  defaultApprovalSettings,
  ApprovalSettingsInput,
} from '../environments/approval-settings.ts';
import { Links, linkTo } from '../links.ts';
import type { ApprovalSettings, Environment, Project } from '../projects/project.ts';

const RESOURCE_KINDS = ['flag', 'segment'] as const;
type ApprovalResourceKind = (typeof RESOURCE_KINDS)[number];

const SETTINGS_EXPANDABLE = ['default', 'strict'] as const;

const SettingsOfKind = Type.Object({
  environments: Type.Record(Type.String(), ApprovalSettingsRep),
  _default: Type.Optional(ApprovalSettingsRep),
  _strict: Type.Optional(ApprovalSettingsRep),
});

const ProjectApprovalSettings = Type.Object(
  { flag: Type.Optional(SettingsOfKind), segment: Type.Optional(SettingsOfKind), _links: Links },
  { $id: 'ProjectApprovalSettings' },
);

interface SettingsSelection {
  kinds: readonly ApprovalResourceKind[];
  expand: ReadonlySet<(typeof SETTINGS_EXPANDABLE)[number]>;
}

/** `_default` is that of a new environment; `_strict` combines the strictest values of these environments. */
function toApprovalSettings(
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
const EditableApprovalSettings = Type.Object({
  ...SettingsSelector.properties,
  ...ApprovalSettingsInput.properties,
});
const checkSelector = checker(SettingsSelector, 'body', 'bad-patch');

/** Splits a merge patch into its target and the merge patch of the environment. */
function readSettingsPatch(fields: JsonObject): {
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

const PATH = '/approval-requests/projects/{projectKey}/settings';

const getSettings = route(
  {
    id: 'getApprovalRequestSettings',
    method: 'GET',
    path: PATH,
    summary: 'Get the approval settings of the environments of a project',
    access: { action: 'viewProject' },
    params: ByProject,
    query: Type.Object({
      environmentKey: Type.Optional(Type.String({ description: 'Only of this environment' })),
      resourceKind: Type.Optional(OneOf(RESOURCE_KINDS, { description: 'Only of this kind' })),
      ...ExpandQuery(SETTINGS_EXPANDABLE),
    }),
    reply: { 200: ProjectApprovalSettings },
  },
  async (call, { db }) => {
    const { environmentKey, resourceKind, expand: asked } = call.query;
    const expand = readExpand(asked, SETTINGS_EXPANDABLE);
    const project = await openProject(call, db, call.params.projectKey);
    const all = await listEnvironments(db, project.id);
    const environments = environmentKey === undefined ? all : all.filter(({ key }) => key === environmentKey);
    if (environments.length === 0) throw unknownThing('environment', environmentKey ?? '');
    const kinds = resourceKind === undefined ? RESOURCE_KINDS : [resourceKind];
    return toApprovalSettings(project, environments, { kinds, expand });
  },
);

const patchSettings = route(
  {
    id: 'patchApprovalRequestSettings',
    method: 'PATCH',
    path: PATH,
    summary: 'Change the approval settings of an environment, for one kind of resources',
    description:
      'The body has the `environmentKey`, the `resourceKind` (`flag` or `segment`), and the settings to change: `required`, ' +
      '`requiredApprovalTags`, `minNumApprovals`, `canReviewOwnRequest`, `canApplyDeclinedChanges`, ' +
      '`autoApplyApprovedChanges`, `bypassApprovalsForPendingChanges`, `serviceKind`, `serviceConfig`. Null makes one as usual ' +
      'again. Approvals are required for everything or by tags, not both.',
    access: { action: 'updateApprovalSettings', others: ['viewProject'] },
    params: ByProject,
    ...takesPatches('ApprovalSettings', {
      merge: () => EditableApprovalSettings,
      mergeNeeds: ['environmentKey', 'resourceKind'],
    }),
    reply: { 200: ProjectApprovalSettings },
  },
  async (call, { changes }) => {
    const { projectKey } = call.params;
    const patch = readDocumentPatch(call, ['merge']);
    if (patch.kind !== 'merge') throw new Failure('internal', 'Only merge patches are read here.');
    const { environmentKey, kind, fields } = readSettingsPatch(patch.fields);
    const { project, environment } = await changes.run(call, (tx) =>
      changeEnvironment(tx, { projectKey, environmentKey }, { ...patch, fields }),
    );
    return toApprovalSettings(project, [environment], { kinds: [kind], expand: new Set() });
  },
);

export const approvalSettingsRoutes = [getSettings, patchSettings];

// Routes that read the approval settings of a project's environments, and patch those of one.
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { changeEnvironment } from '../environments/change-environment.ts';
import { listEnvironments } from '../environments/store.ts';
import { ExpandQuery, readExpand } from '../list-query.ts';
import { ByProject, openProject, unknownThing } from '../find-project.ts';
import { takesPatches } from '../patch-document.ts';
import { readDocumentPatch } from '../resource-patch.ts';
import {
  EditableApprovalSettings,
  SETTINGS_EXPANDABLE,
  ProjectApprovalSettings,
  readSettingsPatch,
  RESOURCE_KINDS,
  toApprovalSettings,
} from './settings.ts';

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

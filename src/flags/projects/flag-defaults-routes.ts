// Flag defaults of a project: get, put, patch.
import type { Kernel } from '../../kernel/kernel.ts';
import { route, type Call } from '../../kernel/http/route.ts';
import type { Change } from '../../kernel/change/change.ts';
import { requireAllPermissions, requireAnyPermission } from '../../kernel/identity/actor.ts';
import { ByProject, openProject } from '../find-project.ts';
import { takesPatches } from '../patch/patch-document.ts';
import { readDocumentPatch, updateOf } from '../patch/patch.ts';
import { projectResource } from '../policy/resources.ts';
import { fieldAccesses, describeFieldChanges, type FieldChange } from './field-changes.ts';
import {
  FLAG_DEFAULTS_ACTIONS,
  FlagDefaultsPut,
  FlagDefaultsRep,
  patchFlagDefaults,
  replaceFlagDefaults,
  toFlagDefaults,
  EditableFlagDefaults,
} from './flag-defaults.ts';
import type { Project } from './project.ts';
import { lockProject, updateProject } from './store.ts';

const getFlagDefaults = route(
  {
    id: 'getFlagDefaultsByProject',
    method: 'GET',
    path: '/projects/{projectKey}/flag-defaults',
    summary: 'Get what new flags of a project get by default',
    access: { action: 'viewProject' },
    params: ByProject,
    reply: { 200: FlagDefaultsRep },
  },
  async (call, { db }) => toFlagDefaults(await openProject(call, db, call.params.projectKey)),
);

const putFlagDefaults = route(
  {
    id: 'putFlagDefaultsByProject',
    method: 'PUT',
    path: '/projects/{projectKey}/flag-defaults',
    summary: 'Replace what new flags of a project get by default',
    access: { action: 'update*', others: ['viewProject'] },
    params: ByProject,
    body: FlagDefaultsPut,
    reply: { 200: FlagDefaultsRep },
  },
  (call, kernel) =>
    change(call, kernel, call.params.projectKey, {}, (project) => replaceFlagDefaults(project, call.body)),
);

const patchFlagDefaultsRoute = route(
  {
    id: 'patchFlagDefaultsByProject',
    method: 'PATCH',
    path: '/projects/{projectKey}/flag-defaults',
    summary: 'Change what new flags of a project get by default, by JSON patch or merge patch',
    access: { action: 'update*', others: ['viewProject'] },
    params: ByProject,
    ...takesPatches('FlagDefaults', { json: true, merge: () => EditableFlagDefaults }),
    reply: { 200: FlagDefaultsRep },
  },
  (call, kernel) => {
    const patch = readDocumentPatch(call, ['json', 'merge']);
    const auditFields = { comment: patch.comment, update: updateOf(patch) };
    return change(call, kernel, call.params.projectKey, auditFields, (project) =>
      patchFlagDefaults(project, patch),
    );
  },
);

export const flagDefaultsRoutes = [getFlagDefaults, putFlagDefaults, patchFlagDefaultsRoute];

async function change(
  call: Pick<Call, 'id' | 'now' | 'caller' | 'can' | 'requirePermission'>,
  { changes }: Kernel,
  key: string,
  auditFields: Pick<Change, 'comment' | 'update'>,
  apply: (project: Project) => { after: Project; changes: FieldChange[] },
) {
  const project = await changes.run(call, async (tx) => {
    const { db } = tx;
    await lockProject(db, key);
    const before = await openProject(call, db, key);
    const { after, changes: fields } = apply(before);
    const [access, ...others] = fieldAccesses(fields, projectResource(before));
    if (access === undefined) {
      requireAnyPermission(call, FLAG_DEFAULTS_ACTIONS, projectResource(before));
      return before;
    }
    requireAllPermissions(call, [access, ...others]);
    const changed = await updateProject(db, after);
    tx.record({
      accesses: [access, ...others],
      kind: 'project',
      name: changed.name,
      ...describeFieldChanges(fields, 'project'),
      verb: 'updated the flag defaults of the project',
      before: toFlagDefaults(before),
      after: toFlagDefaults(changed),
      ...auditFields,
    });
    return changed;
  });
  return toFlagDefaults(project);
}

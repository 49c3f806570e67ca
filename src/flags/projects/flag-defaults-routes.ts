// Flag defaults of a project: get, put, patch.
import type { Kernel } from '../../kernel/kernel.ts';
import { route, type Call } from '../../kernel/route.ts';
import { demandAll, recordChange, type Change } from '../change.ts';
import { ByProject, openProject } from '../open.ts';
import { PatchBody, readShownPatch, updateOf } from '../patching.ts';
import { projectResource } from '../resources.ts';
import { accessesOf, tellChanges, type FieldChange } from './field-changes.ts';
import {
  FlagDefaultsPut,
  FlagDefaultsRep,
  patchFlagDefaults,
  replaceFlagDefaults,
  toFlagDefaults,
} from './flag-defaults.ts';
import type { Project } from './project.ts';
import { holdProject, updateProject } from './store.ts';

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
    access: { action: 'update*' },
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
    access: { action: 'update*' },
    params: ByProject,
    body: PatchBody(['json', 'merge']),
    reply: { 200: FlagDefaultsRep },
  },
  (call, kernel) => {
    const patch = readShownPatch(call, ['json', 'merge']);
    const told = { comment: patch.comment, update: updateOf(patch) };
    return change(call, kernel, call.params.projectKey, told, (project) => patchFlagDefaults(project, patch));
  },
);

export const flagDefaultsRoutes = [getFlagDefaults, putFlagDefaults, patchFlagDefaultsRoute];

async function change(
  call: Pick<Call, 'id' | 'now' | 'caller' | 'can' | 'demand'>,
  { db, engine }: Kernel,
  key: string,
  told: Pick<Change, 'comment' | 'update'>,
  apply: (project: Project) => { after: Project; changes: FieldChange[] },
) {
  const project = await db.transaction().execute(async (tx) => {
    await holdProject(engine, tx, key);
    const before = await openProject(call, tx, key);
    const { after, changes } = apply(before);
    const [access, ...others] = accessesOf(changes, projectResource(before));
    if (access === undefined) return before;
    demandAll(call, [access, ...others]);
    const changed = await updateProject(tx, after);
    await recordChange(tx, call, {
      accesses: [access, ...others],
      kind: 'project',
      name: changed.name,
      ...tellChanges(changes, 'project'),
      verb: 'updated the flag defaults of the project',
      before: toFlagDefaults(before),
      after: toFlagDefaults(changed),
      ...told,
    });
    return changed;
  });
  return toFlagDefaults(project);
}

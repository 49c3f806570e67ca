// Changes an environment by a patch: permissions, the update, and the audit entry.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { requireAllPermissions, requireAnyPermission } from '../../kernel/identity/actor.ts';
import { openEnvironment } from '../find-project.ts';
import { updateOf, type DocumentPatch } from '../patch/patch.ts';
import { fieldAccesses, describeFieldChanges } from '../projects/field-changes.ts';
import type { Environment, Project } from '../projects/project.ts';
import { environmentResource } from '../policy/resources.ts';
import { ENVIRONMENT_ACTIONS, patchEnvironment, toEnvironment, maskKeysIn } from './model.ts';
import { lockEnvironment, updateEnvironment } from './store.ts';

/** Returns the unchanged environment if the patch changes nothing. */
export async function changeEnvironment(
  tx: ChangeTransaction,
  { projectKey, environmentKey }: { projectKey: string; environmentKey: string },
  patch: DocumentPatch,
): Promise<{ project: Project; environment: Environment }> {
  const { db, actor } = tx;
  await lockEnvironment(db, projectKey, environmentKey);
  const opened = await openEnvironment(actor, db, projectKey, environmentKey);
  const { project, environment: before } = opened;
  const resource = environmentResource(project, before);
  const { after, changes } = patchEnvironment(project, before, patch, actor.can(resource, 'viewSdkKey'));
  const [access, ...others] = fieldAccesses(changes, resource);
  if (access === undefined) {
    requireAnyPermission(actor, ENVIRONMENT_ACTIONS, resource);
    return opened;
  }
  requireAllPermissions(actor, [access, ...others]);
  const environment = await updateEnvironment(db, after);
  tx.record({
    accesses: [access, ...others],
    kind: 'environment',
    name: environment.name,
    ...describeFieldChanges(changes, 'environment'),
    before: toEnvironment(project, before, false),
    after: toEnvironment(project, environment, false),
    comment: patch.comment,
    update: maskKeysIn(updateOf(patch), before),
  });
  return { project, environment };
}

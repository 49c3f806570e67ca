// The one way to change an environment by a patch: permissions, the write, and the audit entry.
import type { Call } from '../../kernel/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { demandAll, recordChange } from '../change.ts';
import { openEnvironment } from '../open.ts';
import { updateOf, type ShownPatch } from '../patching.ts';
import { accessesOf, tellChanges } from '../projects/field-changes.ts';
import type { Environment, Project } from '../projects/project.ts';
import { environmentResource } from '../resources.ts';
import { patchEnvironment, toEnvironment, withoutKeys } from './model.ts';
import { holdEnvironment, updateEnvironment } from './store.ts';

type Asking = Pick<Call, 'can' | 'demand' | 'now' | 'id'> & { caller: KnownCaller };

/** In a transaction. The environment is the same as before where nothing changes. */
export async function changeEnvironment(
  engine: Engine,
  tx: Db,
  call: Asking,
  { projectKey, environmentKey }: { projectKey: string; environmentKey: string },
  patch: ShownPatch,
): Promise<{ project: Project; environment: Environment }> {
  await holdEnvironment(engine, tx, projectKey, environmentKey);
  const opened = await openEnvironment(call, tx, projectKey, environmentKey);
  const { project, environment: before } = opened;
  const resource = environmentResource(project, before);
  const { after, changes } = patchEnvironment(project, before, patch, call.can(resource, 'viewSdkKey'));
  const [access, ...others] = accessesOf(changes, resource);
  if (access === undefined) return opened;
  demandAll(call, [access, ...others]);
  const environment = await updateEnvironment(tx, after);
  await recordChange(tx, call, {
    accesses: [access, ...others],
    kind: 'environment',
    name: environment.name,
    ...tellChanges(changes, 'environment'),
    before: toEnvironment(project, before, false),
    after: toEnvironment(project, environment, false),
    comment: patch.comment,
    update: withoutKeys(updateOf(patch), before),
  });
  return { project, environment };
}

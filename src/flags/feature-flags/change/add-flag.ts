// Creates a flag in a project: new or cloned, checked, inserted and recorded.
import { randomUUID } from 'node:crypto';
import type { Access } from '../../../kernel/change/actor.ts';
import { newId } from '../../../kernel/id.ts';
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';
import { refuseIfDenied } from '../../denied.ts';
import { listEnvironments } from '../../environments/store.ts';
import { demandInAnyEnvironment } from '../../find-project.ts';
import { takenKey } from '../../projects/create-project.ts';
import type { Project } from '../../projects/project.ts';
import { environmentalResource } from '../../resources.ts';
import { displayContextOf } from './change-context.ts';
import { readMaintainer } from '../store-maintainers.ts';
import { cloneFlag, newFlag, type NewFlagContext } from './new-flag.ts';
import { readFlag } from '../read-flag.ts';
import { checkFirstPrerequisites } from '../prerequisites.ts';
import { toFlagDetail } from '../representation.ts';
import type { FlagPost, ShownFlag } from '../schemas.ts';
import { findFlags, firstVersion, newHex } from '../store.ts';
import { insertFlag } from '../store-writes.ts';

/** Inside a change that has locked the project. `sourceKey` names a flag to clone. */
export async function addFlag(
  on: ChangeTransaction,
  project: Project,
  post: FlagPost,
  sourceKey?: string,
): Promise<ShownFlag> {
  const { db: tx, actor } = on;
  const { now, caller } = actor;
  const environments = await listEnvironments(tx, project.id);
  const context: NewFlagContext = {
    id: newId(now),
    now,
    version: await firstVersion(tx, project.id, post.key),
    project,
    environments,
    // A service token cannot maintain a flag.
    creatorId: caller?.token?.isService === true ? undefined : caller?.member.id,
    newUuid: randomUUID,
    newHex,
  };
  const source = sourceKey === undefined ? undefined : (await readFlag(tx, project, sourceKey)).flag;
  const prerequisiteKeys = (post.initialPrerequisites ?? []).map(({ key }) => key);
  const prerequisites = await findFlags(tx, project.id, prerequisiteKeys);
  const accesses: Access[] = [];
  if (source !== undefined) {
    const resource = await demandInAnyEnvironment(actor, tx, 'cloneFlag', { project, flag: source });
    accesses.push({ action: 'cloneFlag', resource });
  }
  const named = { key: post.key, tags: post.tags ?? source?.tags ?? project.flagDefaults.tags };
  const resource = await demandInAnyEnvironment(actor, tx, 'createFlag', { project, flag: named });
  const flag =
    source === undefined ? newFlag(post, prerequisites, context) : cloneFlag(post, source, context);
  // A new flag is off where the caller may not turn it on.
  for (const environment of environments) {
    if (flag.environments[environment.key]?.on !== true) continue;
    refuseIfDenied(
      caller,
      'updateOn',
      environment,
      environmentalResource(project, environment, 'flag', flag),
    );
  }
  const maintainer = await readMaintainer(tx, { flag: {} }, flag);
  const prerequisiteIds = await checkFirstPrerequisites(tx, flag, environments);
  if (!(await insertFlag(tx, flag, environments, prerequisiteIds))) throw takenKey('flag', flag.key);
  const after = toFlagDetail(flag, displayContextOf(project, { environments, ...maintainer }));
  on.record({
    accesses: [{ action: 'createFlag', resource }, ...accesses],
    kind: 'flag',
    name: flag.name,
    verb: 'created the flag',
    ...(source !== undefined && { description: `* Cloned from \`${source.key}\`` }),
    after,
  });
  return after;
}

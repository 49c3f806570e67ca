// Creates a flag in a project: new or cloned, checked, inserted and recorded.
import { randomUUID } from 'node:crypto';
import type { Access } from '../../../kernel/identity/actor.ts';
import { newId } from '../../../kernel/id.ts';
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';
import { refuseIfDenied } from '../../policy/policy-rules.ts';
import { listEnvironments } from '../../environments/store.ts';
import { requireInAnyEnvironment } from '../../find-project.ts';
import { takenKey } from '../../projects/create-project.ts';
import type { Project } from '../../projects/project.ts';
import { environmentalResource } from '../../policy/resources.ts';
import { findFlags, readMaintainer } from '../store-references.ts';
import { readFlag } from '../read-flag.ts';
import { checkFirstPrerequisites } from '../prerequisites.ts';
import { displayContextOf, toFlagDetail } from '../representation.ts';
import type { FlagPost, ShownFlag } from '../schemas.ts';
import { firstVersion, newHex } from '../store.ts';
import { insertFlag } from '../store-writes.ts';
import { cloneFlag, newFlag, type NewFlagContext } from './new-flag.ts';

/** Inside a change that has locked the project. `sourceKey` names a flag to clone. */
export async function addFlag(
  tx: ChangeTransaction,
  project: Project,
  post: FlagPost,
  sourceKey?: string,
): Promise<ShownFlag> {
  const { db, actor } = tx;
  const { now, caller } = actor;
  const environments = await listEnvironments(db, project.id);
  const context: NewFlagContext = {
    id: newId(now),
    now,
    version: await firstVersion(db, project.id, post.key),
    project,
    environments,
    // A service token cannot maintain a flag.
    creatorId: caller?.token?.isService === true ? undefined : caller?.member.id,
    newUuid: randomUUID,
    newHex,
  };
  const source = sourceKey === undefined ? undefined : (await readFlag(db, project, sourceKey)).flag;
  const prerequisiteKeys = (post.initialPrerequisites ?? []).map(({ key }) => key);
  const prerequisites = await findFlags(db, project.id, prerequisiteKeys);
  const accesses: Access[] = [];
  if (source !== undefined) {
    const resource = await requireInAnyEnvironment(actor, db, 'cloneFlag', { project, flag: source });
    accesses.push({ action: 'cloneFlag', resource });
  }
  const named = { key: post.key, tags: post.tags ?? source?.tags ?? project.flagDefaults.tags };
  const resource = await requireInAnyEnvironment(actor, db, 'createFlag', { project, flag: named });
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
  const maintainer = await readMaintainer(db, { flag: {} }, flag);
  const prerequisiteIds = await checkFirstPrerequisites(db, flag, environments);
  if (!(await insertFlag(db, flag, environments, prerequisiteIds))) throw takenKey('flag', flag.key);
  const after = toFlagDetail(flag, displayContextOf(project, { environments, ...maintainer }));
  tx.record({
    accesses: [{ action: 'createFlag', resource }, ...accesses],
    kind: 'flag',
    name: flag.name,
    verb: 'created the flag',
    ...(source !== undefined && { description: `* Cloned from \`${source.key}\`` }),
    after,
  });
  return after;
}

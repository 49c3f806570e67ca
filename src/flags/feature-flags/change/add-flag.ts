// Adds a flag to a project, with everything that has to be true of it there.
import { randomUUID } from 'node:crypto';
import type { Access } from '../../../kernel/change/actor.ts';
import { newId } from '../../../kernel/id.ts';
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';

import { listEnvironments } from '../../environments/store.ts';
import { demandInAnyEnvironment } from '../../find-project.ts';
import { takenKey } from '../../projects/create-project.ts';
import type { Project } from '../../projects/project.ts';
import { surroundingsOf } from './change-context.ts';
import { readMaintainer } from '../store-maintainers.ts';
import { cloneFlag, makeFlag, type Making } from './new-flag.ts';
import { readFound } from '../read-flag.ts';
import { checkFirstNeeds } from '../prerequisites.ts';
import { toDetail } from '../representation.ts';
import type { FlagPost, ShownFlag } from '../schemas.ts';
import { findFlags, firstVersion, newHex } from '../store.ts';
import { createFlag } from '../store-writes.ts';

/** Inside a change that holds the project. `sourceKey` names a flag to clone. */
export async function addFlag(
  on: ChangeTransaction,
  project: Project,
  post: FlagPost,
  sourceKey?: string,
): Promise<ShownFlag> {
  const { db: tx, actor } = on;
  const { now, caller } = actor;
  const environments = await listEnvironments(tx, project.id);
  const making: Making = {
    id: newId(now),
    now,
    version: await firstVersion(tx, project.id, post.key),
    project,
    environments,
    // A service token is nobody to look after a flag.
    makerId: caller?.token?.isService === true ? undefined : caller?.member.id,
    newUuid: randomUUID,
    newHex,
  };
  const source = sourceKey === undefined ? undefined : (await readFound(tx, project, sourceKey)).flag;
  const neededKeys = (post.initialPrerequisites ?? []).map(({ key }) => key);
  const needed = await findFlags(tx, project.id, neededKeys);
  const accesses: Access[] = [];
  if (source !== undefined) {
    const resource = await demandInAnyEnvironment(actor, tx, 'cloneFlag', { project, flag: source });
    accesses.push({ action: 'cloneFlag', resource });
  }
  const place = { key: post.key, tags: post.tags ?? source?.tags ?? project.flagDefaults.tags };
  const resource = await demandInAnyEnvironment(actor, tx, 'createFlag', { project, flag: place });
  const flag = source === undefined ? makeFlag(post, needed, making) : cloneFlag(post, source, making);
  const maintainer = await readMaintainer(tx, { flag: {} }, flag);
  const needs = await checkFirstNeeds(tx, flag, environments);
  if (!(await createFlag(tx, flag, environments, needs))) throw takenKey('flag', flag.key);
  const after = toDetail(flag, surroundingsOf(project, { environments, ...maintainer }));
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

// What has to be known to change a flag: the flag, where it stands, what the change speaks of, and who may make it.
import { type Access, type Actor, demandAll } from '../../../kernel/change/actor.ts';
import { contested } from '../../../kernel/storage/retry.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { awaitAll } from '../../../kernel/storage/execute-all.ts';
import { listEnvironments } from '../../environments/store.ts';
import { unknownThing } from '../../find-project.ts';
import type { Environment, Project } from '../../projects/project.ts';
import { environmentalResource } from '../../resources.ts';
import type { References } from './instructions/apply.ts';
import { findMemberIds, findTeamKeys } from '../store-maintainers.ts';
import type { Surroundings } from '../representation.ts';
import { findFlag, findFlags, type FoundFlag } from '../store.ts';

export interface FlagPlace {
  project: Project;
  flagKey: string;
}

export interface Scene {
  project: Project;
  found: FoundFlag;
  environments: readonly Environment[];
  references: References;
}

export interface Named {
  flagKeys: readonly string[];
  memberIds: readonly string[];
  teamKeys: readonly string[];
}

const NOBODY: Named = { flagKeys: [], memberIds: [], teamKeys: [] };

export async function readScene(db: Db, { project, flagKey }: FlagPlace, named = NOBODY): Promise<Scene> {
  const [found, environments, flags, memberIds, teamKeys] = await awaitAll([
    findFlag(db, project.id, flagKey),
    listEnvironments(db, project.id),
    findFlags(db, project.id, named.flagKeys),
    findMemberIds(db, named.memberIds),
    findTeamKeys(db, named.teamKeys),
  ]);
  if (found === undefined) throw unknownThing('flag', flagKey);
  // They were read by two statements, and an environment may have come or gone in between.
  const ids = new Set(found.environments.map(({ id }) => id));
  if (environments.length !== ids.size || !environments.every(({ id }) => ids.has(id)))
    throw contested('environments');
  return { project, found, environments, references: { flags, memberIds, teamKeys } };
}

export function surroundingsOf(
  { key }: Pick<Project, 'key'>,
  { environments, maintainer, teamName }: Omit<FoundFlag, 'flag' | 'no'>,
): Surroundings {
  return { projectKey: key, environments, maintainer, teamName };
}

/** A permission on the flag: in an environment, or in any of them where it is about all. */
export interface Need {
  action: string;
  environmentKey?: string;
}

/** Asks for each permission once, and tells on what. */
export function demandNeeds(
  actor: Actor,
  { project, environments, found: { flag } }: Scene,
  needs: readonly Need[],
): Access[] {
  const accesses = new Map<string, Access>();
  for (const { action, environmentKey } of needs) {
    const resources = environments
      .filter(({ key }) => environmentKey === undefined || key === environmentKey)
      .map((environment) => environmentalResource(project, environment, 'flag', flag));
    // What is about all environments may be done by whoever may do it in any of them.
    const resource = resources.find((one) => actor.can(one, action)) ?? resources[0]!;
    accesses.set(`${action} ${resource}`, { action, resource });
  }
  demandAll(actor, [...accesses.values()]);
  return [...accesses.values()];
}

// Finds the project or environment that a path names, and checks that the caller may see it.
import { Failure } from '../kernel/failure.ts';
import { shorten } from '../kernel/json/pointer.ts';
import type { Call } from '../kernel/http/route.ts';
import { Type } from '../kernel/schema/schema.ts';
import type { Db } from '../kernel/storage/tables.ts';
import { findEnvironment, listEnvironments } from './environments/store.ts';
import type { Environment, Project } from './projects/project.ts';
import { findProject } from './projects/store.ts';
import { environmentalResource, projectResource, type Tagged } from './policy/resources.ts';

/** For the `params` of routes. */
export const ByProject = Type.Object({ projectKey: Type.String() });
export const ByEnvironment = Type.Object({ projectKey: Type.String(), environmentKey: Type.String() });

type Permissions = Pick<Call, 'can'>;

/** Fails unless the caller may view the project. This permission covers everything in the project. */
export async function openProject(call: Permissions, db: Db, key: string): Promise<Project> {
  const project = await findProject(db, key);
  if (project === undefined) throw unknownThing('project', key);
  const resource = projectResource(project);
  if (call.can(resource, 'viewProject')) return project;
  throw new Failure('forbidden', 'Forbidden. Access to the requested resource was denied.', {
    access: { action: 'viewProject', resource },
  });
}

/** With `hold`, the row is locked against deletion until the transaction ends. */
export async function openEnvironment(
  call: Permissions,
  db: Db,
  projectKey: string,
  key: string,
  hold?: 'hold',
): Promise<{ project: Project; environment: Environment }> {
  const project = await openProject(call, db, projectKey);
  const environment = await findEnvironment(db, project.id, key, hold);
  if (environment === undefined) throw unknownThing('environment', key);
  return { project, environment };
}

/**
 * For a change to a flag that affects all environments: the permission in any one of them is enough. Returns the
 * resource on which it was granted.
 */
export async function requireInAnyEnvironment(
  call: Pick<Call, 'can' | 'requirePermission'>,
  db: Db,
  action: string,
  { project, flag }: { project: Project; flag: Tagged },
): Promise<string> {
  const environments = await listEnvironments(db, project.id);
  const resources = environments.map((environment) =>
    environmentalResource(project, environment, 'flag', flag),
  );
  const [first = environmentalResource(project, { key: '*', tags: [] }, 'flag', flag)] = resources;
  const allowed = resources.find((resource) => call.can(resource, action));
  if (allowed === undefined) call.requirePermission(first, action);
  return allowed ?? first;
}

export function unknownThing(kind: string, name: string): Failure {
  return new Failure('not-found', `Invalid resource identifier: there is no ${kind} "${shorten(name)}"`);
}

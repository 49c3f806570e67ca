// A flag in one environment: where scheduled changes, approval requests and triggers belong.
import { problem, Type } from '../../kernel/schema.ts';
import type { Flag } from '../feature-flags/flag.ts';
import type { Environment, Project } from '../projects/project.ts';
import { environmentalResource } from '../resources.ts';

/** Where the paths of what belongs to it begin. */
export const PLACE = '/projects/{projectKey}/flags/{featureFlagKey}/environments/{environmentKey}';

export const ByPlace = Type.Object({
  projectKey: Type.String(),
  featureFlagKey: Type.String(),
  environmentKey: Type.String(),
});

export const ByPlaceAndId = Type.Object({ ...ByPlace.properties, id: Type.String() });

export interface Place {
  project: Project;
  environment: Environment;
  /** With its configurations in all environments. */
  flag: Flag;
  /** Its name in policies, tags and all. */
  resource: string;
}

export interface Whereabouts {
  flagId: string;
  environmentId: string;
}

export function placeOf(project: Project, environment: Environment, flag: Flag): Place {
  return { project, environment, flag, resource: environmentalResource(project, environment, 'flag', flag) };
}

export function whereaboutsOf({ flag, environment }: Place): Whereabouts {
  return { flagId: flag.id, environmentId: environment.id };
}

/** Below the root of the API. */
export function placePath({ project, environment, flag }: Place): string {
  return `/projects/${project.key}/flags/${flag.key}/environments/${environment.key}`;
}

export function requireComment({ requireComments, name }: Environment, comment: string | undefined): void {
  if (requireComments && (comment ?? '').trim() === '')
    throw problem('comment', `is required for changes in ${name}`);
}

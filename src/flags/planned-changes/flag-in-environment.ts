// A flag in one environment, which scheduled changes, approval requests and triggers belong to: path, parameters, reference, audit entries.
import { problem, Type } from '../../kernel/schema/schema.ts';
import type { Change } from '../../kernel/change/change.ts';
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Flag } from '../feature-flags/flag.ts';
import type { Environment, Project } from '../projects/project.ts';
import { environmentalResource } from '../policy/resources.ts';

/** The beginning of the paths of its items. */
export const FLAG_IN_ENVIRONMENT =
  '/projects/{projectKey}/flags/{featureFlagKey}/environments/{environmentKey}';

export const ByFlagInEnvironment = Type.Object({
  projectKey: Type.String(),
  featureFlagKey: Type.String(),
  environmentKey: Type.String(),
});

export const ByFlagInEnvironmentAndId = Type.Object({ ...ByFlagInEnvironment.properties, id: Type.String() });

export interface FlagInEnvironment {
  project: Project;
  environment: Environment;
  /** With its configurations in all environments. */
  flag: Flag;
  /** The flag as a resource of policies. */
  resource: string;
}

export interface FlagInEnvironmentRef {
  flagId: string;
  environmentId: string;
}

export function toFlagInEnvironment(
  project: Project,
  environment: Environment,
  flag: Flag,
): FlagInEnvironment {
  return { project, environment, flag, resource: environmentalResource(project, environment, 'flag', flag) };
}

export function refOf({ flag, environment }: FlagInEnvironment): FlagInEnvironmentRef {
  return { flagId: flag.id, environmentId: environment.id };
}

/** Relative to the root of the API. */
export function flagInEnvironmentPath({ project, environment, flag }: FlagInEnvironment): string {
  return `/projects/${project.key}/flags/${flag.key}/environments/${environment.key}`;
}

export function requireComment({ requireComments, name }: Environment, comment: string | undefined): void {
  if (requireComments && (comment ?? '').trim() === '')
    throw problem('comment', `is required for changes in ${name}`);
}

/** Of the flag, or of a planned change or trigger there. */
export function recordFlagChange(
  tx: ChangeTransaction,
  { resource, flag }: FlagInEnvironment,
  action: string,
  change: Omit<Change, 'accesses' | 'kind' | 'name'>,
): void {
  tx.record({ accesses: [{ action, resource }], kind: 'flag', name: flag.name, ...change });
}

// The context of a change to a flag: what is read before the change is decided, and the permissions it takes there.
import { type Access, type ChangeActor, requireAllPermissions } from '../../../kernel/identity/actor.ts';
import { Failure } from '../../../kernel/failure.ts';
import { contested } from '../../../kernel/storage/retry.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { awaitAll } from '../../../kernel/storage/execute-all.ts';
import { BYPASS, mayBypass } from '../../policy-rules.ts';
import { listEnvironments } from '../../environments/store.ts';
import { unknownThing } from '../../find-project.ts';
import type { Environment, Project } from '../../projects/project.ts';
import { environmentalResource } from '../../resources.ts';
import type { Flag } from '../flag.ts';
import type { DisplayContext } from '../representation.ts';
import { findMemberIds, findTeamKeys } from '../store-maintainers.ts';
import { findFlag, findFlags, type FlagRecord } from '../store.ts';
import { FLAG_ACTIONS } from './differences.ts';
import type { References } from './instructions/apply.ts';

export interface FlagRef {
  project: Project;
  flagKey: string;
}

export interface ChangeContext {
  project: Project;
  found: FlagRecord;
  environments: readonly Environment[];
  references: References;
}

/** The names by which a change refers to other flags, members and teams. */
export interface ReferenceKeys {
  flagKeys: readonly string[];
  memberIds: readonly string[];
  teamKeys: readonly string[];
}

const NO_REFERENCES: ReferenceKeys = { flagKeys: [], memberIds: [], teamKeys: [] };

export async function readChangeContext(
  db: Db,
  { project, flagKey }: FlagRef,
  keys = NO_REFERENCES,
): Promise<ChangeContext> {
  const [found, environments, flags, memberIds, teamKeys] = await awaitAll([
    findFlag(db, project.id, flagKey),
    listEnvironments(db, project.id),
    findFlags(db, project.id, keys.flagKeys),
    findMemberIds(db, keys.memberIds),
    findTeamKeys(db, keys.teamKeys),
  ]);
  if (found === undefined) throw unknownThing('flag', flagKey);
  // Two statements read the environments, and one may have been added or deleted in between.
  const ids = new Set(found.environments.map(({ id }) => id));
  if (environments.length !== ids.size || !environments.every(({ id }) => ids.has(id)))
    throw contested('environments');
  return { project, found, environments, references: { flags, memberIds, teamKeys } };
}

export function displayContextOf(
  { key }: Pick<Project, 'key'>,
  { environments, maintainer, teamName }: Omit<FlagRecord, 'flag' | 'no'>,
): DisplayContext {
  return { projectKey: key, environments, maintainer, teamName };
}

/** An action on the flag: in one environment, or without a key in all of them. */
export interface FlagPermission {
  action: string;
  environmentKey?: string;
}

/** Throws unless the actor has all the permissions. Returns each once, with its resource. */
export function requirePermissions(
  actor: ChangeActor,
  { project, environments, found: { flag } }: ChangeContext,
  permissions: readonly FlagPermission[],
): Access[] {
  const accesses = new Map<string, Access>();
  if (permissions.length === 0)
    requireAnyChange(
      actor,
      environments.map((environment) => environmentalResource(project, environment, 'flag', flag)),
    );
  for (const { action, environmentKey } of permissions) {
    const resources = environments
      .filter(({ key }) => environmentKey === undefined || key === environmentKey)
      .map((environment) => environmentalResource(project, environment, 'flag', flag));
    // For an action on all environments, the permission in any one of them is enough.
    const resource = resources.find((one) => actor.can(one, action)) ?? resources[0]!;
    accesses.set(`${action} ${resource}`, { action, resource });
  }
  requireAllPermissions(actor, [...accesses.values()]);
  return [...accesses.values()];
}

/** A patch that changes nothing takes the permission to change anything of the flag, in any environment. */
function requireAnyChange(actor: ChangeActor, resources: readonly string[]): void {
  const isAllowed = resources.some((one) => FLAG_ACTIONS.some((action) => actor.can(one, action)));
  if (!isAllowed) actor.requirePermission(resources[0]!, FLAG_ACTIONS[0]);
}

/** Throws when the environment requires approval of changes to the flag. `resource` is the flag in that environment. */
export function requireFlagApproval(
  actor: Pick<ChangeActor, 'caller'>,
  environment: Environment,
  flag: Flag,
  resource: string,
): void {
  if (!needsApproval(environment, flag) || mayBypass(actor.caller, resource)) return;
  throw new Failure(
    'approval-required',
    `The change cannot be made directly: approval is required in ${environment.name}.`,
    { access: { action: BYPASS, resource } },
  );
}

function needsApproval({ approvalSettings }: Environment, { tags }: Pick<Flag, 'tags'>): boolean {
  const { required, requiredApprovalTags } = approvalSettings;
  return required || requiredApprovalTags.some((tag) => tags.includes(tag));
}

// What a change to a flag takes from its actor: permissions, and in the environments it affects a comment, no denial, and approval.
import { type Access, type ChangeActor, requireAllPermissions } from '../../../kernel/identity/actor.ts';
import { Failure } from '../../../kernel/failure.ts';
import { areEqual } from '../../../kernel/json/json-value.ts';
import { problem } from '../../../kernel/schema/schema.ts';
import { BYPASS, mayBypass, refuseIfDenied, refuseIfLifted } from '../../policy/policy-rules.ts';
import type { Environment } from '../../projects/project.ts';
import { environmentalResource } from '../../policy/resources.ts';
import type { Flag } from '../flag.ts';
import { FLAG_ACTIONS } from './differences.ts';
import type { ChangeContext, EditedFlagChange } from './draft-change.ts';
import type { FlagPermission } from './flag-edit.ts';

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

/** The actions that policies may deny on a flag with certain tags. */
const DENIABLE = [...FLAG_ACTIONS, 'deleteFlag', 'copyFlagConfigTo'];

/** Checks comments, denials and approvals in the environments that the change affects, and returns these environments. */
export function checkEnvironments(actor: ChangeActor, change: EditedFlagChange): Environment[] {
  const { project, environments } = change.context;
  const { before, edit } = change;
  const { approvedIn, comment = '' } = edit;
  const guards = new Map(affectedEnvironments(change).map((guard) => [guard.environment, guard]));
  const refuse = denialsOf(actor, change);
  for (const environment of environments) {
    const { key, name } = environment;
    refuse(environment);
    const guard = guards.get(environment);
    if (guard === undefined) continue;
    if (guard.requiresComment && comment.trim() === '')
      throw problem('comment', `is required for changes in ${name}`);
    if (approvedIn === key || approvedIn === '*') continue;
    const resource = environmentalResource(project, environment, 'flag', before);
    requireFlagApproval(actor, environment, before, resource);
  }
  return [...guards.keys()];
}

/** An environment whose settings decide about the change. */
interface AffectedEnvironment {
  environment: Environment;
  requiresComment: boolean;
  /** Some callers may bypass it. */
  requiresApproval: boolean;
}

/** The environments that the change affects: their configurations change, or they serve something else. */
export function affectedEnvironments(change: EditedFlagChange): AffectedEnvironment[] {
  const { before, after, isDeleted, context } = change;
  const isServedOtherwise = isDeleted || servesOtherwise(before, after);
  return context.environments.flatMap((environment) => {
    const { key, requireComments, approvalSettings } = environment;
    const isChangedHere = before.environments[key] !== after.environments[key];
    // Removing a tag that requires approval itself requires it: else anyone could remove the tag first.
    const losesApprovalTag = approvalSettings.requiredApprovalTags.some(
      (tag) => before.tags.includes(tag) && !after.tags.includes(tag),
    );
    if (!isChangedHere && !isServedOtherwise && !losesApprovalTag) return [];
    const requiresComment = isChangedHere && !isDeleted && requireComments;
    return [{ environment, requiresComment, requiresApproval: needsApproval(environment, before) }];
  });
}

/** Returns the function that throws for an environment where a policy denies the change. */
export function denialsOf(
  { caller }: Pick<ChangeActor, 'caller'>,
  { before, after, isDeleted, context: { project } }: EditedFlagChange,
): (environment: Environment) => void {
  const everywhere = isDeleted ? ['deleteFlag'] : actionsEverywhere(before, after);
  return (environment) => {
    const resource = environmentalResource(project, environment, 'flag', before);
    const retagged = environmentalResource(project, environment, 'flag', after);
    for (const action of everywhere) refuseIfDenied(caller, action, environment, resource);
    if (before.tags !== after.tags) refuseIfLifted(caller, DENIABLE, environment, resource, retagged);
  };
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

/**
 * The fields of the flag itself that reach every environment, by the action that changes them. The others (name, description,
 * tags, maintainer, custom properties, temporary, deprecated, the names of variations, the defaults for new environments)
 * reach no SDK: for them the permission in any environment is enough.
 */
const DELIVERED: Record<string, (flag: Flag) => unknown> = {
  updateGlobalArchived: ({ archived }) => archived,
  updateFlagVariations: ({ variations }) => variations.map(({ value }) => value),
  updateClientSideFlagAvailability: ({ clientSideAvailability }) => clientSideAvailability,
};

/** The actions of which each change reaches every environment. */
export const EVERYWHERE_ACTIONS: ReadonlySet<string> = new Set([
  'updateGlobalArchived',
  'updateClientSideFlagAvailability',
  'deleteFlag',
]);

/** The actions that must not be denied in any environment: who is denied one of them in one does not change it. */
function actionsEverywhere(before: Flag, after: Flag): string[] {
  if (before === after) return [];
  return Object.keys(DELIVERED).filter(
    (action) => !areEqual(DELIVERED[action]!(before), DELIVERED[action]!(after)),
  );
}

/** Whether all environments serve something else: the flag came from or went to the archive, or a variation has another value. */
function servesOtherwise(before: Flag, after: Flag): boolean {
  if (before.archived !== after.archived) return true;
  const values = new Map(after.variations.map(({ _id, value }) => [_id, value]));
  return before.variations.some(({ _id, value }) => values.has(_id) && !areEqual(values.get(_id), value));
}

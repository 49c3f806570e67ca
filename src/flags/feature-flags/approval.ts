// Whether a change to a flag in an environment must have been approved before.
import { Failure } from '../../kernel/failure.ts';
import { rolePolicies } from '../../kernel/identity/policy.ts';
import type { Environment } from '../projects/project.ts';
import type { FlagActor } from './scene.ts';
import type { Flag } from './flag.ts';

const BYPASS = 'bypassRequiredApproval';

export function needsApproval({ approvalSettings }: Environment, { tags }: Pick<Flag, 'tags'>): boolean {
  const { required, requiredApprovalTags } = approvalSettings;
  return required || requiredApprovalTags.some((tag) => tags.includes(tag));
}

/** `resource` is the flag in that environment. */
export function demandApproval(
  actor: FlagActor,
  environment: Environment,
  flag: Flag,
  resource: string,
): void {
  if (!needsApproval(environment, flag) || mayBypass(actor, resource)) return;
  throw new Failure(
    'wrong-method',
    `The change cannot be made directly: approval is required in ${environment.name}.`,
    { access: { action: BYPASS, resource } },
  );
}

/**
 * Base roles that may do everything are not meant: if they were, approval would be required of nobody. It takes a role or
 * a token whose own statements allow it.
 */
function mayBypass(actor: FlagActor, resource: string): boolean {
  if (!actor.can(resource, BYPASS)) return false;
  const base = new Set(Object.values(rolePolicies));
  const policies = (actor.caller?.grants ?? []).flat();
  return policies.some((policy) => !base.has(policy) && policy.allows(BYPASS, resource));
}

// Whether a change to a flag in an environment must have been approved before.
import type { Actor } from '../../kernel/change/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import { BYPASS, mayBypass } from '../bypass.ts';
import type { Environment } from '../projects/project.ts';
import type { Flag } from './flag.ts';

function needsApproval({ approvalSettings }: Environment, { tags }: Pick<Flag, 'tags'>): boolean {
  const { required, requiredApprovalTags } = approvalSettings;
  return required || requiredApprovalTags.some((tag) => tags.includes(tag));
}

/** `resource` is the flag in that environment. */
export function demandApproval(
  actor: Pick<Actor, 'caller'>,
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

// Environments whose changes must not happen by a slip.
import type { Environment } from '../queries.ts';

type Guards = Pick<Environment, 'critical' | 'confirmChanges' | 'requireComments' | 'approvalSettings'>;

/** A change there is shown and asked about before it is made. */
export function isGuarded(environment: Guards): boolean {
  return needsTypedKey(environment) || environment.requireComments || mayNeedApproval(environment);
}

/** The key of the environment is typed by hand before a change. */
export function needsTypedKey({ critical, confirmChanges }: Guards): boolean {
  return critical || confirmChanges;
}

/** Of all flags, or of those with a tag. */
export function mayNeedApproval({ approvalSettings: { required, requiredApprovalTags } }: Guards): boolean {
  return required || requiredApprovalTags.length > 0;
}

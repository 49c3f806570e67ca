// The permission to delete an environment that requires approvals, in addition to `deleteEnvironment`.
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import { mayBypass } from '../bypass.ts';
import type { Environment, Project } from '../projects/project.ts';
import { environmentResource } from '../resources.ts';

const SETTINGS = 'updateApprovalSettings';

/** Deleting the environment would otherwise be a way around its approvals. */
export function requireDeletable(caller: KnownCaller, project: Project, environment: Environment): void {
  if (!requiresApproval(environment)) return;
  const resource = environmentResource(project, environment);
  const isFree = [resource, `${resource}:flag/*`].some((one) => mayBypass(caller, one));
  if (isFree || can(caller, SETTINGS, resource)) return;
  throw new Failure(
    'denied',
    `Approval is required in ${environment.name}: to delete it takes bypassRequiredApproval or ${SETTINGS} on it.`,
    { access: { action: SETTINGS, resource } },
  );
}

function requiresApproval({ approvalSettings, resourceApprovalSettings }: Environment): boolean {
  return [approvalSettings, resourceApprovalSettings?.segment].some(
    (settings) => settings !== undefined && (settings.required || settings.requiredApprovalTags.length > 0),
  );
}

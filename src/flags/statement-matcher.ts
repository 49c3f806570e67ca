// Statements of a policy as a filter of changes, for the audit log and for webhooks.
import type { Access } from '../kernel/identity/actor.ts';
import { compilePolicy, type PolicyStatement } from '../kernel/identity/policy.ts';

/** Matches a change if the statements allow any of the permissions that it required. */
export function statementMatcher(
  statements: readonly PolicyStatement[],
): (accesses: readonly Access[]) => boolean {
  const policy = compilePolicy(statements);
  return (accesses) => accesses.some(({ action, resource }) => policy.allows(action, resource));
}

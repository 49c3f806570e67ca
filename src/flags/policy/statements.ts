// Statements of policies: their schema, as roles, tokens and webhooks have them, and statements as a filter of changes.
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import type { Access } from '../../kernel/identity/actor.ts';
import { compilePolicy, type PolicyStatement } from '../../kernel/identity/policy.ts';

/** Each call evaluates the token's whole policy, so its size is limited. */
export const MAX_STATEMENTS = 500;
const Names = Type.Optional(Type.Array(Type.String(), { maxItems: MAX_STATEMENTS }));

export const StatementSchema = Type.Object(
  {
    effect: OneOf(['allow', 'deny']),
    actions: Names,
    notActions: Names,
    resources: Names,
    notResources: Names,
  },
  { $id: 'Statement' },
);

/** Matches a change if the statements allow any of the permissions that it required. */
export function statementMatcher(
  statements: readonly PolicyStatement[],
): (accesses: readonly Access[]) => boolean {
  const policy = compilePolicy(statements);
  return (accesses) => accesses.some(({ action, resource }) => policy.allows(action, resource));
}

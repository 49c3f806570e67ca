// The schema of a policy's statements, as roles, tokens and webhooks have them.
import { OneOf, Type } from '../kernel/schema/schema.ts';

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

// The rate-limit status: one counter for each of the five categories.
import type { Counter } from '../../kernel/limit-window.ts';
import { Type, type Static } from '../../kernel/schema.ts';

export const BudgetCounter = Type.Object(
  { limit: Type.Integer(), used: Type.Integer(), remaining: Type.Integer(), reset: Type.Integer() },
  { $id: 'rate-limit' },
);

export const RateLimitStatus = Type.Object(
  {
    resources: Type.Object({
      core: BudgetCounter,
      search: BudgetCounter,
      graphql: BudgetCounter,
      integration_manifest: BudgetCounter,
      code_scanning_upload: BudgetCounter,
    }),
  },
  { $id: 'rate-limit-overview' },
);

/** `reset` is in UTC epoch seconds. */
export function toBudgetCounter({ limit, used, remaining, resetAt }: Counter): Static<typeof BudgetCounter> {
  return { limit, used, remaining, reset: resetAt / 1000 };
}

// The rate-limit status: one counter for each of the five categories.
import type { Counter } from '../../kernel/limits/window.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';

export const RateLimitCounter = Type.Object(
  { limit: Type.Integer(), used: Type.Integer(), remaining: Type.Integer(), reset: Type.Integer() },
  { $id: 'rate-limit' },
);

export const RateLimitStatus = Type.Object(
  {
    resources: Type.Object({
      core: RateLimitCounter,
      search: RateLimitCounter,
      graphql: RateLimitCounter,
      integration_manifest: RateLimitCounter,
      code_scanning_upload: RateLimitCounter,
    }),
  },
  { $id: 'rate-limit-overview' },
);

/** `reset` is in UTC epoch seconds. */
export function toRateLimitCounter({
  limit,
  used,
  remaining,
  resetAt,
}: Counter): Static<typeof RateLimitCounter> {
  return { limit, used, remaining, reset: resetAt / 1000 };
}

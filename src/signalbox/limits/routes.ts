// The rate limits that the caller's calls count against, as they stand now.
import { route } from '../../kernel/http/route.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Limits } from '../../kernel/limits/limits.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';

const BUDGETS = ['tokens', 'browser', 'program'] as const;
type BudgetKind = (typeof BUDGETS)[number];

const RateLimitState = Type.Object(
  {
    budget: OneOf(BUDGETS, {
      description:
        "What the member's own tokens share, what their browsers share, or what a program has for itself, such as an installation of an app",
    }),
    api: Type.String(),
    category: Type.String({ description: 'As the usage of tokens names it' }),
    scope: Type.Optional(Type.String({ description: 'The route or thing that it is counted apart for' })),
    limit: Type.Integer(),
    used: Type.Integer(),
    remaining: Type.Integer(),
    seconds: Type.Integer({ description: 'How long the window is' }),
    resetAt: Type.Integer({ description: 'Epoch milliseconds of its end' }),
  },
  { $id: 'RateLimitState' },
);

const listOwnLimits = route(
  {
    id: 'listOwnLimits',
    method: 'GET',
    path: '/me/limits',
    summary: "List the rate limits that the caller's calls count against",
    description:
      'Those of which something was used in the present window. With a session they are those of its tokens and of its ' +
      'browsers; with a token only what that one shares or has. The call itself counts.',
    access: 'caller',
    reply: {
      200: Type.Object({
        isEnabled: Type.Boolean({ description: 'Whether this server limits calls at all' }),
        items: Type.Array(RateLimitState),
      }),
    },
  },
  ({ caller, now }, { limits }) => ({
    isEnabled: limits.enabled,
    items: limits.enabled ? budgetsOf(caller).flatMap(([kind, one]) => statesOf(limits, kind, one, now)) : [],
  }),
);

function budgetsOf(caller: KnownCaller): [BudgetKind, KnownCaller][] {
  if (caller.budget === undefined) return [['tokens', caller]];
  if (caller.kind !== 'session') return [['program', caller]];
  const { budget: _budget, ...member } = caller;
  return [
    ['tokens', member],
    ['browser', caller],
  ];
}

function statesOf(
  limits: Limits,
  budget: BudgetKind,
  caller: KnownCaller,
  now: number,
): Static<typeof RateLimitState>[] {
  return limits.listUsed(caller, now).flatMap(({ category: name, counter }) => {
    const [whole = '', scope] = name.split(':', 2);
    const quota = limits.quotas[whole];
    const dot = whole.indexOf('.');
    // What was configured otherwise has no API whose calls it could limit.
    if (quota === undefined || dot === -1) return [];
    const { limit, used, remaining, resetAt } = counter;
    return {
      budget,
      api: whole.slice(0, dot),
      category: whole.slice(dot + 1),
      ...(scope !== undefined && { scope }),
      limit,
      used,
      remaining,
      seconds: quota.seconds,
      resetAt,
    };
  });
}

export const limitRoutes = [listOwnLimits];

// The secondary limits of the host: what a call counts for, and the errors for those who exceed them or the rate limit.
import { Failure } from '../../kernel/failure.ts';
import type { SecondaryPlan } from '../../kernel/http/protocol.ts';
import type { RouteShape } from '../../kernel/http/route.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { SecondaryCost, SecondaryExcess, SecondaryRule } from '../../kernel/limits/secondary-limits.ts';
import { retrySeconds } from '../../kernel/limits/window.ts';

/** The code of such errors, which distinguishes them from a spent budget. */
export const SECONDARY = 'secondary';

const READ_POINTS = 1;
export const CHANGE_POINTS = 5;

/** Of every call of GraphQL. What changes something counts for more when it is known. */
export const GRAPHQL_COST: SecondaryCost = {
  kind: 'graphql',
  endpoint: 'graphql',
  points: READ_POINTS,
  createsContent: false,
};

export const secondaryPlan: SecondaryPlan = {
  costOf(shape) {
    if (shape === undefined)
      return { kind: 'rest', endpoint: 'none', points: READ_POINTS, createsContent: false };
    // Requests of git have a budget of their own, and wait for a free process.
    if (shape.limit === 'git') return undefined;
    // Who may not call has to be able to ask for how long. It is answered from memory, and holds nothing.
    if (shape.charge === 'never') return undefined;
    if (shape.limit === 'graphql') return GRAPHQL_COST;
    const points = shape.method === 'GET' ? READ_POINTS : CHANGE_POINTS;
    return {
      kind: 'rest',
      endpoint: shape.aliasOf ?? shape.id,
      points,
      createsContent: createsContent(shape),
    };
  },
  exceeded: (excess, { now }) => {
    const seconds = retrySeconds({ resetAt: excess.retryAt }, now);
    return new Failure('exhausted', `${describe(excess)} Try again in ${seconds} s.`, {
      code: SECONDARY,
      headers: { 'retry-after': String(seconds) },
    });
  },
};

/** A creation is answered with 201. A call that can be answered so counts, even if it fails. */
function createsContent({ reply = {}, createsLater }: RouteShape): boolean {
  return 201 in reply || createsLater === true;
}

const RULES: Record<SecondaryRule, (limit: number) => string> = {
  concurrent: (limit) => `at most ${limit} calls at the same time`,
  points: (limit) => `at most ${limit} points per minute for one endpoint`,
  content: (limit) => `at most ${limit} calls that create something`,
};

/** Clients recognise its beginning. */
function describe({ rule, limit }: SecondaryExcess): string {
  return `You have exceeded a secondary rate limit: ${RULES[rule](limit)}.`;
}

/** Clients recognise its beginning, and tell people by the rest whose budget is spent. */
export function limitExceededFor(caller: KnownCaller): string {
  const [, kind, number] = /^(installation|app)\/(\d+)$/.exec(caller.budget?.id ?? '') ?? [];
  return `API rate limit exceeded for ${kind ?? 'user'} ID ${number ?? accountOf(caller).number}.`;
}

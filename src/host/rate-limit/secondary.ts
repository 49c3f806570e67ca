// The secondary limits of the host: what a call counts for, and the error for those who exceed them.
import type { SecondaryPlan } from '../../kernel/dialect.ts';
import { Failure } from '../../kernel/failure.ts';
import { retrySeconds } from '../../kernel/limit-window.ts';
import type { RouteShape } from '../../kernel/route.ts';
import type { SecondaryExcess, SecondaryRule } from '../../kernel/secondary-limits.ts';

/** The code of such errors, by which they are told from a spent budget. */
export const SECONDARY = 'secondary';

const READ_POINTS = 1;
const CHANGE_POINTS = 5;

export const secondaryPlan: SecondaryPlan = {
  costOf(shape) {
    if (shape === undefined)
      return { kind: 'rest', endpoint: 'none', points: READ_POINTS, createsContent: false };
    // Requests of git have a budget of their own, and wait for a free process.
    if (shape.limit === 'git') return undefined;
    // There are no mutations.
    if (shape.limit === 'graphql')
      return { kind: 'graphql', endpoint: 'graphql', points: READ_POINTS, createsContent: false };
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

/** Whoever creates something is told so by 201; a call that may be answered so counts, whatever comes of it. */
function createsContent({ method, reply = {}, isData }: RouteShape): boolean {
  return method !== 'GET' && 201 in reply && isData !== true;
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

// Why policies allow an action or not: the statements that decide, and those that nearly match.
import {
  can,
  decide,
  matchStatement,
  type Policy,
  type PolicyStatement,
  type StatementMatch,
} from '../../kernel/identity/policy.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';

/** What every group of policies must allow: the group by its number, and a statement by its number in the policy. */
export interface MatchedStatement extends StatementMatch {
  group: number;
  policy: Policy;
  index: number;
  effect: PolicyStatement['effect'];
}

export interface Explanation {
  isAllowed: boolean;
  /** `silent` where no statement allows it, so that none could be removed to allow it. */
  reason: 'allowed' | 'denied' | 'silent';
  /** Without these the answer is the other one, and with all but one of them it is as it is. */
  decidedBy: MatchedStatement[];
  /** Of these, one half matches. */
  near: MatchedStatement[];
  /** How many more statements there are. */
  others: number;
}

type Grants = readonly (readonly Policy[])[];

const MAX_NEAR = 10;

/** Decides as every call does; statements are then matched one by one. */
export async function explainDecision(
  grants: Grants,
  action: string,
  resource: string,
  slice = new TimeSlice(),
): Promise<Explanation> {
  const applied: MatchedStatement[] = [];
  const near: MatchedStatement[] = [];
  let total = 0;
  for (const [group, policies] of grants.entries())
    for (const policy of policies)
      for (const [index, statement] of policy.statements.entries()) {
        total += 1;
        if (slice.isOver) await slice.yieldToEventLoop();
        const match = matchStatement(statement, action, resource);
        const matched = { ...match, group, policy, index, effect: statement.effect };
        if (match.action.isMatch && match.resource.isMatch) applied.push(matched);
        else if (match.action.isMatch || match.resource.isMatch) near.push(matched);
      }
  const isAllowed = can({ grants }, action, resource);
  const decidedBy = isAllowed
    ? allowedBy(grants, applied)
    : deniedBy(grants, applied, (policies) => decide(policies, action, resource));
  const shown = near.toSorted((one, other) => rank(one) - rank(other)).slice(0, MAX_NEAR);
  return {
    isAllowed,
    reason: isAllowed ? 'allowed' : decidedBy.length > 0 ? 'denied' : 'silent',
    decidedBy,
    near: shown,
    others: total - decidedBy.length - shown.length,
  };

  /** What allows helps those who were refused most, and what denies the others. */
  function rank({ effect, action: half }: MatchedStatement): number {
    return (effect === (isAllowed ? 'deny' : 'allow') ? 0 : 2) + (half.isMatch ? 0 : 1);
  }
}

/** Everything that allows it in one of the groups: the one with the fewest. */
function allowedBy(grants: Grants, applied: readonly MatchedStatement[]): MatchedStatement[] {
  const byGroup = grants.map((_, group) => {
    const here = applied.filter((one) => one.group === group);
    const denying = new Set(here.filter(({ effect }) => effect === 'deny').map(({ policy }) => policy));
    return here.filter(({ effect, policy }) => effect === 'allow' && !denying.has(policy));
  });
  return byGroup.reduce((fewest, some) => (some.length < fewest.length ? some : fewest));
}

/** In every group that refuses it: what denies it in one policy that would allow it, the one with the fewest. */
function deniedBy(
  grants: Grants,
  applied: readonly MatchedStatement[],
  allows: (policies: readonly Policy[]) => boolean,
): MatchedStatement[] {
  const all: MatchedStatement[] = [];
  for (const [group, policies] of grants.entries()) {
    if (allows(policies)) continue;
    const here = applied.filter((one) => one.group === group);
    const candidates = policies
      .map((policy) => here.filter((one) => one.policy === policy))
      .filter((some) => some.some(({ effect }) => effect === 'allow'))
      .map((some) => some.filter(({ effect }) => effect === 'deny'))
      .toSorted((one, other) => one.length - other.length);
    const [fewest] = candidates;
    if (fewest === undefined) return [];
    all.push(...fewest);
  }
  return all;
}

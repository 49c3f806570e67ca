// Examples of the instructions about rules and their clauses.
import { attributes, clause, clauseOf, rule, ruleId, unknown, variation, type Case } from './case.ts';

const kept = { ...clause, contextKind: 'user', negate: false };

export const ruleCases: Record<string, Case> = {
  addRule: {
    good: (flag) => ({
      clauses: [{ ...clause, attribute: 'age', op: 'lessThan', values: [18] }],
      variationId: variation(flag, 1),
      beforeRuleId: ruleId(flag, 1),
      description: 'Minors',
      trackEvents: true,
      ref: 'minors',
    }),
    sees: attributes,
    gives: ['plan,country', 'age', 'plan'],
    again: 'more',
    bad: (flag) => ({ variationId: variation(flag, 1) }),
    names: 'clauses',
  },
  removeRule: {
    good: (flag) => ({ ruleId: ruleId(flag) }),
    sees: attributes,
    gives: ['plan'],
    again: 'same',
    bad: () => ({ ruleId: 7 }),
    names: 'ruleId',
  },
  reorderRules: {
    good: (flag) => ({ ruleIds: [ruleId(flag, 1), ruleId(flag, 0)] }),
    sees: attributes,
    gives: ['plan', 'plan,country'],
    again: 'same',
    bad: (flag) => ({ ruleIds: [ruleId(flag, 1)] }),
    names: 'ruleIds',
  },
  replaceRules: {
    good: (flag) => ({
      rules: [
        {
          clauses: [{ ...clause, attribute: 'age' }],
          variationId: variation(flag, 2),
          description: 'Aged',
        },
      ],
    }),
    sees: attributes,
    gives: ['age'],
    again: 'same',
    bad: () => ({ rules: [{ clauses: [clause] }] }),
    names: 'variationId',
  },
  updateRuleVariationOrRollout: {
    good: (flag) => ({ ruleId: ruleId(flag, 1), variationId: variation(flag, 3) }),
    sees: (flag) => [rule(flag, 1).variation, rule(flag, 1).rollout],
    gives: [3, undefined],
    again: 'same',
    bad: (flag) => ({ ruleId: unknown, variationId: variation(flag, 3) }),
    names: 'ruleId',
  },
  updateRuleDescription: {
    good: (flag) => ({ ruleId: ruleId(flag), description: 'Golden' }),
    sees: (flag) => rule(flag, 0).description,
    gives: 'Golden',
    again: 'same',
    bad: (flag) => ({ ruleId: ruleId(flag), description: null }),
    names: 'description',
  },
  updateRuleTrackEvents: {
    good: (flag) => ({ ruleId: ruleId(flag), trackEvents: true }),
    sees: (flag) => rule(flag, 0).trackEvents,
    gives: true,
    again: 'same',
    bad: () => ({ ruleId: unknown, trackEvents: true }),
    names: 'ruleId',
  },
  addClauses: {
    good: (flag) => ({ ruleId: ruleId(flag, 1), clauses: [{ ...clause, attribute: 'age' }] }),
    sees: attributes,
    gives: ['plan,country', 'plan,age'],
    again: 'more',
    bad: (flag) => ({ ruleId: ruleId(flag), clauses: [{ ...clause, op: 'like' }] }),
    names: 'clauses.0.op',
  },
  removeClauses: {
    good: (flag) => ({ ruleId: ruleId(flag), clauseIds: [clauseOf(flag).clauseId] }),
    sees: attributes,
    gives: ['country', 'plan'],
    again: 'fails',
    bad: (flag) => ({ ruleId: ruleId(flag), clauseIds: rule(flag, 0).clauses.map(({ _id }) => _id) }),
    names: 'clauseIds',
  },
  updateClause: {
    good: (flag) => ({
      ...clauseOf(flag),
      clause: { ...clause, op: 'matches', values: ['^g'], contextKind: 'company', negate: true },
    }),
    sees: (flag) => ({ ...rule(flag, 0).clauses[0], _id: undefined }),
    gives: {
      attribute: 'plan',
      op: 'matches',
      values: ['^g'],
      contextKind: 'company',
      negate: true,
      _id: undefined,
    },
    again: 'same',
    bad: (flag) => ({ ...clauseOf(flag), clauseId: unknown, clause }),
    names: 'clauseId',
  },
  addValuesToClause: {
    good: (flag) => ({ ...clauseOf(flag), values: ['gold', 'silver', 3] }),
    sees: (flag) => ({ ...rule(flag, 0).clauses[0], _id: undefined }),
    gives: { ...kept, values: ['gold', 'silver', 3], _id: undefined },
    again: 'same',
    bad: (flag) => ({ ...clauseOf(flag), values: [{}] }),
    names: 'values.0',
  },
  removeValuesFromClause: {
    good: (flag) => ({ ...clauseOf(flag), values: ['gold', 'lead'] }),
    sees: (flag) => rule(flag, 0).clauses[0]!.values,
    gives: [],
    again: 'same',
    bad: (flag) => ({ ruleId: ruleId(flag), values: ['gold'] }),
    names: 'clauseId',
  },
};

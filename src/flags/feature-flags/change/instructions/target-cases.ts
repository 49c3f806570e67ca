// Examples of the instructions about targets.
import { plain, describeTargets, unknown, variation, type Case } from './case.ts';

export const targetCases: Record<string, Case> = {
  addTargets: {
    good: (flag) => ({
      variationId: variation(flag, 0),
      values: ['dan', 'acme', 'dan'],
      contextKind: 'person',
    }),
    sees: describeTargets,
    gives: [
      ['user 0: ada,bob', 'user 3: cleo'],
      ['user 0: ', 'company 1: acme', 'user 3: ', 'person 0: dan,acme'],
    ],
    again: 'same',
    bad: (flag) => ({ variationId: variation(flag, 3), values: ['ada'] }),
    names: 'values',
  },
  addUserTargets: {
    good: (flag) => ({ variationId: variation(flag, 0), values: ['dan', 'ada'] }),
    sees: describeTargets,
    gives: [
      ['user 0: ada,bob,dan', 'user 3: cleo'],
      ['user 0: ', 'company 1: acme', 'user 3: '],
    ],
    again: 'same',
    bad: (flag) => ({ variationId: variation(flag, 0), values: ['dan'], contextKind: 'company' }),
    names: 'contextKind',
  },
  removeTargets: {
    good: (flag) => ({ variationId: variation(flag, 1), values: ['acme', 'ada'], contextKind: 'company' }),
    sees: describeTargets,
    gives: [
      ['user 0: ada,bob', 'user 3: cleo'],
      ['user 0: ', 'user 3: '],
    ],
    again: 'same',
    bad: () => ({ variationId: unknown, values: ['zoe'] }),
    names: 'variationId',
  },
  removeUserTargets: {
    good: (flag) => ({ variationId: variation(flag, 0), values: ['ada', 'cleo'] }),
    sees: (flag) => describeTargets(flag)[0],
    gives: ['user 0: bob', 'user 3: cleo'],
    again: 'same',
    bad: (flag) => ({ variationId: variation(flag, 0), values: 'ada' }),
    names: 'values',
    isMisfit: true,
  },
  clearTargets: {
    good: (flag) => ({ variationId: variation(flag, 1) }),
    sees: describeTargets,
    gives: [
      ['user 0: ada,bob', 'user 3: cleo'],
      ['user 0: ', 'user 3: '],
    ],
    again: 'same',
    bad: () => ({ variationId: unknown }),
    names: 'variationId',
  },
  clearUserTargets: {
    good: (flag) => ({ variationId: variation(flag, 0) }),
    sees: describeTargets,
    gives: [['user 3: cleo'], ['company 1: acme', 'user 3: ']],
    again: 'same',
    bad: plain,
    names: 'variationId',
    isMisfit: true,
  },
  replaceTargets: {
    good: (flag) => ({
      targets: [
        { variationId: variation(flag, 1), values: ['acme', 'mega'], contextKind: 'company' },
        { variationId: variation(flag, 2), values: ['ada'] },
      ],
    }),
    sees: describeTargets,
    gives: [['user 2: ada'], ['company 1: acme,mega', 'user 2: ']],
    again: 'same',
    bad: (flag) => ({
      targets: [0, 1].map((index) => ({ variationId: variation(flag, index), values: ['ada'] })),
    }),
    names: 'values',
  },
  replaceUserTargets: {
    good: (flag) => ({
      targets: flag.variations.map(({ _id, value }) => ({
        variationId: _id,
        values: [JSON.stringify(value)],
      })),
    }),
    sees: describeTargets,
    gives: [
      ['user 0: "red"', 'user 3: "blue"', 'user 1: "green"', 'user 2: "grey"'],
      ['user 0: ', 'company 1: acme', 'user 3: ', 'user 1: ', 'user 2: '],
    ],
    again: 'same',
    bad: (flag) => ({ targets: [{ variationId: variation(flag, 0), values: ['ada'] }] }),
    names: 'targets',
  },
};

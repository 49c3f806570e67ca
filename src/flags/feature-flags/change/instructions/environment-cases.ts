// Examples of the instructions for one environment.
import {
  here,
  NEEDED,
  OTHER,
  plain,
  variation,
  type Case,
  type CommonFlag,
  describeTargets,
  unknown,
} from './case.ts';
import { ruleCases } from './rule-cases.ts';

const targetCases: Record<string, Case> = {
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

export function environmentCases(others: ReadonlyMap<string, CommonFlag>): Record<string, Case> {
  const of = (key: string, index: number) => ({ key, variationId: variation(others.get(key)!, index) });
  return {
    turnFlagOn: {
      good: plain,
      sees: (flag) => here(flag).on,
      gives: true,
      again: 'same',
      bad: () => ({ on: true }),
      names: 'on',
      isMisfit: true,
    },
    turnFlagOff: {
      good: plain,
      sees: (flag) => here(flag).on,
      gives: false,
      again: 'same',
      bad: () => ({ environment: 'test' }),
      names: 'environment',
      isMisfit: true,
    },
    updateFallthroughVariationOrRollout: {
      good: (flag) => ({
        rolloutWeights: { [variation(flag, 3)]: 1, [variation(flag, 0)]: 99_999 },
        rolloutBucketBy: 'group',
        rolloutContextKind: 'company',
      }),
      sees: (flag) => here(flag).fallthrough,
      gives: {
        rollout: {
          variations: [
            { variation: 0, weight: 99_999 },
            { variation: 3, weight: 1 },
          ],
          bucketBy: 'group',
          contextKind: 'company',
        },
      },
      again: 'same',
      bad: (flag) => ({ rolloutWeights: { [variation(flag, 0)]: 99_999 } }),
      names: 'rolloutWeights',
    },
    updateOffVariation: {
      good: (flag) => ({ variationId: variation(flag, 2) }),
      sees: (flag) => here(flag).offVariation,
      gives: 2,
      again: 'same',
      bad: () => ({ variationId: 2 }),
      names: 'variationId',
      isMisfit: true,
    },
    updateTrackEvents: {
      good: () => ({ trackEvents: true }),
      sees: (flag) => here(flag).trackEvents,
      gives: true,
      again: 'same',
      bad: () => ({ trackEvents: 'yes' }),
      names: 'trackEvents',
      isMisfit: true,
    },
    updateTrackEventsFallthrough: {
      good: () => ({ trackEvents: true }),
      sees: (flag) => here(flag).trackEventsFallthrough,
      gives: true,
      again: 'same',
      bad: plain,
      names: 'trackEvents',
      isMisfit: true,
    },
    ...targetCases,
    ...ruleCases,
    addPrerequisite: {
      good: () => of(OTHER, 3),
      sees: (flag) => here(flag).prerequisites,
      gives: [
        { key: NEEDED, variation: 0 },
        { key: OTHER, variation: 3 },
      ],
      again: 'same',
      bad: (flag) => ({ key: flag.key, variationId: variation(flag, 0) }),
      names: 'key',
    },
    updatePrerequisite: {
      good: () => of(NEEDED, 2),
      sees: (flag) => here(flag).prerequisites,
      gives: [{ key: NEEDED, variation: 2 }],
      again: 'same',
      bad: () => of(OTHER, 0),
      names: 'key',
    },
    removePrerequisite: {
      good: () => ({ key: NEEDED }),
      sees: (flag) => here(flag).prerequisites,
      gives: [],
      again: 'same',
      bad: () => ({ key: '' }),
      names: 'key',
    },
    replacePrerequisites: {
      good: () => ({ prerequisites: [of(OTHER, 1), of(NEEDED, 0)] }),
      sees: (flag) => here(flag).prerequisites,
      gives: [
        { key: OTHER, variation: 1 },
        { key: NEEDED, variation: 0 },
      ],
      again: 'same',
      bad: () => ({ prerequisites: [of(OTHER, 1), of(OTHER, 0)] }),
      names: 'prerequisites',
    },
  };
}

// Examples of the instructions for one environment.
import { here, NEEDED, OTHER, plain, variation, type Case, type CommonFlag } from './case.ts';
import { ruleCases } from './rule-cases.ts';
import { targetCases } from './target-cases.ts';

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

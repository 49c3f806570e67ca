// 350 flags of seven kinds as projects have them, with two segments, and a context to evaluate them for.
import { createHash } from 'node:crypto';
import type { ClauseData, FlagData, RuleData, SegmentData, ServeData } from '../src/flags/evaluation/data.ts';
import type { Json } from '../src/flags/feature-flags/flag.ts';

const PER_KIND = 50;

export const MIXED_CONTEXT = {
  kind: 'multi',
  user: {
    key: '6f1e4f0c-8a34-4d0b-9d0e-5f6f0c1b2a77',
    name: 'Ada Lovelace',
    email: 'ada@example.org',
    country: 'SE',
    plan: 'pro',
    version: '4.12.1',
    visits: 112,
    groups: ['staff', 'beta'],
  },
  org: { key: 'org-17', size: 240 },
};

export const MIXED_SEGMENTS: SegmentData[] = [
  segment('staff', { rules: [{ id: 'r', clauses: [clause('email', 'endsWith', ['@staff.example.org'])] }] }),
  segment('early', {
    included: Array.from({ length: 200 }, (_, index) => `user-${index}`),
    rules: [{ id: 'r', clauses: [clause('groups', 'in', ['beta'])], weight: 50_000 }],
  }),
];

const BOOLEAN: Json[] = [true, false];
const TEXTS: Json[] = ['control', 'treatment-a', 'treatment-b', 'treatment-c'];
const OBJECTS: Json[] = [
  { title: 'Welcome', limit: 20, colours: ['#fff', '#0af'], nested: { deep: true } },
  { title: 'Hello', limit: 50, colours: ['#000'], nested: { deep: false } },
];

const KINDS: ((index: number) => Partial<FlagData>)[] = [
  // Booleans: most are on for everyone, some are off.
  (index) => ({ on: index % 5 !== 0 }),
  // Strings and JSON with several variations.
  (index) => ({
    variations: index % 2 === 0 ? TEXTS : OBJECTS,
    fallthrough:
      index % 2 === 0 ? rollout([25_000, 25_000, 25_000, 25_000]) : { variation: index % 3 === 0 ? 1 : 0 },
  }),
  // Targets.
  (index) => ({
    targets: [0, 1].map((variation) => ({
      variation,
      values: Array.from({ length: 40 }, (_, number) => `user-${index}-${variation}-${number}`),
    })),
    contextTargets: [
      { contextKind: 'user', values: [], variation: 0 },
      { contextKind: 'org', values: ['org-1', 'org-2'], variation: 1 },
      { contextKind: 'user', values: [], variation: 1 },
    ],
  }),
  // Rules with several operators.
  (index) => ({
    variations: TEXTS,
    rules: [
      rule([clause('country', 'in', ['NO', 'DK', 'FI']), clause('plan', 'in', ['pro', 'team'])], {
        variation: 1,
      }),
      rule([clause('email', 'matches', ['^[a-z.]+@(corp|staff)\\.example\\.com$'])], { variation: 2 }),
      rule(
        [
          clause('version', 'semVerGreaterThan', ['4.10.0']),
          clause('visits', 'greaterThan', [index % 2 === 0 ? 50 : 500]),
        ],
        rollout([50_000, 50_000]),
      ),
      rule([clause('name', 'startsWith', ['Grace'])], { variation: 3 }),
    ],
  }),
  // Percentage rollouts.
  (index) => ({ fallthrough: rollout([index * 1000, 100_000 - index * 1000]) }),
  // Prerequisites, which are booleans of the first kind and rollouts.
  (index) => ({
    prerequisites: [
      { key: keyOf(0, index), variation: 0 },
      ...(index % 2 === 0 ? [{ key: keyOf(4, index), variation: 0 }] : []),
    ],
    fallthrough: rollout([30_000, 70_000]),
  }),
  // Segments.
  () => ({
    rules: [
      rule([clause('', 'segmentMatch', ['staff'])], { variation: 0 }),
      rule(
        [clause('', 'segmentMatch', ['early']), clause('plan', 'in', ['free'], true)],
        rollout([10_000, 90_000]),
      ),
    ],
  }),
];

const NAMES = ['boolean', 'variants', 'targeted', 'ruled', 'gradual', 'dependent', 'segmented'];

export const MIXED_FLAGS: FlagData[] = KINDS.flatMap((create, kind) =>
  Array.from({ length: PER_KIND }, (_, index) => flag(keyOf(kind, index), create(index))),
);

function keyOf(kind: number, index: number): string {
  return `${NAMES[kind]}-flag-${index}`;
}

function saltOf(key: string): string {
  return createHash('md5').update(key).digest('hex');
}

function flag(key: string, members: Partial<FlagData>): FlagData {
  return {
    key,
    version: 12,
    on: true,
    prerequisites: [],
    targets: [],
    contextTargets: [],
    rules: [],
    fallthrough: { variation: 0 },
    offVariation: 1,
    variations: BOOLEAN,
    clientSide: true,
    clientSideAvailability: { usingMobileKey: true, usingEnvironmentId: true },
    salt: saltOf(key),
    trackEvents: false,
    trackEventsFallthrough: false,
    debugEventsUntilDate: null,
    deleted: false,
    ...members,
  };
}

function segment(key: string, members: Partial<SegmentData>): SegmentData {
  return {
    key,
    version: 3,
    included: [],
    excluded: [],
    includedContexts: [],
    excludedContexts: [],
    salt: saltOf(key),
    rules: [],
    unbounded: false,
    deleted: false,
    ...members,
  };
}

function clause(attribute: string, op: string, values: Json[], negate = false): ClauseData {
  return { attribute, op, values, negate, contextKind: 'user' };
}

function rule(clauses: ClauseData[], serve: ServeData): RuleData {
  return { id: '0b9f8f4e-1111-4d2c-9a51-d1c7d0b0e7a1', clauses, trackEvents: false, ...serve };
}

function rollout(weights: number[]): ServeData {
  return {
    rollout: {
      kind: 'rollout',
      contextKind: 'user',
      variations: weights.map((weight, variation) => ({ variation, weight })),
    },
  };
}

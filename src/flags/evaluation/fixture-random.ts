// Random flags, segments and contexts of every shape, for the comparison with the official evaluator.
import { createHash } from 'node:crypto';
import type { Json } from '../feature-flags/flag.ts';
import type { Context } from './context.ts';
import { keyOf, USER } from './context.ts';
import type { ClauseData, FlagData, RolloutData, SegmentData, ServeData, TargetData } from './data.ts';
import { newFlagData, newSegmentData } from './fixture.ts';

export interface RandomData {
  flags: FlagData[];
  segments: SegmentData[];
}

/** The same seed gives the same data. */
export class RandomSource {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  list<T>(longest: number, create: (index: number) => T): T[] {
    return Array.from({ length: this.below(longest + 1) }, (_, index) => create(index));
  }
}

const KINDS = ['user', 'user', 'org', 'device'];
const KEYS = ['a', 'b', 'c', 'd', 'userKeyA', 'ключ', 'a-key-that-is-a-good-deal-longer-than-others-are'];
const TEXTS = ['', 'a', 'b', 'ab', 'B', 'abc', 'b.c', 'user', 'org', 'é', 'true', '1', 'aaaa'];
const VERSIONS = (
  '1,2,1.2,2.0,1.2.0,2.0.0,10.0.0,2.0.0-beta,2.0.0-beta.2,2.0.0-beta.11,2-rc.1,1.2.0+build.7,1.2+build,1.0.0+a..b,' +
  'v1.2.0, 1.2.0,1.2.0 ,2 , v2.0.0, 2,01.2.0,1.2.3.4,1.x,1.0.0-01,1.0.0-,9007199254740991.0.0,9007199254740993.0.0,' +
  `1.0.0-99999999999999999999,1.0.0-a.b.c-d,1.0.0-0a,-1.0.0,１.0.0,1.0.0-${'a'.repeat(300)},${'1'.repeat(20)}.0.0`
).split(',');
const DATES = (
  '2026-01-01T00:00:00Z,2026-01-01T00:00:00.001Z,2026-01-01T01:00:00+01:00,2025-12-31T17:00:00-07,2026-01-01,' +
  '2026-01-01t00:00:00z,2026-01-01T00:00:00,2026-13-01T00:00:00Z,2026-01-01T00:00:00Zx,2026-01-01T00:00:00.Z,' +
  '2026-01-01T00:00:00Z ,2026-01-01T00:00:00Z (a),2026-01-01T00:00:00.123456789Z,2026-01-01T24:00:00Z'
).split(',');
/** All are read alike by `RegExp` and by our own matcher. */
const PATTERNS = '^a,a|b$,(,[a-c]+$,^.{2}$,\\d+,(a)\\1,a(?=b),x*,^$,\\.,[,^(?:ab|B),\\u0041'.split(',');
const NUMBERS = [0, 1, 2.5, -1, -0, 33_333, 1e21, 1_767_225_600_000, 1_767_225_600_001];
const OPERATORS =
  'in startsWith endsWith contains matches lessThan lessThanOrEqual greaterThan greaterThanOrEqual before after ' +
  'semVerEqual semVerLessThan semVerGreaterThan unknown';
const ATTRIBUTES = (
  'key,kind,name,anonymous,plan,version,date,number,list,none,deep,a/b,t~x,/key,/kind,/anonymous,/plan,/deep/in,' +
  '/deep/a~1b,/deep/t~0x,/deep/list/0,/list/0,/deep/in/length,/a~1b,/t~0x,/none/in,,/,//,/deep//in,/deep/~2,/deep/~,/~'
).split(',');

export function randomData(random: RandomSource, flagCount: number): RandomData {
  const flags = Array.from({ length: flagCount }, (_, index) => randomFlag(random, index, flagCount));
  return { flags, segments: SEGMENTS.map((_, index) => randomSegment(random, index)) };
}

const SEGMENTS = ['s0', 's1', 's2', 's3', 'big0', 'big1', 'leaf'];
const FIRST_BIG = 4;
const GENERATIONS = [1, 2];

function randomFlag(random: RandomSource, index: number, count: number): FlagData {
  const later = () => index + 1 + random.below(4);
  // Most prerequisites are later flags; others lead back or to no flag.
  const prerequisite = () => ({
    key: `f${random.chance(0.9) ? later() : random.below(count + 1)}`,
    variation: random.pick([0, 0, 1, 2]),
  });
  return newFlagData({
    key: `f${index}`,
    on: random.chance(0.9),
    prerequisites: random.chance(0.35) ? random.list(3, prerequisite) : [],
    targets: random.list(2, () => randomTarget(random, random.chance(0.2) ? { contextKind: 'user' } : {})),
    contextTargets: random.chance(0.3)
      ? random.list(3, () => randomTarget(random, { contextKind: random.pick(['', ...KINDS]) }))
      : [],
    rules: random.list(3, (rule) => ({
      id: `rule-${rule}`,
      clauses: random.list(3, () => randomClause(random, SEGMENTS)),
      ...randomServe(random),
      trackEvents: random.chance(0.3),
    })),
    fallthrough: randomServe(random),
    offVariation: random.pick([null, 0, 1, 2, 2, 3, -1]),
    variations: random.pick<Json[]>([
      ['a', 'b', 'c'],
      [true, false, null],
      [{ a: { b: null } }, [1], 0],
    ]),
    salt: random.pick(['salt', '', '0123456789abcdef0123456789abcdef']),
    trackEvents: random.chance(0.2),
    trackEventsFallthrough: random.chance(0.2),
  });
}

function randomTarget(random: RandomSource, members: Partial<TargetData>): TargetData {
  return {
    values: random.list(2, () => random.pick(KEYS)),
    variation: random.pick([0, 1, 2, 2, 9]),
    ...members,
  };
}

function randomServe(random: RandomSource): ServeData {
  const roll = random.next();
  if (roll < 0.03) return {};
  if (roll < 0.45) return { variation: random.pick([0, 1, 1, 2, 2, 3]) };
  return { rollout: randomRollout(random) };
}

function randomRollout(random: RandomSource): RolloutData {
  const weights = random.pick([
    [50_000, 50_000],
    [1, 99_999],
    [20_000, 30_000, 50_000],
    [100_000],
    [10_000, 10_000],
    [0, 0],
    [],
  ]);
  return {
    ...(random.chance(0.8) && { kind: random.pick(['rollout', 'experiment'] as const) }),
    variations: weights.map((weight) => ({
      variation: random.pick([0, 1, 2, 2, 3]),
      weight,
      ...(random.chance(0.3) && { untracked: random.chance(0.7) }),
    })),
    ...(random.chance(0.4) && { bucketBy: random.pick(ATTRIBUTES) }),
    ...(random.chance(0.4) && { contextKind: random.pick(KINDS) }),
    ...(random.chance(0.4) && { seed: random.pick([0, 1, 61, -5, 123_456_789]) }),
  };
}

function randomClause(random: RandomSource, segments: readonly string[]): ClauseData {
  const negate = random.chance(0.25);
  const kind = random.chance(0.75) ? { contextKind: random.pick(KINDS) } : {};
  if (random.chance(0.25)) {
    const values = random.list(2, () => random.pick([...segments, 'none']));
    return { attribute: random.pick(['', 'key']), op: 'segmentMatch', values, negate, ...kind };
  }
  const op = random.pick(OPERATORS.split(' '));
  const common = ['key', 'name', 'plan', 'version', 'date', 'number', 'list', 'kind'];
  const attribute = random.pick(random.chance(0.5) ? common : ATTRIBUTES);
  return { attribute, op, values: random.list(4, () => randomWanted(random, op)), negate, ...kind };
}

function randomWanted(random: RandomSource, op: string): Json {
  if (random.chance(0.1)) return random.pick<Json>([null, true, 1, 'a', [], {}]);
  if (op.startsWith('semVer')) return random.pick(VERSIONS);
  if (op === 'before' || op === 'after') return random.pick([...DATES, ...NUMBERS]);
  if (op === 'matches') return random.pick(PATTERNS);
  if (op.includes('Than')) return random.pick(NUMBERS);
  return random.pick<Json>([...TEXTS, ...KEYS, ...KINDS, 0, 1, 2.5, true, false]);
}

/** The official evaluator never ends when a big segment leads back to itself: big ones refer to later ones alone. */
function randomSegment(random: RandomSource, index: number): SegmentData {
  const key = SEGMENTS[index]!;
  const isBig = key.startsWith('big');
  const list = () => (random.chance(0.3) ? random.list(2, () => random.pick(KEYS)) : []);
  const lists = () => random.list(1, () => ({ contextKind: random.pick(KINDS), values: list() }));
  const others = index < FIRST_BIG ? SEGMENTS : SEGMENTS.slice(index + 1);
  return newSegmentData({
    key,
    included: random.chance(0.1) ? [...list(), ''] : list(),
    excluded: list(),
    includedContexts: lists(),
    excludedContexts: lists(),
    salt: random.pick(['salt', '']),
    rules: random.list(2, (rule) => ({
      id: `rule-${rule}`,
      clauses: random.list(2, () => randomClause(random, others)),
      ...(random.chance(0.4) && { weight: random.pick([0, 30_000, 50_000, 100_000]) }),
      ...(random.chance(0.3) && { bucketBy: random.pick(ATTRIBUTES) }),
      ...(random.chance(0.3) && { rolloutContextKind: random.pick(KINDS) }),
    })),
    ...(isBig && {
      unbounded: true,
      generation: random.pick(GENERATIONS),
      ...(random.chance(0.6) && { unboundedContextKind: random.pick(KINDS) }),
    }),
  });
}

/** The JSON of a context: of one kind, of several, or a user of older SDKs. */
export function randomContext(random: RandomSource): Record<string, Json> {
  const roll = random.next();
  if (roll < 0.15) {
    const { name, ...custom } = randomPart(random);
    return {
      key: random.pick([...KEYS, '']),
      ...(typeof name === 'string' && { name }),
      ...(random.chance(0.3) && { anonymous: random.chance(0.5) }),
      custom,
    };
  }
  const part = () => ({ key: random.pick(KEYS), ...randomPart(random) });
  if (roll < 0.65) return { kind: random.pick([...KINDS, 'other']), ...part() };
  const kinds = ['user', 'org', 'device'].filter(() => random.chance(0.6));
  return {
    kind: 'multi',
    ...Object.fromEntries((kinds.length === 0 ? ['org'] : kinds).map((kind) => [kind, part()])),
  };
}

function randomPart(random: RandomSource): Record<string, Json> {
  const scalar = (): Json => random.pick<Json>([...TEXTS, ...NUMBERS, true, false, null]);
  const members: [string, () => Json][] = [
    ['name', () => random.pick(TEXTS)],
    ['anonymous', () => random.chance(0.5)],
    ['plan', scalar],
    ['version', () => random.pick(VERSIONS)],
    ['date', () => random.pick<Json>([...DATES, ...NUMBERS])],
    ['number', () => random.pick(NUMBERS)],
    [
      'list',
      () =>
        random.list(3, () => random.pick<Json>([...TEXTS, ...VERSIONS, ...DATES, ...NUMBERS, null, ['a']])),
    ],
    ['deep', () => ({ in: scalar(), 'a/b': scalar(), 't~x': scalar(), list: ['a'] })],
    ['a/b', scalar],
    ['t~x', scalar],
    ['/plan', scalar],
    ['/deep/in', scalar],
  ];
  return Object.fromEntries(
    members.filter(() => random.chance(0.6)).map(([name, create]) => [name, create()]),
  );
}

/** Who is in which generation of a big segment: some are included, some excluded, others neither. */
function isIncluded(segmentKey: string, generation: number, contextKey: string): boolean | undefined {
  const [byte = 0] = createHash('sha1').update(`${segmentKey} ${generation} ${contextKey}`).digest();
  return byte % 3 === 0 ? undefined : byte % 3 === 1;
}

/** As the official evaluator looks them up: by the hash of the key of a context, then by key and generation. */
export const BIG_SEGMENT_STORE = new Map(
  [...KEYS, ''].map((key) => [
    createHash('sha256').update(key).digest('base64'),
    Object.fromEntries(
      SEGMENTS.flatMap((segment) =>
        GENERATIONS.map(
          (generation) => [`${segment}.g${generation}`, isIncluded(segment, generation, key)] as const,
        ),
      ).filter(([, included]) => included !== undefined),
    ) as Record<string, boolean>,
  ]),
);

/** The same as our evaluation looks them up. */
export function bigSegmentsFor({ parts }: Context, segments: readonly SegmentData[]) {
  const byKey = new Map(segments.map((segment) => [segment.key, segment]));
  return (segmentKey: string): boolean | undefined => {
    const { unboundedContextKind = USER, generation = 0 } = byKey.get(segmentKey)!;
    const part = parts.get(unboundedContextKind);
    return part && isIncluded(segmentKey, generation, keyOf(part));
  };
}

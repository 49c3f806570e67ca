// Compares our evaluation with the official evaluator: the same value, variation, reason and prerequisites, except where it differs on purpose.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { init, type LDClient, type LDContext } from '@launchdarkly/node-server-sdk';
import { TestData } from '@launchdarkly/node-server-sdk/integrations';
import type { Json } from '../feature-flags/flag.ts';
import { readContext } from './context.ts';
import type { ClauseData, FlagData, SegmentData } from './data.ts';
import { newClause, newFlagData, newRun, newSegmentData } from './fixture.ts';
import {
  BIG_SEGMENT_STORE,
  bigSegmentsFor,
  randomContext,
  randomData,
  RandomSource,
  type RandomData,
} from './fixture-random.ts';
import { beginRun, type EvaluationResult } from './run.ts';

const SETS = 100;
const FLAGS = 25;
const CONTEXTS = 40;

type Given = Record<string, Json>;
type Results = Record<string, Omit<EvaluationResult, 'limits'>>;

const data = new TestData();
let client: LDClient;
before(async () => {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const store = {
    getMetadata: async () => ({ lastUpToDate: Date.now() }),
    getUserMembership: async (hash: string) => BIG_SEGMENT_STORE.get(hash),
    close() {},
  };
  client = init('sdk-key', {
    updateProcessor: data.getFactory(),
    sendEvents: false,
    logger: quiet,
    bigSegments: { store: () => store },
  });
  client.on('error', () => {});
  await client.waitForInitialization({ timeout: 60 });
});
after(() => client.close());

async function loadOfficial({ flags, segments }: RandomData): Promise<void> {
  for (const segment of segments) await data.usePreconfiguredSegment(segment);
  for (const flag of flags) await data.usePreconfiguredFlag(flag);
}

async function evaluateOfficially({ flags }: RandomData, given: Given): Promise<Results> {
  const state = await client.allFlagsState(structuredClone(given) as unknown as LDContext, {
    withReasons: true,
  });
  const { $flagsState, ...values } = state.toJSON() as Record<string, Json> & {
    $flagsState: Record<
      string,
      { variation?: number; reason: EvaluationResult['reason']; prerequisites?: string[] }
    >;
  };
  return Object.fromEntries(
    flags.map(({ key }) => {
      const { variation, reason, prerequisites = [] } = $flagsState[key]!;
      return [
        key,
        {
          value: values[key]!,
          ...(variation !== undefined && { variationIndex: variation }),
          reason,
          prerequisites,
        },
      ];
    }),
  );
}

/** Compiles the flags once for all contexts. */
function prepareHere({ flags, segments }: RandomData): (given: Given) => Results {
  const { environment } = newRun({ key: '' }, flags, segments);
  return (given) => {
    const context = readContext(given);
    const run = beginRun(context, { ...environment, bigSegmentInclusion: bigSegmentsFor(context, segments) });
    return Object.fromEntries(Array.from(environment.flags, ([key, flag]) => [key, flag.evaluate(run)]));
  };
}

/** The key of the first flag with different results. */
async function findDifference(
  set: RandomData,
  given: Given,
  evaluateHere = prepareHere(set),
): Promise<string | undefined> {
  const theirs = await evaluateOfficially(set, given);
  const ours = evaluateHere(given);
  return Object.keys(ours).find((key) => !isDeepStrictEqual(ours[key], theirs[key]));
}

/** Removes what is not needed for the difference, one thing after another. */
async function shrink(set: RandomData, given: Given): Promise<RandomData> {
  let smallest = structuredClone(set);
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const remove of removalsOf(smallest)) {
      const candidate = structuredClone(smallest);
      remove(candidate);
      await loadOfficial(candidate);
      if ((await findDifference(candidate, given)) === undefined) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  await loadOfficial(smallest);
  return smallest;
}

/** Each removes one element of a list, at any depth. */
function removalsOf(set: RandomData): ((candidate: RandomData) => void)[] {
  const paths: (string | number)[][] = [];
  const walk = (value: unknown, path: (string | number)[]): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      const at = [...path, Array.isArray(value) ? Number(name) : name];
      if (Array.isArray(value) && path.at(-1) !== 'variations') paths.push(at);
      walk(inner, at);
    }
  };
  walk(set, []);
  // Whole flags and segments stay, because those that were loaded before would take their place.
  return paths
    .filter((path) => path.length > 2)
    .map((path) => (candidate) => {
      const list = path
        .slice(0, -1)
        .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], candidate);
      (list as unknown[]).splice(Number(path.at(-1)), 1);
    });
}

test(`${SETS * FLAGS * CONTEXTS} random flags and contexts come to the same as in the official evaluator`, async () => {
  const seed = Number(process.env['SEED'] ?? randomInt(2 ** 32));
  const random = new RandomSource(seed);
  for (let number = 0; number < SETS; number += 1) {
    const set = randomData(random, FLAGS);
    await loadOfficial(set);
    const evaluateHere = prepareHere(set);
    const contexts = Array.from({ length: CONTEXTS }, () => randomContext(random));
    for (const given of contexts) {
      if ((await findDifference(set, given, evaluateHere)) === undefined) continue;
      const smallest = await shrink(set, given);
      const different = (await findDifference(smallest, given))!;
      const flag = smallest.flags.find((one) => one.key === different);
      assert.deepEqual(
        prepareHere(smallest)(given)[different],
        (await evaluateOfficially(smallest, given))[different],
        `SEED=${seed} ${JSON.stringify({ given, flag, segments: smallest.segments.filter(({ rules }) => rules.length > 0) })}`,
      );
    }
  }
});

interface OfficialDifference {
  what: string;
  why: string;
  /** An example; absent where the official evaluator never ends. */
  example?: { flags: FlagData[]; segments: SegmentData[]; context: Record<string, Json> };
}

const SPECIFIED = 'This is how references are specified, and how SDKs for other languages read them.';

/** The cases in which it differs on purpose, and why. */
const DIFFERENCES: OfficialDifference[] = [
  {
    what: 'a reference that ends with a slash is invalid',
    why: `${SPECIFIED} In the middle, an empty part is invalid in all of them.`,
    example: exampleOf({ attribute: '/deep/' }, { deep: { '': 'x' } }),
  },
  {
    what: 'an escape that begins a part of a reference is an escape',
    why: `${SPECIFIED} The official evaluator leaves it as it is.`,
    example: exampleOf({ attribute: '/~0a' }, { '~a': 'x' }),
  },
  {
    what: 'a tilde before a caret or a bar is invalid',
    why: `${SPECIFIED} The official evaluator lists these two characters by mistake.`,
    example: exampleOf({ attribute: '/a~^' }, { 'a~^': 'x' }),
  },
  {
    what: 'a plain name may contain two slashes, or end with a tilde',
    why: `${SPECIFIED} Only a reference that begins with a slash has parts and escapes.`,
    example: exampleOf({ attribute: 'a//b' }, { 'a//b': 'x' }),
  },
  {
    what: '_meta is an attribute that no context has',
    why: 'Private data of SDKs cannot be read, but a rule that tries does not break the flag for everyone.',
    example: exampleOf({ attribute: '_meta' }, {}),
  },
  {
    what: 'no operator has the name of a member of all objects',
    why: 'The official evaluator takes such a name for an operator that always holds.',
    example: exampleOf({ attribute: 'key', op: 'toString' }, {}),
  },
  {
    what: 'a big segment that has no generation yet is asked, and not taken for missing',
    why: 'The server itself knows the members; SDKs find them in a store that others fill.',
    example: {
      flags: [newFlagData({ rules: [ruleOf({ attribute: '', op: 'segmentMatch', values: ['segment'] })] })],
      segments: [newSegmentData({ unbounded: true })],
      context: { kind: 'user', key: 'a' },
    },
  },
  {
    what: 'a big segment that leads back to itself is malformed, like any other segment',
    why: 'The official evaluator forgets the way at a big segment, and goes round for ever.',
  },
  {
    what: 'a comparison that exceeds a limit does not match',
    why: 'Patterns, texts and chains of references are bounded, because nobody may hold up the server (ADR 0023).',
    example: exampleOf({ attribute: 'key', op: 'matches', values: [`a|${'b'.repeat(5000)}`] }, {}),
  },
];

function ruleOf(members: Partial<ClauseData>) {
  return { id: 'r', clauses: [newClause({ values: ['x'], ...members })], variation: 1, trackEvents: false };
}

function exampleOf(clause: Partial<ClauseData>, attributes: Record<string, Json>) {
  return {
    flags: [newFlagData({ rules: [ruleOf(clause)] })],
    segments: [],
    context: { kind: 'user', key: 'a', ...attributes },
  };
}

for (const { what, example } of DIFFERENCES) {
  if (example === undefined) continue;
  test(`different on purpose: ${what}`, async () => {
    await loadOfficial(example);
    assert.notEqual(await findDifference(example, example.context), undefined);
  });
}

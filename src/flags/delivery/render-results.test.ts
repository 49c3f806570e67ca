// Results as JSON text: the fields of each flag, and what each audience sees.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newClause, newFlagData, newRun } from '../evaluation/fixture.ts';
import type { FlagData } from '../evaluation/data.ts';
import { randomContext, randomData, RandomSource } from '../evaluation/fixture-random.ts';
import type { EvaluationResult, EvaluationRun } from '../evaluation/run.ts';
import { canSee } from './keys.ts';
import { renderResult, renderResults, type EvaluationOptions } from './render-results.ts';

const BOTH = { usingEnvironmentId: true, usingMobileKey: true };
const user = { kind: 'user', key: 'u' };
const forBrowsers: EvaluationOptions = { audience: 'usingEnvironmentId', withReasons: false };

const shown = (members: Partial<FlagData>) => newFlagData({ clientSideAvailability: BOTH, ...members });

async function resultsOf(flags: FlagData[], options: Partial<EvaluationOptions> = {}, given: unknown = user) {
  const { json } = await renderResults(runAtVersion(7, given, flags), { ...forBrowsers, ...options });
  return JSON.parse(json) as Record<string, unknown>;
}

function runAtVersion(version: number, given: unknown, flags: FlagData[]): EvaluationRun {
  const run = newRun(given, flags);
  for (const flag of run.environment.flags.values()) flag.resultVersion = version;
  return run;
}

describe('the result of a flag', () => {
  test('has its value, variation, versions and whether events are sent', async () => {
    assert.deepEqual(await resultsOf([shown({ version: 3, trackEvents: true })]), {
      flag: { value: 'a', variation: 0, version: 7, flagVersion: 3, trackEvents: true },
    });
  });

  test('has no variation when none is served', async () => {
    assert.deepEqual(await resultsOf([shown({ on: false, offVariation: null })], { withReasons: true }), {
      flag: { value: null, version: 7, flagVersion: 1, trackEvents: false, reason: { kind: 'OFF' } },
    });
  });

  test('has the reason where it is asked for, or where the event must have it', async () => {
    const rule = { id: 'r', clauses: [newClause({ values: ['u'] })], variation: 1, trackEvents: true };
    const flags = [
      shown({ key: 'by-rule', rules: [rule] }),
      shown({ key: 'other', trackEventsFallthrough: true }),
    ];
    const reason = { kind: 'RULE_MATCH', ruleIndex: 0, ruleId: 'r' };
    const tracked = { version: 7, flagVersion: 1, trackEvents: true, trackReason: true };
    assert.deepEqual(await resultsOf(flags), {
      'by-rule': { value: 'b', variation: 1, ...tracked, reason },
      other: { value: 'a', variation: 0, ...tracked, reason: { kind: 'FALLTHROUGH' } },
    });
  });

  test('has the end of debugging', async () => {
    const { flag } = await resultsOf([shown({ debugEventsUntilDate: 1_800_000_000_000 })]);
    assert.equal((flag as Record<string, unknown>)['debugEventsUntilDate'], 1_800_000_000_000);
  });

  test('alone has its key, too', () => {
    const flags = [shown({ key: 'a"key', variations: [{ '"key"': ',"version":1' }] })];
    const options = { ...forBrowsers, withReasons: true };
    const result = renderResult(runAtVersion(7, user, flags), 'a"key', options)!;
    assert.equal(result.version, 7);
    assert.deepEqual(JSON.parse(result.withKey), {
      key: 'a"key',
      value: { '"key"': ',"version":1' },
      variation: 0,
      version: 7,
      flagVersion: 1,
      trackEvents: false,
      reason: { kind: 'FALLTHROUGH' },
    });
  });
});

describe('an audience', () => {
  const only = (audience: string) => ({
    usingEnvironmentId: audience === 'usingEnvironmentId',
    usingMobileKey: audience === 'usingMobileKey',
  });
  const needs = (...keys: string[]) => ({ prerequisites: keys.map((key) => ({ key, variation: 0 })) });

  test('sees its own flags alone', async () => {
    const flags = [
      shown({ key: 'both' }),
      shown({ key: 'browsers', clientSideAvailability: only('usingEnvironmentId') }),
      shown({ key: 'mobile', clientSideAvailability: only('usingMobileKey') }),
      newFlagData({ key: 'none' }),
    ];
    assert.deepEqual(Object.keys(await resultsOf(flags)), ['both', 'browsers']);
    assert.deepEqual(Object.keys(await resultsOf(flags, { audience: 'usingMobileKey' })), ['both', 'mobile']);
    assert.equal(Object.keys(await resultsOf(flags, { audience: 'server' })).length, flags.length);
    assert.deepEqual(await resultsOf([newFlagData()]), {});
    for (const key of ['mobile', 'none', 'unknown'])
      assert.equal(renderResult(newRun(user, flags), key, forBrowsers), undefined);
  });

  test('learns of no prerequisite that it may not see', async () => {
    const flags = [
      shown({ key: 'flag', ...needs('hidden', 'seen') }),
      newFlagData({ key: 'hidden' }),
      shown({ key: 'other', ...needs('hidden') }),
      shown({ key: 'seen' }),
    ];
    const results = await resultsOf(flags);
    const listed = Object.entries(results).map(([key, result]) => [
      key,
      (result as Record<string, unknown>)['prerequisites'],
    ]);
    assert.deepEqual(listed, [
      ['flag', ['seen']],
      ['other', undefined],
      ['seen', undefined],
    ]);
    const mobile = flags.map((flag) => ({ ...flag, clientSideAvailability: BOTH }));
    const { flag } = await resultsOf(mobile, { audience: 'usingMobileKey' });
    assert.deepEqual((flag as Record<string, unknown>)['prerequisites'], ['hidden', 'seen']);
  });
});

/** The same results by the rules of the fields, without any prepared text. */
function expectedOf(
  run: EvaluationRun,
  flag: FlagData,
  result: EvaluationResult,
  options: EvaluationOptions,
) {
  const { value, variationIndex, reason, prerequisites } = result;
  const isTracked =
    ('inExperiment' in reason && reason.inExperiment) ||
    (reason.kind === 'FALLTHROUGH' && flag.trackEventsFallthrough) ||
    (reason.kind === 'RULE_MATCH' && flag.rules[reason.ruleIndex]!.trackEvents);
  const isSeen = (key: string) => {
    const other = run.environment.flags.get(key);
    return options.audience === 'server' || (other !== undefined && canSee(options.audience, other.data));
  };
  const seen = prerequisites.filter(isSeen);
  const { prerequisiteKey, ...others } = { prerequisiteKey: undefined, ...reason };
  const shownReason = prerequisiteKey === undefined || isSeen(prerequisiteKey) ? reason : others;
  return {
    value,
    ...(variationIndex !== undefined && { variation: variationIndex }),
    version: run.environment.flags.get(flag.key)!.resultVersion,
    flagVersion: flag.version,
    trackEvents: flag.trackEvents || isTracked,
    ...(isTracked && { trackReason: true }),
    ...((options.withReasons || isTracked) && { reason: shownReason }),
    ...(seen.length > 0 && { prerequisites: seen }),
  };
}

test('flags of every shape have the same results as text, all at once and one by one', async () => {
  const random = new RandomSource(1);
  for (let round = 0; round < 20; round += 1) {
    const { flags, segments } = randomData(random, 20);
    for (const flag of flags) {
      flag.clientSideAvailability = {
        usingEnvironmentId: random.chance(0.7),
        usingMobileKey: random.chance(0.7),
      };
    }
    const { environment } = newRun(user, flags, segments);
    for (let turn = 1; turn <= 20; turn += 1) {
      for (const flag of environment.flags.values()) flag.resultVersion = random.below(3);
      const audience = random.pick(['usingEnvironmentId', 'usingMobileKey', 'server'] as const);
      const options = { audience, withReasons: random.chance(0.5) };
      const run = { ...newRun(randomContext(random), []), environment };
      const seen = flags.filter((flag) => canSee(audience, flag));
      const expected = seen.map((flag) => [
        flag.key,
        expectedOf(run, flag, environment.flags.get(flag.key)!.evaluate(run), options),
      ]);
      const { json } = await renderResults(run, options);
      assert.deepEqual(Object.entries(JSON.parse(json) as object), JSON.parse(JSON.stringify(expected)));
      for (const [key, result] of expected as [string, object][]) {
        const alone = JSON.parse(renderResult(run, key, options)!.withKey) as unknown;
        assert.deepEqual(alone, JSON.parse(JSON.stringify({ key, ...result })));
        const { version: _, ...others } = result as { version: number };
        const object = JSON.parse(renderResult(run, key, options)!.object) as unknown;
        assert.deepEqual(object, JSON.parse(JSON.stringify(others)));
      }
    }
  }
});

test('a result is like another where only the version of the flag differs', () => {
  const needed = shown({ key: 'needed' });
  const flag = shown({ prerequisites: [{ key: 'needed', variation: 0 }] });
  const resultOf = (flags: FlagData[]) =>
    renderResult(newRun(user, flags), 'flag', { audience: 'usingEnvironmentId', withReasons: false })!;
  const result = resultOf([flag, needed]);
  assert.equal(result.isLike(resultOf([{ ...flag, version: 9 }, needed])), true);
  assert.equal(result.isLike(resultOf([{ ...flag, on: false }, needed])), false);
  assert.equal(result.isLike(resultOf([{ ...flag, trackEvents: !flag.trackEvents }, needed])), false);
  const hidden = { ...needed, clientSideAvailability: { usingEnvironmentId: false, usingMobileKey: false } };
  assert.equal(result.isLike(resultOf([flag, hidden])), false);
});

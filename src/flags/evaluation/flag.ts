// Compiles flags, and evaluates them: the variation for a context, and the reason.
import { compileClauses } from './clause.ts';
import { keyOf, USER } from './context.ts';
import type { FlagData, TargetData } from './data.ts';
import {
  afterBigSegments,
  newMalformed,
  newOffOutcome,
  newVariationOutcome,
  type PreparedOutcome,
} from './outcome.ts';
import {
  beginShare,
  beginValue,
  endShare,
  extendTrail,
  LIMITS,
  Notice,
  partOf,
  recall,
  remember,
  type CompiledFlag,
  type CompiledPrerequisite,
  type CompiledTarget,
  type EvaluationResult,
  type EvaluationRun,
  type Patterns,
  type Reason,
  type Trail,
} from './run.ts';
import { chooseServed, compileServe } from './serve.ts';

/** Shared by all flags that have none of something: less memory to go through in an evaluation. */
const NONE: readonly never[] = [];

/** Prepares once what does not depend on the context. */
export function compileFlag(data: FlagData, patterns?: Patterns): CompiledFlag {
  const needed = orNone(data.prerequisites.map(({ key }) => key));
  // What every evaluation reads comes first, so that it lies close together in memory.
  const compiled: CompiledFlag = {
    isOn: data.on,
    prerequisites: orNone(data.prerequisites.map(toPrerequisite)),
    targets: orNone(compileTargets(data, needed)),
    rules: orNone(
      data.rules.map((rule, ruleIndex) => ({
        matches: compileClauses(rule.clauses, patterns),
        serve: compileServe(rule, data, { kind: 'RULE_MATCH', ruleIndex, ruleId: rule.id }, needed),
      })),
    ),
    fallthrough: compileServe(data.fallthrough, data, { kind: 'FALLTHROUGH' }, needed),
    server: true,
    usingMobileKey: data.clientSideAvailability.usingMobileKey,
    usingEnvironmentId: data.clientSideAvailability.usingEnvironmentId,
    off: newOffOutcome(data, { kind: 'OFF' }, NONE),
    malformed: newMalformed(needed),
    evaluate: (run) => evaluateFlag(compiled, run),
    resultVersion: 0,
    heads: [],
    data,
    patterns,
  };
  return compiled;
}

function orNone<Item>(items: Item[]): readonly Item[] {
  return items.length === 0 ? NONE : items;
}

function toPrerequisite({ key, variation }: FlagData['prerequisites'][number]): CompiledPrerequisite {
  return { key, variation, whenMissing: undefined, whenFailed: undefined, whenMalformed: undefined };
}

function evaluateFlag(flag: CompiledFlag, run: EvaluationRun): EvaluationResult {
  const { result } = chooseOutcome(flag, run);
  const limits = run.notices & LIMITS;
  return limits === 0 ? result : { ...result, limits };
}

/** The same without the limits that were exceeded, which are in the notices of the run. */
export function chooseOutcome(flag: CompiledFlag, run: EvaluationRun): PreparedOutcome {
  const share = beginShare(run);
  const outcome = decide(flag, run, undefined);
  endShare(run, share);
  return (run.notices & Notice.bigSegment) === 0 ? outcome : afterBigSegments(outcome);
}

/** The trail leads to a prerequisite of another flag. */
function decide(flag: CompiledFlag, run: EvaluationRun, trail: Trail | undefined): PreparedOutcome {
  if (!flag.isOn) return flag.off;
  const { prerequisites, targets, rules } = flag;
  if (prerequisites.length > 0) {
    const failed = findFailure(flag, run, trail);
    if (failed !== undefined) return failed;
  }
  for (let index = 0; index < targets.length; index += 1) {
    const { contextKind, keys, outcome } = targets[index]!;
    const part = partOf(run, contextKind);
    if (part !== undefined && keys.has(keyOf(part))) return outcome;
  }
  for (let index = 0; index < rules.length; index += 1) {
    const rule = rules[index]!;
    if (rule.matches(run)) return run.isMalformed ? flag.malformed : chooseServed(rule.serve, run);
  }
  return chooseServed(flag.fallthrough, run);
}

/**
 * The outcome when a prerequisite fails or is malformed. A prerequisite that is off fails, whatever it serves. As in
 * SDKs, one that leads back makes the flag malformed, unless another fails after it.
 */
function findFailure(
  flag: CompiledFlag,
  run: EvaluationRun,
  trail: Trail | undefined,
): PreparedOutcome | undefined {
  const { data, prerequisites } = flag;
  let found: PreparedOutcome | undefined;
  for (let index = 0; index < prerequisites.length; index += 1) {
    const needed = prerequisites[index]!;
    const outcome = decidePrerequisite(run, needed.key, trail);
    if (outcome === 'missing')
      return (needed.whenMissing ??= newOffOutcome(data, failureOf(needed), keysUpTo(flag, index)));
    if (outcome === 'cycle') {
      found = needed.whenMalformed ??= newMalformed(keysUpTo(flag, index + 1));
      continue;
    }
    const { reason, variationIndex } = outcome.result;
    if (reason.kind === 'ERROR') return (needed.whenMalformed ??= newMalformed(keysUpTo(flag, index + 1)));
    if (reason.kind === 'OFF' || variationIndex !== needed.variation)
      return (needed.whenFailed ??= newOffOutcome(data, failureOf(needed), keysUpTo(flag, index + 1)));
  }
  return found;
}

function failureOf({ key }: CompiledPrerequisite): Reason {
  return { kind: 'PREREQUISITE_FAILED', prerequisiteKey: key };
}

function keysUpTo({ prerequisites }: CompiledFlag, end: number): string[] {
  return prerequisites.slice(0, end).map(({ key }) => key);
}

function decidePrerequisite(
  run: EvaluationRun,
  key: string,
  trail: Trail | undefined,
): PreparedOutcome | 'missing' | 'cycle' {
  const known = recall(run, run.prerequisites, key);
  if (known !== undefined) return known;
  const flag = run.environment.flags.get(key);
  const step = extendTrail(run, key, trail);
  if (step === undefined) return 'cycle';
  if (flag === undefined) return 'missing';
  const before = beginValue(run);
  return remember(run, run.prerequisites, key, decide(flag, run, step), before);
}

/**
 * `contextTargets` gives the order. A list of users in it only marks the turn of the list with the same variation in
 * `targets`; without any `contextTargets`, the lists of users are used alone.
 */
function compileTargets(data: FlagData, prerequisites: readonly string[]): CompiledTarget[] {
  const { targets, contextTargets } = data;
  const ordered =
    contextTargets.length === 0
      ? targets
      : contextTargets.flatMap((target) => (isOfUsers(target) ? usersOf(targets, target) : [target]));
  return ordered
    .filter(({ values }) => values.length > 0)
    .map(({ contextKind = USER, values, variation }) => ({
      contextKind,
      keys: new Set(values),
      outcome: newVariationOutcome(data, variation, { kind: 'TARGET_MATCH' }, prerequisites),
    }));
}

function isOfUsers({ contextKind = '' }: TargetData): boolean {
  return contextKind === '' || contextKind === USER;
}

function usersOf(targets: readonly TargetData[], { variation }: TargetData): TargetData[] {
  const list = targets.find((target) => target.variation === variation);
  return list === undefined ? [] : [list];
}

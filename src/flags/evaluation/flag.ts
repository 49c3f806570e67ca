// Compiles flags, and evaluates them: the variation for a context, and the reason.
import { compileClauses, matchesAll } from './clause.ts';
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
  type Before,
  type CompiledFlag,
  type CompiledPrerequisite,
  type CompiledTarget,
  type CompiledTargets,
  type EvaluationResult,
  type EvaluationRun,
  type Patterns,
  type Reason,
  type Trail,
} from './run.ts';
import { chooseServed, compileServe } from './serve.ts';
import type { TracedPrerequisite } from './trace.ts';

/** Shared by all flags that have none of something: less memory to go through in an evaluation. */
const NONE: readonly never[] = [];

/** Prepares once what does not depend on the context. */
export function compileFlag(data: FlagData, patterns?: Patterns): CompiledFlag {
  const needed = orNone(data.prerequisites.map(({ key }) => key));
  // What every evaluation reads comes first, so that it lies close together in memory.
  const compiled: CompiledFlag = {
    isOn: data.on,
    value: undefined,
    runId: 0,
    notices: 0,
    prerequisites: orNone(data.prerequisites.map(toPrerequisite)),
    targets: orNone(compileTargets(data, needed)),
    rules: orNone(
      data.rules.map((rule, ruleIndex) => ({
        clauses: compileClauses(rule.clauses, patterns),
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
  const outcome = recallWhole(flag, run) ?? remember(run, flag, decide(flag, run, undefined), NO_NOTICES);
  endShare(run, share);
  return (run.notices & Notice.bigSegment) === 0 ? outcome : afterBigSegments(outcome);
}

const NO_NOTICES: Before = { notices: 0, cycles: 0 };

/** An outcome as a prerequisite, unless it exceeded a limit: the flag has steps of its own. */
function recallWhole(flag: CompiledFlag, run: EvaluationRun): PreparedOutcome | undefined {
  return (flag.notices & LIMITS) === 0 ? recall(run, flag) : undefined;
}

/** The trail leads to a prerequisite of another flag. */
function decide(flag: CompiledFlag, run: EvaluationRun, trail: Trail | undefined): PreparedOutcome {
  const { trace } = run;
  if (!flag.isOn) {
    trace?.noteOff();
    return flag.off;
  }
  const { prerequisites, targets, rules } = flag;
  if (prerequisites.length > 0) {
    const failed = findFailure(flag, run, trail);
    if (failed !== undefined) return failed;
  }
  if (targets.length > 0) {
    const target = findTarget(targets, run);
    trace?.noteTargets(target !== undefined);
    if (target !== undefined) return target.outcome;
  }
  for (let index = 0; index < rules.length; index += 1) {
    const rule = rules[index]!;
    trace?.beginRule(flag.data.rules[index]!, index);
    if (matchesAll(rule.clauses, run)) {
      const outcome = run.isMalformed ? flag.malformed : chooseServed(rule.serve, run);
      trace?.endRule(true);
      return outcome;
    }
    trace?.endRule(false);
  }
  trace?.beginDefault();
  return chooseServed(flag.fallthrough, run);
}

function findTarget(targets: readonly CompiledTargets[], run: EvaluationRun): CompiledTarget | undefined {
  let found: CompiledTarget | undefined;
  for (let index = 0; index < targets.length; index += 1) {
    const { contextKind, byKey } = targets[index]!;
    const part = partOf(run, contextKind);
    const target = part === undefined ? undefined : byKey.get(keyOf(part));
    if (target !== undefined && (found === undefined || target.order < found.order)) found = target;
  }
  return found;
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
    run.trace?.beginPrerequisite();
    const outcome = decidePrerequisite(run, needed.key, trail);
    run.trace?.endPrerequisite(tracedOf(needed, outcome));
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

function tracedOf(
  { key, variation }: CompiledPrerequisite,
  outcome: PreparedOutcome | 'missing' | 'cycle',
): Omit<TracedPrerequisite, 'steps'> {
  if (typeof outcome === 'string') return { key, variation, result: outcome, isMet: false };
  const { result } = outcome;
  const isMet = result.reason.kind !== 'OFF' && result.variationIndex === variation;
  return { key, variation, result, isMet };
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
  const flag = run.environment.flags.get(key);
  const known = flag && recall(run, flag);
  if (known !== undefined) return known;
  const step = extendTrail(run, key, trail);
  if (step === undefined) return 'cycle';
  if (flag === undefined) return 'missing';
  const before = beginValue(run);
  return remember(run, flag, decide(flag, run, step), before);
}

/**
 * `contextTargets` gives the order. A list of users in it only marks the turn of the list with the same variation in
 * `targets`; without any `contextTargets`, the lists of users are used alone.
 */
function compileTargets(data: FlagData, prerequisites: readonly string[]): CompiledTargets[] {
  const { targets, contextTargets } = data;
  const ordered =
    contextTargets.length === 0
      ? targets
      : contextTargets.flatMap((target) => (isOfUsers(target) ? usersOf(targets, target) : [target]));
  const kinds = new Map<string, Map<string, CompiledTarget>>();
  for (const [order, { contextKind = USER, values, variation }] of ordered.entries()) {
    if (values.length === 0) continue;
    const outcome = newVariationOutcome(data, variation, { kind: 'TARGET_MATCH' }, prerequisites);
    const target: CompiledTarget = { order, outcome };
    const byKey = kinds.get(contextKind) ?? new Map<string, CompiledTarget>();
    kinds.set(contextKind, byKey);
    for (const key of values) if (!byKey.has(key)) byKey.set(key, target);
  }
  return Array.from(kinds, ([contextKind, byKey]) => ({ contextKind, byKey }));
}

function isOfUsers({ contextKind = '' }: TargetData): boolean {
  return contextKind === '' || contextKind === USER;
}

function usersOf(targets: readonly TargetData[], { variation }: TargetData): TargetData[] {
  const list = targets.find((target) => target.variation === variation);
  return list === undefined ? [] : [list];
}

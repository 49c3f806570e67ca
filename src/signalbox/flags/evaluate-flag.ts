// Evaluates a flag for contexts as it is saved, and as a draft would make it, with the one evaluator that SDK endpoints use.
import { loadBigSegments } from '../../flags/delivery/evaluate-all.ts';
import type { Feed } from '../../flags/delivery/feed/feed.ts';
import { toFlagData } from '../../flags/delivery/feed/sdk-data.ts';
import { matchesAll } from '../../flags/evaluation/clause.ts';
import type { Context } from '../../flags/evaluation/context.ts';
import type { RuleData } from '../../flags/evaluation/data.ts';
import { withChanges, type CompiledEnvironment } from '../../flags/evaluation/environment.ts';
import {
  beginRun,
  beginShare,
  warningsOf,
  type CompiledFlag,
  type EvaluationEnvironment,
} from '../../flags/evaluation/run.ts';
import { EvaluationTrace, type TraceStep } from '../../flags/evaluation/trace.ts';
import type { Flag } from '../../flags/feature-flags/flag.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { describeNeed, quoteJson } from './clause-words.ts';
import { MAX_DETAILED, type ShownEvaluation } from './evaluate-model.ts';
import { explainResult, explainSteps, type Explained } from './explain.ts';

/** The states of one flag in one environment, and the contexts to evaluate them for. */
interface FlagStates {
  environmentKey: string;
  saved: Flag;
  draft: Flag | undefined;
  contexts: readonly Context[];
}

interface EvaluatedContext {
  saved: ShownEvaluation;
  draft?: ShownEvaluation;
  isDifferent?: boolean;
}

/** Of each flag and segment, where many contexts are asked for. */
const FEW_RULES = 5;

/** Other calls get their turn between two evaluations, each of which has a limited number of steps. */
export async function evaluateForContexts(
  db: Db,
  feed: Feed,
  { environmentKey, saved, draft, contexts }: FlagStates,
): Promise<EvaluatedContext[]> {
  const { compiled } = feed;
  // The feed has no archived flags, and on another node it may be a moment behind.
  const isInFeed = compiled.flags.get(saved.key)?.data.version === saved.version;
  const present = isInFeed ? compiled : await overlay(compiled, saved, environmentKey);
  const wanted = draft && (await overlay(compiled, draft, environmentKey));
  const maxMissed = contexts.length > MAX_DETAILED ? FEW_RULES : undefined;
  const slice = new TimeSlice();
  const evaluated: EvaluatedContext[] = [];
  for (const context of contexts) {
    const loaded = await loadBigSegments(db, feed, context, present);
    const { bigSegmentInclusion } = loaded;
    const evaluate = (flag: Flag, environment: EvaluationEnvironment) =>
      explainEvaluation(environment, flag, environmentKey, context, maxMissed);
    const now = evaluate(saved, loaded);
    if (slice.isOver) await slice.yieldToEventLoop();
    const then = draft && evaluate(draft, { ...wanted!, bigSegmentInclusion });
    if (slice.isOver) await slice.yieldToEventLoop();
    evaluated.push({
      saved: now,
      ...(then && { draft: then, isDifferent: JSON.stringify(now.value) !== JSON.stringify(then.value) }),
    });
  }
  return evaluated;
}

/** The environment with this state of the flag. */
async function overlay(
  compiled: CompiledEnvironment,
  flag: Flag,
  environmentKey: string,
): Promise<CompiledEnvironment> {
  return await withChanges(compiled, { flags: [toFlagData(flag, flag.environments[environmentKey]!)] });
}

function explainEvaluation(
  environment: EvaluationEnvironment,
  flag: Flag,
  environmentKey: string,
  context: Context,
  maxMissed: number | undefined,
): ShownEvaluation {
  const { rules } = flag.environments[environmentKey]!;
  const variations = flag.variations.map((variation) => variation.value);
  const explained = { rules, variations, context, environment };
  const compiled = environment.flags.get(flag.key)!;
  const trace = new EvaluationTrace(maxMissed);
  const result = compiled.evaluate(beginRun(context, environment, trace));
  const { value, variationIndex, reason, limits = 0 } = result;
  const wouldNeed = findNeeds(compiled, trace.steps, explained);
  return {
    value,
    ...(variationIndex !== undefined && { variationIndex }),
    reason: { ...reason },
    sentence: explainResult(result, explained),
    trace: explainSteps(trace.steps, explained),
    ...(wouldNeed.length > 0 && { wouldNeed }),
    ...(limits !== 0 && { warnings: warningsOf(limits) }),
  };
}

/** What would have to be different for the first thing that was missed. Each clause of that rule is looked at alone. */
function findNeeds({ rules }: CompiledFlag, steps: readonly TraceStep[], explained: Explained): string[] {
  const { context, environment } = explained;
  if (steps[0]?.kind === 'off') return ['The flag would have to be on.'];
  const failed = steps.find((step) => step.kind === 'prerequisite' && !step.isMet);
  if (failed?.kind === 'prerequisite')
    return [
      `The prerequisite ${failed.key} would have to be on and serve its variation ${failed.variation + 1}.`,
    ];
  const missed = steps.find((step) => step.kind === 'rule' && !step.isMatch);
  if (missed?.kind !== 'rule') return [];
  const { index, rule } = missed;
  const run = beginRun(context, environment);
  beginShare(run);
  const needs = rule.clauses.flatMap((clause, at) =>
    matchesAll([rules[index]!.clauses[at]!], run) ? [] : [describeNeed(clause, context)],
  );
  return needs.length === 0
    ? []
    : [`${describeRule(rule as RuleData, index, explained)} to match:`, ...needs];
}

/** `For rule 2, which serves "blue",` */
function describeRule({ id, variation }: RuleData, index: number, { rules, variations }: Explained): string {
  const position = rules.findIndex(({ _id }) => _id === id);
  const value = variation === undefined ? undefined : variations[variation];
  const served = value === undefined ? '' : `, which serves ${quoteJson(value)},`;
  return `For rule ${(position < 0 ? index : position) + 1}${served}`;
}

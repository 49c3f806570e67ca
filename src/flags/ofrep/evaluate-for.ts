// Evaluates flags for the holder of a key: one as an object, or all as JSON from texts that each outcome has ready.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { AUDIENCES, type Audience } from '../delivery/audience.ts';
import { evaluateAll, joinTexts } from '../delivery/evaluate-all.ts';
import type { OpenedFeed } from '../delivery/keys.ts';
import { namesHiddenFlag } from '../delivery/results.ts';
import { chooseOutcome } from '../evaluation/flag.ts';
import type { PreparedOutcome } from '../evaluation/outcome.ts';
import { LIMITS, type CompiledFlag, type EvaluationRun } from '../evaluation/run.ts';
import { warningsOf } from '../evaluation/warnings.ts';
import type { PreparedEvaluation } from './begin-evaluation.ts';
import { toFlagOutcome, type FlagOutcome } from './model.ts';

/** Flags per log line. */
const MAX_LOGGED = 10;

/** Undefined where the key may not see the flag. */
export function evaluateOne(
  call: Pick<Call, 'id'>,
  kernel: Kernel,
  { feed, kind }: OpenedFeed,
  { run }: PreparedEvaluation,
  key: string,
): FlagOutcome | undefined {
  const audience = AUDIENCES[kind];
  const flag = run.environment.flags.get(key);
  if (!flag?.[audience]) return undefined;
  const { result } = chooseOutcome(flag, run);
  const limits = run.notices & LIMITS;
  if (limits !== 0) logLimits(call, kernel, feed, [key], limits);
  return toFlagOutcome(flag.data, result, namesHiddenFlag(result.reason, run, audience));
}

/** All flags that the key may see as JSON, between the beginning and the end of a text. */
export async function evaluateAllFor(
  call: Pick<Call, 'id'>,
  kernel: Kernel,
  { feed, kind }: OpenedFeed,
  { run }: PreparedEvaluation,
  around: { before: string; after: string },
): Promise<string> {
  const audience = AUDIENCES[kind];
  const { texts, limited, limits } = await evaluateAll(run, audience, (flag, outcome) =>
    jsonOf(flag, outcome, run, audience),
  );
  if (limited.length > 0) logLimits(call, kernel, feed, limited, limits);
  return joinTexts(around.before, texts, around.after);
}

function jsonOf(
  { data }: CompiledFlag,
  outcome: PreparedOutcome,
  run: EvaluationRun,
  audience: Audience,
): string {
  const { result } = outcome;
  return namesHiddenFlag(result.reason, run, audience)
    ? (outcome.openFeatureJsonWithHiddenReason ??= JSON.stringify(toFlagOutcome(data, result, true)))
    : (outcome.openFeatureJson ??= JSON.stringify(toFlagOutcome(data, result, false)));
}

function logLimits(
  { id }: Pick<Call, 'id'>,
  { log }: Kernel,
  { environment }: OpenedFeed['feed'],
  flags: readonly string[],
  limits: number,
): void {
  const fields = { call: id, environment: environment.key, flags: flags.slice(0, MAX_LOGGED) };
  log.debug(fields, warningsOf(limits).join(' '));
}

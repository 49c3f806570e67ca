// Evaluates flags for the holder of a key: one as an object, or all as JSON from texts that each outcome has ready.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { AUDIENCES, type Audience } from '../delivery/key-kinds.ts';
import { evaluateAll, joinTexts, loadBigSegments } from '../delivery/evaluate-all.ts';
import type { OpenedFeed } from '../delivery/keys.ts';
import { namesHiddenFlag } from '../delivery/render-results.ts';
import { chooseOutcome } from '../evaluation/flag.ts';
import type { PreparedOutcome } from '../evaluation/outcome.ts';
import { LIMITS, type CompiledFlag, type EvaluationRun, warningsOf, beginRun } from '../evaluation/run.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Feed } from '../delivery/feed/feed.ts';
import type { Context } from '../evaluation/context.ts';
import { toFlagOutcome, type FlagOutcome } from './model.ts';

export interface PreparedEvaluation {
  /** Of the environment's flags and segments. */
  revision: number;
  /** Membership of the context in big segments, which can change within a revision, while a file is imported. */
  memberships: readonly (boolean | undefined)[];
  run: EvaluationRun;
}

export async function beginEvaluation(db: Db, feed: Feed, context: Context): Promise<PreparedEvaluation> {
  // The feed may advance while memberships are read.
  const { revision } = feed;
  const bigSegments = [...feed.bigSegments.keys()];
  const loaded = await loadBigSegments(db, feed, context);
  return {
    revision,
    memberships: bigSegments.map((key) => loaded.bigSegmentInclusion(key)),
    run: beginRun(context, loaded),
  };
}

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

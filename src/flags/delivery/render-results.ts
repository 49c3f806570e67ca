// Renders the results of flags as JSON text, from texts that are prepared once for each outcome.
import { TimeSlice } from '../../kernel/time-slice.ts';
import type { FlagData } from '../evaluation/data.ts';
import { chooseOutcome } from '../evaluation/flag.ts';
import type { OutcomeJson, PreparedOutcome } from '../evaluation/outcome.ts';
import { LIMITS, type CompiledFlag, type EvaluationRun } from '../evaluation/run.ts';
import type { Audience } from './audience.ts';
import {
  hideFlag,
  namesHiddenFlag,
  tracksReason,
  type EvaluationOptions,
  type ShownReason,
} from './results.ts';

export interface ResultOptions extends EvaluationOptions {
  /** The version of all results: it rises whenever a value may have changed, also by another flag or a segment. */
  version: number;
}

export interface RenderedResults {
  /** An object with a result for each flag that the audience may see, by key. */
  json: string;
  /** The keys of flags whose evaluation reached a limit, and these limits as bits. */
  limited: string[];
  limits: number;
}

/** Other calls get their turn after this many flags, or after one that took many steps. */
const MAX_FLAGS = 32;
const MAX_STEPS = 10_000;

/** Evaluates all flags that the audience may see, in the order of the environment. Yields to other calls. */
export async function renderResults(run: EvaluationRun, options: ResultOptions): Promise<RenderedResults> {
  const { audience } = options;
  const limited: string[] = [];
  let allLimits = 0;
  const texts: string[] = [];
  const slice = new TimeSlice();
  let steps = run.totalSteps;
  for (const flag of run.environment.flags.values()) {
    if (!flag[audience]) continue;
    const outcome = chooseOutcome(flag, run);
    const limits = run.notices & LIMITS;
    if (limits !== 0) limited.push(flag.data.key);
    allLimits |= limits;
    texts.push(renderOutcome(flag, outcome, run, options));
    if (texts.length % MAX_FLAGS !== 0 && steps - run.totalSteps < MAX_STEPS) continue;
    steps = run.totalSteps;
    if (slice.isOver) await slice.next();
  }
  return { json: `{${texts.join(',')}}`, limited, limits: allLimits };
}

/** The result of one flag, with its key; undefined when the audience may not see the flag. */
export function renderResult(run: EvaluationRun, key: string, options: ResultOptions): string | undefined {
  const flag = run.environment.flags.get(key);
  if (!flag?.[options.audience]) return undefined;
  const keyJson = JSON.stringify(key);
  const member = renderOutcome(flag, chooseOutcome(flag, run), run, options);
  return `{"key":${keyJson},${member.slice(`${keyJson}:{`.length)}`;
}

/** The key and the result. Only the prerequisites depend on other flags, which may be visible or not. */
function renderOutcome(
  flag: CompiledFlag,
  outcome: PreparedOutcome,
  run: EvaluationRun,
  { audience, withReasons, version }: ResultOptions,
): string {
  const { reason } = outcome.result;
  const json = !withReasons
    ? (outcome.json ??= prepareJson(flag, outcome))
    : namesHiddenFlag(reason, run, audience)
      ? (outcome.jsonWithHiddenReason ??= prepareJson(flag, outcome, hideFlag(reason)))
      : (outcome.jsonWithReason ??= prepareJson(flag, outcome, reason));
  if (json.version !== version) {
    // Joined to one flat text, which is faster to copy than a tree of parts.
    json.text = [json.head, version, json.tail].join('');
    json.version = version;
  }
  return json.prerequisites.length === 0 ? json.text : addPrerequisites(json, outcome, run, audience);
}

function addPrerequisites(
  { text, prerequisites }: OutcomeJson,
  { result }: PreparedOutcome,
  { environment: { flags } }: EvaluationRun,
  audience: Audience,
): string {
  let list = '';
  for (let index = 0; index < prerequisites.length; index += 1) {
    if (flags.get(result.prerequisites[index]!)?.[audience]) list += prerequisites[index]!;
  }
  return list === '' ? text : `${text.slice(0, -1)},"prerequisites":[${list.slice(1)}]}`;
}

function prepareJson(flag: CompiledFlag, outcome: PreparedOutcome, reason?: ShownReason): OutcomeJson {
  return {
    version: Number.NaN,
    text: '',
    prerequisites: outcome.result.prerequisites.map((key) => `,${JSON.stringify(key)}`),
    head: headOf(flag, outcome),
    tail: renderTail(flag.data, outcome, reason),
  };
}

/** From the key to the version: the same for all outcomes with this variation. */
function headOf({ data, heads }: CompiledFlag, { result }: PreparedOutcome): string {
  const { value, variationIndex } = result;
  const variation = variationIndex === undefined ? '' : `,"variation":${variationIndex}`;
  return (heads[(variationIndex ?? -1) + 1] ??=
    `${JSON.stringify(data.key)}:{"value":${JSON.stringify(value)}${variation},"version":`);
}

function renderTail(flag: FlagData, { result }: PreparedOutcome, reason: ShownReason | undefined): string {
  const { version, trackEvents, debugEventsUntilDate } = flag;
  const isTracked = tracksReason(flag, result.reason);
  const members = JSON.stringify({
    flagVersion: version,
    trackEvents: trackEvents || isTracked,
    ...(isTracked && { trackReason: true }),
    ...(debugEventsUntilDate !== null && { debugEventsUntilDate }),
    ...((reason !== undefined || isTracked) && { reason: reason ?? result.reason }),
  });
  return `,${members.slice(1)}`;
}

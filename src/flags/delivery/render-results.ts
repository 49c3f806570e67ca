// Renders the results of flags as JSON text, from texts that are prepared once for each outcome.
import type { FlagData } from '../evaluation/data.ts';
import { chooseOutcome } from '../evaluation/flag.ts';
import type { OutcomeJson, PreparedOutcome } from '../evaluation/outcome.ts';
import type { CompiledFlag, EvaluationRun, Reason } from '../evaluation/run.ts';
import { AUDIENCES, type Audience, canSee } from './keys.ts';
import { joinTexts } from '../../kernel/json/join-texts.ts';
import { evaluateAll, type ReachedLimits } from './evaluate-all.ts';

export interface RenderedResults extends ReachedLimits {
  /** An object with a result for each flag that the audience may see, by key. */
  json: string;
}

export async function renderResults(
  run: EvaluationRun,
  options: EvaluationOptions,
): Promise<RenderedResults> {
  const format = formatOf(options);
  const { texts, ...reached } = await evaluateAll(run, options.audience, (flag, outcome) => {
    const version = flag.resultVersion;
    if (outcome.textVersion !== version || outcome.textFormat !== format) {
      outcome.text = renderOutcome(flag, outcome, run, options);
      outcome.textVersion = version;
      outcome.textFormat = format;
    }
    return outcome.text;
  });
  return { json: joinTexts('{', texts, '}'), ...reached };
}

/** The result of one flag, for streams; undefined when the audience may not see the flag. */
export function renderResult(
  run: EvaluationRun,
  key: string,
  options: EvaluationOptions,
): RenderedResult | undefined {
  const flag = run.environment.flags.get(key);
  if (!flag?.[options.audience]) return undefined;
  const outcome = chooseOutcome(flag, run);
  return new RenderedResult(
    flag,
    jsonOf(flag, outcome, run, options),
    prerequisitesOf(outcome, run, options.audience),
  );
}

/** What ends the first part of the JSON of a result. */
const VERSION = ',"version":';

export class RenderedResult {
  readonly version: number;
  readonly #keyJson: string;
  readonly #json: OutcomeJson;
  /** As a further member, or empty. */
  readonly #prerequisites: string;

  constructor({ data, resultVersion }: CompiledFlag, json: OutcomeJson, prerequisites: string) {
    this.version = resultVersion;
    this.#keyJson = JSON.stringify(data.key);
    this.#json = json;
    this.#prerequisites = prerequisites;
  }

  /** An object with the key and the version. */
  get withKey(): string {
    const { head } = this.#json;
    return `{"key":${this.#keyJson},${head.slice(this.#keyJson.length + 2)}${this.version}${this.#end}`;
  }

  /** An object without either. */
  get object(): string {
    return `${this.#json.head.slice(this.#keyJson.length + 1, -VERSION.length)}${this.#end}`;
  }

  /** Whether clients would notice the difference: the version of the flag alone is none. */
  isLike(other: RenderedResult): boolean {
    return (
      this.#json.head === other.#json.head && afterFlagVersion(this.#end) === afterFlagVersion(other.#end)
    );
  }

  get #end(): string {
    return withMember(this.#json.tail, this.#prerequisites);
  }
}

/** The version of the flag is the first member. */
function afterFlagVersion(tail: string): string {
  return tail.slice(tail.indexOf(',', 1));
}

/** A number for the options that affect the text of a result, beside the version. */
function formatOf({ audience, withReasons }: EvaluationOptions): number {
  return FORMATS.indexOf(audience) * 2 + Number(withReasons);
}

const FORMATS: readonly Audience[] = Object.values(AUDIENCES);

/** The key and the result. The version rises with every change of a prerequisite, also of who may see it. */
function renderOutcome(
  flag: CompiledFlag,
  outcome: PreparedOutcome,
  run: EvaluationRun,
  options: EvaluationOptions,
): string {
  const { head, tail } = jsonOf(flag, outcome, run, options);
  const prerequisites = prerequisitesOf(outcome, run, options.audience);
  // Joined to one flat text, which is faster to copy than a tree of parts.
  return [head, flag.resultVersion, withMember(tail, prerequisites)].join('');
}

function withMember(tail: string, member: string): string {
  return member === '' ? tail : `${tail.slice(0, -1)}${member}}`;
}

function jsonOf(
  flag: CompiledFlag,
  outcome: PreparedOutcome,
  run: EvaluationRun,
  { audience, withReasons }: EvaluationOptions,
): OutcomeJson {
  if (!withReasons) return (outcome.json ??= prepareJson(flag, outcome));
  const { reason } = outcome.result;
  return namesHiddenFlag(reason, run, audience)
    ? (outcome.jsonWithHiddenReason ??= prepareJson(flag, outcome, hideFlag(reason)))
    : (outcome.jsonWithReason ??= prepareJson(flag, outcome, reason));
}

/** As a further member, or empty. They depend on other flags, which may be visible or not. */
function prerequisitesOf(
  { result: { prerequisites } }: PreparedOutcome,
  { environment: { flags } }: EvaluationRun,
  audience: Audience,
): string {
  if (prerequisites.length === 0) return '';
  let list = '';
  for (const key of prerequisites) if (flags.get(key)?.[audience]) list += `,${JSON.stringify(key)}`;
  return list === '' ? '' : `,"prerequisites":[${list.slice(1)}]`;
}

function prepareJson(flag: CompiledFlag, outcome: PreparedOutcome, reason?: ShownReason): OutcomeJson {
  return {
    head: headOf(flag, outcome),
    tail: renderTail(flag.data, outcome, reason),
  };
}

/** From the key to the version: the same for all outcomes with this variation. */
function headOf({ data, heads }: CompiledFlag, { result }: PreparedOutcome): string {
  const { value, variationIndex } = result;
  const variation = variationIndex === undefined ? '' : `,"variation":${variationIndex}`;
  return (heads[(variationIndex ?? -1) + 1] ??=
    `${JSON.stringify(data.key)}:{"value":${JSON.stringify(value)}${variation}${VERSION}`);
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

/** Without the key of a prerequisite that the audience may not see. */
type ShownReason = Reason | Pick<Reason, 'kind' | 'bigSegmentsStatus'>;

export interface EvaluationOptions {
  audience: Audience;
  withReasons: boolean;
}

/** A prerequisite that fails may be one that this kind of key must not know of. */
export function namesHiddenFlag(reason: Reason, { environment }: EvaluationRun, audience: Audience): boolean {
  if (reason.kind !== 'PREREQUISITE_FAILED' || audience === 'server') return false;
  const prerequisite = environment.flags.get(reason.prerequisiteKey);
  return prerequisite === undefined || !canSee(audience, prerequisite.data);
}

function hideFlag({ kind, bigSegmentsStatus }: Reason): ShownReason {
  return { kind, ...(bigSegmentsStatus !== undefined && { bigSegmentsStatus }) };
}

/** Whether the SDK has to send a full event, with the reason, for this evaluation. */
function tracksReason({ rules, trackEventsFallthrough }: FlagData, reason: Reason): boolean {
  switch (reason.kind) {
    case 'FALLTHROUGH':
      return trackEventsFallthrough || reason.inExperiment === true;
    case 'RULE_MATCH':
      return rules[reason.ruleIndex]?.trackEvents === true || reason.inExperiment === true;
    default:
      return false;
  }
}

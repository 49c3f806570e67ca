// Evaluates all flags that an audience may see, in the order of the environment, after looking up memberships in big segments.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { chooseOutcome } from '../evaluation/flag.ts';
import type { PreparedOutcome } from '../evaluation/outcome.ts';
import {
  LIMITS,
  type CompiledFlag,
  type EvaluationRun,
  type EvaluationEnvironment,
} from '../evaluation/run.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { keyOf, USER, type Context } from '../evaluation/context.ts';
import type { CompiledEnvironment } from '../evaluation/environment.ts';
import type { Audience } from './keys.ts';
import type { Feed } from './feed/feed.ts';
import { listMemberships } from './store.ts';

/** For evaluation to read them from memory. `compiled` is another state of the feed, where that is evaluated. */
export async function loadBigSegments(
  db: Db,
  { bigSegments, compiled: current }: Pick<Feed, 'bigSegments' | 'compiled'>,
  { parts }: Context,
  compiled: CompiledEnvironment = current,
): Promise<EvaluationEnvironment> {
  if (bigSegments.size === 0) return { ...compiled, bigSegmentInclusion: () => undefined };
  const segments = [...bigSegments.values()];
  const memberships = await listMemberships(
    db,
    segments.map(({ id }) => id),
    [...new Set(Array.from(parts.values(), keyOf))],
  );
  const nameOf = (segmentId: string, contextKey: string) => `${segmentId} ${contextKey}`;
  const inclusions = new Map(
    memberships.map(({ segmentId, contextKey, isIncluded }) => [nameOf(segmentId, contextKey), isIncluded]),
  );
  const inclusionByKey = new Map(
    segments.map(({ id, data: { key, unboundedContextKind = USER } }) => {
      const part = parts.get(unboundedContextKind);
      return [key, part && inclusions.get(nameOf(id, keyOf(part)))];
    }),
  );
  return { ...compiled, bigSegmentInclusion: (key) => inclusionByKey.get(key) };
}

export interface ReachedLimits {
  /** The keys of flags whose evaluation reached a limit, and these limits as bits. */
  limited: string[];
  limits: number;
}

type Flags = EvaluationEnvironment['flags'];

/** By the flags of an environment, which never change: another state of it has another map. */
const visible = new WeakMap<Flags, Partial<Record<Audience, readonly CompiledFlag[]>>>();

/** Looked for once: apps in browsers may see few flags of a large project. */
function visibleFlags(flags: Flags, audience: Audience): readonly CompiledFlag[] {
  let known = visible.get(flags);
  if (known === undefined) visible.set(flags, (known = {}));
  return (known[audience] ??= [...flags.values()].filter((flag) => flag[audience]));
}

/** An evaluation looks at the clock after this many flags, or after one that took many steps. */
const MAX_FLAGS = 32;
const MAX_STEPS = 10_000;

/** The turns of an evaluation of many flags, between which other calls get theirs. */
export class EvaluationTurns {
  readonly #run: EvaluationRun;
  readonly #slice = new TimeSlice();
  #steps: number;
  #flags = 0;

  constructor(run: EvaluationRun) {
    this.#run = run;
    this.#steps = run.totalSteps;
  }

  /** To be asked after each flag. */
  get isOver(): boolean {
    this.#flags += 1;
    const { totalSteps } = this.#run;
    if (this.#flags % MAX_FLAGS !== 0 && this.#steps - totalSteps < MAX_STEPS) return false;
    this.#steps = totalSteps;
    return this.#slice.isOver;
  }

  yieldToEventLoop(): Promise<void> {
    return this.#slice.yieldToEventLoop();
  }
}

/** Yields to other calls. `textOf` is what is kept of each. The list belongs to the caller. */
export async function evaluateAll(
  run: EvaluationRun,
  audience: Audience,
  textOf: (flag: CompiledFlag, outcome: PreparedOutcome) => string,
): Promise<ReachedLimits & { texts: string[] }> {
  const limited: string[] = [];
  let allLimits = 0;
  const texts: string[] = [];
  const turns = new EvaluationTurns(run);
  for (const flag of visibleFlags(run.environment.flags, audience)) {
    const outcome = chooseOutcome(flag, run);
    const limits = run.notices & LIMITS;
    if (limits !== 0) limited.push(flag.data.key);
    allLimits |= limits;
    texts.push(textOf(flag, outcome));
    if (turns.isOver) await turns.yieldToEventLoop();
  }
  return { texts, limited, limits: allLimits };
}

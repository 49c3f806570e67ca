// Evaluates all flags that an audience may see, in the order of the environment, and yields to other calls.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { chooseOutcome } from '../evaluation/flag.ts';
import type { PreparedOutcome } from '../evaluation/outcome.ts';
import { LIMITS, type CompiledFlag, type EvaluationRun } from '../evaluation/run.ts';
import type { Audience } from './audience.ts';

export interface ReachedLimits {
  /** The keys of flags whose evaluation reached a limit, and these limits as bits. */
  limited: string[];
  limits: number;
}

/** Other calls get their turn after this many flags, or after one that took many steps. */
const MAX_FLAGS = 32;
const MAX_STEPS = 10_000;

/** `textOf` is what is kept of each. The list belongs to the caller. */
export async function evaluateAll(
  run: EvaluationRun,
  audience: Audience,
  textOf: (flag: CompiledFlag, outcome: PreparedOutcome) => string,
): Promise<ReachedLimits & { texts: string[] }> {
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
    texts.push(textOf(flag, outcome));
    if (texts.length % MAX_FLAGS !== 0 && steps - run.totalSteps < MAX_STEPS) continue;
    steps = run.totalSteps;
    if (slice.isOver) await slice.next();
  }
  return { texts, limited, limits: allLimits };
}

/**
 * The texts with commas between them, in one flat text, which need not be copied once more to be sent. The first and the
 * last of the list are replaced.
 */
export function joinTexts(before: string, texts: string[], after: string): string {
  if (texts.length === 0) return before + after;
  texts[0] = before + texts[0]!;
  texts[texts.length - 1] += after;
  return texts.join(',');
}

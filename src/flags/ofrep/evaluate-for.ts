// Evaluates flags for the holder of a key.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/route.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';
import { AUDIENCES, canSee } from '../delivery/audience.ts';
import type { OpenedFeed } from '../delivery/keys.ts';
import { warningsOf } from '../evaluation/warnings.ts';
import type { PreparedEvaluation } from './begin-evaluation.ts';
import { toFlagOutcome, type FlagOutcome } from './model.ts';

/** Flags per log line. */
const MAX_LOGGED = 10;

/** Those of the flags that the key may see, in the given order. Yields to other calls between flags. */
export async function evaluateFor(
  { id }: Pick<Call, 'id'>,
  kernel: Kernel,
  { feed: { environment }, kind }: OpenedFeed,
  { run }: PreparedEvaluation,
  keys: Iterable<string>,
): Promise<FlagOutcome[]> {
  const { flags } = run.environment;
  const isSeen = (key: string) => flags.has(key) && canSee(AUDIENCES[kind], flags.get(key)!.data);
  const outcomes: FlagOutcome[] = [];
  const limited: string[] = [];
  let allLimits = 0;
  const slice = new TimeSlice();
  for (const key of keys) {
    if (!isSeen(key)) continue;
    const flag = flags.get(key)!;
    const result = flag.evaluate(run);
    outcomes.push(toFlagOutcome(flag.data, result, isSeen));
    if (result.limits !== undefined) limited.push(key);
    allLimits |= result.limits ?? 0;
    if (slice.isOver) await slice.next();
  }
  if (limited.length > 0) {
    const fields = { call: id, environment: environment.key, flags: limited.slice(0, MAX_LOGGED) };
    kernel.log.debug(fields, warningsOf(allLimits).join(' '));
  }
  return outcomes;
}

// Where a context stands in a segment, apart from any flag.
import type { Context } from './context.ts';
import { beginRun, Malformed, type CompiledSegment, type Environment, type Standing } from './run.ts';

/** Undefined for who is not in it. Nobody is in a segment that cannot be evaluated as it is. */
export function findStanding(
  { locate }: CompiledSegment,
  context: Context,
  environment: Environment,
): Standing | undefined {
  try {
    return locate(beginRun(context, environment));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
